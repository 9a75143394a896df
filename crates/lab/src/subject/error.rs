use std::fmt;
use std::io;
use std::time::Duration;

use varbind_engine::security::usm::UsmError;

use crate::request::{TemplateError, WrongAnswer};

/// Why an agent cannot be measured.
#[derive(Debug)]
#[non_exhaustive]
pub enum SubjectError {
    /// The program is not on this machine.
    NotInstalled {
        /// The program.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// Its directory or its process could not be made.
    Start {
        /// The program and its arguments.
        command: String,
        /// What the system said.
        error: io::Error,
    },
    /// It ended before it answered.
    Ended {
        /// The program and its arguments.
        command: String,
        /// The end of what it wrote.
        output: String,
    },
    /// It ended while it was measured.
    Died {
        /// The program and its arguments.
        command: String,
        /// The end of what it wrote.
        output: String,
    },
    /// It cannot be asked so: a password or a user is missing.
    Credentials(String),
    /// The first request cannot be made.
    Request(TemplateError),
    /// It answers, but not as it should.
    Refused {
        /// The address that was asked, or the program and its arguments.
        who: String,
        /// What came.
        answer: WrongAnswer,
    },
    /// No session over a secure transport could be opened.
    NoSession {
        /// The agent.
        who: String,
        /// Why not.
        reason: String,
    },
    /// It runs and does not answer.
    Silent {
        /// The address that was asked, or the program and its arguments.
        who: String,
        /// How long it was asked.
        waited: Duration,
    },
}

fn to_check(answer: WrongAnswer) -> &'static str {
    match answer {
        WrongAnswer::Report(Some(UsmError::UnknownUserName)) => "the name of the user",
        WrongAnswer::Report(Some(UsmError::WrongDigest)) => {
            "the password for authentication and the authentication protocol"
        }
        WrongAnswer::Report(Some(UsmError::DecryptionError)) | WrongAnswer::Undecryptable => {
            "the password for privacy and the privacy protocol"
        }
        WrongAnswer::Report(Some(UsmError::UnsupportedSecurityLevel)) => {
            "the security level and the user's protocols"
        }
        _ => "community or user, and access rules",
    }
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled { program, package } => {
                write!(
                    f,
                    "{program} is not installed: on Debian it is in package {package}"
                )
            }
            Self::Start { command, error } => write!(f, "cannot start {command}: {error}"),
            Self::Ended { command, output } if output.is_empty() => {
                write!(f, "{command} ended before it answered, without a word")
            }
            Self::Ended { command, output } => {
                write!(f, "{command} ended before it answered; it said: {output}")
            }
            Self::Died { command, output } => {
                write!(
                    f,
                    "{command} ended while it was measured; it said: {output}"
                )
            }
            Self::Credentials(reason) => f.write_str(reason),
            Self::Request(error) => write!(f, "{error}"),
            Self::Refused { who, answer } => write!(
                f,
                "{who} answered a get of sysUpTime.0 with {answer}: check {}",
                to_check(*answer)
            ),
            Self::NoSession { who, reason } => {
                write!(f, "no session with {who} can be opened: {reason}")
            }
            Self::Silent { who, waited } => write!(
                f,
                "{who} did not answer a get of sysUpTime.0 within {} s: check address, community or user, and access rules",
                waited.as_secs()
            ),
        }
    }
}

impl std::error::Error for SubjectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(error),
            Self::Request(error) => Some(error),
            _ => None,
        }
    }
}
