//! A session of the asynchronous client: an SSH connection with one channel, in the runtime of the caller.

use std::future::{Future, poll_fn};
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use russh::client::{Handle, Msg, connect_stream};
use russh::{ChannelWriteHalf, Disconnect};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use varbind_codec::ber::Tag;
use varbind_engine::transport::TransportState;

use super::client_handler::{ClientHandler, Shared};
use super::inbox::Inbox;
use super::opening::{self, CallTime, Server};
use super::options::SshOptions;
use super::{SshError, SshStatistics};
use crate::transport::session::SessionStream;
use crate::transport::{
    OpenError, SecurityFailure, SecurityFailureKind, SessionError, TransportAddress,
};

/// Octets that are collected before they are sent.
const COLLECTED: usize = 64 * 1024;
/// The peer is given no more time than this to take the end of a connection.
const CLOSING: Duration = Duration::from_millis(100);

/// An SSH session that a client has opened (RFC 5592).
pub(crate) struct SshClientStream {
    handle: Handle<ClientHandler>,
    writer: ChannelWriteHalf<Msg>,
    inbox: Arc<Inbox>,
    shared: Arc<Shared>,
    statistics: Arc<SshStatistics>,
    took: (Duration, Duration),
    /// Whether something has arrived.
    has_begun: bool,
    _socket: CutWhenDropped,
}

impl SshClientStream {
    /// Opens a session (openSession, RFC 5592 section 5.3): reads the configuration, connects, checks the server's key,
    /// authenticates the user, and opens a channel with the subsystem `snmp`. `timeout` is for each address of the name.
    ///
    /// Returns the addresses of this side and of the server, too.
    pub(crate) async fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        options: &SshOptions,
    ) -> Result<(Self, SocketAddr, SocketAddr), OpenError> {
        let statistics = &options.statistics;
        statistics.opens.increment();
        let opened = Self::open_uncounted(target, default_port, timeout, options).await;
        if let Err(error) = &opened {
            statistics.note_failure(match error {
                OpenError::Ssh { error, .. } => Some(error),
                _ => None,
            });
        }
        opened
    }

    async fn open_uncounted(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        options: &SshOptions,
    ) -> Result<(Self, SocketAddr, SocketAddr), OpenError> {
        let refused = |error| OpenError::ssh(target, error);
        let finding = {
            let (target, options) = (target.clone(), options.clone());
            move || Server::find(&target, default_port, &options)
        };
        // The runtime has other tasks.
        let calls = CallTime::default();
        let found = calls.run(finding).await.map_err(refused)?;
        let server = found.map_err(refused)?;
        let address = &server.destination.address;
        let addresses = address
            .resolve_async(default_port)
            .await
            .map_err(|error| OpenError::resolving(address, error))?;
        let mut failure = None;
        for remote in opening::in_order(addresses) {
            let deadline = Instant::now() + timeout;
            match connect(remote, deadline).await {
                Ok((socket, local)) => {
                    let statistics = Arc::clone(&options.statistics);
                    let limit = Limit {
                        deadline,
                        calls: Arc::default(),
                    };
                    let opening = Self::open_over(socket, &server, limit, statistics);
                    return Ok((opening.await.map_err(refused)?, local, remote));
                }
                Err(error) => {
                    failure = Some(OpenError::connecting(target, remote, error.into()));
                }
            }
        }
        Err(failure.unwrap_or_else(|| OpenError::resolving(target, io::ErrorKind::NotFound.into())))
    }

    async fn open_over(
        socket: TcpStream,
        server: &Server,
        limit: Limit,
        statistics: Arc<SshStatistics>,
    ) -> Result<Self, SshError> {
        // Each step of the handshake would wait for an acknowledgement of TCP. That it stays slow is no reason to end it.
        let _ = socket.set_nodelay(true);
        #[cfg(feature = "experiments")]
        server.destination.handicap.nagle.set(&socket, false);
        let socket = Arc::new(socket);
        let cut = CutWhenDropped(Arc::clone(&socket));
        let shared = Arc::new(Shared::default());
        let begun = Instant::now();
        let handler = server.handler(&shared, &limit.calls);
        let socket = SharedSocket {
            socket,
            unsent: Vec::new(),
            #[cfg(feature = "experiments")]
            sends_each_packet: server.destination.handicap.sends_each_packet,
        };
        let connecting = connect_stream(server.config(), socket, handler);
        let mut handle = limit.keep("to the key exchange", connecting).await?;
        let key_exchange = begun.elapsed();
        let authenticating = server.authenticate(&mut handle, &shared, &limit.calls);
        limit.keep("to the authentication", authenticating).await?;
        #[cfg(feature = "experiments")]
        server.destination.handicap.nagle.set(&*cut.0, true);
        let opening = opening::open_channel(&handle, &shared);
        let (writer, inbox) = limit.keep("to opening a channel", opening).await?;
        let asking = opening::request_subsystem(&writer, &inbox);
        limit
            .keep("to asking for the subsystem snmp", asking)
            .await?;
        Ok(Self {
            handle,
            writer,
            inbox,
            shared,
            statistics,
            took: (key_exchange, begun.elapsed().saturating_sub(key_exchange)),
            has_begun: false,
            _socket: cut,
        })
    }

    /// How long the key exchange took, and all that came behind it.
    pub(crate) const fn took(&self) -> (Duration, Duration) {
        self.took
    }

    /// What a program wrote in place of a session, if it did. OpenSSH's server drops the standard error of subsystems:
    /// there our launcher writes to standard output.
    fn complaint(&mut self, arrived: &[u8]) -> Option<String> {
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        match arrived.first() {
            None => self.inbox.complaint(),
            Some(first) if has_begun || *first == Tag::SEQUENCE.0 => None,
            Some(_) => first_line(arrived),
        }
    }
}

