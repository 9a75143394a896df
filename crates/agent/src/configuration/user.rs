//! Users of SNMPv3.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::getegid;
use toml::Spanned;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::usm::{
    AuthenticationProtocol, InvalidKey, LocalizedKey, Password, PrivacyProtocol,
};
use zeroize::Zeroizing;

use super::document;
use super::error::Problem;
use crate::hexadecimal;

/// The longest msgUserName, in octets (RFC 3414 section 2.4).
const LONGEST_NAME: usize = 32;
/// Who may read a file with secrets: its owner.
const OTHERS: u32 = 0o077;
const READABLE_BY_GROUP: u32 = 0o040;

/// A user, checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredUser {
    pub(crate) name: String,
    pub(crate) authentication: Option<Authentication>,
}

/// How a user proves to be who it is.
#[derive(Clone, Debug)]
pub(crate) struct Authentication {
    pub(crate) protocol: AuthenticationProtocol,
    pub(crate) secret: Secret,
    pub(crate) privacy: Option<Privacy>,
}

/// How a user's messages are encrypted.
#[derive(Clone, Debug)]
pub(crate) struct Privacy {
    pub(crate) protocol: PrivacyProtocol,
    pub(crate) secret: Secret,
}

/// What a key is made of.
#[derive(Clone, Debug)]
pub(crate) enum Secret {
    Password(Arc<Password>),
    /// Localised already.
    Key(LocalizedKey),
}

/// The passwords read so far: users with the same password share the work of deriving a key.
#[derive(Default)]
pub(super) struct Passwords {
    known: Vec<Arc<Password>>,
    /// The files that they were read from.
    pub(super) files: Vec<PathBuf>,
    /// What is wrong with these files.
    pub(super) warnings: Vec<String>,
}

impl Passwords {
    fn intern(&mut self, octets: &[u8]) -> Result<Arc<Password>, InvalidKey> {
        let password = Password::new(octets)?;
        if let Some(known) = self.known.iter().find(|known| ***known == password) {
            return Ok(Arc::clone(known));
        }
        let password = Arc::new(password);
        self.known.push(Arc::clone(&password));
        Ok(password)
    }
}

impl ConfiguredUser {
    /// Whether a key of it is good for this agent alone.
    pub(crate) fn has_localized_key(&self) -> bool {
        self.authentication.as_ref().is_some_and(|authentication| {
            let privacy = authentication.privacy.as_ref();
            matches!(authentication.secret, Secret::Key(_))
                || privacy.is_some_and(|privacy| matches!(privacy.secret, Secret::Key(_)))
        })
    }

    /// Checks a user of the document. Files of passwords are sought from `directory`.
    pub(super) fn new(
        user: &document::User,
        directory: &Path,
        passwords: &mut Passwords,
    ) -> Result<Self, Problem> {
        let name = user.name.get_ref();
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(Problem::at(
                user.name.span(),
                format!("the name of a user has 1 to {LONGEST_NAME} octets"),
            ));
        }
        let authentication = match (&user.authentication, &user.privacy) {
            (None, None) => None,
            (None, Some(privacy)) => {
                return Err(Problem::at(
                    privacy.span(),
                    "privacy needs authentication: add `authentication = { protocol = \"SHA-256\", password = .. }`",
                ));
            }
            (Some(authentication), privacy) => Some(Authentication::new(
                name,
                authentication,
                privacy.as_ref(),
                directory,
                passwords,
            )?),
        };
        Ok(Self {
            name: name.clone(),
            authentication,
        })
    }

    /// The highest level that the user's keys allow.
    pub(crate) fn highest_level(&self) -> SecurityLevel {
        match &self.authentication {
            None => SecurityLevel::NoAuthNoPriv,
            Some(authentication) if authentication.privacy.is_none() => SecurityLevel::AuthNoPriv,
            Some(_) => SecurityLevel::AuthPriv,
        }
    }

    /// Whether something of the user must not be known to others.
    pub(super) const fn has_secret(&self) -> bool {
        self.authentication.is_some()
    }

    /// A warning for each protocol that is weak.
    pub(super) fn weaknesses(&self) -> impl Iterator<Item = String> {
        let authentication = self.authentication.as_ref();
        let privacy = authentication.and_then(|authentication| authentication.privacy.as_ref());
        let hash = authentication
            .map(|authentication| authentication.protocol)
            .filter(|protocol| protocol.is_weak())
            .map(|protocol| (protocol.name(), "SHA-256 or SHA-512"));
        let cipher = privacy
            .map(|privacy| privacy.protocol)
            .filter(|protocol| protocol.is_weak())
            .map(|protocol| (protocol.name(), "AES or AES-256"));
        let weak = hash.into_iter().chain(cipher);
        weak.map(|(protocol, better)| {
            format!("user {:?}: {protocol} is weak: choose {better}", self.name)
        })
    }
}

