use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
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
    /// The task that takes items, while it waits.
    taker: Option<Waker>,
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
                taker: None,
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
        let taker = state.taker.take();
        drop(state);
        self.filled.notify_one();
        taker.into_iter().for_each(Waker::wake);
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

    /// Takes the oldest item, or has the task woken when there is one; `None` when nothing is left, and nothing will come.
    pub(super) fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.state();
        if let Some(item) = state.items.pop_front() {
            drop(state);
            self.has_room.notify_waiters();
            return Poll::Ready(Some(item));
        }
        if state.is_closed {
            return Poll::Ready(None);
        }
        let former = match &state.taker {
            Some(known) if known.will_wake(cx.waker()) => None,
            _ => state.taker.replace(cx.waker().clone()),
        };
        // Without the lock: dropping a waker may run anything.
        drop(state);
        drop(former);
        Poll::Pending
    }

    /// Takes no more items; what is there can still be taken.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let taker = state.taker.take();
        drop(state);
        taker.into_iter().for_each(Waker::wake);
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
