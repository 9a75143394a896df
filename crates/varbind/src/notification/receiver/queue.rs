use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// A bounded queue between those who receive and who takes what they received.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    capacity: usize,
    filled: Condvar,
    has_room: Notify,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    is_closed: bool,
}

/// What [`Queue::pop`] found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Popped<T> {
    Item(T),
    TimedOut,
    /// Nothing is left, and nothing will come.
    Closed,
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                is_closed: false,
            }),
            capacity: capacity.max(1),
            filled: Condvar::new(),
            has_room: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, or gives it back if there is no room.
    pub(super) fn offer(&self, item: T) -> Result<(), T> {
        let mut state = self.state();
        if state.is_closed || state.items.len() >= self.capacity {
            return Err(item);
        }
        state.items.push_back(item);
        drop(state);
        self.filled.notify_one();
        Ok(())
    }

    /// Adds an item as soon as there is room; gives it back if the queue is closed.
    pub(super) async fn push(&self, item: T) -> Result<(), T> {
        let mut item = item;
        loop {
            // Made before the attempt, so that room that is made in between is not missed.
            let has_room = self.has_room.notified();
            match self.offer(item) {
                Ok(()) => return Ok(()),
                Err(back) if self.state().is_closed => return Err(back),
                Err(back) => item = back,
            }
            has_room.await;
        }
    }

    /// Takes the oldest item, waiting for one no longer than `patience`, if that is given.
    pub(super) fn pop(&self, patience: Option<Duration>) -> Popped<T> {
        let until = patience.and_then(|patience| Instant::now().checked_add(patience));
        let mut state = self.state();
        loop {
            if let Some(item) = state.items.pop_front() {
                drop(state);
                self.has_room.notify_waiters();
                return Popped::Item(item);
            }
            if state.is_closed {
                return Popped::Closed;
            }
            state = match until {
                None => self
                    .filled
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Popped::TimedOut;
                    }
                    self.filled
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
    }

    /// Takes no more items; what is there can still be taken.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.filled.notify_all();
        self.has_room.notify_waiters();
    }

    /// Removes what is there.
    pub(super) fn clear(&self) {
        let items = std::mem::take(&mut self.state().items);
        self.has_room.notify_waiters();
        // Without the lock: items may have something to do at their end.
        drop(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_comes_back() {
        let queue = Queue::new(2);
        assert_eq!((queue.offer(1), queue.offer(2)), (Ok(()), Ok(())));
        assert_eq!(queue.offer(3), Err(3));
        assert_eq!(queue.pop(None), Popped::Item(1));
        assert_eq!(queue.offer(3), Ok(()));
        queue.close();
        assert_eq!(queue.offer(4), Err(4));
        assert_eq!(queue.pop(None), Popped::Item(2));
        assert_eq!(queue.pop(None), Popped::Item(3));
        assert_eq!(queue.pop(None), Popped::Closed);
    }

    #[test]
    fn waiting_ends_when_its_time_is_over() {
        let queue: Queue<u8> = Queue::new(1);
        let patience = Some(Duration::from_millis(1));
        assert_eq!(queue.pop(patience), Popped::TimedOut);
    }

    #[test]
    fn those_who_wait_for_room_all_get_it() {
        let queue = std::sync::Arc::new(Queue::new(1));
        let pushing = std::sync::Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut tasks = tokio::task::JoinSet::new();
                for item in 0..50 {
                    let queue = std::sync::Arc::clone(&pushing);
                    tasks.spawn(async move { queue.push(item).await });
                }
                tasks.join_all().await
            })
        });
        let mut taken: Vec<_> = (0..50)
            .map(|_| match queue.pop(Some(Duration::from_secs(30))) {
                Popped::Item(item) => item,
                other => panic!("{other:?}"),
            })
            .collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..50).collect::<Vec<_>>());
        assert!(thread.join().unwrap().iter().all(Result::is_ok));
    }
}
