//! Messages that were not used: why, and how many.

use std::fmt;

use varbind_codec::ber::DecodeError;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;

use super::RequestHandle;
use crate::message_processing::MessageError;
use crate::security::SecurityLevel;
use crate::security::usm::UsmError;

/// Why an incoming message was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeneratorDiscard {
    /// It cannot be decoded.
    Undecodable(DecodeError),
    /// It has another version than the requests.
    WrongVersion(Version),
    /// It is not a response.
    NotAResponse(PduType),
    /// No request has its request-id.
    UnknownRequestId(i32),
    /// Its request has an answer already, or was given up: the answer to another attempt.
    Late(RequestHandle),
    /// The same answer came before.
    Duplicate(RequestHandle),
    /// It has another security model than the requests.
    WrongSecurityModel(i32),
    /// The user-based security model does not take it for genuine.
    Usm(UsmError),
    /// It is a response of another security level than the request.
    WrongSecurityLevel(SecurityLevel),
    /// It is a response about another context than the request.
    WrongContext,
}

impl From<MessageError> for GeneratorDiscard {
    fn from(error: MessageError) -> Self {
        match error {
            MessageError::Undecodable(error) => Self::Undecodable(error),
            MessageError::UnknownSecurityModel(model) => Self::WrongSecurityModel(model),
            MessageError::Usm(error) => Self::Usm(error),
        }
    }
}

impl fmt::Display for GeneratorDiscard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable(error) => write!(f, "not decodable: {error}"),
            Self::WrongVersion(version) => write!(f, "a message of {version}"),
            Self::NotAResponse(pdu_type) => write!(f, "{pdu_type:?} is not a response"),
            Self::UnknownRequestId(id) => write!(f, "no request has the request-id {id}"),
            Self::Late(_) => write!(f, "the request ended before"),
            Self::Duplicate(_) => write!(f, "a duplicate"),
            Self::WrongSecurityModel(model) => write!(f, "security model {model}"),
            Self::Usm(error) => error.fmt(f),
            Self::WrongSecurityLevel(level) => {
                write!(
                    f,
                    "a response of level {level:?}, which the request had not"
                )
            }
            Self::WrongContext => write!(f, "a response about another context"),
        }
    }
}

impl GeneratorDiscard {
    /// Why the message is not an answer; `None` of one that is, and came late or twice.
    const fn reason(&self) -> Option<DiscardReason> {
        Some(match self {
            Self::Undecodable(_) => DiscardReason::Undecodable,
            Self::WrongVersion(version) => DiscardReason::WrongVersion(*version),
            Self::NotAResponse(_) => DiscardReason::NotAResponse,
            Self::UnknownRequestId(_) => DiscardReason::WrongRequestId,
            Self::WrongSecurityModel(_) => DiscardReason::WrongSecurityModel,
            Self::Usm(error) => DiscardReason::Usm(*error),
            Self::WrongSecurityLevel(_) => DiscardReason::WrongSecurityLevel,
            Self::WrongContext => DiscardReason::WrongContext,
            Self::Late(_) | Self::Duplicate(_) => return None,
        })
    }
}

/// Why messages are no answer, without their details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiscardReason {
    /// They cannot be decoded.
    Undecodable,
    /// They have another version than the requests.
    WrongVersion(Version),
    /// They are no responses.
    NotAResponse,
    /// Their request-id or msgID is of no request.
    WrongRequestId,
    /// They have another security model than the requests.
    WrongSecurityModel,
    /// The user-based security model does not take them for genuine.
    Usm(UsmError),
    /// They have another security level than the requests.
    WrongSecurityLevel,
    /// They are about another context than the requests.
    WrongContext,
}

impl DiscardReason {
    /// What may be wrong: a clause without a full stop.
    #[must_use]
    pub const fn likely_cause(self) -> &'static str {
        match self {
            Self::Undecodable => "they were cut on the way, or another service listens at the port",
            Self::WrongVersion(_) => "the agent may support only that version",
            Self::NotAResponse => {
                "another manager or a notification receiver may listen at the port, or the path echoes requests"
            }
            Self::WrongRequestId => {
                "the agent, or a device on the path, does not return the request-id that it was sent"
            }
            Self::WrongSecurityModel => "the agent may want another transport",
            Self::Usm(UsmError::WrongDigest) => {
                "the password or the protocol for authentication may be wrong"
            }
            Self::Usm(UsmError::DecryptionError) => {
                "the password or the protocol for privacy may be wrong"
            }
            Self::Usm(UsmError::UnknownEngineId) => {
                "another engine than before, or than the given one, may answer at the address"
            }
            Self::Usm(UsmError::UnknownUserName) => "the agent answers in the name of another user",
            Self::Usm(UsmError::NotInTimeWindow) => {
                "the clock of the agent's engine may have gone backwards, or messages are replayed"
            }
            Self::Usm(UsmError::UnsupportedSecurityLevel) | Self::WrongSecurityLevel => {
                "the agent does not answer at the security level of the request"
            }
            Self::WrongContext => "the agent, or a proxy, answers about another context",
        }
    }
}

impl fmt::Display for DiscardReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undecodable => "not decodable",
            Self::WrongVersion(version) => return write!(f, "wrong version ({version})"),
            Self::NotAResponse => "not a response",
            Self::WrongRequestId => "wrong request-id",
            Self::WrongSecurityModel => "wrong security model",
            Self::Usm(error) => return error.fmt(f),
            Self::WrongSecurityLevel => "wrong security level",
            Self::WrongContext => "wrong context",
        })
    }
}

/// How many messages came that are no answer, by reason. Answers that came late or twice are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscardCounts(Vec<(DiscardReason, u64)>);

impl DiscardCounts {
    /// How many messages there are for each reason; reasons without any are left out.
    pub fn iter(&self) -> impl Iterator<Item = (DiscardReason, u64)> {
        self.0.iter().copied()
    }

    /// Whether no such message came.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What may be wrong, by the most frequent reason.
    #[must_use]
    pub fn likely_cause(&self) -> Option<&'static str> {
        let (reason, _) = self.0.iter().max_by_key(|(_, count)| *count)?;
        Some(reason.likely_cause())
    }

    fn of(&self, reason: DiscardReason) -> u64 {
        self.iter()
            .find(|(known, _)| *known == reason)
            .map_or(0, |(_, count)| count)
    }

    pub(super) fn count(&mut self, discard: &GeneratorDiscard) {
        let Some(reason) = discard.reason() else {
            return;
        };
        match self.0.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => self.0.push((reason, 1)),
        }
    }

    /// What was counted since.
    pub(super) fn since(&self, before: &Self) -> Self {
        let counts = self
            .iter()
            .map(|(reason, count)| (reason, count - before.of(reason)));
        Self(counts.filter(|(_, count)| *count > 0).collect())
    }
}

impl fmt::Display for DiscardCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u64 = self.iter().map(|(_, count)| count).sum();
        match total {
            1 => f.write_str("1 message was not a valid response: ")?,
            total => write!(f, "{total} messages were not valid responses: ")?,
        }
        if let [(reason, _)] = self.0.as_slice() {
            return reason.fmt(f);
        }
        for (at, (reason, count)) in self.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {reason}")?;
        }
        Ok(())
    }
}
