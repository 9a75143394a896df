use std::fmt;

use super::{
    AuthenticationKey, AuthenticationProtocol, InvalidKey, LocalizedKey, MasterKey, Password,
    PrivacyKey, PrivacyProtocol, UserSecurity,
};
use crate::engine_id::EngineId;
use crate::security::SecurityLevel;

/// A user's secrets as whoever speaks to engines knows them: before it is known to which engine, or for one engine
/// alone. They are not shown.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// None: messages are not protected.
    NoAuthNoPriv,
    /// Messages are protected against changes.
    AuthNoPriv(AuthenticationSecret),
    /// Messages are protected against changes and against being read.
    AuthPriv(AuthenticationSecret, PrivacySecret),
}

/// A secret for authentication.
#[derive(Clone, PartialEq, Eq)]
pub enum AuthenticationSecret {
    /// Good for all engines.
    Master(MasterKey),
    /// Good for one engine.
    Localized(AuthenticationKey),
}

/// A secret for privacy.
#[derive(Clone, PartialEq, Eq)]
pub enum PrivacySecret {
    /// Good for all engines. It is made with the hash function of the authentication protocol.
    Master(PrivacyProtocol, MasterKey),
    /// Good for one engine.
    Localized(PrivacyKey),
}

impl Credentials {
    /// A password for authentication. It is turned into a key at once, which takes about a millisecond.
    #[must_use]
    pub fn auth_no_priv(protocol: AuthenticationProtocol, password: &Password) -> Self {
        Self::AuthNoPriv(AuthenticationSecret::Master(MasterKey::derive(
            protocol, password,
        )))
    }

    /// A password for authentication and one for privacy. They are turned into keys together
    /// ([`MasterKey::derive_two`]); a password that serves for both is so only once.
    #[must_use]
    pub fn auth_priv(
        authentication: AuthenticationProtocol,
        authentication_password: &Password,
        privacy: PrivacyProtocol,
        privacy_password: &Password,
    ) -> Self {
        let passwords = [authentication_password, privacy_password];
        let [master, privacy_master] = MasterKey::derive_two(authentication, passwords);
        Self::AuthPriv(
            AuthenticationSecret::Master(master),
            PrivacySecret::Master(privacy, privacy_master),
        )
    }

    /// The security level of messages.
    #[must_use]
    pub const fn security_level(&self) -> SecurityLevel {
        match self {
            Self::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            Self::AuthNoPriv(_) => SecurityLevel::AuthNoPriv,
            Self::AuthPriv(..) => SecurityLevel::AuthPriv,
        }
    }

    /// The keys at one engine, prepared.
    ///
    /// # Errors
    /// When a key has not the length of its protocol; keys from passwords always have.
    pub fn localize(&self, engine_id: &EngineId) -> Result<UserSecurity, InvalidKey> {
        Ok(match self {
            Self::NoAuthNoPriv => UserSecurity::NoAuthNoPriv,
            Self::AuthNoPriv(secret) => UserSecurity::AuthNoPriv(secret.localize(engine_id)?),
            Self::AuthPriv(authentication, privacy) => UserSecurity::AuthPriv(
                authentication.localize(engine_id)?,
                privacy.localize(engine_id)?,
            ),
        })
    }
}

impl AuthenticationSecret {
    /// A key that was localised before (Net-SNMP's `-3k`).
    ///
    /// # Errors
    /// When the key has not the length of the protocol.
    pub fn localized(
        protocol: AuthenticationProtocol,
        key: LocalizedKey,
    ) -> Result<Self, InvalidKey> {
        AuthenticationKey::new(protocol, key).map(Self::Localized)
    }

    fn localize(&self, engine_id: &EngineId) -> Result<AuthenticationKey, InvalidKey> {
        match self {
            Self::Master(key) => AuthenticationKey::new(key.protocol(), key.localize(engine_id)),
            Self::Localized(key) => Ok(key.clone()),
        }
    }
}

impl PrivacySecret {
    /// A key that was localised before (Net-SNMP's `-3K`).
    ///
    /// # Errors
    /// When the key has not the length of the protocol.
    pub fn localized(protocol: PrivacyProtocol, key: LocalizedKey) -> Result<Self, InvalidKey> {
        PrivacyKey::new(protocol, key).map(Self::Localized)
    }

    fn localize(&self, engine_id: &EngineId) -> Result<PrivacyKey, InvalidKey> {
        match self {
            Self::Master(protocol, key) => {
                PrivacyKey::new(*protocol, key.localize_for_privacy(*protocol, engine_id))
            }
            Self::Localized(key) => Ok(key.clone()),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({:?}, ..)", self.security_level())
    }
}
