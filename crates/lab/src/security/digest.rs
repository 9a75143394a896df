use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use varbind_engine::security::usm::{AuthenticationProtocol, InvalidKey, LocalizedKey};

/// The longest digest in a message, in octets (RFC 7860 section 4.1).
pub(super) const LONGEST: usize = 48;

const ZEROS: [u8; LONGEST] = [0; LONGEST];

/// Makes the digests of messages under one key.
pub(super) struct Digest {
    protocol: AuthenticationProtocol,
    state: Box<dyn State>,
}

/// HMAC (RFC 2104) after the padded keys.
trait State: Send + Sync {
    /// Writes the beginning of the digest of the parts, one after the other.
    fn digest(&self, parts: &[&[u8]], digest: &mut [u8]);
}

impl<M: Mac + Clone + Send + Sync> State for M {
    fn digest(&self, parts: &[&[u8]], digest: &mut [u8]) {
        let mut state = self.clone();
        parts.iter().for_each(|part| state.update(part));
        for (to, from) in digest.iter_mut().zip(state.finalize().into_bytes()) {
            *to = from;
        }
    }
}

impl Digest {
    pub(super) fn new(
        protocol: AuthenticationProtocol,
        key: &LocalizedKey,
    ) -> Result<Self, InvalidKey> {
        fn state<M: Mac + KeyInit + Clone + Send + Sync + 'static>(
            key: &[u8],
        ) -> Option<Box<dyn State>> {
            let state = <M as KeyInit>::new_from_slice(key).ok()?;
            Some(Box::new(state))
        }
        let octets = key.expose_octets();
        let state = match protocol {
            AuthenticationProtocol::Md5 => state::<Hmac<Md5>>(octets),
            AuthenticationProtocol::Sha1 => state::<Hmac<Sha1>>(octets),
            AuthenticationProtocol::Sha224 => state::<Hmac<Sha224>>(octets),
            AuthenticationProtocol::Sha256 => state::<Hmac<Sha256>>(octets),
            AuthenticationProtocol::Sha384 => state::<Hmac<Sha384>>(octets),
            AuthenticationProtocol::Sha512 => state::<Hmac<Sha512>>(octets),
        };
        let state = state.ok_or(InvalidKey::KeyLength {
            length: octets.len(),
            expected: protocol.key_length(),
        })?;
        Ok(Self { protocol, state })
    }

    /// What stands in a message for the digest until it is known.
    pub(super) fn placeholder(&self) -> &'static [u8] {
        ZEROS.get(..self.protocol.digest_length()).unwrap_or(&ZEROS)
    }

    /// Writes the digest into a message, where zeros are (RFC 3414 section 6.3.1).
    pub(super) fn sign(&self, message: &mut [u8], offset: usize) {
        let mut digest = ZEROS;
        let length = self.placeholder().len();
        let digest = digest.get_mut(..length).unwrap_or_default();
        self.state.digest(&[message], digest);
        if let Some(place) = message.get_mut(offset..offset + length) {
            place.copy_from_slice(digest);
        }
    }

    /// Whether the digest in a message is right (RFC 3414 section 6.3.2).
    pub(super) fn verify(&self, message: &[u8], offset: usize, length: usize) -> bool {
        let zeros = self.placeholder();
        let parts = (
            message.get(..offset),
            message.get(offset..offset + length),
            message.get(offset + length..),
        );
        let (Some(before), Some(found), Some(behind)) = parts else {
            return false;
        };
        let mut digest = ZEROS;
        let digest = digest.get_mut(..zeros.len()).unwrap_or_default();
        self.state.digest(&[before, zeros, behind], digest);
        length == zeros.len() && *digest == *found
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({}, ..)", self.protocol)
    }
}
