//! How the program ends when it does not succeed.

use std::fmt;
use std::io;

use varbind::client::{Error, Unanswered};
use varbind::engine::applications::command_generator::{FailureReason, SendError};
use varbind::transport::certificate::LoadError;
use varbind::transport::{OpenError, SessionError};
use varbind_mib::Mib;

use crate::messages::report;
use crate::secure_transport::ssh_advice;

/// Why a command failed; each has an exit code.
#[derive(Debug)]
pub enum Failure {
    /// Wrong arguments, names or values.
    Usage(String),
    /// The output cannot be written.
    Output(io::Error),
    /// The reader of the output closed it.
    ClosedPipe,
    /// The agent answered with an error-status, or with a Report of SNMPv3.
    ErrorStatus(String),
    /// An error-status or Report that was already reported.
    Reported,
    /// The session could not be opened.
    Open(OpenError),
    /// No response.
    Client(Error),
    /// No answer to a request of a walk.
    Unanswered {
        /// The failure.
        unanswered: Box<Unanswered>,
        /// The object of the request, appended to the message.
        context: String,
    },
    /// Nothing came in time.
    NoAnswer(String),
    /// The agent broke the protocol.
    Protocol(String),
    /// The transport failed: there is no session, or a message could not be sent.
    Transport(String),
    /// This machine lacks a requirement of the command.
    Skipped(String),
    /// Another failure with this exit code, already reported.
    ReportedWith(u8),
}

/// The exit code of success.
pub const SUCCESS: u8 = 0;
const USAGE: u8 = 1;
const ERROR_STATUS: u8 = 2;
const NO_ANSWER: u8 = 3;
const NO_SESSION: u8 = 4;
const PROTOCOL: u8 = 5;
/// The exit code by which test programs report a skipped test.
const SKIPPED: u8 = 77;

impl Failure {
    /// Prints the failure to standard error, and returns the exit code.
    pub fn report(&self) -> u8 {
        match self {
            Self::ClosedPipe => return SUCCESS,
            Self::Reported | Self::ReportedWith(_) => {}
            failure => report(format_args!("{failure}")),
        }
        self.exit_code()
    }

    /// The same failure, marked as reported.
    #[must_use]
    pub fn already_reported(&self) -> Self {
        Self::ReportedWith(self.exit_code())
    }

    /// Whether it was already reported.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        matches!(self, Self::Reported | Self::ReportedWith(_))
    }

    /// The exit code of the program.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => SUCCESS,
            Self::ErrorStatus(_) | Self::Reported => ERROR_STATUS,
            Self::Open(OpenError::Connecting { error, .. }) if matches!(&**error, SessionError::System(error) if error.kind() == io::ErrorKind::TimedOut) => {
                NO_ANSWER
            }
            Self::Open(_) | Self::Transport(_) | Self::Client(Error::Interrupted { .. }) => {
                NO_SESSION
            }
            Self::NoAnswer(_) | Self::Client(Error::Deadline { .. }) => NO_ANSWER,
            Self::Protocol(_) => PROTOCOL,
            Self::Skipped(_) => SKIPPED,
            Self::ReportedWith(code) => *code,
            Self::Unanswered { unanswered, .. } | Self::Client(Error::Unanswered(unanswered)) => {
                reason_code(&unanswered.failure.reason)
            }
            Self::Usage(_) | Self::Output(_) | Self::Client(_) => USAGE,
        }
    }
}

const fn reason_code(reason: &FailureReason) -> u8 {
    match reason {
        FailureReason::NoAnswer | FailureReason::NoAnswerToUser(_) => NO_ANSWER,
        FailureReason::Report(_) | FailureReason::NoContextEngineId(_) => ERROR_STATUS,
        FailureReason::Transport(_) => NO_SESSION,
        FailureReason::MalformedAnswer(_) => PROTOCOL,
        _ => USAGE,
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text)
            | Self::ErrorStatus(text)
            | Self::NoAnswer(text)
            | Self::Protocol(text)
            | Self::Transport(text) => f.write_str(text),
            Self::Skipped(text) => write!(f, "skipped: {text}"),
            Self::ReportedWith(code) => write!(f, "it ended with exit code {code}"),
            Self::Output(error) => write!(f, "the output cannot be written: {error}"),
            Self::ClosedPipe => f.write_str("the output was closed"),
            Self::Reported => f.write_str("the agent answered with an error-status"),
            Self::Open(error) => {
                error.fmt(f)?;
                match error {
                    OpenError::Resolving { target, .. }
                        if Mib::builtin().resolve(&target.host).is_ok() =>
                    {
                        f.write_str("; it is the name of an object: the address comes first, as in varbind get router1 sysDescr.0")
                    }
                    OpenError::Ssh { error, .. } => f.write_str(ssh_advice(error)),
                    _ => Ok(()),
                }
            }
            Self::Client(error) => {
                error.fmt(f)?;
                match error {
                    Error::NotSent {
                        source: SendError::TooLarge { length, .. },
                        ..
                    } if u16::try_from(*length).is_ok() => {
                        write!(f, " (--max-message-size {length})")
                    }
                    _ => Ok(()),
                }
            }
            Self::Unanswered {
                unanswered,
                context,
            } => write!(f, "{unanswered}{context}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Output(error),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Open(error) => Self::Open(error),
            error => Self::Client(error),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<varbind_pki::Error> for Failure {
    fn from(error: varbind_pki::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

/// Prints help to standard output, and what is wrong with the arguments to standard error.
pub fn report_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // A failure to print help is ignored.
        let _ = error.print();
        return SUCCESS;
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    report(format_args!("{}", text.trim_end()));
    USAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_nobody_answers_is_no_answer() {
        let connecting = |kind: io::ErrorKind| {
            Failure::Open(OpenError::Connecting {
                target: "tcp:192.0.2.1".parse().unwrap(),
                address: ([192, 0, 2, 1], 161).into(),
                error: Box::new(kind.into()),
            })
        };
        assert_eq!(connecting(io::ErrorKind::TimedOut).exit_code(), NO_ANSWER);
        assert_eq!(
            connecting(io::ErrorKind::ConnectionRefused).exit_code(),
            NO_SESSION
        );
    }
}
