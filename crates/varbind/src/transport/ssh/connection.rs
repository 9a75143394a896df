//! A client's SSH connection, which may carry the sessions of several managers.

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use russh::client::{Config, DisconnectReason, Handle, Handler, Session, connect_stream};
use russh::keys::PublicKeyOrCertificate;
use russh::{ChannelId, Disconnect, SshId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::runtime::{Builder, Runtime};

use super::authentication::Authentication;
use super::channel::{Inbox, SshChannel};
use super::client_stream::{ClientSocket, ClientStream};
use super::host_key::HostKeyCheck;
use super::known_hosts::KnownHosts;
use super::options::{Destination, SshOptions};
use super::{SUBSYSTEM, SshError, algorithms};
use crate::manager::OpenError;
use crate::transport::TransportAddress;

/// What a peer may send on a channel before it is told that more is welcome.
const WINDOW: u32 = 1 << 20;
/// Messages on their way between the tasks of a connection.
const QUEUE: usize = 16;
/// How often the tasks are run before the network is waited for.
const ROUNDS: usize = 16;
/// How long the network is waited for at once while a connection is opened.
const SLICE: Duration = Duration::from_millis(20);
/// How long a peer may refuse to take a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

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
    pub(super) socket: Arc<ClientSocket>,
    pub(super) shared: Arc<Shared>,
    handle: Handle<ClientHandler>,
    driver: Driver,
}

/// Runs the tasks of a connection, in the thread that needs them to get on.
struct Driver {
    runtime: Runtime,
    socket: Arc<ClientSocket>,
    driving: Mutex<()>,
}

