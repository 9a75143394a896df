use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use varbind_codec::message::UsmSecurityParameters;

use super::privacy::SALT_LENGTH;
use super::{AuthenticationKey, PrivacyKey};
use crate::security::{SecurityLevel, SecurityName};

/// How a user's messages are protected at one engine. Two are equal if their protocols and keys are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSecurity {
    /// Not at all.
    NoAuthNoPriv,
    /// Against changes.
    AuthNoPriv(AuthenticationKey),
    /// Against changes and against being read.
    AuthPriv(AuthenticationKey, PrivacyKey),
}

impl UserSecurity {
    /// The highest level that is supported; all lower ones are as well.
    #[must_use]
    pub const fn security_level(&self) -> SecurityLevel {
        match self {
            Self::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            Self::AuthNoPriv(_) => SecurityLevel::AuthNoPriv,
            Self::AuthPriv(..) => SecurityLevel::AuthPriv,
        }
    }

    /// The keys that a message of this level needs; `None` if the level is not supported.
    #[must_use]
    pub fn protection(&self, level: SecurityLevel) -> Option<Protection<'_>> {
        match (level, self) {
            (SecurityLevel::NoAuthNoPriv, _) => Some(Protection::NoAuthNoPriv),
            (SecurityLevel::AuthNoPriv, Self::AuthNoPriv(key) | Self::AuthPriv(key, _)) => {
                Some(Protection::AuthNoPriv(key))
            }
            (SecurityLevel::AuthPriv, Self::AuthPriv(authentication, privacy)) => {
                Some(Protection::AuthPriv(authentication, privacy))
            }
            _ => None,
        }
    }
}

/// The keys of one message, borrowed from [`UserSecurity`].
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::enum_variant_names,
    reason = "the names are those of the standard"
)]
pub enum Protection<'a> {
    /// None: the message is not protected.
    NoAuthNoPriv,
    /// The digest is made with this key.
    AuthNoPriv(&'a AuthenticationKey),
    /// The digest is made with the first key, and the scopedPDU is encrypted with the second.
    AuthPriv(&'a AuthenticationKey, &'a PrivacyKey),
}

impl<'a> Protection<'a> {
    /// The security level of the message.
    #[must_use]
    pub const fn security_level(self) -> SecurityLevel {
        match self {
            Self::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            Self::AuthNoPriv(_) => SecurityLevel::AuthNoPriv,
            Self::AuthPriv(..) => SecurityLevel::AuthPriv,
        }
    }

    /// The key for the digest, if there is one.
    #[must_use]
    pub const fn authentication(self) -> Option<&'a AuthenticationKey> {
        match self {
            Self::NoAuthNoPriv => None,
            Self::AuthNoPriv(key) | Self::AuthPriv(key, _) => Some(key),
        }
    }

    /// The keys, and no others that the user has.
    pub(crate) fn to_security(self) -> UserSecurity {
        match self {
            Self::NoAuthNoPriv => UserSecurity::NoAuthNoPriv,
            Self::AuthNoPriv(key) => UserSecurity::AuthNoPriv(key.clone()),
            Self::AuthPriv(authentication, privacy) => {
                UserSecurity::AuthPriv(authentication.clone(), privacy.clone())
            }
        }
    }

    /// What msgAuthenticationParameters, msgPrivacyParameters and padding take at most.
    pub(crate) fn octets(self) -> usize {
        let digest = self
            .authentication()
            .map_or(0, |key| key.protocol().digest_length());
        let privacy = self.privacy().map_or(0, |_| 2 * SALT_LENGTH);
        digest + privacy
    }

    /// The key for encryption, if there is one.
    #[must_use]
    pub const fn privacy(self) -> Option<&'a PrivacyKey> {
        match self {
            Self::AuthPriv(_, key) => Some(key),
            _ => None,
        }
    }
}

/// A user at one engine (a row of usmUserTable, RFC 3414 section 5).
#[derive(Clone, Debug)]
pub struct UsmUser {
    name: SecurityName,
    security: Security,
}

/// Keys that are there, or that are prepared when they are needed first.
#[derive(Clone, Debug)]
enum Security {
    Prepared(UserSecurity),
    Deferred(Arc<LazyLock<UserSecurity, Prepare>>),
}

type Prepare = Box<dyn FnOnce() -> UserSecurity + Send + Sync>;

impl UsmUser {
    /// A user of that name, which is the security name as well.
    ///
    /// # Errors
    /// When the name has no octets or more than 32.
    pub fn new(name: SecurityName, security: UserSecurity) -> Result<Self, InvalidUserName> {
        InvalidUserName::check(&name)?;
        Ok(Self {
            name,
            security: Security::Prepared(security),
        })
    }

    /// A user whose keys are prepared when [`security`](Self::security) is asked for first, for a clone as well: by the
    /// first message, or earlier by a thread that has time. Keys that are made of passwords take milliseconds.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn deferred(
        name: SecurityName,
        prepare: impl FnOnce() -> UserSecurity + Send + Sync + 'static,
    ) -> Result<Self, InvalidUserName> {
        InvalidUserName::check(&name)?;
        let prepare: Prepare = Box::new(prepare);
        Ok(Self {
            name,
            security: Security::Deferred(Arc::new(LazyLock::new(prepare))),
        })
    }

    /// usmUserName and usmUserSecurityName.
    #[must_use]
    pub const fn name(&self) -> &SecurityName {
        &self.name
    }

    /// How messages are protected.
    #[must_use]
    pub fn security(&self) -> &UserSecurity {
        match &self.security {
            Security::Prepared(security) => security,
            Security::Deferred(security) => security,
        }
    }
}

/// A user's name has to have 1 to 32 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUserName;

impl InvalidUserName {
    pub(crate) fn check(name: &SecurityName) -> Result<(), Self> {
        if (1..=UsmSecurityParameters::LONGEST_USER_NAME).contains(&name.as_str().len()) {
            Ok(())
        } else {
            Err(Self)
        }
    }
}

impl fmt::Display for InvalidUserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a user has 1 to 32 octets in UTF-8")
    }
}

impl std::error::Error for InvalidUserName {}

/// The users of the local engine (usmUserTable, RFC 3414 section 5).
#[derive(Clone, Debug, Default)]
pub struct UserTable(HashMap<Vec<u8>, UsmUser>);

impl UserTable {
    /// A table of these users; of those with the same name the last one counts.
    #[must_use]
    pub fn new(users: impl IntoIterator<Item = UsmUser>) -> Self {
        let row = |user: UsmUser| (user.name.as_str().as_bytes().to_vec(), user);
        Self(users.into_iter().map(row).collect())
    }

    /// The user of that msgUserName.
    #[must_use]
    pub fn find(&self, user_name: &[u8]) -> Option<&UsmUser> {
        self.0.get(user_name)
    }

    /// All users, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &UsmUser> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn deferred_keys_are_prepared_once_for_all_clones() {
        let prepared = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&prepared);
        let user = UsmUser::deferred(SecurityName::new("ops"), move || {
            counter.fetch_add(1, Ordering::Relaxed);
            UserSecurity::NoAuthNoPriv
        });
        let table = UserTable::new([user.unwrap()]);
        let clone = table.clone();
        assert_eq!(prepared.load(Ordering::Relaxed), 0);
        for table in [&clone, &table] {
            let security = table.find(b"ops").unwrap().security();
            assert_eq!(security.security_level(), SecurityLevel::NoAuthNoPriv);
        }
        assert_eq!(prepared.load(Ordering::Relaxed), 1);
    }
}
