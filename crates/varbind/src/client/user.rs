use std::sync::{Arc, OnceLock};

use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, InvalidKey, KeyExtension, Password, PrivacyProtocol,
};

/// A user of SNMPv3 (user-based security model, RFC 3414), with the passwords.
///
/// Keys are made of the passwords when the user is used first, which takes some milliseconds; clones share them. Passwords
/// have 8 characters or more.
///
/// ```
/// use varbind::User;
///
/// let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
/// ```
#[derive(Clone, Debug)]
pub struct User {
    name: String,
    authentication: Option<(AuthenticationProtocol, Secret)>,
    privacy: Option<(PrivacyProtocol, Secret)>,
    keys: Arc<OnceLock<Result<Credentials, InvalidKey>>>,
}

/// A password, or what is wrong with it.
type Secret = Result<Password, InvalidKey>;

impl User {
    /// A user without authentication and privacy (noAuthNoPriv), until a protocol is added.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            authentication: None,
            privacy: None,
            keys: Arc::default(),
        }
    }

    /// A user with these credentials: keys instead of passwords, for example.
    #[must_use]
    pub fn with_credentials(name: impl Into<String>, credentials: Credentials) -> Self {
        let user = Self::new(name);
        // A new user has none.
        let _ = user.keys.set(Ok(credentials));
        user
    }

    /// Authentication by this protocol (authNoPriv).
    #[must_use]
    pub fn authentication(self, protocol: AuthenticationProtocol, password: &str) -> Self {
        Self {
            authentication: Some((protocol, Password::new(password))),
            keys: Arc::default(),
            ..self
        }
    }

    /// Privacy by this protocol (authPriv). It counts only together with authentication.
    #[must_use]
    pub fn privacy(self, protocol: PrivacyProtocol, password: &str) -> Self {
        Self {
            privacy: Some((protocol, Password::new(password))),
            keys: Arc::default(),
            ..self
        }
    }

    /// Authentication by HMAC-SHA-256 (RFC 7860).
    #[must_use]
    pub fn sha256(self, password: &str) -> Self {
        self.authentication(AuthenticationProtocol::Sha256, password)
    }

    /// Authentication by HMAC-SHA-512 (RFC 7860).
    #[must_use]
    pub fn sha512(self, password: &str) -> Self {
        self.authentication(AuthenticationProtocol::Sha512, password)
    }

    /// Authentication by HMAC-SHA-1 (RFC 3414), for agents that have nothing stronger.
    #[must_use]
    pub fn sha1(self, password: &str) -> Self {
        self.authentication(AuthenticationProtocol::Sha1, password)
    }

    /// Privacy by AES with 128 bits (RFC 3826).
    #[must_use]
    pub fn aes128(self, password: &str) -> Self {
        self.privacy(PrivacyProtocol::Aes128, password)
    }

    /// Privacy by AES with 256 bits, with keys as Net-SNMP's `AES-256` makes them; agents of Cisco want
    /// [`KeyExtension::Reeder`].
    #[must_use]
    pub fn aes256(self, password: &str) -> Self {
        let protocol = PrivacyProtocol::Aes256(KeyExtension::Blumenthal);
        self.privacy(protocol, password)
    }

    /// The name (msgUserName).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys, which are made the first time.
    pub(crate) fn credentials(&self) -> Result<Credentials, InvalidKey> {
        self.keys.get_or_init(|| self.derive()).clone()
    }

    fn derive(&self) -> Result<Credentials, InvalidKey> {
        Ok(match (&self.authentication, &self.privacy) {
            (None, _) => Credentials::NoAuthNoPriv,
            (Some((protocol, password)), None) => {
                Credentials::auth_no_priv(*protocol, password.as_ref().map_err(Clone::clone)?)
            }
            (Some((protocol, password)), Some((privacy, privacy_password))) => {
                Credentials::auth_priv(
                    *protocol,
                    password.as_ref().map_err(Clone::clone)?,
                    *privacy,
                    privacy_password.as_ref().map_err(Clone::clone)?,
                )
            }
        })
    }
}
