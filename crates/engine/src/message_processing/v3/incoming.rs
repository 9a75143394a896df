use std::fmt;

use varbind_codec::ber::DecodeError;
use varbind_codec::message::HeaderData;

use crate::discard::Discard;
use crate::security::tsm::{self, TransportSecurityModel};
use crate::security::usm::{self, UsmError};

/// Why a message of SNMPv3 cannot be parsed, in any role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// It cannot be decoded.
    Undecodable(DecodeError),
    /// Its security model is not among those that are accepted.
    UnknownSecurityModel(i32),
    /// The user-based security model refuses it.
    Usm(UsmError),
}

impl From<DecodeError> for MessageError {
    fn from(error: DecodeError) -> Self {
        Self::Undecodable(error)
    }
}

impl From<UsmError> for MessageError {
    fn from(error: UsmError) -> Self {
        Self::Usm(error)
    }
}

impl From<MessageError> for Discard {
    fn from(error: MessageError) -> Self {
        match error {
            MessageError::Undecodable(error) => error.into(),
            MessageError::UnknownSecurityModel(model) => Self::UnknownSecurityModel(model),
            MessageError::Usm(error) => error.into(),
        }
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable(error) => write!(f, "malformed message: {error}"),
            Self::UnknownSecurityModel(model) => write!(f, "unknown security model {model}"),
            Self::Usm(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MessageError {}

/// The security model of a message, with its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageSecurity {
    User,
    Transport(TransportSecurityModel),
}

impl MessageSecurity {
    /// Finds the security model (RFC 3412 section 7.2 (4)): the user-based one, or the other if it is configured.
    pub(crate) const fn new(
        header: &HeaderData,
        transport: Option<TransportSecurityModel>,
    ) -> Result<Self, MessageError> {
        match (header.msg_security_model, transport) {
            (usm::SECURITY_MODEL, _) => Ok(Self::User),
            (tsm::SECURITY_MODEL, Some(model)) => Ok(Self::Transport(model)),
            (other, _) => Err(MessageError::UnknownSecurityModel(other)),
        }
    }
}

/// Why a scopedPDU cannot be taken apart (RFC 3412 section 7.2 (7)). What another key encrypted decrypts to anything, so an
/// encrypted one that does not decode is a decryption error.
pub(crate) const fn unreadable(error: DecodeError, is_encrypted: bool) -> MessageError {
    if is_encrypted {
        MessageError::Usm(UsmError::DecryptionError)
    } else {
        MessageError::Undecodable(error)
    }
}
