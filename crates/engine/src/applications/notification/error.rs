use std::fmt;

use varbind_codec::ber::DecodeError;

/// Why a message that was decoded is not a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedNotification {
    /// A variable binding cannot be decoded.
    VarBind(DecodeError),
    /// sysUpTime.0 is missing.
    NoUpTime,
    /// snmpTrapOID.0 is missing.
    NoTrapOid,
    /// The enterprise of a Trap-PDU leaves no room for the number of its trap.
    EnterpriseTooLong,
}

impl From<DecodeError> for MalformedNotification {
    fn from(error: DecodeError) -> Self {
        Self::VarBind(error)
    }
}

impl fmt::Display for MalformedNotification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VarBind(error) => error.fmt(f),
            Self::NoUpTime => write!(f, "sysUpTime.0 is missing"),
            Self::NoTrapOid => write!(f, "snmpTrapOID.0 is missing"),
            Self::EnterpriseTooLong => {
                write!(f, "the enterprise has more than 126 sub-identifiers")
            }
        }
    }
}

impl std::error::Error for MalformedNotification {}

/// Why a notification cannot be sent in SNMPv1 (RFC 3584 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoTrapV1 {
    /// A value is a Counter64.
    Counter64,
    /// Nothing remains of snmpTrapOID for the enterprise.
    TrapOidTooShort,
    /// The enterprise leaves no room for the number of the trap, so that other versions could not name it.
    EnterpriseTooLong,
}

impl fmt::Display for NoTrapV1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counter64 => write!(f, "SNMPv1 has no Counter64: use SNMPv2c"),
            Self::TrapOidTooShort => write!(
                f,
                "the notification's name is too short for SNMPv1: use SNMPv2c, or another name"
            ),
            Self::EnterpriseTooLong => {
                write!(f, "the enterprise has more than 126 sub-identifiers")
            }
        }
    }
}

impl std::error::Error for NoTrapV1 {}
