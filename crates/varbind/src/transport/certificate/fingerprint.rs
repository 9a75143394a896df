use std::fmt;
use std::str::FromStr;

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// A hash algorithm of fingerprints, with its number in the registry of RFC 9456 section 2.1 (that of RFC 5246 section
/// 7.4.1.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashAlgorithm {
    /// MD5, broken: only to be compared with what is configured elsewhere.
    Md5 = 1,
    /// SHA-1, broken: likewise.
    Sha1 = 2,
    /// SHA-224.
    Sha224 = 3,
    /// SHA-256.
    Sha256 = 4,
    /// SHA-384.
    Sha384 = 5,
    /// SHA-512.
    Sha512 = 6,
}

const ALGORITHMS: [(HashAlgorithm, &str, usize); 6] = [
    (HashAlgorithm::Md5, "md5", 16),
    (HashAlgorithm::Sha1, "sha1", 20),
    (HashAlgorithm::Sha224, "sha224", 28),
    (HashAlgorithm::Sha256, "sha256", 32),
    (HashAlgorithm::Sha384, "sha384", 48),
    (HashAlgorithm::Sha512, "sha512", 64),
];

impl HashAlgorithm {
    /// The length of a hash, in octets.
    #[must_use]
    pub fn length(self) -> usize {
        self.row().2
    }

    /// Whether collisions can be made, so that a fingerprint proves little.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        matches!(self, Self::Md5 | Self::Sha1)
    }

    fn row(self) -> (Self, &'static str, usize) {
        let own = ALGORITHMS.iter().find(|(algorithm, ..)| *algorithm == self);
        own.copied().unwrap_or((self, "", 0))
    }

    fn hash(self, octets: &[u8]) -> Vec<u8> {
        match self {
            Self::Md5 => Md5::digest(octets).to_vec(),
            Self::Sha1 => Sha1::digest(octets).to_vec(),
            Self::Sha224 => Sha224::digest(octets).to_vec(),
            Self::Sha256 => Sha256::digest(octets).to_vec(),
            Self::Sha384 => Sha384::digest(octets).to_vec(),
            Self::Sha512 => Sha512::digest(octets).to_vec(),
        }
    }
}

impl fmt::Display for HashAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

/// The hash that identifies a certificate (SnmpTLSFingerprint, RFC 6353 section 7 and RFC 9456 section 4).
///
/// ```
/// use varbind::transport::certificate::{Fingerprint, HashAlgorithm};
/// let text = "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55";
/// let fingerprint: Fingerprint = text.parse()?;
/// assert_eq!(fingerprint, Fingerprint::of(b"", HashAlgorithm::Sha256));
/// assert!(fingerprint.to_string().starts_with("sha256:e3b0c442"));
/// assert_eq!(fingerprint.to_octets()[..2], [4, 0xe3]);
/// # Ok::<(), varbind::transport::certificate::ParseFingerprintError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    algorithm: HashAlgorithm,
    hash: Vec<u8>,
}

impl Fingerprint {
    /// The fingerprint of a certificate in DER.
    #[must_use]
    pub fn of(certificate: &[u8], algorithm: HashAlgorithm) -> Self {
        Self {
            algorithm,
            hash: algorithm.hash(certificate),
        }
    }

    /// Whether this is the fingerprint of a certificate in DER.
    #[must_use]
    pub fn identifies(&self, certificate: &[u8]) -> bool {
        self.algorithm.hash(certificate) == self.hash
    }

    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// The hash.
    #[must_use]
    pub fn hash(&self) -> &[u8] {
        &self.hash
    }

    /// The value of an SnmpTLSFingerprint: the number of the algorithm and the hash.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = vec![self.algorithm as u8];
        octets.extend_from_slice(&self.hash);
        octets
    }

    /// A fingerprint from the value of an SnmpTLSFingerprint that is not empty.
    ///
    /// # Errors
    /// When the algorithm is unknown or the hash has another length.
    pub fn from_octets(octets: &[u8]) -> Result<Self, ParseFingerprintError> {
        let (number, hash) = octets.split_first().ok_or(ParseFingerprintError::Empty)?;
        let (algorithm, _, length) = ALGORITHMS
            .iter()
            .find(|(algorithm, ..)| *algorithm as u8 == *number)
            .ok_or_else(|| ParseFingerprintError::UnknownAlgorithm(number.to_string()))?;
        if hash.len() != *length {
            return Err(ParseFingerprintError::WrongLength {
                algorithm: *algorithm,
                octets: hash.len(),
            });
        }
        Ok(Self {
            algorithm: *algorithm,
            hash: hash.to_vec(),
        })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.algorithm)?;
        self.hash
            .iter()
            .try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    /// Reads hexadecimal digits with or without colons, behind the name of the algorithm (as `sha256:`, or as OpenSSL
    /// writes it) or without it. Without a name the length tells it, but only for SHA-224 and up: who means MD5 or SHA-1 has
    /// to say so.
    fn from_str(text: &str) -> Result<Self, ParseFingerprintError> {
        let (algorithm, digits) = split_algorithm(text.trim())?;
        let hash = octets(digits)?;
        if hash.is_empty() {
            return Err(ParseFingerprintError::Empty);
        }
        let Some(algorithm) = algorithm else {
            return by_length(hash);
        };
        if hash.len() != algorithm.length() {
            return Err(ParseFingerprintError::WrongLength {
                algorithm,
                octets: hash.len(),
            });
        }
        Ok(Self { algorithm, hash })
    }
}

