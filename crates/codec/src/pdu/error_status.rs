use core::fmt;

/// error-status of a response (RFC 3416 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorStatus {
    /// No error.
    NoError,
    /// The response does not fit the largest message.
    TooBig,
    /// SNMPv1: no such name, or no access to it.
    NoSuchName,
    /// SNMPv1: a value of wrong type, length or range.
    BadValue,
    /// SNMPv1: not writable; not used by agents.
    ReadOnly,
    /// Another error of the agent.
    GenErr,
    /// No access to the object.
    NoAccess,
    /// The value has the wrong type.
    WrongType,
    /// The value has the wrong length.
    WrongLength,
    /// The value has a wrong encoding.
    WrongEncoding,
    /// The value is never allowed.
    WrongValue,
    /// The instance does not exist and cannot be created.
    NoCreation,
    /// The value is allowed at other times only.
    InconsistentValue,
    /// A resource is missing.
    ResourceUnavailable,
    /// The change could not be made; nothing was changed.
    CommitFailed,
    /// The change could not be made, nor all of it be taken back.
    UndoFailed,
    /// The security model or the access control refused the request.
    AuthorizationError,
    /// The object cannot be changed.
    NotWritable,
    /// The instance cannot be created at present.
    InconsistentName,
    /// A status that no standard defines.
    Unknown(i32),
}

use ErrorStatus as Status;

const TABLE: [(Status, &str); 19] = [
    (Status::NoError, "noError"),
    (Status::TooBig, "tooBig"),
    (Status::NoSuchName, "noSuchName"),
    (Status::BadValue, "badValue"),
    (Status::ReadOnly, "readOnly"),
    (Status::GenErr, "genErr"),
    (Status::NoAccess, "noAccess"),
    (Status::WrongType, "wrongType"),
    (Status::WrongLength, "wrongLength"),
    (Status::WrongEncoding, "wrongEncoding"),
    (Status::WrongValue, "wrongValue"),
    (Status::NoCreation, "noCreation"),
    (Status::InconsistentValue, "inconsistentValue"),
    (Status::ResourceUnavailable, "resourceUnavailable"),
    (Status::CommitFailed, "commitFailed"),
    (Status::UndoFailed, "undoFailed"),
    (Status::AuthorizationError, "authorizationError"),
    (Status::NotWritable, "notWritable"),
    (Status::InconsistentName, "inconsistentName"),
];

impl ErrorStatus {
    /// The number on the wire.
    #[must_use]
    pub fn code(self) -> i32 {
        if let Self::Unknown(code) = self {
            return code;
        }
        let at = TABLE.iter().position(|(status, _)| *status == self);
        at.and_then(|at| i32::try_from(at).ok()).unwrap_or(5)
    }

    /// The status with this number.
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        usize::try_from(code)
            .ok()
            .and_then(|at| TABLE.get(at))
            .map_or(Self::Unknown(code), |(status, _)| *status)
    }

    /// The error-status for SNMPv1 managers (RFC 3584 section 4.4).
    #[must_use]
    pub const fn to_v1(self) -> Self {
        match self {
            Self::WrongValue
            | Self::WrongEncoding
            | Self::WrongType
            | Self::WrongLength
            | Self::InconsistentValue => Self::BadValue,
            Self::NoAccess
            | Self::NotWritable
            | Self::NoCreation
            | Self::InconsistentName
            | Self::AuthorizationError => Self::NoSuchName,
            Self::ResourceUnavailable | Self::CommitFailed | Self::UndoFailed => Self::GenErr,
            other => other,
        }
    }
}

impl fmt::Display for ErrorStatus {
    /// The name as the standard writes it, as `tooBig`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match TABLE.iter().find(|(status, _)| status == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "error-status {}", self.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_there_and_back() {
        for code in -1..25 {
            assert_eq!(ErrorStatus::from_code(code).code(), code);
        }
        assert_eq!(ErrorStatus::InconsistentName.code(), 18);
        assert_eq!(ErrorStatus::Unknown(19), ErrorStatus::from_code(19));
    }

    /// RFC 3584 section 4.4: what remains for SNMPv1 are the codes up to genErr.
    #[test]
    fn v1_statuses_end_at_gen_err() {
        for code in 0..19 {
            assert!(ErrorStatus::from_code(code).to_v1().code() <= 5);
        }
    }
}
