use std::fmt;

use crate::statistics::Counter;

/// Why the transport security model refuses a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TsmError {
    /// The message came, or is to leave, by a transport that knows nothing of the peer.
    InvalidCache,
    /// The message asks for more protection than the transport provides.
    InadequateSecurityLevel,
    /// The transport has no prefix for security names.
    UnknownPrefix,
    /// The security name has not the prefix of the transport.
    InvalidPrefix,
}

impl TsmError {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::InvalidCache,
        Self::InadequateSecurityLevel,
        Self::UnknownPrefix,
        Self::InvalidPrefix,
    ];

    /// The counter that is raised (snmpTsmStats, RFC 5591 section 7).
    #[must_use]
    pub const fn counter(self) -> Counter {
        match self {
            Self::InvalidCache => Counter::SnmpTsmInvalidCaches,
            Self::InadequateSecurityLevel => Counter::SnmpTsmInadequateSecurityLevels,
            Self::UnknownPrefix => Counter::SnmpTsmUnknownPrefixes,
            Self::InvalidPrefix => Counter::SnmpTsmInvalidPrefixes,
        }
    }
}

impl fmt::Display for TsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidCache => "the transport does not know the peer",
            Self::InadequateSecurityLevel => "the transport provides less than the security level",
            Self::UnknownPrefix => "the transport has no prefix for security names",
            Self::InvalidPrefix => "the security name has not the prefix of the transport",
        })
    }
}

impl std::error::Error for TsmError {}
