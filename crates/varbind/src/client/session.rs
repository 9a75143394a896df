//! Sessions of targets: one task for each that is open.

#[cfg(feature = "dtls")]
mod datagrams;
mod pause;

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};
use varbind_codec::ber::{FrameLength, Tag, frame_length_of};
use varbind_engine::applications::command_generator::TargetKey;

use super::state::Shared;
use crate::transport::session::SessionStream;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshClientStream;
#[cfg(feature = "tls")]
use crate::transport::tls::ClientTlsStream;
use crate::transport::{
    OpenError, SecureTransportOptions, SecurityFailureKind, Transport, TransportAddress,
    TransportError, missing_configuration,
};
pub(crate) use pause::pause_after;

/// How long a peer may refuse to take requests.
const WRITE_TIME: Duration = Duration::from_secs(5);
/// The largest message that is received.
const LARGEST_MESSAGE: usize = 65_535;

/// The session with one target: open, or to be opened when it is needed.
#[derive(Debug)]
pub(super) struct Session {
    address: TransportAddress,
    connect_timeout: Duration,
    #[cfg_attr(
        not(any(feature = "tls", feature = "dtls", feature = "ssh")),
        expect(dead_code, reason = "TCP needs no keys")
    )]
    secure: Arc<SecureTransportOptions>,
    is_open: Arc<AtomicBool>,
    /// Whether a message has ever come.
    has_worked: Arc<AtomicBool>,
    /// How long a session that worked is tried to be opened anew.
    patience: Duration,
    remote: OnceLock<SocketAddr>,
    /// One at a time opens it.
    opening: tokio::sync::Mutex<()>,
}

