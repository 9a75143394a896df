//! The socket under a client's SSH connection, read and written by whoever waits for it.
//!
//! No event loop of the runtime is between: a thread that waits for its peer waits with `poll`, and what has arrived is
//! read by the tasks that it then runs. That is one system call less for each message than readiness of a runtime.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Octets read at once.
const READ: usize = 16_384;
/// How much is read before whoever drives the connection looks at what has come.
const BUDGET: usize = 256 * 1024;

/// A socket that does not block, and what its reader and its writer wait for.
#[derive(Debug)]
pub(crate) struct ClientSocket {
    socket: TcpStream,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How much may be read before it is looked whether there is more; 0 where nothing is to be expected.
    budget: usize,
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// The peer has not taken all.
    is_blocked: bool,
    /// The task that had the stream has ended.
    is_abandoned: bool,
}

impl ClientSocket {
    pub(crate) fn new(socket: TcpStream) -> Arc<Self> {
        Arc::new(Self {
            socket,
            state: Mutex::default(),
        })
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

    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
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
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
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
        let written = (&self.socket.socket).write(octets);
        let mut state = self.socket.state();
        match written {
            Ok(written) => {
                state.is_blocked = false;
                Poll::Ready(Ok(written))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                state.is_blocked = true;
                state.writer = Some(context.waker().clone());
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = self.socket.socket.shutdown(std::net::Shutdown::Write);
        Poll::Ready(Ok(()))
    }
}
