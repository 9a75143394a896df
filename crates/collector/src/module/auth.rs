use varbind::client::{Error, Target, User};
use varbind::engine::applications::command_generator::ContextEngine;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{AuthenticationProtocol, KeyExtension, PrivacyProtocol};

use super::document;

/// Version, credentials and context of requests.
#[derive(Clone, Debug)]
pub struct Auth {
    version: Version,
    /// The context, unless a scrape names another one.
    pub context_name: String,
}

#[derive(Clone)]
enum Version {
    V1(Vec<u8>),
    V2c(Vec<u8>),
    V3(User),
}

impl std::fmt::Debug for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::V1(_) => f.write_str("V1"),
            Self::V2c(_) => f.write_str("V2c"),
            Self::V3(user) => f.debug_tuple("V3").field(&user.name()).finish(),
        }
    }
}

/// The names of authentication protocols.
const AUTHENTICATION: [(&str, AuthenticationProtocol); 6] = [
    ("MD5", AuthenticationProtocol::Md5),
    ("SHA", AuthenticationProtocol::Sha1),
    ("SHA224", AuthenticationProtocol::Sha224),
    ("SHA256", AuthenticationProtocol::Sha256),
    ("SHA384", AuthenticationProtocol::Sha384),
    ("SHA512", AuthenticationProtocol::Sha512),
];

/// The names of privacy protocols. The letter C stands for Cisco's key extension.
const PRIVACY: [(&str, PrivacyProtocol); 6] = [
    ("DES", PrivacyProtocol::Des),
    ("AES", PrivacyProtocol::Aes128),
    ("AES192", PrivacyProtocol::Aes192(KeyExtension::Blumenthal)),
    ("AES192C", PrivacyProtocol::Aes192(KeyExtension::Reeder)),
    ("AES256", PrivacyProtocol::Aes256(KeyExtension::Blumenthal)),
    ("AES256C", PrivacyProtocol::Aes256(KeyExtension::Reeder)),
];

/// Finds a name in a table, or lists the known names.
fn find<T: Copy>(key: &str, word: &str, table: &[(&str, T)]) -> Result<T, String> {
    let found = table.iter().find(|(name, _)| *name == word);
    found.map(|(_, protocol)| *protocol).ok_or_else(|| {
        let known: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        format!(
            "{key} {word:?} is not known: use one of {}",
            known.join(", ")
        )
    })
}

impl Auth {
    /// An auth of `snmp.yml`, with the defaults of snmp_exporter.
    pub(super) fn new(document: &document::Auth) -> Result<Self, String> {
        let community = || {
            let community = document.community.as_ref();
            community
                .map_or("public", |secret| &secret.0)
                .as_bytes()
                .to_vec()
        };
        let version = match document.version.unwrap_or(2) {
            1 => Version::V1(community()),
            2 => Version::V2c(community()),
            3 => Version::V3(user(document)?),
            other => return Err(format!("version {other} is not known: use 1, 2 or 3")),
        };
        Ok(Self {
            version,
            context_name: document.context_name.clone().unwrap_or_default(),
        })
    }

    /// SNMPv2c with the community `public`: what snmp_exporter calls `public_v2`.
    #[must_use]
    pub fn public_v2() -> Self {
        Self {
            version: Version::V2c(b"public".to_vec()),
            context_name: String::new(),
        }
    }

    /// Whether it is SNMPv1, where an unknown name fails the whole request.
    #[must_use]
    pub const fn is_v1(&self) -> bool {
        matches!(self.version, Version::V1(_))
    }

    /// A target with these credentials and context. Without an engine ID, the context is of the agent's own engine.
    ///
    /// # Errors
    /// When a password or user name is invalid.
    pub fn target(
        &self,
        target: &Target,
        context_name: &str,
        context_engine: Option<EngineId>,
    ) -> Result<Target, Error> {
        let user = match &self.version {
            Version::V1(community) => return Ok(target.community_v1(community.clone())),
            Version::V2c(community) => return Ok(target.community(community.clone())),
            Version::V3(user) => user,
        };
        let target = target.user(user)?;
        let target = match context_engine {
            None => target,
            Some(engine) => target.context_engine(ContextEngine::Known(engine)),
        };
        Ok(target.context(context_name))
    }
}

fn user(document: &document::Auth) -> Result<User, String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let secret = |secret: &Option<document::Secret>| secret.clone().unwrap_or_default().0;
    let (is_authenticated, is_private) = match text(&document.security_level).as_str() {
        "" | "noAuthNoPriv" => (false, false),
        "authNoPriv" => (true, false),
        "authPriv" => (true, true),
        other => {
            return Err(format!(
                "security_level {other:?} is not known: use noAuthNoPriv, authNoPriv or authPriv"
            ));
        }
    };
    let name = text(&document.username);
    if name.is_empty() {
        return Err("SNMPv3 needs a username".to_owned());
    }
    let mut user = User::new(name);
    if is_authenticated {
        let password = secret(&document.password);
        if password.is_empty() {
            return Err("this security_level needs a password".to_owned());
        }
        let word = document.auth_protocol.as_deref().unwrap_or("MD5");
        user = user.authentication(find("auth_protocol", word, &AUTHENTICATION)?, &password);
    }
    if is_private {
        let password = secret(&document.priv_password);
        if password.is_empty() {
            return Err("this security_level needs a priv_password".to_owned());
        }
        let word = document.priv_protocol.as_deref().unwrap_or("DES");
        user = user.privacy(find("priv_protocol", word, &PRIVACY)?, &password);
    }
    Ok(user)
}
