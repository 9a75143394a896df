//! Sessions over streams, on the side of agents and notification receivers.
//!
//! All share their limits, the cutting of the stream into messages (RFC 3430 section 2.1, which RFC 6353 and RFC 5592
//! have too), time-outs and the way of ending; the transports differ in how a stream comes to be ([`Acceptor`]) and what
//! it is ([`SessionStream`]).

mod admission;
#[cfg(feature = "experiments")]
mod compressed;
mod handshake_gate;
mod refusal_log;
mod serve;
mod stream;
#[cfg(test)]
mod tests;
mod turns;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
#[cfg(feature = "experiments")]
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc as blocking;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::{TcpListener as TokioListener, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use varbind_codec::ber::Tag;
use varbind_engine::transport::TransportState;

use super::Transport;
use super::accept_failures::AcceptFailures;
use super::places::{AuthenticatedBy, PlaceLimits, Source};
use crate::thread::spawn;
use admission::OpenConnections;
pub(crate) use admission::{Admission, Admissions};
pub(crate) use handshake_gate::HandshakeGate;
pub(crate) use refusal_log::RefusalLog;
pub(crate) use serve::Session;
pub(crate) use stream::SessionStream;
use turns::Turns;
pub(crate) use turns::Work;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long connections are accepted before sessions have their turn.
const ACCEPTING: Duration = Duration::from_micros(100);
/// How long sessions may take to end when the agent stops.
const DRAIN: Duration = Duration::from_secs(2);

/// How much a session, and one peer, may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionLimits {
    /// The largest message, in octets.
    pub(crate) message: usize,
    /// Sessions in all.
    pub(crate) sessions: usize,
    /// Sessions from one address.
    pub(crate) sessions_per_source: usize,
    /// Sessions from one block of addresses ([`SourceBlock`](super::SourceBlock)), at least those from one address.
    pub(crate) sessions_per_block: usize,
    /// How long a session without a secure transport may be open before one of its messages is accepted.
    pub(crate) first_message_time: Duration,
    /// How long a session may be open, if that is limited. It is closed when its requests are answered.
    pub(crate) lifetime: Option<Duration>,
    /// How long a session may be silent between messages.
    pub(crate) idle: Duration,
    /// How long a peer may take to send one message, or to take the answers to it.
    pub(crate) message_time: Duration,
    /// How long the handshake of a secure transport may take, authentication included.
    pub(crate) handshake_time: Duration,
    /// Handshakes in progress from one address.
    pub(crate) handshakes_per_source: usize,
    /// The largest datagram of a handshake over DTLS, in octets.
    pub(crate) datagram: usize,
    /// Whether datagrams of DTLS may be fragmented.
    pub(crate) fragments: bool,
    /// Sessions that may have a dictionary.
    #[cfg(feature = "experiments")]
    pub(crate) dictionaries: usize,
    /// Whether TCP sends what was lost again at equal intervals.
    pub(crate) linear_timeouts: bool,
}

impl SessionLimits {
    /// What the messages of a session begin with.
    const fn tags(&self) -> &'static [Tag] {
        #[cfg(feature = "experiments")]
        if self.dictionaries > 0 {
            return &[Tag::SEQUENCE, crate::compression::FRAME];
        }
        &[Tag::SEQUENCE]
    }

    pub(crate) const fn places(&self) -> PlaceLimits {
        PlaceLimits {
            total: self.sessions,
            per_source: self.sessions_per_source,
            per_block: self.sessions_per_block,
            handshakes_per_source: self.handshakes_per_source,
            handshakes: self.sessions,
        }
    }
}

/// Who sent a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer<'a> {
    /// How it came.
    pub(crate) transport: Transport,
    /// Where from.
    pub(crate) address: SocketAddr,
    /// Where to, if that is known.
    pub(crate) local: Option<SocketAddr>,
    /// What the transport knows of the sender, if it is a secure one.
    pub(crate) transport_state: Option<&'a TransportState>,
    /// The name by which it asked for the server, if the listener keeps such names.
    pub(crate) server_name: Option<&'a str>,
}

impl Peer<'_> {
    /// The sender of a datagram without protection.
    pub(crate) const fn over_udp(address: SocketAddr) -> Self {
        Self {
            transport: Transport::Udp,
            address,
            local: None,
            transport_state: None,
            server_name: None,
        }
    }
}

/// What is done with a message.
pub(crate) enum Answer {
    /// The message was accepted, and the answer, if there is one, was appended.
    Done,
    /// The message was not accepted; a Report may have been appended.
    Refused,
    /// The message was accepted. The answer comes later; until then nothing more is read from the session.
    Later(LaterAnswer),
}

/// An answer that comes later, or none.
pub type LaterAnswer = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;

/// Those who take the messages of sessions.
pub(crate) trait SessionService: Send + Sync + 'static {
    /// The limits that hold now.
    fn limits(&self) -> SessionLimits;

    /// Takes a message, and appends the answer to `output`. It must not wait: all sessions share a thread.
    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer;

    /// Takes note that a session ended in the middle of a message, or of what is none.
    fn note_broken_stream(&self) {}
}

/// Makes sessions of the connections that a listener accepts.
pub(crate) trait Acceptor<S: SessionService>: Send + Sync + 'static {
    /// The transport.
    fn transport(&self) -> Transport;

    /// Serves a connection to its end: a handshake if the transport has one, within the time that the limits give, then
    /// one [`Session`] or several. The task that does it is aborted if others need the place before the peer has
    /// authenticated.
    fn serve(
        self: Arc<Self>,
        socket: TcpStream,
        admission: Admission<S>,
    ) -> impl Future<Output = ()> + Send;
}

