//! What the authoritative engine does with a message (processIncomingMsg, RFC 3414 section 3.2).

use varbind_codec::ber::Reader;
use varbind_codec::message::SecurityLevel;

use super::message::Protected;
use super::user::{Protection, UsmUser};
use super::{LocalEngine, Plaintext, UserTable, UsmError};
use crate::clock::Instant;

/// A user who was found out, and how the message is protected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Authenticated<'a> {
    pub(crate) user: &'a UsmUser,
    pub(crate) protection: Protection<'a>,
}

/// Why a message is refused, and the user if known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused<'a> {
    pub(crate) error: UsmError,
    /// Who sent it, if the digest was right.
    pub(crate) authenticated: Option<Authenticated<'a>>,
}

impl From<UsmError> for Refused<'_> {
    fn from(error: UsmError) -> Self {
        Self {
            error,
            authenticated: None,
        }
    }
}

/// Checks a message to the local engine.
pub(crate) fn process_incoming_message<'a, 'p>(
    engine: &LocalEngine,
    users: &'a UserTable,
    now: Instant,
    message: &Protected<'p>,
    level: SecurityLevel,
    plaintext: &'p mut Plaintext,
) -> Result<(Authenticated<'a>, Reader<'p>), Refused<'a>> {
    // RFC 3414 3.2 (3)
    if message.parameters.authoritative_engine_id != engine.id().as_octets() {
        return Err(UsmError::UnknownEngineId.into());
    }
    // RFC 3414 3.2 (4)
    let user = users
        .find(message.parameters.user_name)
        .ok_or(UsmError::UnknownUserName)?;
    // RFC 3414 3.2 (5)
    let protection = user
        .security()
        .protection(level)
        .ok_or(UsmError::UnsupportedSecurityLevel)?;
    // RFC 3414 3.2 (6)
    message.authenticate(protection)?;
    let authenticated = Authenticated { user, protection };
    let refused = |error| Refused {
        error,
        authenticated: Some(authenticated),
    };
    // RFC 3414 3.2 (7) a
    let is_authentic = protection.authentication().is_some();
    if is_authentic && !engine.is_in_time_window(now, message.engine_time()) {
        return Err(refused(UsmError::NotInTimeWindow));
    }
    // RFC 3414 3.2 (8)
    let scoped_pdu = message.decrypt(protection, plaintext).map_err(refused)?;
    Ok((authenticated, scoped_pdu))
}
