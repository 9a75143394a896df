//! The keys of the configured users at this agent's engine.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use varbind_engine::engine_id::EngineId;
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{
    AuthenticationKey, AuthenticationProtocol, InvalidKey, LocalizedKey, MasterKey, Password,
    PrivacyKey, User, UserSecurity, UserTable,
};

use crate::configuration::{Authentication, ConfiguredUser, Secret};

/// The table of these users.
///
/// Each password costs a megabyte of hashing for each protocol that it is used with, and all processors take part.
///
/// # Errors
/// None is known: names and lengths of keys were checked with the configuration.
pub(crate) fn user_table(
    users: &[ConfiguredUser],
    engine_id: &EngineId,
) -> Result<UserTable, InvalidKey> {
    let master_keys = MasterKeys::derive(users);
    let rows = users
        .iter()
        .map(|user| Ok((user, master_keys.security(user, engine_id)?)))
        .collect::<Result<Vec<_>, InvalidKey>>()?;
    let rows = rows.into_iter().filter_map(|(user, security)| {
        User::new(SecurityName::new(user.name.clone()), security)
            .inspect_err(|error| log::error!("user {:?}: {error}", user.name))
            .ok()
    });
    Ok(UserTable::new(rows))
}

/// The security of one user at this engine.
///
/// # Errors
/// As [`user_table`].
pub(crate) fn user_security(
    user: &ConfiguredUser,
    engine_id: &EngineId,
) -> Result<UserSecurity, InvalidKey> {
    MasterKeys::derive(std::slice::from_ref(user)).security(user, engine_id)
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

struct MasterKeys(Vec<Derivation>);

impl MasterKeys {
    fn derive(users: &[ConfiguredUser]) -> Self {
        let mut keys = Self(Vec::new());
        for authentication in users.iter().filter_map(|user| user.authentication.as_ref()) {
            keys.add(authentication.protocol, &authentication.secret);
            if let Some(privacy) = &authentication.privacy {
                keys.add(authentication.protocol, &privacy.secret);
            }
        }
        keys.derive_all();
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

    fn derive_all(&self) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(derivation) = self.0.get(next.fetch_add(1, Ordering::Relaxed)) {
                derivation.key();
            }
        };
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let helpers = processors.min(self.0.len()).saturating_sub(1);
        thread::scope(|scope| {
            for _ in 0..helpers {
                // Without a thread the others do its part.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
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
