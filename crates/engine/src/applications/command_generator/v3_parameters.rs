use crate::engine_id::EngineId;
use crate::security::usm::{Credentials, InvalidUserName, RemoteEngine};
use crate::security::{SecurityLevel, SecurityName};

/// Who asks in SNMPv3, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V3Parameters {
    /// The security model, and what it needs to know.
    pub security: V3Security,
    /// contextEngineID. Notifications have that of their originator, which takes the place of
    /// [`ContextEngine::Peer`] (RFC 3413 section 3.3).
    pub context_engine: ContextEngine,
    /// contextName; the default context has the empty name.
    pub context_name: String,
}

/// How messages of SNMPv3 are protected (msgSecurityModel, RFC 3412 section 6.5).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each session, and most are of users"
)]
pub enum V3Security {
    /// By the keys of a user (RFC 3414).
    User(UserParameters),
    /// By the transport, which has to be a secure one (RFC 5591).
    Transport(TransportParameters),
}

/// A user of the user-based security model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserParameters {
    /// msgUserName, 1 to 32 octets.
    user_name: SecurityName,
    /// The secrets of the user. The messages have the level for which they are.
    pub credentials: Credentials,
    /// The engine, if it is known; otherwise it is discovered (RFC 3414 section 4).
    pub engine: Option<RemoteEngine>,
}

/// Parameters of the transport security model; the transport provides the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportParameters {
    /// The level that messages ask for. A receiver refuses them if its end of the transport provides less.
    pub security_level: SecurityLevel,
}

/// Whose objects are meant (contextEngineID, RFC 3411 section 3.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextEngine {
    /// Those of the engine that is spoken to. With a user its discovery tells the name; over a secure transport
    /// snmpEngineID.0 is asked for first (RFC 5343 section 3.2).
    #[default]
    Peer,
    /// Those of this engine: nothing has to be asked for first.
    Known(EngineId),
    /// Those in the default context of the engine that is spoken to, under the name localEngineID that all engines have
    /// (RFC 5343 section 3.1). It saves the exchange by which the true name is asked for.
    ///
    /// Every command responder of RFC 5343 has to answer under this name, but some (Net-SNMP) answer the question for
    /// snmpEngineID.0 alone. When the first request under this name is refused, or not answered within the time for
    /// another attempt, the command generator goes on as with [`Peer`](Self::Peer), which it also does if the first
    /// request is a Set, or if the context has a name.
    Local,
}

impl V3Parameters {
    /// A user who asks about the default context of an engine that is not known.
    ///
    /// # Errors
    /// When the name has no octets or more than 32.
    pub fn user(
        user_name: SecurityName,
        credentials: Credentials,
    ) -> Result<Self, InvalidUserName> {
        UserParameters::new(user_name, credentials).map(|user| Self::new(V3Security::User(user)))
    }

    /// Whoever the transport says, asking about the default context of the engine at its other end, with
    /// authentication and privacy.
    ///
    /// ```
    /// use varbind_engine::applications::command_generator::{ContextEngine, V3Parameters};
    ///
    /// let mut parameters = V3Parameters::transport();
    /// parameters.context_engine = ContextEngine::Local;
    /// assert!(parameters.security.user().is_none());
    /// ```
    #[must_use]
    pub const fn transport() -> Self {
        Self::new(V3Security::Transport(TransportParameters {
            security_level: SecurityLevel::AuthPriv,
        }))
    }

    /// The default context of the engine that is spoken to.
    #[must_use]
    pub const fn new(security: V3Security) -> Self {
        Self {
            security,
            context_engine: ContextEngine::Peer,
            context_name: String::new(),
        }
    }
}

impl V3Security {
    /// The level of the messages.
    #[must_use]
    pub const fn security_level(&self) -> SecurityLevel {
        match self {
            Self::User(user) => user.credentials.security_level(),
            Self::Transport(transport) => transport.security_level,
        }
    }

    /// The user, if there is one.
    #[must_use]
    pub const fn user(&self) -> Option<&UserParameters> {
        match self {
            Self::User(user) => Some(user),
            Self::Transport(_) => None,
        }
    }

    /// The user, if there is one, to be changed.
    #[must_use]
    pub const fn user_mut(&mut self) -> Option<&mut UserParameters> {
        match self {
            Self::User(user) => Some(user),
            Self::Transport(_) => None,
        }
    }
}

impl UserParameters {
    /// A user who speaks to an engine that is not known.
    ///
    /// # Errors
    /// When the name has no octets or more than 32.
    pub fn new(user_name: SecurityName, credentials: Credentials) -> Result<Self, InvalidUserName> {
        InvalidUserName::check(&user_name)?;
        Ok(Self {
            user_name,
            credentials,
            engine: None,
        })
    }

    /// msgUserName.
    #[must_use]
    pub const fn user_name(&self) -> &SecurityName {
        &self.user_name
    }
}

impl ContextEngine {
    /// The name that is given for it, if it is `peer` that is spoken to.
    pub(crate) fn octets<'a>(&'a self, peer: &'a EngineId) -> &'a [u8] {
        match self {
            Self::Peer => peer.as_octets(),
            Self::Known(id) => id.as_octets(),
            Self::Local => EngineId::LOCAL,
        }
    }
}

impl From<Option<EngineId>> for ContextEngine {
    /// The engine, or the one that is spoken to.
    fn from(engine_id: Option<EngineId>) -> Self {
        engine_id.map_or(Self::Peer, Self::Known)
    }
}
