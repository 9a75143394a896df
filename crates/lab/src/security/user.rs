use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, Password, PrivacyProtocol,
};

use super::Protection;

/// What is known of a user, before it is known how messages are protected. Passwords are not shown.
#[derive(Clone, Debug)]
pub struct Account {
    /// msgUserName.
    pub name: String,
    /// The password for authentication.
    pub authentication_password: Option<Password>,
    /// The password for privacy.
    pub privacy_password: Option<Password>,
}

/// A user whose messages are protected in one way.
#[derive(Clone, Debug)]
pub struct User {
    name: String,
    secrets: Secrets,
}

#[derive(Clone, Debug)]
enum Secrets {
    None,
    Authentication(AuthenticationProtocol, Password),
    Both(AuthenticationProtocol, Password, PrivacyProtocol, Password),
}

impl Account {
    /// The user for a protection.
    ///
    /// # Errors
    /// When a password is missing.
    pub fn user(&self, protection: Protection) -> Result<User, MissingPassword> {
        let missing = |purpose| MissingPassword {
            protection,
            purpose,
        };
        let authentication = || {
            let password = self.authentication_password.clone();
            password.ok_or(missing("authentication"))
        };
        let secrets = match protection {
            Protection::NoAuthNoPriv => Secrets::None,
            Protection::AuthNoPriv(protocol) => {
                Secrets::Authentication(protocol, authentication()?)
            }
            Protection::AuthPriv(protocol, privacy) => {
                let password = self.privacy_password.clone().ok_or(missing("privacy"))?;
                Secrets::Both(protocol, authentication()?, privacy, password)
            }
        };
        Ok(User {
            name: self.name.clone(),
            secrets,
        })
    }
}

impl User {
    /// msgUserName.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How messages are protected.
    #[must_use]
    pub const fn protection(&self) -> Protection {
        match self.secrets {
            Secrets::None => Protection::NoAuthNoPriv,
            Secrets::Authentication(protocol, _) => Protection::AuthNoPriv(protocol),
            Secrets::Both(authentication, _, privacy, _) => {
                Protection::AuthPriv(authentication, privacy)
            }
        }
    }

    /// Turns the passwords into keys, which takes a megabyte of hashing for each (RFC 3414 section A.2).
    pub(crate) fn derive_keys(&self) -> Credentials {
        match &self.secrets {
            Secrets::None => Credentials::NoAuthNoPriv,
            Secrets::Authentication(protocol, password) => {
                Credentials::auth_no_priv(*protocol, password)
            }
            Secrets::Both(protocol, password, privacy, privacy_password) => {
                Credentials::auth_priv(*protocol, password, *privacy, privacy_password)
            }
        }
    }
}

/// A user has no password for what is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{protection} needs a password for {purpose}")]
pub struct MissingPassword {
    protection: Protection,
    purpose: &'static str,
}

impl MissingPassword {
    /// What the password is for: `authentication` or `privacy`.
    #[must_use]
    pub const fn purpose(&self) -> &'static str {
        self.purpose
    }
}
