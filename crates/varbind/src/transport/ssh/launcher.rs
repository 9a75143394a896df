//! The program that OpenSSH's server runs as the user who has logged in.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::subsystem::NAMING;

/// Why a launcher did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubsystemError {
    /// No agent listens.
    #[error("no agent can be reached at {path}: {error}{}", advice(.error))]
    Connecting {
        /// The socket.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Messages could not be passed on.
    #[error("the session ended early: {0}")]
    PassingOn(io::Error),
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "; this user may not connect to the socket: \
             set all-users = true in [ssh.subsystem] of the agent, or add the user to the socket's group"
        }
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
            "; the agent does not run, or its configuration has no [ssh.subsystem] with this socket"
        }
        _ => "",
    }
}

/// Connects standard input and output with the agent at a socket, until one of the two ends the session: what OpenSSH's
/// server runs as `Subsystem snmp`. The agent takes the user whom this process runs as for the sender. `user` is for
/// root, where the agent lets root say whom it speaks for.
///
/// # Errors
/// When no agent listens, or the session ends in the middle.
pub fn launch_subsystem(path: &Path, user: Option<&str>) -> Result<(), SubsystemError> {
    let connecting = |error| SubsystemError::Connecting {
        path: path.to_owned(),
        error,
    };
    let mut socket = UnixStream::connect(path).map_err(connecting)?;
    if let Some(user) = user {
        let line = format!("{NAMING}{user}\n");
        socket.write_all(line.as_bytes()).map_err(connecting)?;
    }
    let requests = socket.try_clone().map_err(SubsystemError::PassingOn)?;
    // A thread for each direction: an end that does not read blocks only one of them. This one ends with the process.
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            let _ = pass_on(&mut io::stdin().lock(), &requests);
            // The client says nothing more, and may still get answers.
            let _ = requests.shutdown(Shutdown::Write);
        })
        .map_err(SubsystemError::PassingOn)?;
    let stdout = io::stdout().as_fd().try_clone_to_owned();
    let stdout = stdout.map_err(SubsystemError::PassingOn)?;
    pass_on(&mut socket, &fs::File::from(stdout)).map_err(SubsystemError::PassingOn)
}

/// Writes what is read as it comes.
fn pass_on<W>(from: &mut impl Read, to: &W) -> io::Result<()>
where
    for<'w> &'w W: Write,
{
    let mut buffer = vec![0; 16 * 1024];
    let mut writer = to;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => writer.write_all(buffer.get(..read).unwrap_or(&[]))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
