use std::fmt;
use std::time::Duration;

use varbind_codec::ber::{DecodeError, EncodeError};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::VarBind;

use super::{DiscardCounts, RequestHandle, TransportFailure};
use crate::clock::Instant;
use crate::security::SecurityLevel;
use crate::security::tsm::TsmError;
use crate::security::usm::UsmError;
use crate::statistics::Counter;

/// What the caller has to do next.
#[derive(Debug)]
pub enum GeneratorOutput<'b> {
    /// Send this message to the agent, then ask again. It lies in the buffer of the caller.
    Transmit(&'b [u8]),
    /// Look at this, then ask again.
    Event(GeneratorEvent),
    /// Ask again at this time, or after a message came in, or after another command.
    WaitUntil(Instant),
    /// Nothing to do until another command.
    Idle,
}

/// How a request ended.
#[derive(Debug)]
pub enum GeneratorEvent {
    /// The agent answered. Its error-status is part of the answer.
    Response(Response),
    /// There is no answer.
    Failed(Failure),
}

impl GeneratorEvent {
    /// The request.
    #[must_use]
    pub const fn handle(&self) -> RequestHandle {
        match self {
            Self::Response(response) => response.handle,
            Self::Failed(failure) => failure.handle,
        }
    }
}

/// The answer of an agent.
#[derive(Clone, Debug)]
pub struct Response {
    /// The request.
    pub handle: RequestHandle,
    /// error-status.
    pub error_status: ErrorStatus,
    /// error-index: which binding of the request the error-status concerns, counted from 1; 0 for none.
    pub error_index: u32,
    /// The variable bindings.
    pub var_binds: Vec<VarBind>,
    /// From sending the attempt that was answered to its answer.
    pub round_trip: Duration,
    /// From sending the first attempt to the answer.
    pub elapsed: Duration,
    /// How many attempts were sent. A `Set` of more than one may have been carried out more than once.
    pub attempts: u32,
    /// Octets of the message.
    pub message_length: usize,
}

/// A request without an answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The request.
    pub handle: RequestHandle,
    /// What happened.
    pub reason: FailureReason,
    /// When each attempt was sent, counted from the first one; empty if none was.
    pub attempts: Vec<Duration>,
    /// From sending the first attempt to giving up.
    pub elapsed: Duration,
    /// Whether this was a `Set` that was sent: the agent may have carried it out although no answer came.
    pub may_be_applied: bool,
    /// Messages that came meanwhile and are no answer.
    pub discarded: DiscardCounts,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureReason {
    /// Nothing came back in time.
    NoAnswer,
    /// The transport reported that the agent cannot be reached.
    Transport(TransportFailure),
    /// The answer came, but its variable bindings cannot be decoded.
    MalformedAnswer(DecodeError),
    /// The message did not fit the buffer of the caller, or is larger than the agent takes.
    Encode(EncodeError),
    /// The agent reported its engine ID, and did not respond to anything else.
    NoAnswerToUser(SecurityLevel),
    /// Asked for its engine ID over a secure transport, the agent answered without telling it (RFC 5343 section 3.2).
    NoContextEngineId(ErrorStatus),
    /// The agent refused the message with a Report.
    Report(ReportReason),
}

/// Why an agent refused a message of SNMPv3, as its Report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportReason {
    /// The user-based security model refused it.
    Usm(UsmError),
    /// The transport security model refused it.
    Tsm(TsmError),
    /// There is no context of that name.
    UnknownContext,
    /// No application is there for the context engine ID or the type of the PDU.
    UnknownPduHandler,
    /// Something that has no name here.
    Other,
}

/// The text can be followed by ` for user NAME`, but for an unknown user name, [`UnknownContext`](Self::UnknownContext) and
/// what follows it.
impl fmt::Display for ReportReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usm(UsmError::UnknownEngineId) => {
                "unknown engine ID: the agent does not accept its own engine ID"
            }
            Self::Usm(UsmError::UnknownUserName) => {
                "unknown user name: the agent has no such user, or has it for another engine ID"
            }
            Self::Usm(UsmError::UnsupportedSecurityLevel) => {
                "unsupported security level: the agent has no keys for authentication or for privacy"
            }
            Self::Usm(UsmError::WrongDigest) => {
                "wrong digest: the password or the authentication protocol is wrong"
            }
            Self::Usm(UsmError::NotInTimeWindow) => {
                "not in the time window: the boots or the time of the agent's engine went backwards, or do not move"
            }
            Self::Usm(UsmError::DecryptionError) => {
                "decryption error: the password or the protocol for privacy is wrong"
            }
            Self::Tsm(TsmError::InadequateSecurityLevel) => {
                "inadequate security level: the message asks for more than the session provides at the agent's end"
            }
            Self::Tsm(_) => "the agent does not know the identity of this end of the session",
            Self::UnknownContext => "unknown context: the agent has no context of that name",
            Self::UnknownPduHandler => {
                "unknown PDU handler: the agent has no such context engine ID, or no such operation"
            }
            Self::Other => "a Report that says nothing known",
        })
    }
}

impl From<Option<Counter>> for ReportReason {
    /// The reason for the counter in a Report.
    fn from(counter: Option<Counter>) -> Self {
        let usm = |error: &UsmError| Some(error.counter()) == counter;
        let tsm = |error: &TsmError| Some(error.counter()) == counter;
        match counter {
            Some(Counter::SnmpUnknownContexts) => Self::UnknownContext,
            Some(Counter::SnmpUnknownPduHandlers) => Self::UnknownPduHandler,
            _ => {
                let tsm = TsmError::ALL.into_iter().find(tsm).map(Self::Tsm);
                let usm = UsmError::ALL.into_iter().find(usm).map(Self::Usm);
                usm.or(tsm).unwrap_or(Self::Other)
            }
        }
    }
}

impl fmt::Display for FailureReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => write!(f, "no answer"),
            Self::Transport(error) => error.fmt(f),
            Self::MalformedAnswer(error) => write!(f, "the answer is malformed: {error}"),
            Self::Encode(error) => write!(f, "the request cannot be sent: {error}"),
            Self::NoAnswerToUser(SecurityLevel::AuthPriv) => write!(
                f,
                "no answer to encrypted requests, though the agent reported its engine ID: \
                 the password or the protocol for privacy may be wrong"
            ),
            Self::NoAnswerToUser(_) => {
                write!(
                    f,
                    "no answer to requests, though the agent reported its engine ID"
                )
            }
            Self::NoContextEngineId(ErrorStatus::NoError) => write!(
                f,
                "the agent does not show its engine ID to this user (snmpEngineID.0): give the context engine ID, or \
                 have it included in the user's view"
            ),
            Self::NoContextEngineId(status) => write!(
                f,
                "the agent does not tell its engine ID (snmpEngineID.0): {status}"
            ),
            Self::Report(reason) => reason.fmt(f),
        }
    }
}
