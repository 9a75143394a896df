use std::fmt;

use crate::statistics::Counter;

/// Why the user-based security model refuses a message, in the order of its checks (RFC 3414 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsmError {
    /// unknownEngineID: the message is for another engine, or asks who this one is.
    UnknownEngineId,
    /// unknownSecurityName: there is no user of that name.
    UnknownUserName,
    /// unsupportedSecurityLevel: the user has no key for that.
    UnsupportedSecurityLevel,
    /// authenticationFailure: the digest is wrong.
    WrongDigest,
    /// notInTimeWindow: the message is old, or was made by a wrong clock.
    NotInTimeWindow,
    /// decryptionError: the message cannot be decrypted.
    DecryptionError,
}

impl UsmError {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::UnknownEngineId,
        Self::UnknownUserName,
        Self::UnsupportedSecurityLevel,
        Self::WrongDigest,
        Self::NotInTimeWindow,
        Self::DecryptionError,
    ];

    /// The counter that is raised (usmStats, RFC 3414 section 5).
    #[must_use]
    pub const fn counter(self) -> Counter {
        match self {
            Self::UnknownEngineId => Counter::UsmStatsUnknownEngineIds,
            Self::UnknownUserName => Counter::UsmStatsUnknownUserNames,
            Self::UnsupportedSecurityLevel => Counter::UsmStatsUnsupportedSecLevels,
            Self::WrongDigest => Counter::UsmStatsWrongDigests,
            Self::NotInTimeWindow => Counter::UsmStatsNotInTimeWindows,
            Self::DecryptionError => Counter::UsmStatsDecryptionErrors,
        }
    }
}

impl fmt::Display for UsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownEngineId => "unknown engine ID",
            Self::UnknownUserName => "unknown user name",
            Self::UnsupportedSecurityLevel => "unsupported security level",
            Self::WrongDigest => "wrong digest",
            Self::NotInTimeWindow => "not in the time window",
            Self::DecryptionError => "not to be decrypted",
        })
    }
}
