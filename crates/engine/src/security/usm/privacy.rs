use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt};
use cfb_mode::cipher::array::ArraySize;
use cfb_mode::cipher::{Array, BlockCipherEncrypt, InnerIvInit, KeyInit};
use des::Des;
use zeroize::Zeroizing;

use super::key::check_length;
use super::{InvalidKey, KeyExtension, LocalizedKey, PrivacyProtocol};

/// Octets of msgPrivacyParameters (RFC 3414 section 8.1.1.1, RFC 3826 section 3.1.2.1).
pub(crate) const SALT_LENGTH: usize = 8;

const DES_BLOCK: usize = 8;

/// What the initialisation vector is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Salt {
    pub(crate) boots: i32,
    pub(crate) time: i32,
    pub(crate) privacy_parameters: [u8; SALT_LENGTH],
}

/// A key for privacy at one engine, prepared: a message costs no key schedule.
#[derive(Clone)]
pub struct PrivacyKey {
    key: LocalizedKey,
    cipher: Cipher,
}

/// Each key schedule has a box of its own: that of AES-256 is much larger than that of AES-128.
#[derive(Clone)]
enum Cipher {
    Des(Arc<DesSchedule>),
    Aes128(Arc<Aes128Enc>),
    Aes192(KeyExtension, Arc<Aes192Enc>),
    Aes256(KeyExtension, Arc<Aes256Enc>),
}

struct DesSchedule {
    cipher: Des,
    pre_initialization_vector: Zeroizing<[u8; DES_BLOCK]>,
}

impl PrivacyKey {
    /// Prepares a localised key.
    ///
    /// # Errors
    /// When its length is not that of the protocol.
    pub fn new(protocol: PrivacyProtocol, key: LocalizedKey) -> Result<Self, InvalidKey> {
        let octets = key.expose_octets();
        let (length, expected) = (octets.len(), protocol.key_length());
        check_length(length, expected)?;
        // The lengths have been compared, so this fails never.
        let failed = InvalidKey::KeyLength { length, expected };
        let cipher = match protocol {
            PrivacyProtocol::Des => {
                let (key, vector) = octets.split_at(DES_BLOCK);
                Cipher::Des(Arc::new(DesSchedule {
                    cipher: Des::new_from_slice(key).map_err(|_| failed)?,
                    pre_initialization_vector: Zeroizing::new(
                        vector.try_into().map_err(|_| failed)?,
                    ),
                }))
            }
            PrivacyProtocol::Aes128 => Cipher::Aes128(schedule(octets).ok_or(failed)?),
            PrivacyProtocol::Aes192(extension) => {
                Cipher::Aes192(extension, schedule(octets).ok_or(failed)?)
            }
            PrivacyProtocol::Aes256(extension) => {
                Cipher::Aes256(extension, schedule(octets).ok_or(failed)?)
            }
        };
        Ok(Self { key, cipher })
    }

