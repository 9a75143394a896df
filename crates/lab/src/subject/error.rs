use std::io;
use std::time::Duration;

use varbind_engine::security::usm::UsmError;

use crate::request::{TemplateError, WrongAnswer};

/// Why an agent cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The program is not on this machine.
    #[error("{program} is not installed: on Debian it is in package {package}")]
    NotInstalled {
        /// The program.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// Its directory or its process could not be made.
    #[error("cannot start {command}: {error}")]
    Start {
        /// The program and its arguments.
        command: String,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It ended before it answered.
    #[error("{command} ended before it answered{}", said(.output))]
    Ended {
        /// The program and its arguments.
        command: String,
        /// The end of what it wrote.
        output: String,
    },
    /// It ended while it was measured.
    #[error("{command} ended while it was measured; it said: {output}")]
    Died {
        /// The program and its arguments.
        command: String,
        /// The end of what it wrote.
        output: String,
    },
    /// It cannot be asked so: a password or a user is missing.
    #[error("{0}")]
    Credentials(String),
    /// The first request cannot be made.
    #[error("{0}")]
    Request(#[source] TemplateError),
    /// It answers, but not as it should.
    #[error("{who} answered a get of sysUpTime.0 with {answer}: check {}", to_check(*.answer))]
    Refused {
        /// The address that was asked, or the program and its arguments.
        who: String,
        /// What came.
        answer: WrongAnswer,
    },
    /// No session over a secure transport could be opened.
    #[error("no session with {who} can be opened: {reason}")]
    NoSession {
        /// The agent.
        who: String,
        /// Why not.
        reason: String,
    },
    /// An agent that runs already does not answer.
    #[error(
        "{who} did not answer a get of sysUpTime.0 within {} s: check that the agent runs there, the community or user, and \
         its access rules (`varbind doctor {who}` checks each step)",
        .waited.as_secs()
    )]
    NoAnswer {
        /// The address.
        who: String,
        /// How long it was asked.
        waited: Duration,
    },
    /// It runs and does not answer.
    #[error(
        "{who} did not answer a get of sysUpTime.0 within {} s: check address, community or user, and access rules",
        .waited.as_secs()
    )]
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

fn said(output: &str) -> String {
    if output.is_empty() {
        ", without a word".to_owned()
    } else {
        format!("; it said: {output}")
    }
}
