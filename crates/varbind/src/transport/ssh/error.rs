use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::known_hosts::KnownHostLine;
use crate::transport::{SecurityFailure, SecurityFailureKind};

/// Why there is no session over SSH.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SshError {
    /// A line of the user's SSH configuration is wrong.
    #[error("{file}:{line}: {problem}")]
    Configuration {
        /// The file.
        file: PathBuf,
        /// The number of the line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// Nothing connects, or the connection ended.
    #[error("{0}")]
    Connection(String),
    /// The server did not answer in time.
    #[error("no answer in time {0}")]
    TimedOut(&'static str),
    /// Client and server have no algorithm in common.
    #[error("no {kind} in common: offered are {ours}, and the server has {theirs}")]
    NoCommonAlgorithm {
        /// What for.
        kind: &'static str,
        /// Those offered here.
        ours: String,
        /// Those of the server.
        theirs: String,
    },
    /// What speaks there is no SSH server, or breaks the protocol.
    #[error("the response is not from a supported SSH server: {0}")]
    Protocol(String),
    /// The server ended the connection and said why.
    #[error("the server ended the connection: {0}")]
    Disconnected(String),
    /// The server's key is not known.
    #[error(
        "the host key of {host} is not known: the server shows the {algorithm} key {fingerprint}; if `ssh-keygen -lf` \
         prints the same for its host key there, add the key to {}",
        place(.file.as_deref())
    )]
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
    #[error(
        "the host key of {host} has changed: it shows the {algorithm} key {fingerprint}, and {}:{} says {}; this may \
         be an attack, or a new installation: if you know why, remove the line",
        .known.file.display(), .known.line, .known.fingerprint
    )]
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
    #[error(
        "the host key {} of {host} is revoked in {}:{}",
        .revoked.fingerprint, .revoked.file.display(), .revoked.line
    )]
    HostKeyRevoked {
        /// The name under which it was looked for.
        host: String,
        /// Where it is revoked.
        revoked: Box<KnownHostLine>,
    },
    /// The server's certificate does not prove who it is.
    #[error("the host certificate of {host} does not hold: {problem}")]
    HostCertificate {
        /// The name that it should prove.
        host: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The server refused all that the user can show.
    #[error(fmt = authentication_refused)]
    AuthenticationRefused {
        /// The user's name there.
        user: String,
        /// What was tried, in order.
        tried: Vec<AuthenticationAttempt>,
        /// What the server would take.
        accepted: String,
    },
    /// The server opens no channel.
    #[error("the server opens no channel: {0}")]
    ChannelRefused(String),
    /// The server has no subsystem `snmp`.
    #[error(
        "the server has no subsystem snmp: with OpenSSH, sshd_config needs the line 'Subsystem snmp /usr/bin/varbind \
         ssh-subsystem'"
    )]
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

fn place(file: Option<&Path>) -> String {
    file.map_or_else(
        || "a file of known hosts".to_owned(),
        |file| file.display().to_string(),
    )
}

fn authentication_refused(
    user: &str,
    tried: &[AuthenticationAttempt],
    accepted: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if tried.is_empty() {
        write!(
            f,
            "authentication as user {user} is not possible: this side has no private key, in a file or an SSH agent, and no password"
        )?;
    } else {
        write!(f, "authentication as user {user} was refused; tried: ")?;
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
                Self::Connection(
                    "the server closed the connection: is it SSH that listens at this port?"
                        .to_owned(),
                )
            }
            russh::Error::ChannelOpenFailure(reason) => Self::ChannelRefused(format!("{reason:?}")),
            other => Self::Protocol(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_key_is_distinguished_from_a_refused_one() {
        let refused = |tried| SshError::AuthenticationRefused {
            user: "ops".to_owned(),
            tried,
            accepted: "publickey".to_owned(),
        };
        let attempt = AuthenticationAttempt {
            with: "key /k".to_owned(),
            problem: None,
        };
        assert_eq!(
            refused(vec![attempt]).to_string(),
            "authentication as user ops was refused; tried: key /k: refused (the server takes: publickey)"
        );
        assert_eq!(
            refused(Vec::new()).to_string(),
            "authentication as user ops is not possible: this side has no private key, in a file or an SSH agent, and no password (the server \
             takes: publickey)"
        );
    }
}
