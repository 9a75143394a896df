use std::fmt;
use std::str::FromStr;

/// The algorithm of a key, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// ECDSA on the curve P-256: short, fast, and known to every implementation of TLS 1.2.
    #[default]
    EcdsaP256,
    /// RSA of 2048 bits.
    Rsa2048,
    /// RSA of 3072 bits.
    Rsa3072,
    /// RSA of 4096 bits.
    Rsa4096,
    /// Ed25519 (RFC 8410), which not all peers know.
    Ed25519,
}

impl KeyType {
    /// All key types.
    pub const ALL: [Self; 5] = [
        Self::EcdsaP256,
        Self::Rsa2048,
        Self::Rsa3072,
        Self::Rsa4096,
        Self::Ed25519,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EcdsaP256 => "ecdsa-p256",
            Self::Rsa2048 => "rsa-2048",
            Self::Rsa3072 => "rsa-3072",
            Self::Rsa4096 => "rsa-4096",
            Self::Ed25519 => "ed25519",
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no key type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{:?} is not a key type: use one of {}", .0, KeyType::ALL.map(KeyType::name).join(", "))]
pub struct UnknownKeyType(String);

impl FromStr for KeyType {
    type Err = UnknownKeyType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|key_type| key_type.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownKeyType(text.to_owned()))
    }
}
