//! TCP sessions (RFC 3430) of whoever is spoken to: agents and notification receivers.

mod session;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener as TokioListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use crate::thread::spawn;
use session::Session;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
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
    /// How long a session may be silent between messages.
    pub(crate) idle: Duration,
    /// How long a peer may take to send one message, or to take the answers to it.
    pub(crate) message_time: Duration,
}

/// What is done with a message.
pub(crate) enum Answer {
    /// The answer, if there is one, was appended.
    Done,
    /// It comes later; until then nothing more is read from the session.
    Later(LaterAnswer),
}

/// An answer that comes later, or none.
pub(crate) type LaterAnswer = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;

/// Those who take the messages of sessions.
pub(crate) trait SessionService: Send + Sync + 'static {
    /// The limits that hold now.
    fn limits(&self) -> SessionLimits;

    /// Takes a message, and appends the answer to `output`. It must not wait: all sessions share a thread.
    fn answer(&self, remote: SocketAddr, message: &[u8], output: &mut Vec<u8>) -> Answer;

    /// Takes note that a session ended in the middle of a message, or of what is none.
    fn note_broken_stream(&self) {}
}

/// A TCP socket that accepts sessions. Dropped, it accepts no more and is closed; sessions that are open stay.
pub(crate) struct TcpListener {
    address: SocketAddr,
    accepting: AbortHandle,
    closed: blocking::Receiver<()>,
}

impl TcpListener {
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        self.accepting.abort();
        // The thread of the sessions does it; nothing is sent, but the sender dropped.
        let _ = self.closed.recv();
    }
}

/// The thread of all TCP sessions.
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
    fn drain(mut self) {
        if let Some(closing) = &self.closing {
            let _ = closing.send(true);
        }
        self.join();
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.closing = None;
        self.join();
    }
}

struct Shared<S> {
    service: Arc<S>,
    /// Open sessions by the address of their peer.
    open: Mutex<HashMap<IpAddr, usize>>,
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
        let thread = spawn("varbind-tcp", move || {
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
                open: Mutex::default(),
                closing: is_closing,
                alive,
            }),
            thread: SessionThread {
                closing: Some(closing),
                thread: Some(thread),
            },
        })
    }

    pub(crate) fn listen(&self, address: SocketAddr) -> io::Result<TcpListener> {
        let socket = bind(address)?;
        let address = socket.local_addr()?;
        let _inside = self.runtime.enter();
        let (closed, is_closed) = blocking::channel();
        let accepting = Accepting {
            listener: TokioListener::from_std(socket)?,
            shared: Arc::clone(&self.shared),
            _closed: closed,
        };
        let task = self.runtime.spawn(accepting.run());
        Ok(TcpListener {
            address,
            accepting: task.abort_handle(),
            closed: is_closed,
        })
    }

    /// Lets all sessions answer what they have received, and ends them.
    pub(crate) fn drain(self) {
        drop(self.shared);
        self.thread.drain();
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

/// A socket that accepts sessions, in the thread of the sessions.
struct Accepting<S> {
    listener: TokioListener,
    shared: Arc<Shared<S>>,
    /// Dropped behind the listener.
    _closed: blocking::Sender<()>,
}

impl<S: SessionService> Accepting<S> {
    async fn run(self) {
        loop {
            match self.listener.accept().await {
                Ok((stream, remote)) => match Admission::ask(&self.shared, remote) {
                    Some(admission) => {
                        let _ = stream.set_nodelay(true);
                        tokio::spawn(Session::new(stream, remote, admission).run());
                    }
                    None => log::debug!("tcp:{remote}: refused, too many sessions"),
                },
                Err(error) => {
                    // Out of file descriptors, mostly: sessions that end make room.
                    log::warn!("accepting a TCP session failed: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

/// The place that a session takes; dropping it gives it back.
struct Admission<S> {
    shared: Arc<Shared<S>>,
    source: IpAddr,
    _alive: mpsc::Sender<()>,
}

impl<S: SessionService> Admission<S> {
    fn ask(shared: &Arc<Shared<S>>, remote: SocketAddr) -> Option<Self> {
        let source = remote.ip().to_canonical();
        let limits = shared.service.limits();
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let from_source = open.get(&source).copied().unwrap_or(0);
        let is_full = open.values().sum::<usize>() >= limits.sessions;
        if is_full || from_source >= limits.sessions_per_source {
            return None;
        }
        open.insert(source, from_source + 1);
        Some(Self {
            shared: Arc::clone(shared),
            source,
            _alive: shared.alive.clone(),
        })
    }
}

impl<S> Drop for Admission<S> {
    fn drop(&mut self) {
        let mut open = self
            .shared
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.source) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.source);
            }
        }
    }
}