impl Session {
    pub(super) fn new(
        address: TransportAddress,
        connect_timeout: Duration,
        patience: Duration,
        secure: Arc<SecureTransportOptions>,
    ) -> Self {
        Self {
            address,
            connect_timeout,
            secure,
            is_open: Arc::default(),
            has_worked: Arc::default(),
            patience,
            remote: OnceLock::new(),
            opening: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// The address with which a session was opened first.
    pub(super) fn remote(&self) -> Option<SocketAddr> {
        self.remote.get().copied()
    }

    /// Sees to it that there is a session. Dropping it gives the opening up.
    ///
    /// Where there was one that worked, it is tried for as long as a response is waited for: agents restart.
    pub(super) async fn ensure_open(
        &self,
        shared: &Arc<Shared>,
        key: TargetKey,
    ) -> Result<(), OpenError> {
        if self.is_open() {
            return Ok(());
        }
        let _guard = self.opening.lock().await;
        let begun = Instant::now();
        while !self.is_open() {
            let Err(error) = self.open_any(shared, key).await else {
                return Ok(());
            };
            let pause = pause_after(begun.elapsed());
            let is_late = begun.elapsed() + pause >= self.patience;
            if is_late || is_refusal(&error) || !self.has_worked.load(Ordering::Acquire) {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    /// Ends the session, and waits until its peer was told.
    pub(super) async fn close(&self, shared: &Arc<Shared>, key: TargetKey) {
        // Nobody opens another meanwhile.
        let _guard = self.opening.lock().await;
        let (closing, ended) = oneshot::channel();
        let waker = {
            let mut state = shared.lock();
            let operations = state.targets.value_mut(key);
            operations
                .and_then(|operations| operations.session.as_mut())
                .and_then(|session| {
                    session.closing = Some(closing);
                    session.waker.take()
                })
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        let _ = ended.await;
    }

    /// Opens a session with the first address of the target's name that accepts it.
    async fn open_any(&self, shared: &Arc<Shared>, key: TargetKey) -> Result<(), OpenError> {
        #[cfg(feature = "ssh")]
        if self.address.transport == Transport::Ssh {
            return self.open_ssh(shared, key).await;
        }
        let mut failure = None;
        for remote in resolve(&self.address, shared).await? {
            match self.open(remote, shared, key).await {
                Ok(()) => {
                    let _ = self.remote.set(remote);
                    return Ok(());
                }
                Err(error) => {
                    failure = Some(OpenError::connecting(&self.address, remote, error));
                }
            }
        }
        Err(failure.unwrap_or_else(|| {
            OpenError::resolving(&self.address, io::Error::from(io::ErrorKind::NotFound))
        }))
    }

    /// Opens a session where the configuration of SSH says that the target is.
    #[cfg(feature = "ssh")]
    async fn open_ssh(&self, shared: &Arc<Shared>, key: TargetKey) -> Result<(), OpenError> {
        let (target, options) = (&self.address, &self.secure.ssh);
        let opening = SshClientStream::open(target, self.connect_timeout, options);
        let (stream, remote) = opening.await?;
        let _ = self.remote.set(remote);
        self.begin(stream, shared, key);
        Ok(())
    }

    async fn open(
        &self,
        remote: SocketAddr,
        shared: &Arc<Shared>,
        key: TargetKey,
    ) -> io::Result<()> {
        #[cfg(feature = "dtls")]
        if self.address.transport == Transport::Dtls {
            return self.open_datagrams(remote, shared, key).await;
        }
        let deadline = Instant::now() + self.connect_timeout;
        let socket = timeout_at(deadline, connect(remote)).await??;
        match self.address.transport {
            Transport::Tcp => self.begin(socket, shared, key),
            #[cfg(feature = "openssl-tls")]
            Transport::Tls
                if let Some(client) = &self.secure.tls
                    && client.versions().need_openssl() =>
            {
                let why = format!("a client does not speak {}", client.versions());
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            #[cfg(feature = "tls")]
            Transport::Tls if let Some(client) = &self.secure.tls => {
                let opened = ClientTlsStream::open(socket, &self.address.host, client);
                let stream = timeout_at(deadline, opened).await??;
                self.begin(stream, shared, key);
            }
            transport => return Err(missing_configuration(transport)),
        }
        Ok(())
    }

    /// Starts the task of a session that is open.
    fn begin(&self, stream: impl SessionStream, shared: &Arc<Shared>, key: TargetKey) {
        tokio::spawn(self.task(shared, key).run(stream));
    }

    /// The task of a session that is open from now on.
    fn task(&self, shared: &Arc<Shared>, key: TargetKey) -> Task {
        let mut state = shared.lock();
        if let Some(operations) = state.targets.value_mut(key) {
            // What the former session did not send is given up.
            operations.session = Some(Box::default());
        }
        drop(state);
        self.is_open.store(true, Ordering::Release);
        Task {
            shared: Arc::clone(shared),
            key,
            is_open: Arc::clone(&self.is_open),
            has_worked: Arc::clone(&self.has_worked),
        }
    }
}

/// Whether one side does not want the other: nothing but the breaking of the path is worth another try.
fn is_refusal(error: &OpenError) -> bool {
    #[cfg(feature = "ssh")]
    if let OpenError::Ssh { error, .. } = error {
        return error.security_failure().kind() != SecurityFailureKind::ProtocolError;
    }
    error
        .security_failure()
        .is_some_and(|kind| kind != SecurityFailureKind::ProtocolError)
}

/// The addresses of a target's name. Where a name has addresses of both versions, agents are still more often found on IPv4.
pub(super) async fn resolve(
    target: &TransportAddress,
    shared: &Shared,
) -> Result<Vec<SocketAddr>, OpenError> {
    let default_port = target.transport.agent_port();
    let resolved = match shared.resolves_in_place {
        true => target.resolve(default_port),
        false => target.resolve_async(default_port).await,
    };
    let mut addresses = resolved.map_err(|error| OpenError::resolving(target, error))?;
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}

async fn connect(remote: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpStream::connect(remote).await?;
    socket.set_nodelay(true)?;
    // A few requests at a time never fill the window: without this, TCP backs off exponentially when they are lost.
    let _ = socket2::SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
    Ok(socket)
}

/// Carries the messages of an open session.
struct Task {
    shared: Arc<Shared>,
    key: TargetKey,
    is_open: Arc<AtomicBool>,
    has_worked: Arc<AtomicBool>,
}

/// What comes next in a session.
enum Next {
    /// Messages to be sent.
    Output(Result<Vec<u8>, End>),
    /// So many octets have arrived.
    Input(io::Result<usize>),
}

/// Why a session ended.
enum End {
    /// Nobody needs it any more; somebody may wait for its end.
    Closed(Option<oneshot::Sender<()>>),
    Failed(TransportError),
}

impl End {
    /// Tells whoever waits for the end.
    fn tell(self) {
        if let Self::Closed(Some(waiting)) = self {
            let _ = waiting.send(());
        }
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Failed(TransportError::from(&error))
    }
}

impl Task {
    async fn run(self, mut stream: impl SessionStream) {
        // The request for which it was opened leaves together with the end of the handshake.
        tokio::task::yield_now().await;
        let Err(end) = self.carry(&mut stream).await;
        self.end(&end);
        stream.shutdown().await;
        end.tell();
    }

    /// Under the lock, so that it concerns no request of the next session.
    fn end(&self, end: &End) {
        let now = self.shared.clock.now();
        let error = match end {
            End::Closed(_) => TransportError::ConnectionClosed,
            End::Failed(error) => error.clone(),
        };
        self.shared.change(|state| {
            self.is_open.store(false, Ordering::Release);
            state.targets.change(self.key, |generator, operations| {
                operations.session = None;
                generator.handle_session_end(now, error);
            });
        });
    }

    async fn carry(
        &self,
        stream: &mut impl SessionStream,
    ) -> Result<std::convert::Infallible, End> {
        let mut input = Vec::new();
        loop {
            let next = {
                let mut read = pin!(stream.read_some(&mut input));
                poll_fn(|cx| match self.poll_output(cx) {
                    Poll::Ready(output) => Poll::Ready(Next::Output(output)),
                    Poll::Pending => read.as_mut().poll(cx).map(Next::Input),
                })
                .await
            };
            match next {
                Next::Output(output) => timeout(WRITE_TIME, stream.write_all(&output?))
                    .await
                    .map_err(|_| End::Failed(TransportError::TimedOut))??,
                Next::Input(read) => match read? {
                    0 => return Err(End::Failed(TransportError::ConnectionClosed)),
                    _ => self.handle_messages(&mut input)?,
                },
            }
        }
    }

    /// The messages that are to be sent, as soon as there are some.
    fn poll_output(&self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, End>> {
        let mut state = self.shared.lock();
        let operations = state.targets.value_mut(self.key);
        let Some(session) = operations.and_then(|operations| operations.session.as_mut()) else {
            return Poll::Ready(Err(End::Closed(None)));
        };
        if session.messages.is_empty() {
            if let Some(closing) = session.closing.take() {
                return Poll::Ready(Err(End::Closed(Some(closing))));
            }
            session.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(std::mem::take(&mut session.messages)))
    }

    /// Takes in the whole messages at the beginning of what has arrived.
    fn handle_messages(&self, input: &mut Vec<u8>) -> Result<(), End> {
        let now = self.shared.clock.now();
        let mut taken = 0;
        let result = self.shared.change(|state| {
            loop {
                let rest = input.get(taken..).unwrap_or(&[]);
                match frame_length_of(rest, &[Tag::SEQUENCE]) {
                    Ok(FrameLength::Octets(length)) if length > LARGEST_MESSAGE => {
                        return Err(End::Failed(TransportError::MessageTooLarge));
                    }
                    Ok(FrameLength::Octets(length)) if length <= rest.len() => {
                        let message = rest.get(..length).unwrap_or(&[]);
                        if let Err(discard) = state.targets.handle_message(now, self.key, message) {
                            log::debug!("a message of a session was ignored: {discard}");
                        }
                        taken += length;
                        self.has_worked.store(true, Ordering::Release);
                    }
                    Ok(FrameLength::Octets(_) | FrameLength::Incomplete) => return Ok(()),
                    Err(_) => return Err(End::Failed(TransportError::NotSnmp)),
                }
            }
        });
        if taken == input.len() {
            // An idle session has no buffers.
            *input = Vec::new();
        } else {
            input.drain(..taken);
        }
        result
    }
}
