//! Private keys: they are generated, read and zeroized.

use std::fmt;
use std::path::Path;

use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm, SigningKey};
use zeroize::{Zeroize, Zeroizing};

use crate::{Error, KeyType, pem};

/// The beginning of an Ed25519 key in PKCS #8 (RFC 8410 section 7), before its 32 octets.
const ED25519_PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// A key pair; its octets are zeroized on drop, and `Debug` does not show them.
pub(crate) struct PrivateKey(KeyPair);

impl PrivateKey {
    pub(crate) fn generate(key_type: KeyType) -> Result<Self, Error> {
        Ok(Self(match key_type {
            KeyType::EcdsaP256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?,
            KeyType::Rsa2048 => rsa(2048)?,
            KeyType::Rsa3072 => rsa(3072)?,
            KeyType::Rsa4096 => rsa(4096)?,
            KeyType::Ed25519 => ed25519()?,
        }))
    }

    /// Reads a key in PEM: PKCS #8, or the older forms for RSA and elliptic curves.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let block = pem::read_private_key(path)?;
        PKey::private_key_from_der(&block)
            .ok()
            .and_then(|key| key_pair(&key).ok())
            .map(Self)
            .ok_or_else(|| Error::content(path, "the private key is of a kind that is not supported: RSA, ECDSA on P-256 or P-384, and Ed25519 are"))
    }

    pub(crate) fn pem(&self) -> Zeroizing<String> {
        pem::write_private_key(self.0.serialized_der())
    }
}

fn rsa(bits: u32) -> Result<KeyPair, Error> {
    let key = Rsa::generate(bits).and_then(PKey::from_rsa);
    key_pair(&key.map_err(|error| failure(&error))?)
}

/// Converts a key of OpenSSL to rcgen's, by way of PKCS #8.
fn key_pair(key: &PKey<Private>) -> Result<KeyPair, Error> {
    let pkcs8 = key
        .private_key_to_pkcs8()
        .map_err(|error| failure(&error))?;
    Ok(KeyPair::try_from(Zeroizing::new(pkcs8).as_slice())?)
}

fn failure(error: &ErrorStack) -> Error {
    Error::Cryptography(error.to_string())
}

/// Generates a key whose PKCS #8 form has no public key: OpenSSL 3.0 cannot read the form of RFC 5958, which has one.
fn ed25519() -> Result<KeyPair, Error> {
    let mut key = Zeroizing::new(ED25519_PKCS8.to_vec());
    key.extend(random::<32>()?.iter());
    Ok(KeyPair::try_from(key.as_slice())?)
}

/// Random octets of the operating system.
pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, Error> {
    let mut octets = Zeroizing::new([0; N]);
    match rustix::rand::getrandom(&mut octets[..], rustix::rand::GetRandomFlags::empty()) {
        Ok(length) if length == N => Ok(octets),
        _ => Err(Error::Cryptography(
            "the operating system gives no random numbers".to_owned(),
        )),
    }
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").finish_non_exhaustive()
    }
}

impl PublicKeyData for PrivateKey {
    fn der_bytes(&self) -> &[u8] {
        self.0.der_bytes()
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        self.0.algorithm()
    }
}

impl SigningKey for PrivateKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        self.0.sign(message)
    }
}
