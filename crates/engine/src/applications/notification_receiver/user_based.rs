//! Notifications of SNMPv3 with the user-based security model.
//!
//! The engine that sends a trap is authoritative for it (RFC 3412 section 6.6), so one user may send from any number of
//! engines, and the receiver keeps the clock of each. For an inform, this engine is.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use varbind_codec::ber::Reader;
use varbind_codec::message::{ScopedPdu, UsmSecurityParameters, V3Message};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};

use super::ReceiverDiscard;
use crate::clock::Instant;
#[cfg(feature = "experiments")]
use crate::compression::CompressionSet;
use crate::discard::Discard;
use crate::engine_id::EngineId;
use crate::message_processing::unreadable;
use crate::security::usm::{
    Credentials, InvalidUserName, LocalEngine, Plaintext, Protected, RemoteEngine, UserSecurity,
    UserTable, UsmError, UsmUser,
};
use crate::security::{SecurityLevel, SecurityName};

/// How many engines are remembered. Only messages that are authentic make one known.
const ENGINES: usize = 100_000;

/// A user of SNMPv3 who may send notifications: from any engine, or from those that are named.
#[derive(Clone, Debug)]
pub struct NotificationUser {
    name: SecurityName,
    credentials: Credentials,
    minimum_level: SecurityLevel,
    /// Any if empty.
    engines: Vec<EngineId>,
}

impl NotificationUser {
    /// A user at any engine. Messages below the level for which there are secrets are refused.
    ///
    /// # Errors
    /// When the name has no octets or more than 32.
    pub fn new(name: SecurityName, credentials: Credentials) -> Result<Self, InvalidUserName> {
        InvalidUserName::check(&name)?;
        Ok(Self {
            name,
            minimum_level: credentials.security_level(),
            credentials,
            engines: Vec::new(),
        })
    }

    /// Takes messages of this level too, although there are secrets for more.
    #[must_use]
    pub fn with_minimum_level(self, level: SecurityLevel) -> Self {
        Self {
            minimum_level: level.min(self.credentials.security_level()),
            ..self
        }
    }

    /// The user at these authoritative engines alone: those that send traps, and the receiver's own for informs. A user
    /// with the same name elsewhere is another one, with other secrets.
    #[must_use]
    pub fn at_engines(self, engines: Vec<EngineId>) -> Self {
        Self { engines, ..self }
    }

    pub(super) const fn name(&self) -> &SecurityName {
        &self.name
    }

    /// Refuses what is below the level of the user.
    fn check_level(&self, level: SecurityLevel) -> Result<(), UsmError> {
        if level < self.minimum_level {
            return Err(UsmError::UnsupportedSecurityLevel);
        }
        Ok(())
    }
}

/// The users, and what is known of the engines that they send from.
#[derive(Debug)]
pub(super) struct Users {
    /// By name: one for any engine, and others for some.
    users: HashMap<Vec<u8>, Vec<NotificationUser>>,
    senders: Mutex<HashMap<(EngineId, SecurityName), Sender>>,
}

/// A user at one engine.
#[derive(Debug)]
struct Sender {
    engine: RemoteEngine,
    security: UserSecurity,
}

/// A trap that is authentic at the level that its sender needs.
pub(super) struct Trap<'a> {
    pub(super) security_name: &'a SecurityName,
    pub(super) level: SecurityLevel,
    pub(super) context_name: &'a str,
    pub(super) pdu: CommonPdu<'a>,
}

impl<'a> Trap<'a> {
    pub(super) fn new(
        security_name: &'a SecurityName,
        level: SecurityLevel,
        (scoped_pdu, is_encrypted): (Reader<'a>, bool),
    ) -> Result<Self, ReceiverDiscard> {
        let decoded = ScopedPdu::decode(scoped_pdu);
        #[cfg(feature = "experiments")]
        let decoded = decoded.and_then(|scoped_pdu| CompressionSet::NONE.admit_scoped(scoped_pdu));
        let ScopedPdu {
            context_name, pdu, ..
        } = decoded.map_err(|error| unreadable(error, is_encrypted))?;
        match pdu {
            Pdu::Common(pdu) if pdu.pdu_type == PduType::TrapV2 => Ok(Self {
                security_name,
                level,
                context_name: std::str::from_utf8(context_name)
                    .map_err(|_| Discard::UnknownContext)?,
                pdu,
            }),
            other => Err(ReceiverDiscard::UnexpectedPdu(other.pdu_type())),
        }
    }
}

impl Users {
    /// The users, with what `former` ones were known of the engines of those who are still here.
    pub(super) fn new(users: Vec<NotificationUser>, former: Option<&Self>) -> Self {
        let mut by_name: HashMap<Vec<u8>, Vec<NotificationUser>> = HashMap::new();
        for user in users {
            let name = user.name.as_str().as_bytes().to_vec();
            by_name.entry(name).or_default().push(user);
        }
        let users = Self {
            users: by_name,
            senders: Mutex::default(),
        };
        if let Some(former) = former {
            let kept = users.known_senders(former);
            *users.lock_senders() = kept;
        }
        users
    }