/// What the tasks of a connection and its channels share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inboxes: HashMap<ChannelId, Arc<Inbox>>,
    /// Why the connection ended, if it has.
    ended: Option<SshError>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn inbox(&self, channel: ChannelId) -> Option<Arc<Inbox>> {
        self.state().inboxes.get(&channel).cloned()
    }

    pub(super) fn ended(&self) -> Option<SshError> {
        self.state().ended.clone()
    }

    fn add(&self, channel: ChannelId, inbox: Arc<Inbox>) {
        self.state().inboxes.insert(channel, inbox);
    }

    fn remove(&self, channel: ChannelId) {
        self.state().inboxes.remove(&channel);
    }

    fn end(&self, error: SshError) {
        let mut state = self.state();
        state.ended.get_or_insert(error);
        let inboxes: Vec<_> = state.inboxes.drain().collect();
        drop(state);
        inboxes.iter().for_each(|(_, inbox)| inbox.close());
    }
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
        let refused = |error| OpenError::ssh(target, error);
        let destination = Arc::new(options.destination(target, default_port).map_err(refused)?);
        let known = KnownHosts::read(&destination.name, &destination.known_hosts);
        let known = Arc::new(known.map_err(refused)?);
        let mut addresses = destination
            .address
            .resolve(default_port)
            .map_err(|error| OpenError::resolving(&destination.address, error))?;
        // Where a name has addresses of both versions, agents are still more often found on IPv4.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut failure = None;
        for remote in addresses {
            match TcpStream::connect_timeout(&remote, timeout) {
                Ok(socket) => {
                    let opening = Opening {
                        socket,
                        remote,
                        destination: &destination,
                        known: &known,
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
        let inner = &self.0;
        let begun = Instant::now();
        let mut budget = timeout;
        let what = "to opening a channel";
        let opening = inner.handle.channel_open_session();
        let channel = inner.driver.run(opening, &mut budget, what)??;
        let inbox = Arc::new(Inbox::default());
        inner.shared.add(channel.id(), Arc::clone(&inbox));
        // Nothing is taken from its other half: what arrives comes through the handler.
        let (_, writer) = channel.split();
        let mut opened = SshChannel::new(self.clone(), writer, Arc::clone(&inbox));
        let what = "to asking for the subsystem snmp";
        let asking = async {
            opened.writer().request_subsystem(true, SUBSYSTEM).await?;
            poll_fn(|_| inbox.poll_reply()).await
        };
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
        self.driver.turn(&self.shared);
    }

    /// Sends one message.
    pub(super) fn send(&self, channel: ChannelId, message: &[u8]) -> io::Result<()> {
        if self.shared.ended().is_some() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let sending = self.handle.data(channel, message.to_vec());
        self.driver
            .send(sending)?
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Forgets a channel, and tells the server.
    pub(super) fn close_channel(&self, channel: ChannelId, close: impl Future) {
        self.shared.remove(channel);
        if self.shared.ended().is_none() {
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

impl Driver {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.driving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the tasks read what has arrived, and do what follows from it.
    fn turn(&self, shared: &Shared) {
        let _driving = self.lock();
        self.socket.wake();
        self.runtime.block_on(async {
            loop {
                tokio::task::yield_now().await;
                let is_stuck = self.socket.is_waiting() || self.socket.is_blocked();
                if is_stuck || shared.ended().is_some() {
                    break;
                }
            }
        });
    }

    /// Lets the tasks do what they can without waiting.
    fn poll_once<F: Future>(&self, future: F) -> Option<F::Output> {
        let _driving = self.lock();
        self.rounds(pin!(future).as_mut())
    }

    /// Carries out a sending to its end: when it returns, the system has the message.
    fn send<F: Future>(&self, sending: F) -> io::Result<F::Output> {
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
        self.runtime.block_on(async {
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
        })
    }

    /// Runs something to its end, as long as the time that the network takes is within the budget.
    fn run<F: Future>(
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

/// A connection that is being opened to one address.
struct Opening<'a> {
    socket: TcpStream,
    remote: SocketAddr,
    destination: &'a Arc<Destination>,
    known: &'a Arc<KnownHosts>,
}

impl Opening<'_> {
    fn run(self, timeout: Duration) -> Result<SshConnection, SshError> {
        let failed = |error: io::Error| SshError::Connection(error.to_string());
        // Without it, each step of the handshake waits for an acknowledgement of TCP.
        self.socket.set_nodelay(true).map_err(failed)?;
        self.socket.set_nonblocking(true).map_err(failed)?;
        let _ = socket2::SockRef::from(&self.socket).set_tcp_thin_linear_timeouts(true);
        let socket = ClientSocket::new(self.socket);
        let driver = Driver {
            runtime: Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(failed)?,
            socket: Arc::clone(&socket),
            driving: Mutex::default(),
        };
        let shared = Arc::new(Shared::default());
        let handler = ClientHandler {
            destination: Arc::clone(self.destination),
            known: Arc::clone(self.known),
            shared: Arc::clone(&shared),
        };
        let mut budget = timeout;
        let begun = Instant::now();
        let config = Arc::new(config(self.known));
        let stream = ClientStream::new(Arc::clone(&socket));
        let connecting = connect_stream(config, stream, handler);
        let mut handle = driver.run(connecting, &mut budget, "to the key exchange")??;
        let key_exchange = begun.elapsed();
        let authentication = Authentication::new(&mut handle, self.destination);
        let outcome = driver.run(authentication.run(), &mut budget, "to the authentication")?;
        // What the server says at the end tells more than that it ended.
        outcome.map_err(|error| match error {
            SshError::Connection(_) => shared.ended().unwrap_or(error),
            other => other,
        })?;
        Ok(SshConnection(Arc::new(Inner {
            remote: self.remote,
            took: (key_exchange, begun.elapsed().saturating_sub(key_exchange)),
            socket,
            shared,
            handle,
            driver,
        })))
    }
}

fn config(known: &KnownHosts) -> Config {
    let algorithms: Vec<_> = known.algorithms().collect();
    Config {
        client_id: SshId::Standard(concat!("SSH-2.0-varbind_", env!("CARGO_PKG_VERSION")).into()),
        window_size: WINDOW,
        channel_buffer_size: QUEUE,
        preferred: algorithms::of_client(&algorithms, known.has_authority()),
        nodelay: true,
        ..Config::default()
    }
}

/// Takes what the server sends.
#[derive(Debug)]
pub(crate) struct ClientHandler {
    destination: Arc<Destination>,
    known: Arc<KnownHosts>,
    shared: Arc<Shared>,
}

impl ClientHandler {
    fn tell(&self, channel: ChannelId, tell: impl FnOnce(&Inbox)) {
        if let Some(inbox) = self.shared.inbox(channel) {
            tell(&inbox);
        }
    }
}

impl Handler for ClientHandler {
    type Error = SshError;

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, SshError> {
        let check = HostKeyCheck {
            destination: &self.destination,
            known: &self.known,
        };
        check.decide(shown).map(|()| true)
    }

    async fn channel_success(
        &mut self,
        channel: ChannelId,
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.tell(channel, |inbox| inbox.answer(true));
        Ok(())
    }

    async fn channel_failure(
        &mut self,
        channel: ChannelId,
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.tell(channel, |inbox| inbox.answer(false));
        Ok(())
    }

    async fn channel_close(&mut self, channel: ChannelId, _: &mut Session) -> Result<(), SshError> {
        self.tell(channel, Inbox::close);
        Ok(())
    }

    async fn channel_eof(&mut self, channel: ChannelId, _: &mut Session) -> Result<(), SshError> {
        self.tell(channel, Inbox::close);
        Ok(())
    }

    async fn data(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.tell(channel, |inbox| inbox.push(data));
        Ok(())
    }

    async fn extended_data(
        &mut self,
        _: ChannelId,
        _: u32,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), SshError> {
        // What the subsystem of an OpenSSH server writes to its standard error.
        let text = String::from_utf8_lossy(data);
        for line in text.lines().take(4) {
            let line: String = line.chars().filter(|c| !c.is_control()).take(200).collect();
            log::warn!("{}: {line}", self.destination.address);
        }
        Ok(())
    }

    async fn disconnected(&mut self, reason: DisconnectReason<SshError>) -> Result<(), SshError> {
        let error = match reason {
            DisconnectReason::ReceivedDisconnect(told) => {
                let message: String = told
                    .message
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(200)
                    .collect();
                if message.is_empty() {
                    SshError::Disconnected(format!("{:?}", told.reason_code))
                } else {
                    SshError::Disconnected(message)
                }
            }
            DisconnectReason::Error(error) => error,
        };
        self.shared.end(error.clone());
        Err(error)
    }
}

impl AsFd for Inner {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
