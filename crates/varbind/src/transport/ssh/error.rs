use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use varbind_engine::applications::command_generator::{SecurityFailure, SecurityFailureKind};

use super::known_hosts::KnownHostLine;

/// Why there is no session over SSH.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SshError {
    /// A line of the user's SSH configuration is wrong.
    Configuration {
        /// The file.
        file: PathBuf,
        /// The number of the line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file cannot be read or written.
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// Nothing connects, or the connection ended.
    Connection(String),
    /// The server did not answer in time.
    TimedOut(&'static str),
    /// Client and server have no algorithm in common.
    NoCommonAlgorithm {
        /// What for.
        kind: &'static str,
        /// Those offered here.
        ours: String,
        /// Those of the server.
        theirs: String,
    },
    /// What speaks there is no SSH server, or breaks the protocol.
    Protocol(String),
    /// The server ended the connection and said why.
    Disconnected(String),
    /// The server's key is not known.
    HostKeyUnknown {
        /// The name under which it was looked for.
        host: String,
        /// Its type.
        algorithm: String,
        /// Its fingerprint.
        fingerprint: String,
        /// Where it would be written to.
        file: Option<PathBuf>,
    },
    /// The server has another key than the one that is known.
    HostKeyChanged {
        /// The name under which it was looked for.
        host: String,
        /// The type of the keys.
        algorithm: String,
        /// The fingerprint of what the server has.
        fingerprint: String,
        /// What is known.
        known: Box<KnownHostLine>,
    },
    /// The server's key is marked as revoked.
    HostKeyRevoked {
        /// The name under which it was looked for.
        host: String,
        /// Where it is revoked.
        revoked: Box<KnownHostLine>,
    },
    /// The server's certificate does not prove who it is.
    HostCertificate {
        /// The name that it should prove.
        host: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The server refused all that the user can show.
    AuthenticationRefused {
        /// The user's name there.
        user: String,
        /// What was tried, in order.
        tried: Vec<AuthenticationAttempt>,
        /// What the server would take.
        accepted: String,
    },
    /// The server opens no channel.
    ChannelRefused(String),
    /// The server has no subsystem `snmp`.
    SubsystemRefused,
}

/// A way to authenticate, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticationAttempt {
    /// With what, as in `key /home/ops/.ssh/id_ed25519 (SHA256:...)`.
    pub with: String,
    /// Why it was not tried, or what went wrong with it; `None` if the server refused it.
    pub problem: Option<String>,
}

impl fmt::Display for AuthenticationAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            None => write!(f, "{}: refused", self.with),
            Some(problem) => write!(f, "{}: {problem}", self.with),
        }
    }
}

impl SshError {
    /// The error in the terms of the engine.
    pub(crate) fn security_failure(&self) -> SecurityFailure {
        let kind = match self {
            Self::Connection(_) | Self::TimedOut(_) | Self::Protocol(_) | Self::Disconnected(_) => {
                SecurityFailureKind::ProtocolError
            }
            _ => SecurityFailureKind::RefusedByPeer,
        };
        SecurityFailure::new(kind, self.to_string())
    }

    pub(crate) fn file(file: &Path, error: &io::Error) -> Self {
        Self::File {
            file: file.to_owned(),
            problem: error.to_string(),
        }
    }
}

impl SshError {
    /// What is the matter with the server's key.
    fn describe_host_key(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HostKeyUnknown {
                host,
                algorithm,
                fingerprint,
                file,
            } => {
                write!(
                    f,
                    "the host key of {host} is not known: it shows the {algorithm} key {fingerprint}; \
                     check it there, and add it"
                )?;
                match file {
                    Some(file) => write!(f, " to {}", file.display()),
                    None => f.write_str(" to a file of known hosts"),
                }
            }
            Self::HostKeyChanged {
                host,
                algorithm,
                fingerprint,
                known,
            } => write!(
                f,
                "the host key of {host} has changed: it shows the {algorithm} key {fingerprint}, and {}:{} \
                 says {}; this may be an attack, or a new installation: if you know why, remove the line",
                known.file.display(),
                known.line,
                known.fingerprint
            ),
            Self::HostKeyRevoked { host, revoked } => write!(
                f,
                "the host key {} of {host} is revoked in {}:{}",
                revoked.fingerprint,
                revoked.file.display(),
                revoked.line
            ),
            Self::HostCertificate { host, problem } => {
                write!(f, "the host certificate of {host} does not hold: {problem}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for SshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration {
                file,
                line,
                problem,
            } => write!(f, "{}:{line}: {problem}", file.display()),
            Self::File { file, problem } => write!(f, "{}: {problem}", file.display()),
            Self::Connection(problem) => f.write_str(problem),
            Self::TimedOut(what) => write!(f, "no answer in time {what}"),
            Self::NoCommonAlgorithm { kind, ours, theirs } => write!(
                f,
                "no {kind} in common: offered are {ours}, and the server has {theirs}"
            ),
            Self::Protocol(problem) => {
                write!(
                    f,
                    "what answers is no SSH server that is understood: {problem}"
                )
            }
            Self::Disconnected(reason) => write!(f, "the server ended the connection: {reason}"),
            Self::HostKeyUnknown { .. }
            | Self::HostKeyChanged { .. }
            | Self::HostKeyRevoked { .. }
            | Self::HostCertificate { .. } => self.describe_host_key(f),
            Self::AuthenticationRefused {
                user,
                tried,
                accepted,
            } => {
                write!(f, "authentication as user {user} was refused; tried: ")?;
                if tried.is_empty() {
                    f.write_str("nothing, there is no key, agent or password")?;
                }
                for (index, attempt) in tried.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    write!(f, "{separator}{attempt}")?;
                }
                if !accepted.is_empty() {
                    write!(f, " (the server takes: {accepted})")?;
                }
                Ok(())
            }
            Self::ChannelRefused(problem) => {
                write!(f, "the server opens no channel: {problem}")
            }
            Self::SubsystemRefused => f.write_str(
                "the server has no subsystem snmp: with OpenSSH, sshd_config needs the line \
                 'Subsystem snmp /usr/bin/varbind ssh-subsystem'",
            ),
        }
    }
}

impl std::error::Error for SshError {}

impl From<russh::Error> for SshError {
    fn from(error: russh::Error) -> Self {
        use russh::AlgorithmKind;
        match error {
            russh::Error::NoCommonAlgo { kind, ours, theirs } => Self::NoCommonAlgorithm {
                kind: match kind {
                    AlgorithmKind::Kex => "key exchange",
                    AlgorithmKind::Key => "type of host key",
                    AlgorithmKind::Cipher => "cipher",
                    AlgorithmKind::Compression => "compression",
                    AlgorithmKind::Mac => "message authentication code",
                },
                ours: ours.join(", "),
                theirs: theirs.join(", "),
            },
            russh::Error::IO(error) => Self::Connection(error.to_string()),
            russh::Error::Disconnect | russh::Error::HUP | russh::Error::SendError => {
                Self::Connection("the server closed the connection".to_owned())
            }
            russh::Error::ChannelOpenFailure(reason) => Self::ChannelRefused(format!("{reason:?}")),
            other => Self::Protocol(other.to_string()),
        }
    }
}