fn by_length(hash: Vec<u8>) -> Result<Fingerprint, ParseFingerprintError> {
    let found = ALGORITHMS
        .iter()
        .find(|(.., length)| *length == hash.len())
        .map(|(algorithm, ..)| *algorithm);
    match found {
        Some(algorithm) if algorithm.is_weak() => Err(ParseFingerprintError::Weak(algorithm)),
        Some(algorithm) => Ok(Fingerprint { algorithm, hash }),
        // The form of the MIB, where the number of the algorithm comes first.
        None => Fingerprint::from_octets(&hash)
            .map_err(|_| ParseFingerprintError::NoSuchLength(hash.len())),
    }
}

/// The algorithm that is named, if one is, and what follows.
fn split_algorithm(text: &str) -> Result<(Option<HashAlgorithm>, &str), ParseFingerprintError> {
    let is_digit = |character: char| character.is_ascii_hexdigit();
    // OpenSSL: `sha256 Fingerprint=AB:CD`.
    let (name, digits) = match text.split_once('=').or_else(|| text.split_once(':')) {
        Some((name, digits)) if !name.chars().all(is_digit) => (name, digits),
        _ => return Ok((None, text)),
    };
    let word = name.split_whitespace().next().unwrap_or_default();
    let word = word.to_ascii_lowercase().replace('-', "");
    let found = ALGORITHMS.iter().find(|(_, known, _)| *known == word);
    match found {
        Some((algorithm, ..)) => Ok((Some(*algorithm), digits)),
        None => Err(ParseFingerprintError::UnknownAlgorithm(name.to_owned())),
    }
}

fn octets(digits: &str) -> Result<Vec<u8>, ParseFingerprintError> {
    let mut hash = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for character in digits.chars().filter(|character| *character != ':') {
        let digit = character
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
            .ok_or(ParseFingerprintError::NoDigit(character))?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => hash.push(high << 4 | digit),
        }
    }
    match high {
        None => Ok(hash),
        Some(_) => Err(ParseFingerprintError::HalfOctet),
    }
}

/// Why a text or a value is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseFingerprintError {
    /// Nothing.
    #[error("the fingerprint is empty")]
    Empty,
    /// Something else than a hexadecimal digit or a colon.
    #[error(
        "{0:?} is not a hexadecimal digit: write the fingerprint as `openssl x509 -noout -fingerprint -sha256` does"
    )]
    NoDigit(char),
    /// An odd number of digits.
    #[error("the fingerprint has an odd number of digits")]
    HalfOctet,
    /// An algorithm that is not known.
    #[error("{:?} is not a hash algorithm: use one of {}", .0, known_algorithms())]
    UnknownAlgorithm(String),
    /// The hash has another length than the algorithm makes.
    #[error("a {algorithm} fingerprint has {} octets, this has {octets}", .algorithm.length())]
    WrongLength {
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// The length, in octets.
        octets: usize,
    },
    /// No algorithm makes hashes of this length, in octets.
    #[error("a fingerprint has 32 octets (sha256), 48 (sha384) or 64 (sha512), this has {0}")]
    NoSuchLength(usize),
    /// As long as a hash of a broken algorithm, which must be named.
    #[error(
        "this is as long as a fingerprint of {0}, which is broken: use sha256, or write {0}: before it if you must"
    )]
    Weak(HashAlgorithm),
}

fn known_algorithms() -> String {
    let algorithms = ALGORITHMS.iter().rev();
    let names: Vec<_> = algorithms
        .map(|(algorithm, ..)| algorithm.to_string())
        .collect();
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

    #[test]
    fn fingerprints_are_read_in_all_forms_that_tools_write() {
        let expected = Fingerprint::of(b"", HashAlgorithm::Sha256);
        for text in [
            SHA256.to_owned(),
            SHA256.to_uppercase(),
            format!("sha256:{SHA256}"),
            format!("SHA-256:{SHA256}"),
            format!("sha256 Fingerprint={SHA256}"),
            format!("04{SHA256}"),
            format!("04:{SHA256}"),
            expected.to_string(),
        ] {
            assert_eq!(text.parse().as_ref(), Ok(&expected), "{text}");
        }
        let colons: Vec<_> = (0..32).map(|i| &SHA256[2 * i..2 * i + 2]).collect();
        assert_eq!(colons.join(":").parse(), Ok(expected.clone()));
        assert_eq!(
            Fingerprint::from_octets(&expected.to_octets()),
            Ok(expected)
        );
    }

    #[test]
    fn broken_algorithms_must_be_named() {
        assert_eq!(
            SHA1.parse::<Fingerprint>(),
            Err(ParseFingerprintError::Weak(HashAlgorithm::Sha1))
        );
        let named: Fingerprint = format!("sha1:{SHA1}").parse().unwrap();
        assert!(named.identifies(b""));
        assert!(!named.identifies(b"x"));
    }

    #[test]
    fn what_is_no_fingerprint_is_reported() {
        for (text, error) in [
            ("", ParseFingerprintError::Empty),
            ("sha256:", ParseFingerprintError::Empty),
            ("xyz", ParseFingerprintError::NoDigit('x')),
            ("abc", ParseFingerprintError::HalfOctet),
            ("abcd", ParseFingerprintError::NoSuchLength(2)),
            (
                "crc32:abcd",
                ParseFingerprintError::UnknownAlgorithm("crc32".to_owned()),
            ),
            (
                "sha256:abcd",
                ParseFingerprintError::WrongLength {
                    algorithm: HashAlgorithm::Sha256,
                    octets: 2,
                },
            ),
        ] {
            assert_eq!(text.parse::<Fingerprint>(), Err(error), "{text}");
        }
    }
}
