//! The socket under a client's SSH connection, read and written by whoever waits for it.
//!
//! No event loop of the runtime is between: a thread that waits for its peer waits with `poll`, and what has arrived is
//! read by the tasks that it then runs. That is one system call less for each message than readiness of a runtime. What the
//! tasks write leaves when they have no more to do: the packets of SSH that follow one another go into one segment.

use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

#[cfg(feature = "experiments")]
use super::SshHandicap;

/// Octets read at once.
const READ: usize = 16_384;
/// How much is read before whoever drives the connection looks at what has come.
const BUDGET: usize = 256 * 1024;
/// Octets that are collected before they are sent.
const COLLECTED: usize = 64 * 1024;

/// A socket that does not block, and what its reader and its writer wait for.
#[derive(Debug)]
pub(crate) struct ClientSocket {
    socket: TcpStream,
    #[cfg(feature = "experiments")]
    sends_each_packet: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How much may be read before it is looked whether there is more; 0 where nothing is to be expected.
    budget: usize,
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// What was written and not sent yet.
    unsent: Vec<u8>,
    /// The peer has not taken all.
    is_blocked: bool,
    /// Why nothing can be sent any more.
    failure: Option<io::ErrorKind>,
    /// The task that had the stream has ended.
    is_abandoned: bool,
}

impl ClientSocket {
    pub(crate) fn new(socket: TcpStream) -> Self {
        Self {
            socket,
            #[cfg(feature = "experiments")]
            sends_each_packet: false,
            state: Mutex::default(),
        }
    }

    #[cfg(feature = "experiments")]
    pub(crate) fn with_handicap(self, handicap: SshHandicap) -> Self {
        Self {
            sends_each_packet: handicap.sends_each_packet,
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the tasks look whether something has arrived, or can be sent.
    pub(crate) fn wake(&self) {
        let mut state = self.state();
        state.budget = BUDGET;
        let wakers = [state.reader.take(), state.writer.take()];
        drop(state);
        wakers.into_iter().flatten().for_each(Waker::wake);
    }

    /// Whether the tasks have read all, and wait for more.
    pub(crate) fn is_waiting(&self) -> bool {
        let state = self.state();
        state.reader.is_some() || state.is_abandoned
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.state().is_abandoned
    }

    /// Whether the peer has not taken all that was written.
    pub(crate) fn is_blocked(&self) -> bool {
        self.state().is_blocked
    }

    /// Sends what the tasks have written, as far as the peer takes it.
    pub(crate) fn flush(&self) {
        self.send_unsent(&mut self.state(), SendFlags::NOSIGNAL);
    }

    fn send_unsent(&self, state: &mut State, flags: SendFlags) {
        let mut sent = 0;
        state.is_blocked = false;
        while let Some(rest) = state.unsent.get(sent..).filter(|rest| !rest.is_empty()) {
            match send(&self.socket, rest, flags) {
                Ok(length) => sent += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    state.is_blocked = true;
                    break;
                }
                Err(error) => {
                    // The reader finds out, too.
                    state.failure = Some(io::Error::from(error).kind());
                    sent = state.unsent.len();
                }
            }
        }
        if sent == state.unsent.len() {
            // A connection that is idle has no buffers.
            state.unsent = Vec::new();
        } else {
            state.unsent.drain(..sent);
        }
        if !state.is_blocked
            && let Some(writer) = state.writer.take()
        {
            writer.wake();
        }
    }

    /// Sends what is left, with the end of the stream behind it in the same segment.
    fn finish(&self) {
        self.send_unsent(&mut self.state(), SendFlags::NOSIGNAL | SendFlags::MORE);
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
    }

    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    #[cfg(feature = "experiments")]
    pub(crate) const fn stream(&self) -> &TcpStream {
        &self.socket
    }
}

impl AsFd for ClientSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The stream that the SSH library has.
#[derive(Debug)]
pub(crate) struct ClientStream {
    socket: Arc<ClientSocket>,
    /// What was read and not taken: a packet is taken in pieces, and read with one system call.
    arrived: Vec<u8>,
    taken: usize,
}

impl ClientStream {
    pub(crate) const fn new(socket: Arc<ClientSocket>) -> Self {
        Self {
            socket,
            arrived: Vec::new(),
            taken: 0,
        }
    }

    fn fill(&mut self, context: &Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.socket.state();
        if state.budget == 0 {
            self.socket.send_unsent(&mut state, SendFlags::NOSIGNAL);
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        self.arrived.resize(READ, 0);
        self.taken = 0;
        let read = (&self.socket.socket).read(&mut self.arrived);
        self.arrived.truncate(*read.as_ref().unwrap_or(&0));
        match read {
            Ok(read) => {
                // Less than was asked for is all that there is.
                state.budget = if read < READ {
                    0
                } else {
                    state.budget.saturating_sub(read)
                };
                Poll::Ready(Ok(()))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                state.budget = 0;
                self.socket.send_unsent(&mut state, SendFlags::NOSIGNAL);
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        self.socket.flush();
        self.socket.state().is_abandoned = true;
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken >= self.arrived.len() {
            match self.fill(context) {
                Poll::Ready(Ok(())) => {}
                other => return other,
            }
        }
        let untaken = self.arrived.get(self.taken..).unwrap_or(&[]);
        let length = untaken.len().min(buffer.remaining());
        buffer.put_slice(untaken.get(..length).unwrap_or(&[]));
        self.taken += length;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.socket.state();
        if state.unsent.len() >= COLLECTED {
            self.socket.send_unsent(&mut state, SendFlags::NOSIGNAL);
        }
        if let Some(failure) = state.failure {
            return Poll::Ready(Err(failure.into()));
        }
        if state.unsent.len() >= COLLECTED {
            state.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        state.unsent.extend_from_slice(octets);
        #[cfg(feature = "experiments")]
        if self.socket.sends_each_packet {
            self.socket.send_unsent(&mut state, SendFlags::NOSIGNAL);
        }
        Poll::Ready(Ok(octets.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.finish();
        Poll::Ready(Ok(()))
    }
}