async fn connect(remote: SocketAddr, deadline: Instant) -> io::Result<(TcpStream, SocketAddr)> {
    let socket = timeout_at(deadline, TcpStream::connect(remote)).await??;
    let _ = socket2::SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
    let local = socket.local_addr()?;
    Ok((socket, local))
}

/// When a session must be open, if no calls are made; the time of calls comes on top.
struct Limit {
    deadline: Instant,
    calls: Arc<CallTime>,
}

impl Limit {
    /// The outcome of a step that ends in time.
    async fn keep<T>(
        &self,
        what: &'static str,
        step: impl Future<Output = Result<T, SshError>>,
    ) -> Result<T, SshError> {
        let mut step = pin!(step);
        loop {
            let calls = self.calls.total();
            match timeout_at(self.deadline + calls, step.as_mut()).await {
                Ok(outcome) => return outcome,
                Err(_) if self.calls.total() > calls => {}
                Err(_) => return Err(SshError::TimedOut(what)),
            }
        }
    }
}

/// The first line of what has arrived, if it is text: a program's error message.
fn first_line(arrived: &[u8]) -> Option<String> {
    const LONGEST: usize = 1000;
    let line = arrived.get(..LONGEST).unwrap_or(arrived);
    let line = line.split(|octet| *octet == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?.trim();
    let is_text = !text.is_empty() && !text.contains(char::is_control);
    is_text.then(|| text.to_owned())
}

/// The error where the subsystem ended with a message in place of a session.
fn without_session(complaint: &str) -> SessionError {
    let why = format!("the subsystem snmp has no session for this user: {complaint}");
    SecurityFailure::new(SecurityFailureKind::RefusedByPeer, why).into()
}

impl SessionStream for SshClientStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            poll_fn(|cx| self.inbox.poll_arrival(cx)).await;
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let before = input.len();
        let read = self.inbox.take(input);
        let arrived = input.get(before..).unwrap_or(&[]);
        if read.is_some()
            && let Some(complaint) = self.complaint(arrived)
        {
            return Err(without_session(&complaint));
        }
        Ok(read)
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        let channel = self.writer.id();
        if self.shared.inbox(channel).is_none() {
            self.statistics.no_sessions.increment();
            // The peer may have said why.
            self.try_read(&mut Vec::new())?;
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let sent = self.handle.data(channel, output.to_vec()).await;
        // The connection's task writes it. Where nothing runs between two calls, that is now.
        tokio::task::yield_now().await;
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn shutdown(&mut self) {
        if self.shared.remove(self.writer.id()) {
            self.statistics.closes.increment();
        }
        if self.shared.ended().is_none() {
            let handle = &mut self.handle;
            // The connection has no other session. Its task ends when the peer has the message.
            let farewell = async {
                handle.disconnect(Disconnect::ByApplication, "", "").await?;
                handle.await
            };
            let _ = timeout(CLOSING, farewell).await;
        }
    }

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}

/// Cuts a connection whose session is gone: its task would wait for the server, which may never say anything.
struct CutWhenDropped(Arc<TcpStream>);

impl Drop for CutWhenDropped {
    fn drop(&mut self) {
        let _ = socket2::SockRef::from(&*self.0).shutdown(Shutdown::Both);
    }
}

/// The socket as the SSH library has it. What is written leaves when the library has nothing more to read: the packets of SSH
/// that follow one another go into one segment.
struct SharedSocket {
    socket: Arc<TcpStream>,
    /// What was written and not sent yet.
    unsent: Vec<u8>,
    #[cfg(feature = "experiments")]
    sends_each_packet: bool,
}

impl SharedSocket {
    /// Sends what was written.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            ready!(self.socket.poll_write_ready(cx))?;
            match self.socket.try_write(&self.unsent) {
                // An idle connection has no buffers.
                Ok(sent) if sent == self.unsent.len() => self.unsent = Vec::new(),
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for SharedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if self.socket.poll_read_ready(cx)?.is_pending() {
                if let Poll::Ready(Err(error)) = self.poll_send(cx) {
                    return Poll::Ready(Err(error));
                }
                return Poll::Pending;
            }
            match self.socket.try_read(buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for SharedSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.unsent.len() >= COLLECTED {
            ready!(self.poll_send(cx))?;
        }
        self.unsent.extend_from_slice(octets);
        #[cfg(feature = "experiments")]
        if self.sends_each_packet
            && let Poll::Ready(Err(error)) = self.poll_send(cx)
        {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(octets.len()))
    }

    /// The next read that has to wait sends; until then there may be more to be sent with it.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// It never fails: the library would not report the end of the connection then.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.poll_send(cx).is_pending() {
            return Poll::Pending;
        }
        let _ = socket2::SockRef::from(&*self.socket).shutdown(Shutdown::Write);
        Poll::Ready(Ok(()))
    }
}

impl Drop for SharedSocket {
    fn drop(&mut self) {
        // As much as the peer takes at once.
        let _ = self.socket.try_write(&self.unsent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(test: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(test)
    }

    #[test]
    fn user_has_more_time_than_the_server() {
        run(async {
            let calls = Arc::new(CallTime::default());
            let deadline = Instant::now() + Duration::from_millis(20);
            let limit = Limit {
                deadline,
                calls: Arc::clone(&calls),
            };
            let thinking = || std::thread::sleep(Duration::from_millis(200));
            assert!(limit.keep("", calls.run(thinking)).await.is_ok());
            assert!(deadline < Instant::now());
            let silent = std::future::pending::<Result<(), SshError>>();
            let outcome = limit.keep("to a test", silent).await;
            assert!(matches!(outcome, Err(SshError::TimedOut("to a test"))));
        });
    }
}
