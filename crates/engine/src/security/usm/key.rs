use std::fmt;

use hmac::digest::Digest;
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

use super::{AuthenticationProtocol, KeyExtension, PrivacyProtocol};
use crate::engine_id::EngineId;

/// A password of a user. It is not shown, and is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<Vec<u8>>);

impl Password {
    /// The least octets (RFC 3414 section 11.2).
    pub const SHORTEST: usize = 8;

    /// A password of these octets.
    ///
    /// # Errors
    /// When it has fewer than 8 octets.
    pub fn new(octets: impl Into<Vec<u8>>) -> Result<Self, InvalidKey> {
        let octets = Zeroizing::new(octets.into());
        if octets.len() < Self::SHORTEST {
            return Err(InvalidKey::PasswordTooShort {
                length: octets.len(),
            });
        }
        Ok(Self(octets))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Why octets cannot be a password or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidKey {
    /// The password is too short (RFC 3414 section 11.2).
    PasswordTooShort {
        /// Its octets.
        length: usize,
    },
    /// A key has another length than its protocol demands.
    KeyLength {
        /// Its octets.
        length: usize,
        /// The octets that it should have.
        expected: usize,
    },
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PasswordTooShort { length } => write!(
                f,
                "the password has {length} octets: it needs at least {}",
                Password::SHORTEST
            ),
            Self::KeyLength { length, expected } => {
                write!(
                    f,
                    "the key has {length} octets: the protocol needs {expected}"
                )
            }
        }
    }
}

impl std::error::Error for InvalidKey {}

/// A user's key before it is localised: what a password yields, the same at all engines (Ku, RFC 3414 section 2.6).
///
/// It costs a megabyte of hashing, so it is derived once and kept. It is not shown, and is overwritten when it is
/// dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey {
    protocol: AuthenticationProtocol,
    octets: Zeroizing<Vec<u8>>,
}

impl MasterKey {
    /// The key of a password (RFC 3414 section A.2).
    #[must_use]
    pub fn derive(protocol: AuthenticationProtocol, password: &Password) -> Self {
        Self::of_octets(protocol, &password.0)
    }

    /// The keys of two passwords. They cost less than each by itself, since processors that have instructions for the
    /// hash function work on both at the same time.
    #[must_use]
    pub fn derive_two(protocol: AuthenticationProtocol, passwords: [&Password; 2]) -> [Self; 2] {
        let [one, other] = passwords;
        if one == other {
            let key = Self::derive(protocol, one);
            return [key.clone(), key];
        }
        let passwords = [&one.0[..], &other.0[..]];
        let octets = match protocol {
            AuthenticationProtocol::Md5 => passwords_to_keys::<Md5>(passwords),
            AuthenticationProtocol::Sha1 => passwords_to_keys::<Sha1>(passwords),
            AuthenticationProtocol::Sha224 => passwords_to_keys::<Sha224>(passwords),
            AuthenticationProtocol::Sha256 => passwords_to_keys::<Sha256>(passwords),
            AuthenticationProtocol::Sha384 => passwords_to_keys::<Sha384>(passwords),
            AuthenticationProtocol::Sha512 => passwords_to_keys::<Sha512>(passwords),
        };
        octets.map(|octets| Self { protocol, octets })
    }

    fn of_octets(protocol: AuthenticationProtocol, password: &[u8]) -> Self {
        let octets = match protocol {
            AuthenticationProtocol::Md5 => password_to_key::<Md5>(password),
            AuthenticationProtocol::Sha1 => password_to_key::<Sha1>(password),
            AuthenticationProtocol::Sha224 => password_to_key::<Sha224>(password),
            AuthenticationProtocol::Sha256 => password_to_key::<Sha256>(password),
            AuthenticationProtocol::Sha384 => password_to_key::<Sha384>(password),
            AuthenticationProtocol::Sha512 => password_to_key::<Sha512>(password),
        };
        Self { protocol, octets }
    }

    /// The master key of these octets (Net-SNMP's `-3m` and `-3M`).
    ///
    /// # Errors
    /// When their number is not that of the protocol.
    pub fn from_octets(
        protocol: AuthenticationProtocol,
        octets: impl Into<Vec<u8>>,
    ) -> Result<Self, InvalidKey> {
        let octets = Zeroizing::new(octets.into());
        check_length(octets.len(), protocol.key_length())?;
        Ok(Self { protocol, octets })
    }

    /// The protocol whose hash function made it.
    #[must_use]
    pub const fn protocol(&self) -> AuthenticationProtocol {
        self.protocol
    }

    /// The user's key for authentication at one engine (Kul, RFC 3414 section 2.6).
    #[must_use]
    pub fn localize(&self, engine_id: &EngineId) -> LocalizedKey {
        let parts = [&*self.octets, engine_id.as_octets(), &*self.octets];
        LocalizedKey(hash(self.protocol, &parts))
    }

    /// The user's key for privacy at one engine: cut, or extended as the protocol says.
    #[must_use]
    pub fn localize_for_privacy(
        &self,
        protocol: PrivacyProtocol,
        engine_id: &EngineId,
    ) -> LocalizedKey {
        let wanted = protocol.key_length();
        let mut key = self.localize(engine_id).0;
        let mut last = key.clone();
        while key.len() < wanted {
            last = match protocol.key_extension() {
                // draft-blumenthal-aes-usm-04 3.1.2.1: Kul' = Kul || H(Kul) || H(Kul || H(Kul)) ...
                KeyExtension::Blumenthal => hash(self.protocol, &[&*key]),
                // draft-reeder-snmpv3-usm-3desede-00 2.1: the last part is the password of the next.
                KeyExtension::Reeder => Self::of_octets(self.protocol, &last).localize(engine_id).0,
            };
            let mut longer = Zeroizing::new(Vec::with_capacity(key.len() + last.len()));
            longer.extend_from_slice(&key);
            longer.extend_from_slice(&last);
            key = longer;
        }
        key.truncate(wanted);
        LocalizedKey(key)
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({}, ..)", self.protocol)
    }
}