    /// The clocks of engines stay, so that nothing can be replayed; keys are those of now.
    fn known_senders(&self, former: &Self) -> HashMap<(EngineId, SecurityName), Sender> {
        let senders = former.lock_senders();
        let kept = senders.iter().filter_map(|((id, name), sender)| {
            let user = self.find(name.as_str().as_bytes(), id)?;
            let sender = Sender {
                engine: sender.engine.clone(),
                security: user.credentials.localize(id).ok()?,
            };
            Some(((*id, name.clone()), sender))
        });
        kept.collect()
    }

    fn lock_senders(&self) -> MutexGuard<'_, HashMap<(EngineId, SecurityName), Sender>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user of that name at that engine.
    fn find(&self, name: &[u8], engine: &EngineId) -> Option<&NotificationUser> {
        let users = self.users.get(name)?;
        let mut there = users.iter().filter(|user| user.engines.contains(engine));
        let mut anywhere = users.iter().filter(|user| user.engines.is_empty());
        there.next().or_else(|| anywhere.next())
    }

    /// The users with their keys for this engine, for informs.
    pub(super) fn at(&self, engine: &LocalEngine) -> UserTable {
        let names = self.users.keys();
        UserTable::new(names.filter_map(|name| {
            let user = self.find(name, engine.id())?;
            // The length of a key and that of a name were checked when they were made.
            let security = user.credentials.localize(engine.id()).ok()?;
            UsmUser::new(user.name.clone(), security).ok()
        }))
    }

    /// The user of that name at that engine, if the message has the level that it needs.
    pub(super) fn admit(
        &self,
        name: &[u8],
        engine: &EngineId,
        level: SecurityLevel,
    ) -> Result<&NotificationUser, UsmError> {
        let user = self.find(name, engine).ok_or(UsmError::UnknownUserName)?;
        user.check_level(level)?;
        Ok(user)
    }

    /// Takes a trap apart for which its sender is authoritative.
    pub(super) fn take_trap<'a>(
        &'a self,
        now: Instant,
        protected: &Protected<'a>,
        level: SecurityLevel,
        plaintext: &'a mut Plaintext,
    ) -> Result<Trap<'a>, ReceiverDiscard> {
        let UsmSecurityParameters {
            authoritative_engine_id,
            user_name,
            ..
        } = protected.parameters;
        let engine_id = EngineId::new(authoritative_engine_id)
            .map_err(|_| Discard::from(UsmError::UnknownEngineId))?;
        let user = self
            .admit(user_name, &engine_id, level)
            .map_err(Discard::from)?;
        let scoped_pdu = self
            .authenticate(now, user, engine_id, protected, level, plaintext)
            .map_err(Discard::from)?;
        let is_encrypted = level == SecurityLevel::AuthPriv;
        Trap::new(user.name(), level, (scoped_pdu, is_encrypted))
    }

    fn authenticate<'p>(
        &self,
        now: Instant,
        user: &NotificationUser,
        engine_id: EngineId,
        protected: &Protected<'p>,
        level: SecurityLevel,
        plaintext: &'p mut Plaintext,
    ) -> Result<Reader<'p>, UsmError> {
        let mut senders = self.lock_senders();
        let key = (engine_id, user.name.clone());
        let name = user.name.as_str().as_bytes();
        if let Some(Sender { engine, security }) = senders.get_mut(&key) {
            let user = (name, &*security);
            return engine.process_incoming_message(user, now, protected, level, plaintext);
        }
        let security = user
            .credentials
            .localize(&engine_id)
            .map_err(|_| UsmError::UnsupportedSecurityLevel)?;
        let mut engine = RemoteEngine::new(engine_id);
        let scoped_pdu =
            engine.process_incoming_message((name, &security), now, protected, level, plaintext)?;
        if level > SecurityLevel::NoAuthNoPriv && senders.len() < ENGINES {
            senders.insert(key, Sender { engine, security });
        }
        Ok(scoped_pdu)
    }
}

/// Whether this engine is authoritative for a message: it answers those that want an answer, and those to it.
pub(super) fn is_for(engine: &LocalEngine, message: &V3Message<'_>) -> bool {
    let engine_id = UsmSecurityParameters::decode(message.security_parameters)
        .map(|parameters| parameters.authoritative_engine_id);
    message.header.msg_flags.reportable || engine_id == Ok(engine.id().as_octets())
}
