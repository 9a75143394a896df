//! Delayed responses.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use varbind::transport::udp::{BatchSocket, LocalAddress};

/// The most responses that wait; further ones are dropped, as in a queue of a network.
const MOST: usize = 200_000;

/// The recipient of a response.
pub(super) enum Recipient {
    Datagram {
        remote: SocketAddr,
        local: Option<LocalAddress>,
    },
    Session(oneshot::Sender<Vec<u8>>),
}

/// A response that waits.
struct Waiting {
    due: Instant,
    number: u64,
    recipient: Recipient,
    payload: Vec<u8>,
}

impl Waiting {
    /// No two have the same.
    const fn order(&self) -> (Instant, u64) {
        (self.due, self.number)
    }
}

impl Waiting {
    fn send(self, socket: Option<&BatchSocket>) {
        match self.recipient {
            Recipient::Datagram { remote, local } => {
                let sent = socket.map(|socket| socket.send_one(&self.payload, remote, local));
                if let Some(Err(error)) = sent {
                    log::debug!("{remote}: a response could not be sent: {error}");
                }
            }
            // The session may have ended.
            Recipient::Session(session) => drop(session.send(self.payload)),
        }
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
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
    /// Where datagrams are sent.
    socket: Option<Arc<BatchSocket>>,
    thread: Option<JoinHandle<()>>,
}

impl DelayLine {
    pub(super) fn new(socket: Option<Arc<BatchSocket>>) -> Self {
        Self {
            shared: Arc::default(),
            socket,
            thread: None,
        }
    }

    /// Sends a response after a while.
    pub(super) fn send(&mut self, delay: Duration, recipient: Recipient, payload: &[u8]) {
        if self.thread.is_none() {
            match self.start() {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => return log::error!("a response cannot be held back: {error}"),
            }
        }
        let (queue, changed) = &*self.shared;
        let mut queue = lock(queue);
        if queue.waiting.len() >= MOST {
            return log::debug!("too many responses wait, one is lost");
        }
        queue.next += 1;
        let number = queue.next;
        queue.waiting.push(Reverse(Waiting {
            due: Instant::now() + delay,
            number,
            recipient,
            payload: payload.to_vec(),
        }));
        changed.notify_one();
    }

    fn start(&self) -> io::Result<JoinHandle<()>> {
        let (shared, socket) = (Arc::clone(&self.shared), self.socket.clone());
        let name = "varbind-delay".to_owned();
        Builder::new()
            .name(name)
            .spawn(move || run(&shared, socket.as_deref()))
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

fn run((queue, changed): &(Mutex<Queue>, Condvar), socket: Option<&BatchSocket>) {
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
            response.send(socket);
        }
        guard = lock(queue);
    }
}