impl Authentication {
    fn new(
        user: &str,
        authentication: &Spanned<document::Authentication>,
        privacy: Option<&Spanned<document::Privacy>>,
        directory: &Path,
        passwords: &mut Passwords,
    ) -> Result<Self, Problem> {
        let mut of_privacy = |privacy: &Spanned<document::Privacy>| {
            let protocol = privacy.get_ref().protocol.0;
            let source = SecretSource {
                user,
                span: privacy.span(),
                key_length: protocol.key_length(),
            };
            let secret = source.secret(&privacy.get_ref().secret(), directory, passwords)?;
            Ok::<_, Problem>(Privacy { protocol, secret })
        };
        let protocol = authentication.get_ref().protocol.0;
        let source = SecretSource {
            user,
            span: authentication.span(),
            key_length: protocol.key_length(),
        };
        let privacy = privacy.map(&mut of_privacy).transpose()?;
        let secret = authentication.get_ref().secret();
        Ok(Self {
            protocol,
            secret: source.secret(&secret, directory, passwords)?,
            privacy,
        })
    }
}

/// Where a secret is written, for errors.
struct SecretSource<'a> {
    user: &'a str,
    span: std::ops::Range<usize>,
    key_length: usize,
}

impl SecretSource<'_> {
    fn secret(
        &self,
        secret: &document::Secret<'_>,
        directory: &Path,
        passwords: &mut Passwords,
    ) -> Result<Secret, Problem> {
        let user = self.user;
        match (secret.password, secret.password_file, secret.key) {
            (Some(password), None, None) => {
                self.password(password.get_ref().0.as_bytes(), passwords)
            }
            (None, Some(file), None) => {
                let path = directory.join(file.get_ref());
                let content = fs::read(&path).map(Zeroizing::new).map_err(|error| {
                    let path = path.display();
                    Problem::at(file.span(), format!("{path} cannot be read: {error}"))
                })?;
                passwords
                    .warnings
                    .extend(readable_by_others(&path, "a password"));
                passwords.files.push(path);
                let line = content.split(|&octet| octet == b'\n').next();
                let line = line.unwrap_or_default();
                self.password(line.strip_suffix(b"\r").unwrap_or(line), passwords)
            }
            (None, None, Some(key)) => match hexadecimal::decode(&key.get_ref().0) {
                Some(octets) if octets.len() == self.key_length => {
                    Ok(Secret::Key(LocalizedKey::from_octets(octets)))
                }
                Some(octets) => Err(Problem::at(
                    key.span(),
                    format!(
                        "the key of user {user:?} has {} octets, and the protocol needs {}",
                        octets.len(),
                        self.key_length
                    ),
                )),
                None => Err(Problem::at(
                    key.span(),
                    format!("the key of user {user:?} is to be written in hexadecimal digits"),
                )),
            },
            _ => Err(Problem::at(
                self.span.clone(),
                format!("user {user:?} needs one of `password`, `password-file` and `key` here"),
            )),
        }
    }

    fn password(&self, octets: &[u8], passwords: &mut Passwords) -> Result<Secret, Problem> {
        let invalid = |error| {
            let message = format!("user {:?}: {error}", self.user);
            Problem::at(self.span.clone(), message)
        };
        let password = passwords.intern(octets).map_err(invalid)?;
        Ok(Secret::Password(password))
    }
}

/// A warning for a file with secrets that is not its owner's alone.
pub(super) fn readable_by_others(path: &Path, content: &str) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    // A file of root for the group of the agent alone is not to be changed by the agent.
    let is_for_agent = metadata.uid() == 0 && metadata.gid() == getegid().as_raw();
    let others = if is_for_agent {
        OTHERS & !READABLE_BY_GROUP
    } else {
        OTHERS
    };
    let path = path.display();
    (metadata.mode() & others != 0)
        .then(|| format!("{path} holds {content}, and others may read it: chmod 600 {path}"))
}
