//! Keys of users, made of passwords, master keys or localized keys.

use std::thread;

use varbind::engine::security::usm::{
    AuthenticationProtocol, AuthenticationSecret, Credentials, InvalidKey, LocalizedKey, MasterKey,
    Password, PrivacyProtocol, PrivacySecret,
};

use crate::secret::{KeyKind, Secret, SecretError};

/// A secret of which a key is made.
#[derive(Clone, Debug)]
pub enum KeyMaterial {
    /// A password.
    Password(Password),
    /// A key for all engines.
    Master(Vec<u8>),
    /// A key for one engine.
    Localized(Vec<u8>),
}

impl KeyMaterial {
    /// Reads a secret; `purpose` is what messages call it.
    ///
    /// # Errors
    /// If a password is too short, or a key is not written in hexadecimal digits.
    pub fn read(kind: KeyKind, secret: &Secret, purpose: &str) -> Result<Self, SecretError> {
        let octets = secret.octets();
        match kind {
            KeyKind::Password => Password::new(octets.to_vec())
                .map(Self::Password)
                .map_err(|error| SecretError(format!("{purpose}: {error}"))),
            KeyKind::MasterKey => key_octets(purpose, octets).map(Self::Master),
            KeyKind::LocalizedKey => key_octets(purpose, octets).map(Self::Localized),
        }
    }
}

/// The keys of a user with authentication and privacy.
///
/// # Errors
/// If a key has a wrong length.
pub fn auth_priv(
    protocol: AuthenticationProtocol,
    privacy_protocol: PrivacyProtocol,
    sources: (KeyMaterial, KeyMaterial),
) -> Result<Credentials, InvalidKey> {
    match sources {
        (KeyMaterial::Password(password), KeyMaterial::Password(other))
            if password == other || has_instructions(protocol) =>
        {
            Ok(Credentials::auth_priv(
                protocol,
                &password,
                privacy_protocol,
                &other,
            ))
        }
        (authentication, privacy) => thread::scope(|scope| {
            // A password costs a megabyte of hashing: two processors do two in the time of one.
            let other = scope.spawn(|| privacy_secret(protocol, privacy_protocol, privacy));
            let secret = authentication_secret(protocol, authentication)?;
            let privacy = match other.join() {
                Ok(privacy) => privacy?,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            Ok(Credentials::AuthPriv(secret, privacy))
        }),
    }
}

/// Whether processors have instructions for the hash function: then one processor does two passwords in little more
/// than the time of one, and a thread would cost more than it saves.
const fn has_instructions(protocol: AuthenticationProtocol) -> bool {
    match protocol {
        AuthenticationProtocol::Sha1
        | AuthenticationProtocol::Sha224
        | AuthenticationProtocol::Sha256 => true,
        AuthenticationProtocol::Md5
        | AuthenticationProtocol::Sha384
        | AuthenticationProtocol::Sha512 => false,
    }
}

/// The key of a user for authentication.
///
/// # Errors
/// If a key has a wrong length.
pub fn authentication_secret(
    protocol: AuthenticationProtocol,
    source: KeyMaterial,
) -> Result<AuthenticationSecret, InvalidKey> {
    match source {
        KeyMaterial::Password(password) => Ok(AuthenticationSecret::Master(MasterKey::derive(
            protocol, &password,
        ))),
        KeyMaterial::Master(octets) => {
            MasterKey::from_octets(protocol, octets).map(AuthenticationSecret::Master)
        }
        KeyMaterial::Localized(octets) => {
            AuthenticationSecret::localized(protocol, LocalizedKey::from_octets(octets))
        }
    }
}

/// The key of a user for privacy.
///
/// # Errors
/// If a key has a wrong length.
pub fn privacy_secret(
    protocol: AuthenticationProtocol,
    privacy_protocol: PrivacyProtocol,
    source: KeyMaterial,
) -> Result<PrivacySecret, InvalidKey> {
    let master = |key| PrivacySecret::Master(privacy_protocol, key);
    match source {
        KeyMaterial::Password(password) => Ok(master(MasterKey::derive(protocol, &password))),
        KeyMaterial::Master(octets) => MasterKey::from_octets(protocol, octets).map(master),
        KeyMaterial::Localized(octets) => {
            PrivacySecret::localized(privacy_protocol, LocalizedKey::from_octets(octets))
        }
    }
}

/// Reads a key in hexadecimal digits.
///
/// # Errors
/// If it is not written in pairs of digits; the message does not repeat it.
pub fn key_octets(purpose: &str, digits: &[u8]) -> Result<Vec<u8>, SecretError> {
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let octet = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        let is_digits = pair.len() == 2 && pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(pair, 16).ok().filter(|_| is_digits)
    };
    let octets: Option<Vec<u8>> = digits.chunks(2).map(octet).collect();
    octets.ok_or_else(|| {
        SecretError(format!(
            "the key for {purpose} is to be written in pairs of hexadecimal digits, as 0x8a5f.."
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hexadecimal_digits_and_are_not_told() {
        for text in [&b"0x0aFF"[..], b"0aff"] {
            assert_eq!(key_octets("privacy", text).unwrap(), [0x0a, 0xff]);
        }
        for wrong in [&b"0x0"[..], b"sesame", b"+1", "0é".as_bytes()] {
            let error = key_octets("privacy", wrong).unwrap_err().to_string();
            assert!(!error.contains("sesame"), "{error}");
        }
    }
}
