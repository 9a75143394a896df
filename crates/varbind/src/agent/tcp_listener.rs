use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener as TokioListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use super::set_worker::SetQueue;
use super::{AgentEngine, spawn};

mod session;

use session::Session;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long sessions may take to end when the agent stops.
const DRAIN: Duration = Duration::from_secs(2);

/// A TCP socket that accepts sessions. Dropped, it accepts no more and is closed; sessions that are open stay.
pub(super) struct TcpListener {
    address: SocketAddr,
    accepting: AbortHandle,
    closed: blocking::Receiver<()>,
}

impl TcpListener {
    pub(super) const fn address(&self) -> SocketAddr {
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
pub(super) struct Sessions {
    runtime: Handle,
    shared: Arc<Shared>,
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

struct Shared {
    engine: Arc<AgentEngine>,
    sets: SetQueue,
    /// Open sessions by the address of their peer.
    open: Mutex<HashMap<IpAddr, usize>>,
    closing: watch::Receiver<bool>,
    /// Held by every session; the thread ends when all are gone.
    alive: mpsc::Sender<()>,
}

impl Sessions {
    pub(super) fn start(engine: Arc<AgentEngine>, sets: SetQueue) -> io::Result<Self> {
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
                engine,
                sets,
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

    pub(super) fn listen(&self, address: SocketAddr) -> io::Result<TcpListener> {
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
    pub(super) fn drain(self) {
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
struct Accepting {
    listener: TokioListener,
    shared: Arc<Shared>,
    /// Dropped behind the listener.
    _closed: blocking::Sender<()>,
}

impl Accepting {
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
struct Admission {
    shared: Arc<Shared>,
    source: IpAddr,
    _alive: mpsc::Sender<()>,
}

impl Admission {
    fn ask(shared: &Arc<Shared>, remote: SocketAddr) -> Option<Self> {
        let source = remote.ip().to_canonical();
        let limits = shared.engine.limits.load();
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let from_source = open.get(&source).copied().unwrap_or(0);
        let is_full = open.values().sum::<usize>() >= limits.tcp_sessions;
        if is_full || from_source >= limits.tcp_sessions_per_source {
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

impl Drop for Admission {
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
