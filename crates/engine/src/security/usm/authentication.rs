use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::key::check_length;
use super::{AuthenticationProtocol, InvalidKey, LocalizedKey};

/// The longest digest in a message, in octets (RFC 7860 section 4.1).
pub(crate) const LONGEST_DIGEST: usize = 48;

const ZEROS: [u8; LONGEST_DIGEST] = [0; LONGEST_DIGEST];

/// A key for authentication at one engine, prepared: a message costs no key schedule.
#[derive(Clone)]
pub struct AuthenticationKey {
    key: LocalizedKey,
    state: State,
}

/// HMAC (RFC 2104) after the padded keys. Each has a box of its own: that of SHA-512 is much larger than that of SHA-1.
#[derive(Clone)]
enum State {
    Md5(Arc<Hmac<Md5>>),
    Sha1(Arc<Hmac<Sha1>>),
    Sha224(Arc<Hmac<Sha224>>),
    Sha256(Arc<Hmac<Sha256>>),
    Sha384(Arc<Hmac<Sha384>>),
    Sha512(Arc<Hmac<Sha512>>),
}

impl AuthenticationKey {
    /// Prepares a localised key.
    ///
    /// # Errors
    /// When its length is not that of the protocol.
    pub fn new(protocol: AuthenticationProtocol, key: LocalizedKey) -> Result<Self, InvalidKey> {
        let octets = key.expose_octets();
        let (length, expected) = (octets.len(), protocol.key_length());
        check_length(length, expected)?;
        // HMAC takes keys of any length, so this fails never.
        let failed = InvalidKey::KeyLength { length, expected };
        let state = match protocol {
            AuthenticationProtocol::Md5 => State::Md5(prepared(octets).ok_or(failed)?),
            AuthenticationProtocol::Sha1 => State::Sha1(prepared(octets).ok_or(failed)?),
            AuthenticationProtocol::Sha224 => State::Sha224(prepared(octets).ok_or(failed)?),
            AuthenticationProtocol::Sha256 => State::Sha256(prepared(octets).ok_or(failed)?),
            AuthenticationProtocol::Sha384 => State::Sha384(prepared(octets).ok_or(failed)?),
            AuthenticationProtocol::Sha512 => State::Sha512(prepared(octets).ok_or(failed)?),
        };
        Ok(Self { key, state })
    }

    /// The protocol.
    #[must_use]
    pub fn protocol(&self) -> AuthenticationProtocol {
        match self.state {
            State::Md5(_) => AuthenticationProtocol::Md5,
            State::Sha1(_) => AuthenticationProtocol::Sha1,
            State::Sha224(_) => AuthenticationProtocol::Sha224,
            State::Sha256(_) => AuthenticationProtocol::Sha256,
            State::Sha384(_) => AuthenticationProtocol::Sha384,
            State::Sha512(_) => AuthenticationProtocol::Sha512,
        }
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &LocalizedKey {
        &self.key
    }

    /// What stands in a message for the digest until it is known.
    pub(crate) fn placeholder(&self) -> &'static [u8] {
        ZEROS
            .get(..self.protocol().digest_length())
            .unwrap_or(&ZEROS)
    }

    /// Writes the digest of the message into it, where zeros are (authenticateOutgoingMsg, RFC 3414 section 6.3.1).
    pub(crate) fn sign(&self, message: &mut [u8], digest_offset: usize) {
        match &self.state {
            State::Md5(state) => sign(&**state, message, digest_offset, self.placeholder().len()),
            State::Sha1(state) => sign(&**state, message, digest_offset, self.placeholder().len()),
            State::Sha224(state) => {
                sign(&**state, message, digest_offset, self.placeholder().len());
            }
            State::Sha256(state) => {
                sign(&**state, message, digest_offset, self.placeholder().len());
            }
            State::Sha384(state) => {
                sign(&**state, message, digest_offset, self.placeholder().len());
            }
            State::Sha512(state) => {
                sign(&**state, message, digest_offset, self.placeholder().len());
            }
        }
    }

    /// Whether the digest in the message is right (authenticateIncomingMsg, RFC 3414 section 6.3.2). It takes the same
    /// time wherever they differ.
    pub(crate) fn verify(&self, message: &[u8], digest: &[u8], digest_offset: usize) -> bool {
        // RFC 3414 6.3.2 (1)
        if digest.len() != self.placeholder().len() {
            return false;
        }
        match &self.state {
            State::Md5(state) => verify(&**state, message, digest, digest_offset),
            State::Sha1(state) => verify(&**state, message, digest, digest_offset),
            State::Sha224(state) => verify(&**state, message, digest, digest_offset),
            State::Sha256(state) => verify(&**state, message, digest, digest_offset),
            State::Sha384(state) => verify(&**state, message, digest, digest_offset),
            State::Sha512(state) => verify(&**state, message, digest, digest_offset),
        }
    }
}

fn prepared<M: KeyInit>(key: &[u8]) -> Option<Arc<M>> {
    M::new_from_slice(key).ok().map(Arc::new)
}

fn sign<M: Mac + Clone>(state: &M, message: &mut [u8], digest_offset: usize, length: usize) {
    let digest = state
        .clone()
        .chain_update(&*message)
        .finalize()
        .into_bytes();
    let place = message.get_mut(digest_offset..digest_offset + length);
    for (to, from) in place.unwrap_or_default().iter_mut().zip(digest) {
        *to = from;
    }
}

fn verify<M: Mac + Clone>(state: &M, message: &[u8], digest: &[u8], digest_offset: usize) -> bool {
    let before = message.get(..digest_offset);
    let behind = message.get(digest_offset + digest.len()..);
    let zeros = ZEROS.get(..digest.len());
    let (Some(before), Some(zeros), Some(behind)) = (before, zeros, behind) else {
        return false;
    };
    state
        .clone()
        .chain_update(before)
        .chain_update(zeros)
        .chain_update(behind)
        .verify_truncated_left(digest)
        .is_ok()
}

impl PartialEq for AuthenticationKey {
    fn eq(&self, other: &Self) -> bool {
        self.protocol() == other.protocol() && self.key == other.key
    }
}

impl Eq for AuthenticationKey {}

impl fmt::Debug for AuthenticationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthenticationKey({}, ..)", self.protocol())
    }
}