/// A socket that accepts sessions. Dropped, it accepts no more and is closed; sessions that are open stay.
pub(crate) struct SessionListener {
    address: SocketAddr,
    accepting: AbortHandle,
    closed: blocking::Receiver<()>,
}

impl SessionListener {
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for SessionListener {
    fn drop(&mut self) {
        self.accepting.abort();
        // The thread of the sessions does it; nothing is sent, but the sender dropped.
        let _ = self.closed.recv();
    }
}

/// The thread of all sessions over streams.
pub(crate) struct Sessions<S> {
    runtime: Handle,
    shared: Arc<Shared<S>>,
    thread: SessionThread,
}

/// Dropped, it ends with all its sessions.
struct SessionThread {
    closing: Option<watch::Sender<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl SessionThread {
    /// Gives the sessions time to end.
    fn close(&self) {
        if let Some(closing) = &self.closing {
            let _ = closing.send(true);
        }
    }
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.closing = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Shared<S> {
    service: Arc<S>,
    open: Arc<OpenConnections>,
    turns: Arc<Turns>,
    #[cfg(feature = "experiments")]
    dictionaries: Arc<AtomicUsize>,
    refusals: RefusalLog,
    closing: watch::Receiver<bool>,
    /// Held by every session; the thread ends when all are gone.
    alive: mpsc::Sender<()>,
}

impl<S: SessionService> Sessions<S> {
    pub(crate) fn start(service: Arc<S>) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (closing, is_closing) = watch::channel(false);
        let (alive, mut ended) = mpsc::channel(1);
        let mut stop = is_closing.clone();
        let thread = spawn("varbind-session", move || {
            runtime.block_on(async {
                if stop.wait_for(|stop| *stop).await.is_ok() {
                    let _ = tokio::time::timeout(DRAIN, ended.recv()).await;
                }
            });
        })?;
        Ok(Self {
            runtime: handle,
            shared: Arc::new(Shared {
                service,
                open: Arc::default(),
                turns: Arc::new(Turns::new()),
                #[cfg(feature = "experiments")]
                dictionaries: Arc::default(),
                refusals: RefusalLog::default(),
                closing: is_closing,
                alive,
            }),
            thread: SessionThread {
                closing: Some(closing),
                thread: Some(thread),
            },
        })
    }

    pub(crate) fn listen(
        &self,
        acceptor: Arc<impl Acceptor<S>>,
        address: SocketAddr,
    ) -> io::Result<SessionListener> {
        let socket = bind(address)?;
        let address = socket.local_addr()?;
        let _inside = self.runtime.enter();
        let (closed, is_closed) = blocking::channel();
        let accepting = Accepting {
            listener: TokioListener::from_std(socket)?,
            acceptor,
            shared: Arc::clone(&self.shared),
            _closed: closed,
        };
        let task = self.runtime.spawn(accepting.run());
        Ok(SessionListener {
            address,
            accepting: task.abort_handle(),
            closed: is_closed,
        })
    }

    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// What admits connections that another kind of listener accepts.
    pub(crate) fn admissions(&self) -> Admissions<S> {
        Admissions::new(Arc::clone(&self.shared))
    }

    /// Runs such a listener in the thread of the sessions, where `make` makes it.
    pub(crate) fn spawn<F>(&self, make: impl FnOnce() -> io::Result<F>) -> io::Result<AbortHandle>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let _inside = self.runtime.enter();
        Ok(self.runtime.spawn(make()?).abort_handle())
    }

    /// Lets all sessions answer what they have received, and ends them. The thread goes on until `finish` has returned, but no longer
    /// than for the sessions.
    pub(crate) fn drain(self, finish: impl FnOnce()) {
        self.thread.close();
        finish();
        drop(self.shared);
        drop(self.thread);
    }
}

fn bind(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // An agent that restarts must get its port back while former sessions linger.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// A socket that accepts connections, in the thread of the sessions.
struct Accepting<S, A> {
    listener: TokioListener,
    acceptor: Arc<A>,
    shared: Arc<Shared<S>>,
    /// Dropped behind the listener.
    _closed: blocking::Sender<()>,
}

impl<S: SessionService, A: Acceptor<S>> Accepting<S, A> {
    async fn run(self) {
        let transport = self.acceptor.transport();
        let mut failures = AcceptFailures::new(format!("a session over {transport}"));
        let mut since = Instant::now();
        loop {
            match self.listener.accept().await {
                Ok((socket, remote)) => {
                    self.admit(socket, remote);
                    // A flood of connections leaves room for the sessions; accepted one at a time, well-behaved peers would
                    // wait in the kernel's queue for a step of a handshake for each of those before them.
                    if since.elapsed() >= ACCEPTING {
                        tokio::task::yield_now().await;
                        since = Instant::now();
                    }
                }
                Err(error) => failures.wait(&error).await,
            }
        }
    }

    fn admit(&self, socket: TcpStream, remote: SocketAddr) {
        let transport = self.acceptor.transport();
        let by = match transport.is_secure() {
            true => AuthenticatedBy::Handshake,
            false => AuthenticatedBy::Message,
        };
        let admission =
            match Admission::acquire(&self.shared, Source::Address(remote.ip()), remote, by) {
                Ok(admission) => admission.at(socket.local_addr().ok()),
                Err(why) => return self.shared.refusals.log(transport, remote, &why),
            };
        let _ = socket.set_nodelay(true);
        if admission.limits().linear_timeouts {
            let _ = SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
        }
        let place = admission.place_id();
        let serving = Arc::clone(&self.acceptor).serve(socket, admission);
        self.shared.serve(place, serving);
    }
}
