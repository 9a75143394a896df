//! Why a message was not answered.

use std::fmt;

use varbind_codec::ber::{DecodeError, DecodeErrorKind};
use varbind_codec::pdu::PduType;

use crate::statistics::Counter;

/// Why a message stopped on its way: the peer's doing, counted, never answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Discard {
    /// The message could not be decoded.
    Malformed(DecodeError),
    /// The version is not supported here.
    BadVersion(i32),
    /// No community of that name.
    BadCommunityName,
    /// The community may not be used from that address.
    SourceNotAllowed,
    /// No application takes PDUs of this type.
    UnknownPduHandler(PduType),
    /// The community is mapped to a context that does not exist.
    UnknownContext,
    /// Not even an error response fits the largest message.
    ResponseTooBig,
}

impl Discard {
    /// The counter that is raised. The only place that maps reasons to counters.
    #[must_use]
    pub const fn counter(self) -> Counter {
        match self {
            Self::Malformed(_) => Counter::SnmpInAsnParseErrs,
            Self::BadVersion(_) => Counter::SnmpInBadVersions,
            Self::BadCommunityName | Self::SourceNotAllowed => Counter::SnmpInBadCommunityNames,
            Self::UnknownPduHandler(_) => Counter::SnmpUnknownPduHandlers,
            Self::UnknownContext => Counter::SnmpUnknownContexts,
            Self::ResponseTooBig => Counter::SnmpSilentDrops,
        }
    }
}

impl From<DecodeError> for Discard {
    fn from(error: DecodeError) -> Self {
        match error.kind {
            DecodeErrorKind::UnknownVersion(version) => Self::BadVersion(version),
            _ => Self::Malformed(error),
        }
    }
}

impl fmt::Display for Discard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "malformed message: {error}"),
            Self::BadVersion(version) => write!(f, "unsupported version {version}"),
            Self::BadCommunityName => write!(f, "unknown community"),
            Self::SourceNotAllowed => write!(f, "community not allowed from that address"),
            Self::UnknownPduHandler(pdu_type) => write!(f, "unexpected PDU {pdu_type:?}"),
            Self::UnknownContext => write!(f, "the community's context does not exist"),
            Self::ResponseTooBig => write!(f, "no response fits the largest message"),
        }
    }
}
