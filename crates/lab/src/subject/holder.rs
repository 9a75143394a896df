use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::echo::read_line;
use super::first_answer::FirstAnswer;
use super::secure_keys::SecureKeys;
use super::{Credentials, SubjectError};
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::session::{Session, Target};

/// How to start a process that holds sessions open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderProgram {
    /// The executable, which must call [`hold_sessions`] with what follows `arguments`.
    pub executable: PathBuf,
    /// Its first arguments.
    pub arguments: Vec<String>,
}

/// A process that holds sessions open until this goes away.
#[derive(Debug)]
pub struct Holder {
    child: Child,
    opened: u32,
}

/// What is to be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSessions {
    /// The agent.
    pub target: Target,
    /// How many.
    pub count: u32,
    /// Exchanges of each, after which it is idle.
    pub exchanges: u32,
    /// The directory with the manager's keys, for secure transports.
    pub keys: Option<PathBuf>,
}

/// How long the agent may take for one exchange.
const PATIENCE: Duration = Duration::from_secs(5);

impl HeldSessions {
    fn arguments(&self) -> Vec<String> {
        let Target { transport, address } = self.target;
        let mut arguments = vec![
            transport.to_string(),
            address.to_string(),
            self.count.to_string(),
            self.exchanges.to_string(),
        ];
        arguments.extend(self.keys.iter().map(|keys| keys.display().to_string()));
        arguments
    }

    fn of_arguments(arguments: &[String]) -> Option<Self> {
        let [transport, address, count, exchanges, keys @ ..] = arguments else {
            return None;
        };
        Some(Self {
            target: Target {
                transport: TransportKind::ALL
                    .into_iter()
                    .chain(TransportKind::LEGACY_TLS)
                    .find(|one| one.to_string() == *transport)?,
                address: address.parse().ok()?,
            },
            count: count.parse().ok()?,
            exchanges: exchanges.parse().ok()?,
            keys: keys.first().map(PathBuf::from),
        })
    }

    /// Opens the sessions, one behind the other, each with its exchanges; fewer if one fails.
    fn open(&self) -> Result<Vec<Session>, SubjectError> {
        let keys = self.keys.clone().map(SecureKeys::of);
        let accesses = keys.map(|keys| keys.accesses()).transpose();
        let accesses = accesses.map_err(|error| SubjectError::Credentials(error.to_string()))?;
        let scheme = if self.target.transport.is_secure() {
            Scheme::V3Transport
        } else {
            Scheme::V2c
        };
        let security = Credentials::of_laboratory().security(scheme, false);
        let Ok(Some(security)) = security else {
            return Ok(Vec::new());
        };
        let transport = self.target.transport;
        let access = accesses
            .as_ref()
            .filter(|_| transport.is_secure())
            .map(|accesses| accesses.of(transport, false));
        let mut exchange = FirstAnswer::new(&security)?;
        let mut sessions = Vec::new();
        for _ in 0..self.count {
            let Ok(mut session) = Session::open(self.target, PATIENCE, access) else {
                break;
            };
            let is_answered = exchange.requests_over(&mut session, self.exchanges, PATIENCE);
            if !is_answered.unwrap_or(false) {
                break;
            }
            sessions.push(session);
        }
        Ok(sessions)
    }
}

/// Opens sessions as the arguments say, prints how many there are as one line, and holds them until standard input ends.
///
/// # Errors
/// When the arguments or the keys cannot be used.
pub fn hold_sessions(arguments: &[String]) -> Result<(), SubjectError> {
    let wanted = HeldSessions::of_arguments(arguments).ok_or_else(|| {
        SubjectError::Credentials(
            "say transport, address, number, exchanges of each and directory of keys".into(),
        )
    })?;
    let sessions = wanted.open()?;
    let mut output = io::stdout();
    // The parent may be gone: then standard input has ended too.
    let _told = writeln!(output, "{}", sessions.len()).and_then(|()| output.flush());
    let mut end = [0; 1];
    while matches!(io::stdin().read(&mut end), Ok(length) if length > 0) {}
    sessions.into_iter().for_each(Session::close);
    Ok(())
}

impl Holder {
    /// Starts it, and waits until its sessions are open.
    ///
    /// # Errors
    /// If it cannot be started, or does not tell how many there are.
    pub fn start(program: &HolderProgram, sessions: &HeldSessions) -> io::Result<Self> {
        let mut child = Command::new(&program.executable)
            .args(&program.arguments)
            .args(sessions.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let opened = read_line(&mut child).and_then(|line| {
            let count = line.trim().parse();
            count.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, line))
        });
        let mut holder = Self { child, opened: 0 };
        holder.opened = opened?;
        Ok(holder)
    }

    /// Sessions that are open.
    #[must_use]
    pub const fn opened(&self) -> u32 {
        self.opened
    }

    /// Ends the sessions in an orderly way, and waits until they are closed.
    pub fn close(mut self) {
        drop(self.child.stdin.take());
        let _reaped = self.child.wait();
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_held_goes_through_arguments() {
        for (transport, keys) in [
            (TransportKind::Udp, None),
            (TransportKind::Dtls, Some("/k")),
        ] {
            let sessions = HeldSessions {
                target: Target {
                    transport,
                    address: "127.0.0.1:10161".parse().unwrap(),
                },
                count: 7,
                exchanges: 10,
                keys: keys.map(PathBuf::from),
            };
            let back = HeldSessions::of_arguments(&sessions.arguments());
            assert_eq!(back, Some(sessions));
        }
        assert_eq!(HeldSessions::of_arguments(&[]), None);
    }
}
