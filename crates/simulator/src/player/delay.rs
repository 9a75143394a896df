//! Responses that are held back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use varbind::transport::udp::{BatchSocket, LocalAddress};

/// How many responses may wait; those beyond are lost, as in a queue of a network.
const MOST: usize = 200_000;

/// A response that waits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    due: Instant,
    number: u64,
    remote: SocketAddr,
    local: Option<LocalAddress>,
    payload: Box<[u8]>,
}

#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<Waiting>>,
    next: u64,
    is_closing: bool,
}

/// Sends responses when their time has come. Its thread begins with the first.
pub(super) struct DelayLine {
    shared: Arc<(Mutex<Queue>, Condvar)>,
    socket: Arc<BatchSocket>,
    thread: Option<JoinHandle<()>>,
}

impl DelayLine {
    pub(super) fn new(socket: Arc<BatchSocket>) -> Self {
        Self {
            shared: Arc::default(),
            socket,
            thread: None,
        }
    }

    /// Sends a response after a while.
    pub(super) fn send(
        &mut self,
        delay: Duration,
        remote: SocketAddr,
        local: Option<LocalAddress>,
        payload: &[u8],
    ) {
        if self.thread.is_none() {
            match self.start() {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => return log::error!("a response cannot be held back: {error}"),
            }
        }
        let (queue, changed) = &*self.shared;
        let mut queue = lock(queue);
        if queue.waiting.len() >= MOST {
            return log::debug!("{remote}: too many responses wait, one is lost");
        }
        queue.next += 1;
        let number = queue.next;
        queue.waiting.push(Reverse(Waiting {
            due: Instant::now() + delay,
            number,
            remote,
            local,
            payload: payload.into(),
        }));
        changed.notify_one();
    }

    fn start(&self) -> io::Result<JoinHandle<()>> {
        let (shared, socket) = (Arc::clone(&self.shared), Arc::clone(&self.socket));
        let name = "varbind-delay".to_owned();
        Builder::new()
            .name(name)
            .spawn(move || run(&shared, &socket))
    }
}

impl Drop for DelayLine {
    fn drop(&mut self) {
        let (queue, changed) = &*self.shared;
        lock(queue).is_closing = true;
        changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run((queue, changed): &(Mutex<Queue>, Condvar), socket: &BatchSocket) {
    let mut guard = lock(queue);
    while !guard.is_closing {
        let now = Instant::now();
        let Some(Reverse(first)) = guard.waiting.peek() else {
            guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let patience = first.due.saturating_duration_since(now);
        if !patience.is_zero() {
            let waited = changed.wait_timeout(guard, patience);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        let due = guard.waiting.pop();
        drop(guard);
        if let Some(Reverse(response)) = due {
            let sent = socket.send_one(&response.payload, response.remote, response.local);
            if let Err(error) = sent {
                log::debug!("{}: a response could not be sent: {error}", response.remote);
            }
        }
        guard = lock(queue);
    }
}