/// A user's key at one engine (Kul, RFC 3414 section 2.6). It is not shown, and is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct LocalizedKey(Zeroizing<Vec<u8>>);

impl LocalizedKey {
    /// A key of these octets; its number of octets is checked where it is used.
    #[must_use]
    pub fn from_octets(octets: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(octets.into()))
    }

    /// The secret octets, to be stored where nobody else can read them.
    #[must_use]
    pub fn expose_octets(&self) -> &[u8] {
        &self.0
    }

    /// The key that a KeyChange makes of this one (RFC 3414 section 5). `protocol` is the authentication protocol of
    /// the user, for privacy keys as well.
    ///
    /// # Errors
    /// When `key_change` has not twice the length of the key.
    pub fn changed(
        &self,
        protocol: AuthenticationProtocol,
        key_change: &[u8],
    ) -> Result<Self, InvalidKey> {
        check_length(key_change.len(), 2 * self.0.len())?;
        let (random, delta) = key_change.split_at(self.0.len());
        let mut key = Zeroizing::new(Vec::with_capacity(self.0.len()));
        let mut temp = self.0.clone();
        for delta in delta.chunks(protocol.key_length()) {
            temp = hash(protocol, &[&*temp, random]);
            key.extend(temp.iter().zip(delta).map(|(temp, delta)| temp ^ delta));
        }
        Ok(Self(key))
    }

    /// The KeyChange that makes another key of this one (RFC 3414 section 5, the inverse of [`changed`](Self::changed)). `random` is
    /// as long as the keys, and is used once.
    ///
    /// # Errors
    /// When the other key or `random` has not the length of this one.
    pub fn key_change(
        &self,
        protocol: AuthenticationProtocol,
        new: &Self,
        random: &[u8],
    ) -> Result<Vec<u8>, InvalidKey> {
        check_length(new.0.len(), self.0.len())?;
        check_length(random.len(), self.0.len())?;
        let mut key_change = random.to_vec();
        let mut temp = self.0.clone();
        for new in new.0.chunks(protocol.key_length()) {
            temp = hash(protocol, &[&*temp, random]);
            key_change.extend(temp.iter().zip(new).map(|(temp, new)| temp ^ new));
        }
        Ok(key_change)
    }
}

impl fmt::Debug for LocalizedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalizedKey(..)")
    }
}

pub(super) const fn check_length(length: usize, expected: usize) -> Result<(), InvalidKey> {
    if length == expected {
        Ok(())
    } else {
        Err(InvalidKey::KeyLength { length, expected })
    }
}

/// The hash of the parts one after the other.
fn hash(protocol: AuthenticationProtocol, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    fn of<D: Digest>(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
        let mut digest = D::new();
        parts.iter().for_each(|part| digest.update(part));
        Zeroizing::new(digest.finalize().to_vec())
    }
    match protocol {
        AuthenticationProtocol::Md5 => of::<Md5>(parts),
        AuthenticationProtocol::Sha1 => of::<Sha1>(parts),
        AuthenticationProtocol::Sha224 => of::<Sha224>(parts),
        AuthenticationProtocol::Sha256 => of::<Sha256>(parts),
        AuthenticationProtocol::Sha384 => of::<Sha384>(parts),
        AuthenticationProtocol::Sha512 => of::<Sha512>(parts),
    }
}

/// Octets that are hashed to make a key of a password (RFC 3414 section A.2).
const HASHED: usize = 1 << 20;

/// The hash of a megabyte of repetitions of the password (RFC 3414 section A.2).
fn password_to_key<D: Digest>(password: &[u8]) -> Zeroizing<Vec<u8>> {
    // Whole repetitions, so that every part begins as the first does; 64 of them are whole blocks of the hash function.
    let block = Zeroizing::new(password.repeat(64));
    let mut digest = D::new();
    let mut left = HASHED;
    while left > 0 {
        let part = block.get(..left).unwrap_or(&block);
        digest.update(part);
        // A password is not empty.
        left -= part.len().max(1);
    }
    Zeroizing::new(digest.finalize().to_vec())
}

/// The same of two passwords, a block of one behind a block of the other: what does not depend on each other, a
/// processor does at the same time.
fn passwords_to_keys<D: Digest>(passwords: [&[u8]; 2]) -> [Zeroizing<Vec<u8>>; 2] {
    /// A whole number of blocks of every hash function.
    const STEP: usize = 128;
    let repeated = passwords.map(|password| Zeroizing::new(password.repeat(STEP)));
    let mut steps = repeated
        .each_ref()
        .map(|octets| octets.chunks(STEP).cycle());
    let mut digests = passwords.map(|_| D::new());
    for _ in 0..HASHED / STEP {
        for (digest, steps) in digests.iter_mut().zip(&mut steps) {
            digest.update(steps.next().unwrap_or_default());
        }
    }
    digests.map(|digest| Zeroizing::new(digest.finalize().to_vec()))
}
