//! Cipher suites, groups, signatures, and the secrets that follow from a handshake (RFC 5246 section 8, RFC 5289,
//! RFC 7627, RFC 7905, RFC 8422).

use aws_lc_rs::agreement::{
    self, EphemeralPrivateKey, PublicKey, UnparsedPublicKey, agree_ephemeral,
};
use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::tls_prf;
use rustls::SignatureScheme;
use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;
use zeroize::Zeroizing;

use crate::transport::certificate::cryptography::provider;

/// The secret of a session (RFC 5246 section 8.1).
pub(super) type MasterSecret = Zeroizing<[u8; 48]>;

/// By what kind of key a server proves who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerKey {
    /// ECDSA or EdDSA.
    Curve,
    Rsa,
}

/// A cipher suite: ECDHE and an AEAD, with SHA-256 or better (RFC 9456 section 2.3 deprecates the rest).
pub(super) struct CipherSuite {
    pub(super) number: u16,
    pub(super) server_key: ServerKey,
    pub(super) digest: &'static digest::Algorithm,
    prf: &'static tls_prf::Algorithm,
}

const fn suite(number: u16, server_key: ServerKey, is_sha384: bool) -> CipherSuite {
    let (digest, prf) = match is_sha384 {
        true => (&digest::SHA384, &tls_prf::P_SHA384),
        false => (&digest::SHA256, &tls_prf::P_SHA256),
    };
    CipherSuite {
        number,
        server_key,
        digest,
        prf,
    }
}

/// What is offered, the best first.
pub(super) static CIPHER_SUITES: [CipherSuite; 6] = [
    suite(0xc02c, ServerKey::Curve, true),
    suite(0xc030, ServerKey::Rsa, true),
    suite(0xc02b, ServerKey::Curve, false),
    suite(0xc02f, ServerKey::Rsa, false),
    suite(0xcca9, ServerKey::Curve, false),
    suite(0xcca8, ServerKey::Rsa, false),
];

impl CipherSuite {
    /// The offered suite of this number.
    pub(super) fn of(number: u16) -> Option<&'static Self> {
        CIPHER_SUITES.iter().find(|suite| suite.number == number)
    }

    pub(super) fn hash(&self, octets: &[u8]) -> Digest {
        digest::digest(self.digest, octets)
    }

    fn derive(
        &self,
        secret: &[u8],
        label: &[u8],
        seed: &[u8],
        length: usize,
    ) -> Result<tls_prf::Secret, Unspecified> {
        tls_prf::Secret::new(self.prf, secret)?.derive(label, seed, length)
    }

    /// What a Finished message says (RFC 5246 section 7.4.9).
    pub(super) fn verify_data(
        &self,
        master_secret: &MasterSecret,
        label: &[u8],
        transcript: &[u8],
    ) -> Result<[u8; 12], Unspecified> {
        let hash = self.hash(transcript);
        let derived = self.derive(&**master_secret, label, hash.as_ref(), 12)?;
        derived.as_ref().try_into().map_err(|_| Unspecified)
    }
}

/// A group of the key exchange.
struct Group {
    number: u16,
    algorithm: &'static agreement::Algorithm,
}

/// What is offered, the best first.
static GROUPS: [Group; 4] = [
    Group {
        number: 29,
        algorithm: &agreement::X25519,
    },
    Group {
        number: 23,
        algorithm: &agreement::ECDH_P256,
    },
    Group {
        number: 24,
        algorithm: &agreement::ECDH_P384,
    },
    Group {
        number: 25,
        algorithm: &agreement::ECDH_P521,
    },
];

pub(super) fn group_numbers() -> impl Iterator<Item = u16> {
    GROUPS.iter().map(|group| group.number)
}

/// Signatures that are accepted of servers, the best first.
pub(super) const SCHEMES: [SignatureScheme; 10] = [
    SignatureScheme::ECDSA_NISTP256_SHA256,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ECDSA_NISTP521_SHA512,
    SignatureScheme::ED25519,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PKCS1_SHA256,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA512,
];

impl ServerKey {
    const fn signs_by(self, scheme: SignatureScheme) -> bool {
        let is_curve = matches!(
            scheme,
            SignatureScheme::ECDSA_NISTP256_SHA256
                | SignatureScheme::ECDSA_NISTP384_SHA384
                | SignatureScheme::ECDSA_NISTP521_SHA512
                | SignatureScheme::ED25519
        );
        matches!(self, Self::Curve) == is_curve
    }
}

/// What a server signed with the key of its certificate.
pub(super) struct Signed<'a> {
    pub(super) scheme: SignatureScheme,
    pub(super) message: &'a [u8],
    pub(super) signature: &'a [u8],
}

impl Signed<'_> {
    /// Whether the key of this certificate, of a kind that fits the cipher suite, has made the signature, by an algorithm
    /// that was offered.
    pub(super) fn is_by(&self, certificate: &CertificateDer<'_>, server_key: ServerKey) -> bool {
        if !SCHEMES.contains(&self.scheme) || !server_key.signs_by(self.scheme) {
            return false;
        }
        let Ok(certificate) = EndEntityCert::try_from(certificate) else {
            return false;
        };
        let mapping = provider().signature_verification_algorithms.mapping.iter();
        mapping
            .filter(|(scheme, _)| *scheme == self.scheme)
            .flat_map(|(_, algorithms)| algorithms.iter())
            .any(|algorithm| {
                certificate
                    .verify_signature(*algorithm, self.message, self.signature)
                    .is_ok()
            })
    }
}

/// Our half of a key exchange, for one handshake.
pub(super) struct KeyExchange {
    own: EphemeralPrivateKey,
    algorithm: &'static agreement::Algorithm,
    peer: Vec<u8>,
}

impl KeyExchange {
    /// With the key of the peer; `None` for a group that was not offered.
    pub(super) fn begin(group: u16, peer: &[u8]) -> Option<Result<Self, Unspecified>> {
        let algorithm = GROUPS.iter().find(|one| one.number == group)?.algorithm;
        let own = EphemeralPrivateKey::generate(algorithm, &SystemRandom::new());
        Some(own.map(|own| Self {
            own,
            algorithm,
            peer: peer.to_vec(),
        }))
    }

    pub(super) fn public_key(&self) -> Result<PublicKey, Unspecified> {
        self.own.compute_public_key()
    }

    /// The master secret, bound to all messages up to ClientKeyExchange (RFC 7627 section 4) or, of a server that does not
    /// know that, to the random values alone.
    pub(super) fn finish(
        self,
        suite: &CipherSuite,
        label: &[u8],
        seed: &[u8],
    ) -> Result<MasterSecret, Unspecified> {
        let peer = UnparsedPublicKey::new(self.algorithm, self.peer);
        agree_ephemeral(self.own, peer, Unspecified, |shared| {
            let derived = suite.derive(shared, label, seed, 48)?;
            let mut secret = MasterSecret::new([0; 48]);
            secret.copy_from_slice(derived.as_ref().get(..48).ok_or(Unspecified)?);
            Ok(secret)
        })
    }
}
