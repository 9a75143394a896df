//! Where subagents connect: a socket of the file system, and TCP where that is asked for.

use std::fmt;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt;

use super::connection::Stream;
use super::inherited::InheritedSockets;
use super::sessions::Sessions;

/// The owner and the group of the socket may connect.
const SOCKET_MODE: u32 = 0o660;
/// A directory that is made for it.
const DIRECTORY_MODE: u32 = 0o755;
/// The pause before the next accept when file descriptors have run out.
const PAUSE: Duration = Duration::from_millis(100);
const STACK: usize = 64 * 1024;

/// Where subagents may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentxAddress {
    Unix {
        path: PathBuf,
        /// The group whose members may connect, beside the agent's own user.
        group: Option<u32>,
    },
    Tcp(SocketAddr),
}

impl fmt::Display for AgentxAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix { path, .. } => write!(f, "agentx:{}", path.display()),
            Self::Tcp(address) => write!(f, "agentx:tcp:{address}"),
        }
    }
}

/// The sockets that are open.
pub(crate) struct AgentxListeners {
    open: Vec<Listener>,
    inherited: InheritedSockets,
}

impl AgentxListeners {
    /// None is open yet; those of the service manager are taken where they are wanted.
    pub(crate) const fn new(inherited: InheritedSockets) -> Self {
        Self {
            open: Vec::new(),
            inherited,
        }
    }

    /// Closes all.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// Listens on exactly the `wanted` addresses. Those that are open stay open; returns those that were opened.
    ///
    /// # Errors
    /// With the address that cannot be had; those before it are open.
    pub(crate) fn replace(
        &mut self,
        sessions: &Arc<Sessions>,
        wanted: &[AgentxAddress],
    ) -> Result<Vec<AgentxAddress>, (AgentxAddress, io::Error)> {
        self.open.retain(|open| wanted.contains(&open.address));
        let mut opened = Vec::new();
        for address in wanted {
            if !self.open.iter().any(|open| open.address == *address) {
                let listener = Listener::open(address, &self.inherited, sessions);
                let listener = listener.map_err(|error| (address.clone(), error))?;
                opened.push(listener.address.clone());
                self.open.push(listener);
            }
        }
        self.inherited.warn_of_unused(wanted);
        Ok(opened)
    }
}

/// A socket with the thread that accepts. Dropping it closes it; sessions go on.
struct Listener {
    address: AgentxAddress,
    /// Whether the service manager goes on listening.
    is_inherited: bool,
    /// The thread ends when this is closed.
    open: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

/// A socket that listens.
pub(super) enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Socket {
    fn open(address: &AgentxAddress) -> io::Result<Self> {
        match address {
            AgentxAddress::Unix { path, group } => open_unix(path, *group).map(Self::Unix),
            AgentxAddress::Tcp(address) => TcpListener::bind(address).map(Self::Tcp),
        }
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(listener) => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        }
    }

    /// Whether it listens there.
    pub(super) fn is_at(&self, address: &AgentxAddress) -> bool {
        match (self, address) {
            (Self::Unix(listener), AgentxAddress::Unix { path, .. }) => listener
                .local_addr()
                .is_ok_and(|local| local.as_pathname() == Some(path)),
            (Self::Tcp(listener), AgentxAddress::Tcp(address)) => {
                listener.local_addr().is_ok_and(|local| local == *address)
            }
            _ => false,
        }
    }

    /// The same socket, by another descriptor.
    pub(super) fn copy(&self) -> io::Result<Self> {
        match self {
            Self::Unix(listener) => listener.try_clone().map(Self::Unix),
            Self::Tcp(listener) => listener.try_clone().map(Self::Tcp),
        }
    }

    /// A connection that waited may be gone when it is accepted.
    fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Self::Unix(listener) => listener.set_nonblocking(true),
            Self::Tcp(listener) => listener.set_nonblocking(true),
        }
    }

    fn accept(&self) -> io::Result<(Stream, String)> {
        match self {
            Self::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                let peer = sockopt::socket_peercred(&stream).map_or_else(
                    |_| "of an unknown process".to_owned(),
                    |peer| format!("of process {}, user {}", peer.pid, peer.uid),
                );
                Ok((Stream::Unix(stream), peer))
            }
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept()?;
                Ok((Stream::Tcp(stream), format!("at {peer}")))
            }
        }
    }
}

impl fmt::Display for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(listener) => match listener.local_addr() {
                Ok(local) => write!(f, "{local:?}"),
                Err(error) => write!(f, "an unknown path ({error})"),
            },
            Self::Tcp(listener) => match listener.local_addr() {
                Ok(local) => write!(f, "tcp:{local}"),
                Err(error) => write!(f, "an unknown address ({error})"),
            },
        }
    }
}

impl Listener {
    fn open(
        address: &AgentxAddress,
        inherited: &InheritedSockets,
        sessions: &Arc<Sessions>,
    ) -> io::Result<Self> {
        let inherited = inherited.find(address)?;
        let is_inherited = inherited.is_some();
        let socket = match inherited {
            Some(socket) => socket,
            None => Socket::open(address)?,
        };
        socket.set_nonblocking()?;
        let (open, closing) = UnixStream::pair()?;
        let sessions = Arc::clone(sessions);
        let thread = thread::Builder::new()
            .name("varbind-agentx".to_owned())
            .stack_size(STACK)
            .spawn(move || accept(&socket, &closing, &sessions))?;
        Ok(Self {
            address: address.clone(),
            is_inherited,
            open: Some(open),
            thread: Some(thread),
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let AgentxAddress::Unix { path, .. } = &self.address
            && !self.is_inherited
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Accepts connections until the other end of `closing` is closed.
fn accept(socket: &Socket, closing: &UnixStream, sessions: &Arc<Sessions>) {
    loop {
        let mut awaited = [
            PollFd::from_borrowed_fd(socket.descriptor(), PollFlags::IN),
            PollFd::new(closing, PollFlags::IN),
        ];
        // Without an answer the socket itself tells.
        let _ = poll(&mut awaited, None);
        let [_, closing] = awaited;
        if !closing.revents().is_empty() {
            return;
        }
        match socket.accept() {
            Ok((stream, peer)) => {
                if let Err(error) = sessions.serve(stream, peer.clone()) {
                    log::warn!("the subagent {peer} is not served: {error}");
                }
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => {
                log::warn!("a subagent is not accepted: {error}");
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Whether nothing is wrong: the connection is gone already.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
    matches!(error.kind(), ConnectionAborted | Interrupted | WouldBlock)
}

fn open_unix(path: &Path, group: Option<u32>) -> io::Result<UnixListener> {
    if let Some(directory) = path.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(DIRECTORY_MODE)
            .create(directory)?;
    }
    remove_abandoned(path)?;
    let listener = UnixListener::bind(path)?;
    // Until this point the default mode of a new socket keeps other users out.
    if let Some(group) = group {
        chown(path, None, Some(group))?;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(SOCKET_MODE))?;
    Ok(listener)
}

/// Removes a socket on which nobody listens any more, as a master leaves it that was killed.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !kind.is_socket() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "a file that is not a socket is in the way",
        ));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        _ => Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "another master serves it, perhaps snmpd with `master agentx`",
        )),
    }
}
