//! A client's SSH connection, which may carry the sessions of several managers.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use russh::client::{Handle, connect_stream};
use russh::{ChannelId, Disconnect};

use super::channel::SshChannel;
use super::client_handler::{ClientHandler, Shared};
use super::client_stream::{ClientSocket, ClientStream};
use super::driver::Driver;
use super::opening::{self, BlockingCalls, Server};
use super::options::SshOptions;
use super::{SshError, SshStatistics};
use crate::transport::{OpenError, TransportAddress};

/// An SSH connection to an agent or a notification receiver.
///
/// It is opened once and may be shared: each channel is a session of its own. It is closed when the last of its clones
/// and channels is dropped.
#[derive(Clone)]
pub struct SshConnection(pub(super) Arc<Inner>);

pub(super) struct Inner {
    remote: SocketAddr,
    /// How long the key exchange and the authentication took.
    took: (Duration, Duration),
    pub(super) statistics: Arc<SshStatistics>,
    pub(super) socket: Arc<ClientSocket>,
    pub(super) shared: Arc<Shared>,
    handle: Handle<ClientHandler>,
    driver: Driver,
}

impl SshConnection {
    /// Opens a connection: reads the configuration, resolves the name, checks the server's key and authenticates the
    /// user. `timeout` is for the network alone, and for each address of the name.
    ///
    /// # Errors
    /// When there is no connection; the error tells what the server or the user has to do.
    pub fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        options: &SshOptions,
    ) -> Result<Self, OpenError> {
        let opened = Self::open_uncounted(target, default_port, timeout, options);
        if let Err(error) = &opened {
            options.statistics.opens.increment();
            options.statistics.note_failure(match error {
                OpenError::Ssh { error, .. } => Some(error),
                _ => None,
            });
        }
        opened
    }

    fn open_uncounted(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        options: &SshOptions,
    ) -> Result<Self, OpenError> {
        let refused = |error| OpenError::ssh(target, error);
        let server = Server::find(target, default_port, options).map_err(refused)?;
        let address = &server.destination.address;
        let addresses = address
            .resolve(default_port)
            .map_err(|error| OpenError::resolving(address, error))?;
        let mut failure = None;
        for remote in opening::in_order(addresses) {
            match TcpStream::connect_timeout(&remote, timeout) {
                Ok(socket) => {
                    let opening = Opening {
                        socket,
                        remote,
                        server: &server,
                        statistics: &options.statistics,
                    };
                    return opening.run(timeout).map_err(refused);
                }
                Err(error) => failure = Some(OpenError::connecting(target, remote, error)),
            }
        }
        Err(failure.unwrap_or_else(|| OpenError::resolving(target, io::ErrorKind::NotFound.into())))
    }

    /// Opens a session beside others.
    pub(crate) fn shared_channel(&self, timeout: Duration) -> Result<SshChannel, SshError> {
        let mut channel = self.channel(timeout)?;
        channel
            .share()
            .map_err(|error| SshError::Connection(error.to_string()))?;
        Ok(channel)
    }

    /// Opens a session: a channel with the subsystem `snmp`.
    pub(crate) fn channel(&self, timeout: Duration) -> Result<SshChannel, SshError> {
        let statistics = &self.0.statistics;
        statistics.opens.increment();
        let opened = self.open_channel(timeout);
        if let Err(error) = &opened {
            statistics.note_failure(Some(error));
        }
        opened
    }

    fn open_channel(&self, timeout: Duration) -> Result<SshChannel, SshError> {
        let inner = &self.0;
        let begun = Instant::now();
        let mut budget = timeout;
        let what = "to opening a channel";
        let opening = opening::open_channel(&inner.handle, &inner.shared);
        let (writer, inbox) = inner.driver.run(opening, &mut budget, what)??;
        let mut opened = SshChannel::new(self.clone(), writer, Arc::clone(&inbox));
        let what = "to asking for the subsystem snmp";
        let asking = opening::request_subsystem(opened.writer(), &inbox);
        inner.driver.run(asking, &mut budget, what)??;
        opened.opened_in = begun.elapsed();
        Ok(opened)
    }

    /// How long the key exchange and the authentication took.
    pub(super) fn took(&self) -> (Duration, Duration) {
        self.0.took
    }

    /// The server's address.
    #[must_use]
    pub fn remote(&self) -> SocketAddr {
        self.0.remote
    }
}

impl fmt::Debug for SshConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SshConnection")
            .field("remote", &self.0.remote)
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// Carries out what has arrived.
    pub(super) fn turn(&self) {
        self.driver.turn(|| self.shared.ended().is_some());
        if self.socket.is_abandoned() {
            self.shared.end(russh::Error::Disconnect.into());
        }
    }

    /// Sends one message.
    pub(super) fn send(&self, channel: ChannelId, message: &[u8]) -> io::Result<()> {
        if self.shared.inbox(channel).is_none() {
            self.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let sending = self.handle.data(channel, message.to_vec());
        self.driver
            .send(sending)?
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Forgets a channel, and tells the server if the connection goes on.
    pub(super) fn close_channel(&self, channel: ChannelId, close: Option<impl Future>) {
        if self.shared.remove(channel) {
            self.statistics.closes.increment();
        }
        if let Some(close) = close
            && self.shared.ended().is_none()
        {
            let _ = self.driver.poll_once(close);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.shared.ended().is_none() {
            let farewell = self.handle.disconnect(Disconnect::ByApplication, "", "");
            let _ = self.driver.poll_once(farewell);
        }
    }
}

/// A connection that is being opened to one address.
struct Opening<'a> {
    socket: TcpStream,
    remote: SocketAddr,
    server: &'a Server,
    statistics: &'a Arc<SshStatistics>,
}

impl Opening<'_> {
    fn run(self, timeout: Duration) -> Result<SshConnection, SshError> {
        let failed = |error: io::Error| SshError::Connection(error.to_string());
        // Each step of the handshake would wait for an acknowledgement of TCP.
        let _ = self.socket.set_nodelay(true);
        #[cfg(feature = "experiments")]
        let handicap = self.server.destination.handicap;
        #[cfg(feature = "experiments")]
        handicap.nagle.set(&self.socket, false);
        self.socket.set_nonblocking(true).map_err(failed)?;
        let _ = socket2::SockRef::from(&self.socket).set_tcp_thin_linear_timeouts(true);
        let socket = ClientSocket::new(self.socket);
        #[cfg(feature = "experiments")]
        let socket = socket.with_handicap(handicap);
        let socket = Arc::new(socket);
        let driver = Driver::new(Arc::clone(&socket)).map_err(failed)?;
        let shared = Arc::new(Shared::default());
        let calls = BlockingCalls::Inline;
        let handler = self.server.handler(&shared, &calls);
        let mut budget = timeout;
        let begun = Instant::now();
        let stream = ClientStream::new(Arc::clone(&socket));
        let connecting = connect_stream(self.server.config(), stream, handler);
        let mut handle = driver.run(connecting, &mut budget, "to the key exchange")??;
        let key_exchange = begun.elapsed();
        let authentication = self.server.authenticate(&mut handle, &shared, &calls);
        driver.run(authentication, &mut budget, "to the authentication")??;
        #[cfg(feature = "experiments")]
        handicap.nagle.set(socket.stream(), true);
        Ok(SshConnection(Arc::new(Inner {
            remote: self.remote,
            statistics: Arc::clone(self.statistics),
            took: (key_exchange, begun.elapsed().saturating_sub(key_exchange)),
            socket,
            shared,
            handle,
            driver,
        })))
    }
}

impl AsFd for Inner {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
