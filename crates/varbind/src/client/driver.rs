//! The task that carries the messages of all targets of a client.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::time::Sleep;
use varbind_engine::applications::command_generator::{Route, TargetOutput};
use varbind_engine::clock::Instant;

use super::socket::ClientSocket;
use super::state::{Shared, State};
use crate::transport::TransportError;
use crate::transport::udp::{ReceiveBatch, SendBatch};

/// Datagrams that are received with one system call.
const RECEIVED: usize = 32;
/// How many of those are taken before the targets are polled.
const BATCHES: usize = 16;
/// Octets of messages that are collected before they are sent.
const COLLECTED: usize = 64 * 1024;
/// The largest message.
const LARGEST_MESSAGE: usize = 65_535;
/// How often the driver looks for more before it lets other tasks run.
const TURNS: usize = 16;

/// Carries messages between the sockets and the targets of a client.
pub(super) struct Driver {
    shared: Arc<Shared>,
    sockets: [Option<Arc<ClientSocket>>; 2],
    batch: ReceiveBatch,
    /// Messages that are to be sent, one behind the other, and where to.
    arena: Vec<u8>,
    sends: [SendBatch; 2],
    buffer: Vec<u8>,
    /// Operations whose requests ended.
    wakers: Vec<Waker>,
    sleep: Pin<Box<Sleep>>,
    wakes_at: Option<Instant>,
}

impl Driver {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            sockets: [None, None],
            batch: ReceiveBatch::new(RECEIVED),
            arena: Vec::new(),
            sends: [SendBatch::default(), SendBatch::default()],
            buffer: vec![0; LARGEST_MESSAGE],
            wakers: Vec::new(),
            sleep: Box::pin(tokio::time::sleep(Duration::ZERO)),
            wakes_at: None,
        }
    }

    /// Takes the datagrams that are there, of one batch; whether there may be more.
    fn receive(&mut self, at: usize, cx: &mut Context<'_>) -> bool {
        let Some(socket) = self.sockets.get(at).and_then(Option::as_ref) else {
            return false;
        };
        if !socket.poll_receive(cx, &mut self.batch) {
            return false;
        }
        let now = self.shared.clock.now();
        let mut state = self.shared.lock();
        for datagram in self.batch.datagrams() {
            let (source, message) = (datagram.remote, datagram.payload);
            match state.targets.handle_datagram(now, source, message) {
                Ok(_) => {}
                Err(Some(discard)) => log::debug!("{source}: a message was ignored: {discard}"),
                Err(None) => log::debug!("{source}: a message was ignored: no target is there"),
            }
        }
        true
    }

    /// Does the work of the targets: collects messages and delivers events to operations. Returns when it is to be asked
    /// again, and whether there is more to do at once.
    fn poll_targets(&mut self, state: &mut State) -> (Option<Instant>, bool) {
        let now = self.shared.clock.now();
        while self.arena.len() < COLLECTED {
            match state.targets.poll(now, &mut self.buffer) {
                TargetOutput::Transmit(_, Route::Datagram(address), message) => {
                    let start = self.arena.len();
                    self.arena.extend_from_slice(message);
                    let [v4, v6] = &mut self.sends;
                    let sends = if address.is_ipv4() { v4 } else { v6 };
                    sends.push_to(address, start..self.arena.len());
                }
                TargetOutput::Transmit(key, Route::Session, message) => {
                    let operations = state.targets.value_mut(key);
                    if let Some(session) = operations.and_then(|it| it.session.as_mut()) {
                        session.messages.extend_from_slice(message);
                        self.wakers.extend(session.waker.take());
                    } else {
                        // The session ended before the request was made, as when an agent answers and closes.
                        state.targets.change(key, |generator, _| {
                            generator.handle_session_end(now, TransportError::ConnectionClosed);
                        });
                    }
                }
                TargetOutput::Event(key, event) => {
                    if let Some(operations) = state.targets.value_mut(key) {
                        self.wakers.extend(operations.deliver(event));
                    }
                }
                TargetOutput::WaitUntil(until) => return (Some(until), false),
                TargetOutput::Idle => return (None, false),
            }
        }
        (None, true)
    }

    /// Sends what was collected; whether targets have something to do because messages cannot be sent. Not ready while the
    /// sockets take no more.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let mut failed: Vec<(SocketAddr, io::Error)> = Vec::new();
        let mut is_done = true;
        for (socket, sends) in self.sockets.iter().zip(&mut self.sends) {
            let Some(socket) = socket else {
                continue;
            };
            let on_error = |address, error| failed.push((address, error));
            is_done &= socket
                .poll_send(cx, sends, &self.arena, on_error)
                .is_ready();
        }
        if is_done {
            self.arena.clear();
            self.arena.shrink_to(COLLECTED + LARGEST_MESSAGE);
        }
        if !failed.is_empty() {
            let now = self.shared.clock.now();
            let mut state = self.shared.lock();
            for (address, error) in failed {
                let failure = TransportError::from(&error).into();
                state
                    .targets
                    .handle_transport_failure(now, address, &failure);
            }
            return Poll::Ready(true);
        }
        match is_done {
            true => Poll::Ready(false),
            false => Poll::Pending,
        }
    }

    /// Has the task woken at this time.
    fn sleep_until(&mut self, until: Option<Instant>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(until) = until else {
            return Poll::Pending;
        };
        // A timer that is early costs less than one that is set anew for every request.
        if self.wakes_at.is_none_or(|at| until < at) {
            let patience = until - self.shared.clock.now();
            self.sleep
                .as_mut()
                .reset(tokio::time::Instant::now() + patience);
            self.wakes_at = Some(until);
        }
        let woken = self.sleep.as_mut().poll(cx);
        if woken.is_ready() {
            self.wakes_at = None;
        }
        woken
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        for _ in 0..TURNS {
            // What has arrived counts before any timer.
            let has_more = (0..BATCHES).all(|_| this.receive(0, cx) | this.receive(1, cx));
            let shared = Arc::clone(&this.shared);
            let mut state = shared.lock();
            if state.is_closed {
                return Poll::Ready(());
            }
            let is_open =
                |sockets: &[Option<Arc<ClientSocket>>; 2]| sockets.each_ref().map(Option::is_some);
            // Nothing has been read from a new socket, so that nothing would wake the task for it.
            let has_new = is_open(&this.sockets) != is_open(&state.sockets);
            if has_new {
                this.sockets.clone_from(&state.sockets);
            }
            let (until, is_full) = this.poll_targets(&mut state);
            // From now on it is woken for whatever changes.
            match &mut state.driver {
                Some(waker) => waker.clone_from(cx.waker()),
                None => state.driver = Some(cx.waker().clone()),
            }
            drop(state);
            for waker in this.wakers.drain(..) {
                waker.wake();
            }
            // What comes meanwhile waits in the sockets.
            let has_failed = ready!(this.poll_send(cx));
            if has_more || has_new || is_full || has_failed {
                continue;
            }
            if this.sleep_until(until, cx).is_pending() {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
