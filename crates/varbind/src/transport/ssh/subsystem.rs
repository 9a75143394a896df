//! The other way to serve SSH: OpenSSH's server authenticates the user and runs a launcher as this user, which connects
//! its standard input and output with a socket of the agent.
//!
//! The system tells the agent whose process is at the other end (SO_PEERCRED), and this user is the sender. What the
//! client does can neither change that nor reach anything but this socket.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener as StdUnixListener, UnixStream as StdUnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc as blocking;

use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::AbortHandle;
use varbind_engine::security::{SecurityLevel, SecurityName};
use varbind_engine::transport::{SecureTransport, TransportState};

use super::account::Account;
use super::server::is_name;
use super::server::lookup::look_up;
use crate::transport::session::{
    Admission, Admissions, Session, SessionService, SessionStream, Sessions,
};
use crate::transport::{
    AcceptFailures, SecurityFailure, SecurityFailureKind, SessionError, Transport, next_session_id,
};

/// Where agents listen for launchers if nothing else is configured.
pub const SUBSYSTEM_SOCKET: &str = "/run/varbind/ssh-subsystem.socket";

/// The longest line by which root names a user.
const LONGEST_NAMING: usize = 64;
/// What the line begins with. No SNMP message begins so.
pub(super) const NAMING: &str = "user ";
/// Octets read at once.
const READ: usize = 4096;

/// The socket on which an agent listens for launchers of OpenSSH's server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsystemSocket {
    /// Its path.
    pub path: PathBuf,
    /// Who may connect, as the permissions of a file: 0660, or 0666 for all users. Each is only who the system says.
    pub mode: u32,
    /// Root may say whom it speaks for. Without it, root is root.
    pub root_names_users: bool,
}

impl Default for SubsystemSocket {
    fn default() -> Self {
        Self {
            path: SUBSYSTEM_SOCKET.into(),
            mode: 0o660,
            root_names_users: false,
        }
    }
}

/// A socket that is listened on. Dropped, it is closed and its file removed; sessions that are open stay.
pub(crate) struct SubsystemListener {
    path: PathBuf,
    inode: u64,
    accepting: AbortHandle,
    closed: blocking::Receiver<()>,
}

impl Drop for SubsystemListener {
    fn drop(&mut self) {
        self.accepting.abort();
        // The thread of the sessions does it; nothing is sent, but the sender dropped.
        let _ = self.closed.recv();
        // Another agent may have taken the place.
        if fs::metadata(&self.path).is_ok_and(|metadata| metadata.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl SubsystemListener {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn start<S: SessionService>(
        sessions: &Sessions<S>,
        socket: &SubsystemSocket,
    ) -> io::Result<Self> {
        let listener = bind(socket)?;
        let inode = fs::metadata(&socket.path)?.ino();
        let (closed, is_closed) = blocking::channel();
        let admissions = sessions.admissions();
        let root_names_users = socket.root_names_users;
        let accepting = sessions.spawn(move || {
            Ok(Accepting {
                listener: UnixListener::from_std(listener)?,
                admissions,
                root_names_users,
                _closed: closed,
            }
            .run())
        })?;
        Ok(Self {
            path: socket.path.clone(),
            inode,
            accepting,
            closed: is_closed,
        })
    }
}

fn bind(socket: &SubsystemSocket) -> io::Result<StdUnixListener> {
    let path = &socket.path;
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    // The socket of an agent that was killed is left behind.
    if is_socket
        && matches!(StdUnixStream::connect(path), Err(error) if error.kind() == io::ErrorKind::ConnectionRefused)
    {
        fs::remove_file(path)?;
    }
    let listener = StdUnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(socket.mode))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

struct Accepting<S> {
    listener: UnixListener,
    admissions: Admissions<S>,
    root_names_users: bool,
    /// Dropped behind the listener.
    _closed: blocking::Sender<()>,
}

impl<S: SessionService> Accepting<S> {
    async fn run(self) {
        let mut failures = AcceptFailures::new("a session of the ssh subsystem");
        loop {
            let accepted = self.listener.accept().await;
            match accepted.and_then(|(socket, _)| Ok((socket.peer_cred()?.uid(), socket))) {
                Ok((uid, socket)) => self.admit(uid, socket),
                Err(error) => failures.wait(&error).await,
            }
        }
    }

    fn admit(&self, uid: u32, socket: UnixStream) {
        let remote = source(uid);
        match self.admissions.acquire(uid, remote) {
            Ok(admission) => {
                let root_names_users = self.root_names_users;
                let serve = |admission| serve(socket, uid, admission, root_names_users);
                self.admissions.serve(admission, serve);
            }
            Err(why) => {
                let why = format_args!("user {uid}: {why}");
                self.admissions.log_refusal(Transport::Ssh, remote, &why);
            }
        }
    }
}

/// An address of this host that stands for a user in the log.
fn source(uid: u32) -> SocketAddr {
    let [_, high, middle, low] = uid.to_be_bytes();
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, high, middle, low)), 0)
}