    /// The protocol.
    #[must_use]
    pub fn protocol(&self) -> PrivacyProtocol {
        match self.cipher {
            Cipher::Des(_) => PrivacyProtocol::Des,
            Cipher::Aes128(_) => PrivacyProtocol::Aes128,
            Cipher::Aes192(extension, _) => PrivacyProtocol::Aes192(extension),
            Cipher::Aes256(extension, _) => PrivacyProtocol::Aes256(extension),
        }
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &LocalizedKey {
        &self.key
    }

    /// msgPrivacyParameters that no other message under the key has, made of a number that no other message has.
    pub(crate) fn privacy_parameters(&self, boots: i32, number: u64) -> [u8; SALT_LENGTH] {
        let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
        match self.cipher {
            // RFC 3414 8.1.1.1: the boots, and a number that the engine counts.
            Cipher::Des(_) => {
                let [i, j, k, l] = boots.to_be_bytes();
                [i, j, k, l, e, f, g, h]
            }
            // RFC 3826 3.1.2.1: the boots are in the initialisation vector anyway.
            _ => [a, b, c, d, e, f, g, h],
        }
    }

    /// How many octets have to follow a scopedPDU of this length before it is encrypted.
    pub(crate) fn padding(&self, length: usize) -> usize {
        match self.cipher {
            // RFC 3414 8.1.1.2
            Cipher::Des(_) => (DES_BLOCK - length % DES_BLOCK) % DES_BLOCK,
            _ => 0,
        }
    }

    /// Encrypts in place (encryptData, RFC 3414 section 8.3.1, RFC 3826 section 3.3.1). The octets are padded.
    pub(crate) fn encrypt(&self, salt: &Salt, octets: &mut [u8]) {
        match &self.cipher {
            Cipher::Des(schedule) => {
                let vector = des_vector(&schedule.pre_initialization_vector, salt);
                let mut mode = cbc::Encryptor::inner_iv_init(&schedule.cipher, &vector.into());
                let (blocks, _) = Array::slice_as_chunks_mut(octets);
                mode.encrypt_blocks(blocks);
            }
            Cipher::Aes128(cipher) => encrypt_cfb(&**cipher, salt, octets),
            Cipher::Aes192(_, cipher) => encrypt_cfb(&**cipher, salt, octets),
            Cipher::Aes256(_, cipher) => encrypt_cfb(&**cipher, salt, octets),
        }
    }

    /// Decrypts in place (decryptData, RFC 3414 section 8.3.2, RFC 3826 section 3.3.2). `false` if the octets cannot
    /// have been encrypted by this protocol.
    #[must_use]
    pub(crate) fn decrypt(&self, salt: &Salt, octets: &mut [u8]) -> bool {
        match &self.cipher {
            Cipher::Des(schedule) => {
                let vector = des_vector(&schedule.pre_initialization_vector, salt);
                let mut mode = cbc::Decryptor::inner_iv_init(&schedule.cipher, &vector.into());
                let (blocks, rest) = Array::slice_as_chunks_mut(octets);
                // RFC 3414 8.3.2: a multiple of 8 octets.
                if !rest.is_empty() {
                    return false;
                }
                mode.decrypt_blocks(blocks);
            }
            Cipher::Aes128(cipher) => decrypt_cfb(&**cipher, salt, octets),
            Cipher::Aes192(_, cipher) => decrypt_cfb(&**cipher, salt, octets),
            Cipher::Aes256(_, cipher) => decrypt_cfb(&**cipher, salt, octets),
        }
        true
    }
}

fn schedule<C: KeyInit>(key: &[u8]) -> Option<Arc<C>> {
    C::new_from_slice(key).ok().map(Arc::new)
}

/// RFC 3414 8.1.1.1: the salt XORed with the second half of the key.
fn des_vector(pre_initialization_vector: &[u8; DES_BLOCK], salt: &Salt) -> [u8; DES_BLOCK] {
    let mut vector = salt.privacy_parameters;
    for (octet, pre) in vector.iter_mut().zip(pre_initialization_vector) {
        *octet ^= pre;
    }
    vector
}

/// RFC 3826 3.1.2.1: boots, time and salt.
fn aes_vector<S: ArraySize>(salt: &Salt) -> Array<u8, S> {
    let octets = salt
        .boots
        .to_be_bytes()
        .into_iter()
        .chain(salt.time.to_be_bytes())
        .chain(salt.privacy_parameters);
    let mut vector = Array::default();
    for (to, from) in vector.iter_mut().zip(octets) {
        *to = from;
    }
    vector
}

fn encrypt_cfb<C: BlockCipherEncrypt>(cipher: &C, salt: &Salt, octets: &mut [u8]) {
    cfb_mode::Encryptor::inner_iv_init(cipher, &aes_vector(salt)).encrypt(octets);
}

fn decrypt_cfb<C: BlockCipherEncrypt>(cipher: &C, salt: &Salt, octets: &mut [u8]) {
    cfb_mode::Decryptor::inner_iv_init(cipher, &aes_vector(salt)).decrypt(octets);
}

impl PartialEq for PrivacyKey {
    fn eq(&self, other: &Self) -> bool {
        self.protocol() == other.protocol() && self.key == other.key
    }
}

impl Eq for PrivacyKey {}

impl fmt::Debug for PrivacyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivacyKey({}, ..)", self.protocol())
    }
}

/// Numbers for msgPrivacyParameters, of which none comes twice (RFC 3414 section 8.1.1.1, RFC 3826 section 3.1.2.1).
///
/// They count from where the seed says, so that a new start, which has other boots or another seed, does not repeat
/// those of the last.
#[derive(Debug)]
pub(crate) struct SaltCounter(AtomicU64);

impl SaltCounter {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Room for what is decrypted. It is kept, so that decrypting allocates nothing, and is not shown.
#[derive(Default)]
pub struct Plaintext(Vec<u8>);

impl Plaintext {
    /// The octets to be decrypted in place.
    pub(super) fn fill(&mut self, encrypted: &[u8]) -> &mut [u8] {
        self.0.clear();
        self.0.extend_from_slice(encrypted);
        &mut self.0
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Plaintext(..)")
    }
}
