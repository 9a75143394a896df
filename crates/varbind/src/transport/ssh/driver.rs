//! What runs the tasks of a client's connection.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::runtime::{Builder, Runtime};

use super::SshError;
use super::client_stream::ClientSocket;

/// How often the tasks are run before the network is waited for.
const ROUNDS: usize = 16;
/// How long the network is waited for at once while a connection is opened.
const SLICE: Duration = Duration::from_millis(20);
/// How long a peer may refuse to take a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs the tasks of a connection, in the thread that needs them to get on.
pub(super) struct Driver {
    runtime: Runtime,
    socket: Arc<ClientSocket>,
    driving: Mutex<()>,
}

impl Driver {
    pub(super) fn new(socket: Arc<ClientSocket>) -> io::Result<Self> {
        Ok(Self {
            // Its own event loop would be a system call more for each message.
            runtime: Builder::new_current_thread().enable_time().build()?,
            socket,
            driving: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.driving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the tasks read what has arrived, and do what follows from it.
    pub(super) fn turn(&self, has_ended: impl Fn() -> bool) {
        let _driving = self.lock();
        self.socket.wake();
        self.runtime.block_on(async {
            loop {
                tokio::task::yield_now().await;
                let is_stuck = self.socket.is_waiting() || self.socket.is_blocked();
                if is_stuck || has_ended() {
                    break;
                }
            }
        });
        self.socket.flush();
    }

    /// Lets the tasks do what they can without waiting.
    pub(super) fn poll_once<F: Future>(&self, future: F) -> Option<F::Output> {
        let _driving = self.lock();
        self.rounds(pin!(future).as_mut())
    }

    /// Carries out a sending to its end: when it returns, the system has the message.
    pub(super) fn send<F: Future>(&self, sending: F) -> io::Result<F::Output> {
        let _driving = self.lock();
        let mut sending = pin!(sending);
        // Nothing is read here: that would be a system call for nothing.
        let mut output = self.rounds(sending.as_mut());
        let started = Instant::now();
        loop {
            match output {
                Some(output) if !self.socket.is_blocked() => return Ok(output),
                _ if started.elapsed() > WRITE_TIMEOUT => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                _ => {}
            }
            self.wait(SLICE);
            self.socket.wake();
            match output {
                None => output = self.rounds(sending.as_mut()),
                Some(_) => {
                    self.rounds(pin!(std::future::ready(())));
                }
            }
        }
    }

    /// Polls a future, and runs the tasks of the connection, until there is nothing more to do for them.
    fn rounds<F: Future>(&self, mut future: Pin<&mut F>) -> Option<F::Output> {
        let output = self.runtime.block_on(async {
            let mut output = None;
            for _ in 0..ROUNDS {
                if output.is_none() {
                    output = poll_fn(|context| {
                        Poll::Ready(match future.as_mut().poll(context) {
                            Poll::Ready(output) => Some(output),
                            Poll::Pending => None,
                        })
                    })
                    .await;
                }
                tokio::task::yield_now().await;
                if output.is_some() && (self.socket.is_waiting() || self.socket.is_blocked()) {
                    break;
                }
            }
            output
        });
        self.socket.flush();
        output
    }

    /// Runs something to its end, as long as the time that the network takes is within the budget.
    pub(super) fn run<F: Future>(
        &self,
        future: F,
        budget: &mut Duration,
        what: &'static str,
    ) -> Result<F::Output, SshError> {
        let _driving = self.lock();
        let mut future = pin!(future);
        loop {
            self.socket.wake();
            if let Some(output) = self.rounds(future.as_mut()) {
                return Ok(output);
            }
            if budget.is_zero() {
                return Err(SshError::TimedOut(what));
            }
            let started = Instant::now();
            self.wait(SLICE.min(*budget));
            *budget = budget.saturating_sub(started.elapsed());
        }
    }

    fn wait(&self, patience: Duration) {
        let mut what = PollFlags::IN;
        if self.socket.is_blocked() {
            what |= PollFlags::OUT;
        }
        let timeout = Timespec::try_from(patience).ok();
        // Whatever it says, the tasks find out.
        let _ = poll(&mut [PollFd::new(&*self.socket, what)], timeout.as_ref());
    }
}
