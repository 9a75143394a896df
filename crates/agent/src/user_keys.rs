//! The keys of the configured users at this agent's engine.

use std::io;
use std::sync::{Arc, OnceLock};
use std::thread;

use varbind_engine::engine_id::EngineId;
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{
    AuthenticationKey, AuthenticationProtocol, InvalidKey, InvalidUserName, LocalizedKey,
    MasterKey, Password, PrivacyKey, UserSecurity, UserTable, UsmUser,
};

use crate::configuration::{Authentication, ConfiguredUser, Secret};

/// The table of these users.
///
/// Each password costs a megabyte of hashing for each protocol that it is used with. That is done when a user's first
/// message comes, or before by [`prepare`].
///
/// # Errors
/// None is known: names were checked with the configuration.
pub(crate) fn user_table(
    users: &[ConfiguredUser],
    engine_id: &EngineId,
) -> Result<UserTable, InvalidUserName> {
    let master_keys = Arc::new(MasterKeys::of(users));
    let rows = users.iter().map(|user| {
        let (keys, engine_id, user) = (Arc::clone(&master_keys), *engine_id, user.clone());
        let name = SecurityName::new(user.name.clone());
        UsmUser::deferred(name, move || {
            keys.security(&user, &engine_id).unwrap_or_else(|error| {
                // Never: lengths of keys were checked with the configuration. Without keys no level is supported that
                // needs one.
                log::error!("user {:?}: {error}", user.name);
                UserSecurity::NoAuthNoPriv
            })
        })
    });
    Ok(UserTable::new(rows.collect::<Result<Vec<_>, _>>()?))
}

/// Prepares the keys of all users in a thread of its own, so that hardly any message has to wait for it.
pub(crate) fn prepare(users: UserTable) {
    if users.iter().next().is_none() {
        return;
    }
    let work = move || {
        for user in users.iter() {
            let _ = user.security();
        }
    };
    let name = "user-keys".to_owned();
    let started: io::Result<_> = thread::Builder::new().name(name).spawn(work);
    if let Err(error) = started {
        log::warn!("keys are prepared when users come: {error}");
    }
}

/// The security of one user at this engine.
///
/// # Errors
/// When a key has not the length of its protocol.
pub(crate) fn user_security(
    user: &ConfiguredUser,
    engine_id: &EngineId,
) -> Result<UserSecurity, InvalidKey> {
    MasterKeys::of(std::slice::from_ref(user)).security(user, engine_id)
}

/// A password with a protocol, and what they yield.
struct Derivation {
    protocol: AuthenticationProtocol,
    password: Arc<Password>,
    key: OnceLock<MasterKey>,
}

impl Derivation {
    fn is_of(&self, protocol: AuthenticationProtocol, password: &Arc<Password>) -> bool {
        self.protocol == protocol && Arc::ptr_eq(&self.password, password)
    }

    fn key(&self) -> &MasterKey {
        self.key
            .get_or_init(|| MasterKey::derive(self.protocol, &self.password))
    }
}

/// What passwords yield: users with the same password share the work.
struct MasterKeys(Vec<Derivation>);

impl MasterKeys {
    fn of(users: &[ConfiguredUser]) -> Self {
        let mut keys = Self(Vec::new());
        for authentication in users.iter().filter_map(|user| user.authentication.as_ref()) {
            keys.add(authentication.protocol, &authentication.secret);
            if let Some(privacy) = &authentication.privacy {
                keys.add(authentication.protocol, &privacy.secret);
            }
        }
        keys
    }

    fn add(&mut self, protocol: AuthenticationProtocol, secret: &Secret) {
        let Secret::Password(password) = secret else {
            return;
        };
        if self.find(protocol, password).is_none() {
            self.0.push(Derivation {
                protocol,
                password: Arc::clone(password),
                key: OnceLock::new(),
            });
        }
    }

    fn find(
        &self,
        protocol: AuthenticationProtocol,
        password: &Arc<Password>,
    ) -> Option<&Derivation> {
        let mut derivations = self.0.iter();
        derivations.find(|derivation| derivation.is_of(protocol, password))
    }

    /// What a secret yields: the key itself, or what `localize` makes of the master key.
    fn localized(
        &self,
        protocol: AuthenticationProtocol,
        secret: &Secret,
        localize: impl Fn(&MasterKey) -> LocalizedKey,
    ) -> LocalizedKey {
        match secret {
            Secret::Key(key) => key.clone(),
            Secret::Password(password) => match self.find(protocol, password) {
                Some(derivation) => localize(derivation.key()),
                None => localize(&MasterKey::derive(protocol, password)),
            },
        }
    }

    fn security(
        &self,
        user: &ConfiguredUser,
        engine_id: &EngineId,
    ) -> Result<UserSecurity, InvalidKey> {
        let Some(Authentication {
            protocol,
            secret,
            privacy,
        }) = &user.authentication
        else {
            return Ok(UserSecurity::NoAuthNoPriv);
        };
        let key = self.localized(*protocol, secret, |master| master.localize(engine_id));
        let authentication = AuthenticationKey::new(*protocol, key)?;
        let Some(privacy) = privacy else {
            return Ok(UserSecurity::AuthNoPriv(authentication));
        };
        let key = self.localized(*protocol, &privacy.secret, |master| {
            master.localize_for_privacy(privacy.protocol, engine_id)
        });
        let privacy = PrivacyKey::new(privacy.protocol, key)?;
        Ok(UserSecurity::AuthPriv(authentication, privacy))
    }
}
