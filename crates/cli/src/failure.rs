//! How the program ends when it does not succeed.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use varbind::engine::applications::command_generator::{FailureReason, SendError};
use varbind::manager::{ManagerError, OpenError, Unanswered};
use varbind::transport::ssh::SshError;
use varbind_mib::{Mib, escape_controls};

/// Why a command failed; each has an exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong arguments, names or values.
    Usage(String),
    /// The output cannot be written.
    Output(io::Error),
    /// Who read the output does not want more of it.
    ClosedPipe,
    /// The agent answered with an error-status, or with a Report of SNMPv3.
    ErrorStatus(String),
    /// The same, and the user was told before.
    Told,
    /// No session.
    Open(OpenError),
    /// No answer.
    Manager(ManagerError),
    /// No answer to a request of a walk.
    Unanswered {
        /// What happened.
        unanswered: Box<Unanswered>,
        /// What the request was about, behind it.
        context: String,
    },
    /// Nothing came in time.
    NoAnswer(String),
    /// The agent broke the protocol.
    Protocol(String),
    /// What was to be sent found no way.
    NoWay(String),
    /// What is asked for needs what this machine does not allow.
    Skipped(String),
    /// Another failure with this exit code, and the user was told before.
    ToldWith(u8),
}

pub(crate) const SUCCESS: u8 = 0;
const USAGE: u8 = 1;
const ERROR_STATUS: u8 = 2;
const NO_ANSWER: u8 = 3;
const NO_WAY: u8 = 4;
const PROTOCOL: u8 = 5;
/// As test programs have it.
const SKIPPED: u8 = 77;

impl Failure {
    /// Tells the user, and returns the exit code.
    pub(crate) fn report(&self) -> u8 {
        match self {
            Self::ClosedPipe => return SUCCESS,
            Self::Told | Self::ToldWith(_) => {}
            told => tell(format_args!("varbind: {told}")),
        }
        self.exit_code()
    }

    /// The same, of which the user knows.
    pub(crate) fn already_told(&self) -> Self {
        Self::ToldWith(self.exit_code())
    }

    /// Whether the user was told before.
    pub(crate) const fn is_told(&self) -> bool {
        matches!(self, Self::Told | Self::ToldWith(_))
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => SUCCESS,
            Self::ErrorStatus(_) | Self::Told => ERROR_STATUS,
            Self::Open(OpenError::Connecting { error, .. })
                if error.kind() == io::ErrorKind::TimedOut =>
            {
                NO_ANSWER
            }
            Self::Open(_) | Self::NoWay(_) => NO_WAY,
            Self::NoAnswer(_) => NO_ANSWER,
            Self::Protocol(_) => PROTOCOL,
            Self::Skipped(_) => SKIPPED,
            Self::ToldWith(code) => *code,
            Self::Unanswered { unanswered, .. }
            | Self::Manager(ManagerError::Unanswered(unanswered)) => {
                reason_code(&unanswered.failure.reason)
            }
            Self::Usage(_) | Self::Output(_) | Self::Manager(_) => USAGE,
        }
    }
}

const fn reason_code(reason: &FailureReason) -> u8 {
    match reason {
        FailureReason::NoAnswer | FailureReason::NoAnswerToUser(_) => NO_ANSWER,
        FailureReason::Report(_) | FailureReason::NoContextEngineId(_) => ERROR_STATUS,
        FailureReason::Transport(_) => NO_WAY,
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
            | Self::NoWay(text) => f.write_str(text),
            Self::Skipped(text) => write!(f, "skipped: {text}"),
            Self::ToldWith(code) => write!(f, "it ended with exit code {code}"),
            Self::Output(error) => write!(f, "the output cannot be written: {error}"),
            Self::ClosedPipe => f.write_str("the output was closed"),
            Self::Told => f.write_str("the agent answered with an error-status"),
            Self::Open(error) => {
                error.fmt(f)?;
                match error {
                    OpenError::Resolving { target, .. }
                        if Mib::builtin().resolve(&target.host).is_ok() =>
                    {
                        f.write_str("; it is the name of an object: the address comes first, as in varbind get router1 sysDescr.0")
                    }
                    OpenError::Ssh { error, .. }
                        if matches!(**error, SshError::HostKeyUnknown { .. }) =>
                    {
                        f.write_str(
                            " (compare it there with what ssh-keygen -lf tells; then --accept-new-host-key adds it, or the answer yes \
                             on a terminal)",
                        )
                    }
                    _ => Ok(()),
                }
            }
            Self::Manager(error) => {
                error.fmt(f)?;
                match error {
                    ManagerError::NotSent {
                        error: SendError::TooLarge { length, .. },
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

impl From<ManagerError> for Failure {
    fn from(error: ManagerError) -> Self {
        Self::Manager(error)
    }
}

/// Where messages go instead of standard error.
static MESSAGES: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);

/// Sends messages to another place than standard error.
pub(crate) fn send_messages_to(place: Box<dyn Write + Send>) {
    *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
}

pub(crate) fn messages_are_sent_elsewhere() -> bool {
    let place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    place.is_some()
}

/// Writes to standard error, or where messages are sent instead.
pub(crate) struct MessageWriter;

impl Write for MessageWriter {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let mut place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
        match place.as_mut() {
            Some(place) => place.write(octets),
            None => io::stderr().write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Writes a text as a message, without control characters that peers may have put into it. One that cannot be written is lost.
pub(crate) fn tell(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    // In one piece, since others may write to the same place.
    let mut message = String::with_capacity(text.len() + 1);
    for line in text.split('\n') {
        message.push_str(&escape_controls(line));
        message.push('\n');
    }
    let _ = MessageWriter.write_all(message.as_bytes());
}

/// Prints help to standard output, and what is wrong with the arguments to standard error.
pub(crate) fn report_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // Help that cannot be written is not missed.
        let _ = error.print();
        return SUCCESS;
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    tell(format_args!("varbind: {}", text.trim_end()));
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
                error: kind.into(),
            })
        };
        assert_eq!(connecting(io::ErrorKind::TimedOut).exit_code(), NO_ANSWER);
        assert_eq!(
            connecting(io::ErrorKind::ConnectionRefused).exit_code(),
            NO_WAY
        );
    }
}
