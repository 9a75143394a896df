use std::fmt;

use varbind_codec::ber::{DecodeError, DecodeErrorKind};
use varbind_codec::pdu::PduType;

use super::ReceiverLoss;
use crate::applications::notification::MalformedNotification;
use crate::discard::Discard;
use crate::message_processing::MessageError;
use crate::security::usm::UsmError;

/// Why a message was not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReceiverDiscard {
    /// It cannot be decoded.
    Undecodable(DecodeError),
    /// Its version is not supported here.
    BadVersion(i32),
    /// It is not a notification, but another PDU.
    UnexpectedPdu(PduType),
    /// It lacks what a notification has.
    Malformed(MalformedNotification),
    /// It asked for the engine ID, and got it (RFC 5343 section 3.2).
    EngineIdReported,
    /// Its sender is not who may send.
    Refused(Discard),
    /// The response to an inform would be larger than the largest message (RFC 3416 section 4.2.7).
    TooBig,
    /// It is not wanted.
    Unwanted,
    /// The same inform came before: its acknowledgement was lost, or late.
    Duplicate,
}

impl ReceiverDiscard {
    /// Whether the Report lets a sender of SNMPv3 discover this engine (RFC 3414 section 4).
    pub(super) const fn is_discovery(self) -> bool {
        matches!(
            self,
            Self::EngineIdReported
                | Self::Refused(Discard::Usm(
                    UsmError::UnknownEngineId | UsmError::NotInTimeWindow
                ))
        )
    }

    /// As what it is counted. The only place that maps reasons to counters.
    #[must_use]
    pub const fn loss(self) -> ReceiverLoss {
        match self {
            Self::Undecodable(_) | Self::BadVersion(_) | Self::Malformed(_) => {
                ReceiverLoss::Malformed
            }
            Self::UnexpectedPdu(_) => ReceiverLoss::UnexpectedPdu,
            Self::EngineIdReported => ReceiverLoss::Discovery,
            Self::Refused(_) => ReceiverLoss::Security,
            Self::TooBig => ReceiverLoss::TooBig,
            Self::Unwanted => ReceiverLoss::Unwanted,
            Self::Duplicate => ReceiverLoss::Duplicate,
        }
    }
}

impl From<DecodeError> for ReceiverDiscard {
    fn from(error: DecodeError) -> Self {
        match error.kind {
            DecodeErrorKind::UnknownVersion(version) => Self::BadVersion(version),
            _ => Self::Undecodable(error),
        }
    }
}

impl From<MessageError> for ReceiverDiscard {
    fn from(error: MessageError) -> Self {
        match error {
            MessageError::Undecodable(error) => error.into(),
            other => Self::Refused(other.into()),
        }
    }
}

impl From<MalformedNotification> for ReceiverDiscard {
    fn from(error: MalformedNotification) -> Self {
        Self::Malformed(error)
    }
}

impl From<Discard> for ReceiverDiscard {
    fn from(refusal: Discard) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Display for ReceiverDiscard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable(error) => write!(f, "malformed message: {error}"),
            Self::BadVersion(version) => write!(f, "unsupported version {version}"),
            Self::UnexpectedPdu(pdu_type) => write!(f, "{pdu_type:?} is not a notification"),
            Self::Malformed(error) => write!(f, "malformed notification: {error}"),
            Self::EngineIdReported => write!(f, "a question for the engine ID"),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::TooBig => write!(f, "the response would exceed the largest message"),
            Self::Unwanted => write!(f, "not wanted"),
            Self::Duplicate => write!(f, "the same inform came before"),
        }
    }
}
