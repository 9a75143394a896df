//! Why a message was not answered.

use std::fmt;

use varbind_codec::ber::{DecodeError, DecodeErrorKind};
use varbind_codec::pdu::PduType;

use crate::security::SecurityLevel;
use crate::security::tsm::TsmError;
use crate::security::usm::UsmError;
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
    /// There is no context of the name that the community or the message has.
    UnknownContext,
    /// The context engine ID is that of no engine here.
    UnknownContextEngineId,
    /// The context is one of another engine, and no proxy target has it.
    NoProxyTarget,
    /// No security model of that number.
    UnknownSecurityModel(i32),
    /// The message asks for privacy without authentication.
    PrivacyWithoutAuthentication,
    /// The user-based security model refuses it.
    Usm(UsmError),
    /// The transport security model refuses it.
    Tsm(TsmError),
    /// Not even an error response fits the largest message.
    ResponseTooBig,
}

impl Discard {
    /// The counter that is raised.
    #[must_use]
    pub const fn counter(self) -> Counter {
        self.consequence().0
    }

    /// The security level of the Report with the counter; `None` if no Report is sent.
    #[must_use]
    pub const fn report(self) -> Option<SecurityLevel> {
        self.consequence().1
    }

    /// The only place that maps reasons to counters and Reports.
    const fn consequence(self) -> (Counter, Option<SecurityLevel>) {
        // RFC 3412 7.1 (3): noAuthNoPriv, where nothing else is said.
        const UNPROTECTED: Option<SecurityLevel> = Some(SecurityLevel::NoAuthNoPriv);
        match self {
            Self::Malformed(_) => (Counter::SnmpInAsnParseErrs, None),
            Self::BadVersion(_) => (Counter::SnmpInBadVersions, None),
            Self::BadCommunityName | Self::SourceNotAllowed => {
                (Counter::SnmpInBadCommunityNames, None)
            }
            // RFC 3412 4.2.2.1 (1)
            Self::UnknownPduHandler(_) | Self::UnknownContextEngineId => {
                (Counter::SnmpUnknownPduHandlers, UNPROTECTED)
            }
            // RFC 3413 3.2
            Self::UnknownContext => (Counter::SnmpUnknownContexts, UNPROTECTED),
            // RFC 3413 3.5.1.1 (2)
            Self::NoProxyTarget => (Counter::SnmpProxyDrops, UNPROTECTED),
            Self::ResponseTooBig => (Counter::SnmpSilentDrops, None),
            // RFC 3412 7.2 (4)
            Self::UnknownSecurityModel(_) => (Counter::SnmpUnknownSecurityModels, None),
            // RFC 3412 7.2 (5) d
            Self::PrivacyWithoutAuthentication => (Counter::SnmpInvalidMsgs, None),
            // RFC 3414 3.2 (7) a
            Self::Usm(UsmError::NotInTimeWindow) => (
                Counter::UsmStatsNotInTimeWindows,
                Some(SecurityLevel::AuthNoPriv),
            ),
            Self::Usm(error) => (error.counter(), UNPROTECTED),
            // RFC 5591 5.2 (4): of the errors of this model, this one alone comes with its counter.
            Self::Tsm(TsmError::InadequateSecurityLevel) => {
                (Counter::SnmpTsmInadequateSecurityLevels, UNPROTECTED)
            }
            Self::Tsm(error) => (error.counter(), None),
        }
    }
}

impl From<UsmError> for Discard {
    fn from(error: UsmError) -> Self {
        Self::Usm(error)
    }
}

impl From<TsmError> for Discard {
    fn from(error: TsmError) -> Self {
        Self::Tsm(error)
    }
}

impl From<DecodeError> for Discard {
    fn from(error: DecodeError) -> Self {
        match error.kind {
            DecodeErrorKind::UnknownVersion(version) => Self::BadVersion(version),
            DecodeErrorKind::PrivacyWithoutAuthentication => Self::PrivacyWithoutAuthentication,
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
            Self::UnknownContext => write!(f, "the context does not exist"),
            Self::UnknownContextEngineId => write!(f, "unknown context engine ID"),
            Self::NoProxyTarget => write!(f, "no proxy target has the context"),
            Self::UnknownSecurityModel(model) => write!(f, "unknown security model {model}"),
            Self::PrivacyWithoutAuthentication => write!(f, "privacy without authentication"),
            Self::Usm(error) => error.fmt(f),
            Self::Tsm(error) => error.fmt(f),
            Self::ResponseTooBig => write!(f, "no response fits the largest message"),
        }
    }
}