async fn serve<S: SessionService>(
    mut socket: UnixStream,
    uid: u32,
    admission: Admission<S>,
    root_names_users: bool,
) {
    let key = format!("number {uid}");
    let looking_up = look_up(&key, move || Account::numbered(uid));
    let mut user = match looking_up.await.map_err(io::Error::other) {
        Ok(Ok(Some(account))) => account.name,
        Ok(Ok(None)) => {
            admission.log_refusal(Transport::Ssh, &format_args!("there is no user {uid}"));
            return;
        }
        Ok(Err(error)) | Err(error) => {
            let why = format_args!("user {uid} cannot be looked up: {error}");
            admission.log_refusal(Transport::Ssh, &why);
            return;
        }
    };
    let mut early = Vec::new();
    if uid == 0 && root_names_users {
        let limits = admission.limits();
        match tokio::time::timeout(limits.idle, named(&mut socket, &mut early)).await {
            Ok(Ok(Some(name))) => user = name,
            Ok(Ok(None)) => {}
            Ok(Err(error)) => {
                admission.log_refusal(Transport::Ssh, &error);
                return;
            }
            Err(_) => return,
        }
    }
    if !is_name(&user) {
        let why = format_args!("the name of user {uid} cannot be a security name");
        admission.log_refusal(Transport::Ssh, &why);
        return;
    }
    let state = TransportState::new(
        SecureTransport::Ssh,
        SecurityName::new(user),
        SecurityLevel::AuthPriv,
        next_session_id(),
    );
    let stream = SubsystemStream {
        socket,
        early,
        state,
    };
    Session::new(Transport::Ssh, stream, Arc::new(admission))
        .run()
        .await;
}

/// The user whom root names, if it does; what comes behind is left in `early`.
async fn named(
    socket: &mut UnixStream,
    early: &mut Vec<u8>,
) -> Result<Option<String>, SessionError> {
    loop {
        match naming(early) {
            Naming::Nobody => return Ok(None),
            Naming::Named(name) => return Ok(Some(name)),
            Naming::TooLong => {
                let why = "the line with the user's name is too long";
                return Err(SecurityFailure::new(SecurityFailureKind::ProtocolError, why).into());
            }
            Naming::Incomplete => {}
        }
        if read_some(socket, early).await? == 0 {
            return Ok(None);
        }
    }
}

/// What the beginning of a session says of whom root speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// It is a message.
    Nobody,
    /// This user.
    Named(String),
    TooLong,
    Incomplete,
}

/// Takes the line with the user's name from what has arrived, if it begins with one. What has arrived may be cut anywhere.
pub(super) fn naming(arrived: &mut Vec<u8>) -> Naming {
    match arrived.first() {
        None => return Naming::Incomplete,
        Some(b'u') => {}
        Some(_) => return Naming::Nobody,
    }
    let line = arrived.iter().take(LONGEST_NAMING);
    let Some(end) = line.into_iter().position(|octet| *octet == b'\n') else {
        return match arrived.len() < LONGEST_NAMING {
            true => Naming::Incomplete,
            false => Naming::TooLong,
        };
    };
    let line: Vec<u8> = arrived.drain(..=end).collect();
    // A name that is not UTF-8 becomes empty, not a similar name.
    let line = std::str::from_utf8(&line).unwrap_or_default();
    let name = line.trim_end().strip_prefix(NAMING).unwrap_or_default();
    Naming::Named(name.to_owned())
}

async fn read_some(socket: &UnixStream, input: &mut Vec<u8>) -> Result<usize, SessionError> {
    loop {
        socket.readable().await?;
        if let Some(read) = try_read(socket, input)? {
            return Ok(read);
        }
    }
}

fn try_read(socket: &UnixStream, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
    input.reserve(READ);
    match socket.try_read_buf(input) {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The stream of a session.
struct SubsystemStream {
    socket: UnixStream,
    /// What came with the user's name.
    early: Vec<u8>,
    state: TransportState,
}

impl SubsystemStream {
    fn take_early(&mut self, input: &mut Vec<u8>) -> Option<usize> {
        let length = self.early.len();
        input.append(&mut self.early);
        (length > 0).then_some(length)
    }
}

impl SessionStream for SubsystemStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        match self.take_early(input) {
            Some(length) => Ok(length),
            None => read_some(&self.socket, input).await,
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        match self.take_early(input) {
            Some(length) => Ok(Some(length)),
            None => try_read(&self.socket, input),
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        Ok(AsyncWriteExt::write_all(&mut self.socket, output).await?)
    }

    async fn shutdown(&mut self) {
        let _ = AsyncWriteExt::shutdown(&mut self.socket).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_of_an_agent_that_is_gone_is_taken_over_and_that_of_another_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let socket = SubsystemSocket {
            path: directory.path().join("socket"),
            mode: 0o600,
            ..SubsystemSocket::default()
        };
        let first = bind(&socket).unwrap();
        assert_eq!(bind(&socket).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(first);
        let _second = bind(&socket).unwrap();
        assert_eq!(fs::metadata(&socket.path).unwrap().mode() & 0o777, 0o600);
        // A file that is not a socket is not removed.
        let file = SubsystemSocket {
            path: directory.path().join("file"),
            ..socket
        };
        fs::write(&file.path, "text").unwrap();
        assert!(bind(&file).is_err());
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "text");
    }

    #[test]
    fn users_have_addresses_of_their_own() {
        assert_eq!(source(1000).ip().to_string(), "127.0.3.232");
        assert_ne!(source(1000), source(1001));
    }
}
