//! Algorithms that are offered and accepted: none of them has SHA-1, and none a cipher without authentication.

use std::borrow::Cow;

use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use russh::{Preferred, cipher, compression, kex, mac};

const KEY_EXCHANGES: &[kex::Name] = &[
    kex::MLKEM768X25519_SHA256,
    kex::CURVE25519,
    kex::CURVE25519_PRE_RFC_8731,
    kex::ECDH_SHA2_NISTP256,
    kex::ECDH_SHA2_NISTP384,
    kex::ECDH_SHA2_NISTP521,
    kex::DH_G16_SHA512,
    kex::DH_G14_SHA256,
    kex::EXTENSION_SUPPORT_AS_CLIENT,
    kex::EXTENSION_SUPPORT_AS_SERVER,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
];

/// AES-GCM first: it is the fastest where the processor knows AES.
const CIPHERS: &[cipher::Name] = &[
    cipher::AES_256_GCM,
    cipher::AES_128_GCM,
    cipher::CHACHA20_POLY1305,
    cipher::AES_256_CTR,
    cipher::AES_192_CTR,
    cipher::AES_128_CTR,
];

const CODES: &[mac::Name] = &[
    mac::HMAC_SHA256_ETM,
    mac::HMAC_SHA512_ETM,
    mac::HMAC_SHA256,
    mac::HMAC_SHA512,
];

const KEYS: &[Algorithm] = &[
    Algorithm::Ed25519,
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP256,
    },
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP384,
    },
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP521,
    },
    Algorithm::Rsa {
        hash: Some(HashAlg::Sha512),
    },
    Algorithm::Rsa {
        hash: Some(HashAlg::Sha256),
    },
];

/// What a server offers.
pub(crate) fn of_server() -> Preferred {
    Preferred {
        kex: Cow::Borrowed(KEY_EXCHANGES),
        key: Cow::Borrowed(KEYS),
        host_key_certificates: Cow::Borrowed(&[]),
        cipher: Cow::Borrowed(CIPHERS),
        mac: Cow::Borrowed(CODES),
        compression: Cow::Borrowed(&[compression::NONE]),
    }
}

/// What a client offers: first the types of host keys that are known, so that a server with several shows one of them.
pub(crate) fn of_client(known: &[Algorithm], has_authority: bool) -> Preferred {
    let is_known = |key: &Algorithm| known.iter().any(|known| same_type(known, key));
    let mut keys: Vec<_> = KEYS.iter().filter(|key| is_known(key)).cloned().collect();
    keys.extend(KEYS.iter().filter(|key| !is_known(key)).cloned());
    Preferred {
        key: Cow::Owned(keys),
        host_key_certificates: if has_authority {
            Cow::Borrowed(KEYS)
        } else {
            Cow::Borrowed(&[])
        },
        ..of_server()
    }
}

/// The same without ML-KEM.
pub(crate) fn classical(offered: Preferred) -> Preferred {
    let names = offered.kex.iter().copied();
    let kex = names.filter(|name| *name != kex::MLKEM768X25519_SHA256);
    Preferred {
        kex: kex.collect(),
        ..offered
    }
}

/// Whether keys are of one type, whatever digest an RSA key signs with.
fn same_type(one: &Algorithm, other: &Algorithm) -> bool {
    match (one, other) {
        (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }) => true,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_of_host_keys_come_first() {
        let known = [Algorithm::Rsa { hash: None }];
        let keys = of_client(&known, false).key;
        assert!(keys.iter().take(2).all(|key| key.clone().is_rsa()));
        assert_eq!(keys.len(), KEYS.len());
    }

    #[test]
    fn a_classical_key_exchange_is_x25519() {
        let offered = classical(of_client(&[], false));
        assert_eq!(offered.kex.first(), Some(&kex::CURVE25519));
        assert_eq!(offered.kex.len() + 1, KEY_EXCHANGES.len());
    }

    #[test]
    fn nothing_has_sha_1() {
        let offered = of_server();
        let names = offered.kex.iter().map(AsRef::<str>::as_ref);
        let names = names.chain(offered.mac.iter().map(AsRef::as_ref));
        for name in names {
            assert!(!name.contains("sha1"), "{name}");
        }
        assert!(!offered.key.contains(&Algorithm::Rsa { hash: None }));
    }
}
