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
    // Keys that are extended as Reeder says take another megabyte.
    let securities = in_parallel(users, |user| (user, master_keys.security(user, engine_id)));
    let mut rows = Vec::with_capacity(users.len());
    for (user, security) in securities {
        match User::new(SecurityName::new(user.name.clone()), security?) {
            Ok(row) => rows.push(row),
            Err(error) => log::error!("user {:?}: {error}", user.name),
        }
    }
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
        in_parallel(&keys.0, |derivation| {
            derivation.key();
        });
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

/// What `work` makes of each item, in their order, by all processors together.
fn in_parallel<'i, T: Sync, R: Send + Sync>(
    items: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(result)) = (items.get(at), results.get(at)) else {
                return;
            };
            result.get_or_init(|| work(item));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let helpers = processors.min(items.len()).saturating_sub(1);
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Without a thread the others do its part.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    results
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_are_worked_on_and_keep_their_order() {
        for count in [0, 1, 2, 100] {
            let items: Vec<u64> = (0..count).collect();
            let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
            assert_eq!(in_parallel(&items, |item| item * item), squares);
        }
    }
}
