//! Where subagents connect: a socket of the file system, and TCP where that is asked for.

use std::fmt;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::{Shutdown, shutdown, sockopt};

use super::connection::Stream;
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
#[derive(Default)]
pub(crate) struct AgentxListeners(Vec<Listener>);

impl AgentxListeners {
    /// Listens on exactly the `wanted` addresses. Those that are open stay open; returns those that were opened.
    ///
    /// # Errors
    /// With the address that cannot be had; those before it are open.
    pub(crate) fn replace(
        &mut self,
        sessions: &Arc<Sessions>,
        wanted: &[AgentxAddress],
    ) -> Result<Vec<AgentxAddress>, (AgentxAddress, io::Error)> {
        self.0.retain(|open| wanted.contains(&open.address));
        let mut opened = Vec::new();
        for address in wanted {
            if !self.0.iter().any(|open| open.address == *address) {
                let listener = Listener::open(address, sessions);
                let listener = listener.map_err(|error| (address.clone(), error))?;
                opened.push(listener.address.clone());
                self.0.push(listener);
            }
        }
        Ok(opened)
    }
}

/// A socket with the thread that accepts. Dropping it closes it; sessions go on.
struct Listener {
    address: AgentxAddress,
    socket: Arc<Socket>,
    thread: Option<JoinHandle<()>>,
}

enum Socket {
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

    /// Has `accept` fail from now on.
    fn close(&self) {
        let socket = match self {
            Self::Unix(listener) => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        };
        let _ = shutdown(socket, Shutdown::Both);
    }
}

impl Listener {
    fn open(address: &AgentxAddress, sessions: &Arc<Sessions>) -> io::Result<Self> {
        let socket = Arc::new(Socket::open(address)?);
        let (accepting, sessions) = (Arc::clone(&socket), Arc::clone(sessions));
        let thread = thread::Builder::new()
            .name("varbind-agentx".to_owned())
            .stack_size(STACK)
            .spawn(move || accept(&accepting, &sessions))?;
        Ok(Self {
            address: address.clone(),
            socket,
            thread: Some(thread),
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.socket.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let AgentxAddress::Unix { path, .. } = &self.address {
            let _ = fs::remove_file(path);
        }
    }
}

fn accept(socket: &Socket, sessions: &Arc<Sessions>) {
    loop {
        match socket.accept() {
            Ok((stream, peer)) => {
                if let Err(error) = sessions.serve(stream, peer.clone()) {
                    log::warn!("the subagent {peer} is not served: {error}");
                }
            }
            // It was closed.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                log::warn!("a subagent is not accepted: {error}");
                thread::sleep(PAUSE);
            }
        }
    }
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
            "there is a file that is no socket",
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
