use std::fmt;

use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt};
use cfb_mode::cipher::array::ArraySize;
use cfb_mode::cipher::{Array, BlockCipherEncrypt, InnerIvInit, KeyInit};
use des::Des;
use varbind_engine::security::usm::{EngineTime, InvalidKey, LocalizedKey, PrivacyProtocol};

/// Octets of msgPrivacyParameters (RFC 3414 section 8.1.1.1, RFC 3826 section 3.1.2.1).
pub(super) const SALT_LENGTH: usize = 8;

const DES_BLOCK: usize = 8;

/// Encrypts and decrypts scopedPDUs under one key.
pub(super) struct Cipher {
    protocol: PrivacyProtocol,
    mode: Box<dyn Mode>,
}

trait Mode: Send + Sync {
    fn encrypt(&self, time: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]);

    /// `false` if the octets cannot have been encrypted so.
    fn decrypt(&self, time: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) -> bool;
}

/// AES in cipher feedback mode (RFC 3826 section 3.1).
impl<C: BlockCipherEncrypt + Send + Sync> Mode for C {
    fn encrypt(&self, time: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) {
        cfb_mode::Encryptor::inner_iv_init(self, &aes_vector(time, salt)).encrypt(octets);
    }

    fn decrypt(&self, time: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) -> bool {
        cfb_mode::Decryptor::inner_iv_init(self, &aes_vector(time, salt)).decrypt(octets);
        true
    }
}

/// RFC 3826 3.1.2.1: boots, time and salt.
fn aes_vector<S: ArraySize>(time: EngineTime, salt: &[u8]) -> Array<u8, S> {
    let (boots, seconds) = (time.boots.to_be_bytes(), time.time.to_be_bytes());
    let octets = boots.iter().chain(&seconds).chain(salt);
    let mut vector = Array::default();
    for (to, from) in vector.iter_mut().zip(octets) {
        *to = *from;
    }
    vector
}

/// DES in cipher block chaining mode (RFC 3414 section 8.1.1).
struct CbcDes {
    cipher: Des,
    pre_initialization_vector: [u8; DES_BLOCK],
}

impl CbcDes {
    /// RFC 3414 8.1.1.1: the salt XORed with the second half of the key.
    fn vector(&self, salt: &[u8; SALT_LENGTH]) -> [u8; DES_BLOCK] {
        let mut vector = *salt;
        for (octet, pre) in vector.iter_mut().zip(&self.pre_initialization_vector) {
            *octet ^= pre;
        }
        vector
    }
}

impl Mode for CbcDes {
    fn encrypt(&self, _: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) {
        let mut mode = cbc::Encryptor::inner_iv_init(&self.cipher, &self.vector(salt).into());
        let (blocks, _) = Array::slice_as_chunks_mut(octets);
        mode.encrypt_blocks(blocks);
    }

    fn decrypt(&self, _: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) -> bool {
        let mut mode = cbc::Decryptor::inner_iv_init(&self.cipher, &self.vector(salt).into());
        let (blocks, rest) = Array::slice_as_chunks_mut(octets);
        mode.decrypt_blocks(blocks);
        rest.is_empty()
    }
}

impl Cipher {
    pub(super) fn new(protocol: PrivacyProtocol, key: &LocalizedKey) -> Result<Self, InvalidKey> {
        fn mode<C: KeyInit + BlockCipherEncrypt + Send + Sync + 'static>(
            key: &[u8],
        ) -> Option<Box<dyn Mode>> {
            let cipher = C::new_from_slice(key).ok()?;
            Some(Box::new(cipher))
        }
        let octets = key.expose_octets();
        let mode = match protocol {
            PrivacyProtocol::Des => des(octets),
            PrivacyProtocol::Aes128 => mode::<Aes128Enc>(octets),
            PrivacyProtocol::Aes192(_) => mode::<Aes192Enc>(octets),
            PrivacyProtocol::Aes256(_) => mode::<Aes256Enc>(octets),
        };
        let mode = mode.ok_or(InvalidKey::KeyLength {
            length: octets.len(),
            expected: protocol.key_length(),
        })?;
        Ok(Self { protocol, mode })
    }

    /// msgPrivacyParameters that no other message under the key has, made of a number that no other message has.
    pub(super) fn salt(&self, time: EngineTime, number: u64) -> [u8; SALT_LENGTH] {
        let [.., e, f, g, h] = number.to_be_bytes();
        match (self.protocol, time.boots.to_be_bytes()) {
            (PrivacyProtocol::Des, [a, b, c, d]) => [a, b, c, d, e, f, g, h],
            _ => number.to_be_bytes(),
        }
    }

    /// How many octets have to follow a scopedPDU of this length before it is encrypted.
    pub(super) const fn padding(&self, length: usize) -> usize {
        match self.protocol {
            PrivacyProtocol::Des => length.next_multiple_of(DES_BLOCK) - length,
            _ => 0,
        }
    }

    /// Encrypts in place octets that are padded.
    pub(super) fn encrypt(&self, time: EngineTime, salt: &[u8; SALT_LENGTH], octets: &mut [u8]) {
        self.mode.encrypt(time, salt, octets);
    }

    /// Decrypts in place; `false` if the octets cannot have been encrypted by this protocol.
    pub(super) fn decrypt(
        &self,
        time: EngineTime,
        salt: &[u8; SALT_LENGTH],
        octets: &mut [u8],
    ) -> bool {
        self.mode.decrypt(time, salt, octets)
    }
}

fn des(key: &[u8]) -> Option<Box<dyn Mode>> {
    let (key, vector) = key.split_at_checked(DES_BLOCK)?;
    Some(Box::new(CbcDes {
        cipher: Des::new_from_slice(key).ok()?,
        pre_initialization_vector: vector.try_into().ok()?,
    }))
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cipher({}, ..)", self.protocol)
    }
}
