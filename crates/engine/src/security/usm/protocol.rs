use std::fmt;
use std::str::FromStr;

/// An authentication protocol (RFC 3414 sections 6 and 7, RFC 7860).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AuthenticationProtocol {
    /// usmHMACMD5AuthProtocol. Weak.
    Md5,
    /// usmHMACSHAAuthProtocol.
    Sha1,
    /// usmHMAC128SHA224AuthProtocol.
    Sha224,
    /// usmHMAC192SHA256AuthProtocol.
    Sha256,
    /// usmHMAC256SHA384AuthProtocol.
    Sha384,
    /// usmHMAC384SHA512AuthProtocol.
    Sha512,
}

impl AuthenticationProtocol {
    /// All of them, weakest first.
    pub const ALL: [Self; 6] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
    ];

    /// Octets of a key, which are those of the hash function.
    #[must_use]
    pub const fn key_length(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Octets of the digest in a message (RFC 3414 sections 6.3 and 7.3, RFC 7860 section 4.1).
    #[must_use]
    pub const fn digest_length(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 => 12,
            Self::Sha224 => 16,
            Self::Sha256 => 24,
            Self::Sha384 => 32,
            Self::Sha512 => 48,
        }
    }

    /// Whether the protocol is out of date and should not be chosen any more.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        matches!(self, Self::Md5)
    }

    /// The name, as in Net-SNMP's `-a`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA",
            Self::Sha224 => "SHA-224",
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    /// The protocol's name below snmpAuthProtocols, as usmUserAuthProtocol has it (RFC 3414 section 5, RFC 7860
    /// section 7).
    #[must_use]
    pub const fn object_identifier(self) -> &'static [u32] {
        match self {
            Self::Md5 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 2],
            Self::Sha1 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 3],
            Self::Sha224 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 4],
            Self::Sha256 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 5],
            Self::Sha384 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 6],
            Self::Sha512 => &[1, 3, 6, 1, 6, 3, 10, 1, 1, 7],
        }
    }
}

/// How a key is made longer than the hash function yields.
///
/// Neither way is in an RFC, and devices use both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyExtension {
    /// draft-blumenthal-aes-usm-04: the hash of the key is appended. Net-SNMP's AES-192 and AES-256.
    Blumenthal,
    /// draft-reeder-snmpv3-usm-3desede-00: the key is taken as a password and its key appended. Cisco's AES, and
    /// Net-SNMP's AES-192-C and AES-256-C.
    Reeder,
}

/// A privacy protocol (RFC 3414 section 8, RFC 3826).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrivacyProtocol {
    /// usmDESPrivProtocol. Weak.
    Des,
    /// usmAesCfb128Protocol.
    Aes128,
    /// AES with a key of 192 bits.
    Aes192(KeyExtension),
    /// AES with a key of 256 bits.
    Aes256(KeyExtension),
}

impl PrivacyProtocol {
    /// All of them, weakest first.
    pub const ALL: [Self; 6] = [
        Self::Des,
        Self::Aes128,
        Self::Aes192(KeyExtension::Blumenthal),
        Self::Aes192(KeyExtension::Reeder),
        Self::Aes256(KeyExtension::Blumenthal),
        Self::Aes256(KeyExtension::Reeder),
    ];

    /// Octets of a key. That of DES contains the pre-initialisation vector (RFC 3414 section 8.1.1.1).
    #[must_use]
    pub const fn key_length(self) -> usize {
        match self {
            Self::Des | Self::Aes128 => 16,
            Self::Aes192(_) => 24,
            Self::Aes256(_) => 32,
        }
    }

    /// How a key that is too short is extended. Where the key is never too short, it does not matter.
    #[must_use]
    pub const fn key_extension(self) -> KeyExtension {
        match self {
            Self::Des | Self::Aes128 => KeyExtension::Blumenthal,
            Self::Aes192(extension) | Self::Aes256(extension) => extension,
        }
    }

    /// Whether the protocol is out of date and should not be chosen any more.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        matches!(self, Self::Des)
    }

    /// The protocol's name, as usmUserPrivProtocol has it: below snmpPrivProtocols (RFC 3414 section 5, RFC 3826
    /// section 7), and those of the enterprises that brought them up where no standard names them.
    #[must_use]
    pub const fn object_identifier(self) -> &'static [u32] {
        match self {
            Self::Des => &[1, 3, 6, 1, 6, 3, 10, 1, 2, 2],
            Self::Aes128 => &[1, 3, 6, 1, 6, 3, 10, 1, 2, 4],
            Self::Aes192(KeyExtension::Blumenthal) => &[1, 3, 6, 1, 4, 1, 14832, 1, 3],
            Self::Aes192(KeyExtension::Reeder) => &[1, 3, 6, 1, 4, 1, 9, 12, 6, 1, 1],
            Self::Aes256(KeyExtension::Blumenthal) => &[1, 3, 6, 1, 4, 1, 14832, 1, 4],
            Self::Aes256(KeyExtension::Reeder) => &[1, 3, 6, 1, 4, 1, 9, 12, 6, 1, 2],
        }
    }

    /// The name, as in Net-SNMP's `-x`; `-C` stands for Reeder's extension.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Des => "DES",
            Self::Aes128 => "AES",
            Self::Aes192(KeyExtension::Blumenthal) => "AES-192",
            Self::Aes192(KeyExtension::Reeder) => "AES-192-C",
            Self::Aes256(KeyExtension::Blumenthal) => "AES-256",
            Self::Aes256(KeyExtension::Reeder) => "AES-256-C",
        }
    }
}

/// The text names no protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseProtocolError {
    text: String,
    known: &'static str,
}

impl fmt::Display for ParseProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown protocol {}: choose {}", self.text, self.known)
    }
}

impl std::error::Error for ParseProtocolError {}

/// Upper case and without hyphens, so that `sha256`, `SHA-256` and `SHA256` are the same.
fn plain(text: &str) -> String {
    text.replace(['-', '_'], "").to_ascii_uppercase()
}

impl FromStr for AuthenticationProtocol {
    type Err = ParseProtocolError;

    fn from_str(text: &str) -> Result<Self, ParseProtocolError> {
        let wanted = plain(text);
        let wanted = if wanted == "SHA1" { "SHA" } else { &wanted };
        Self::ALL
            .into_iter()
            .find(|protocol| plain(protocol.name()) == wanted)
            .ok_or_else(|| ParseProtocolError {
                text: text.to_owned(),
                known: "SHA-512, SHA-384, SHA-256, SHA-224, SHA or MD5",
            })
    }
}

impl FromStr for PrivacyProtocol {
    type Err = ParseProtocolError;

    fn from_str(text: &str) -> Result<Self, ParseProtocolError> {
        let wanted = plain(text);
        let wanted = if wanted == "AES128" { "AES" } else { &wanted };
        Self::ALL
            .into_iter()
            .find(|protocol| plain(protocol.name()) == wanted)
            .ok_or_else(|| ParseProtocolError {
                text: text.to_owned(),
                known: "AES-256, AES-192 (either with -C for the key extension that Cisco uses), AES or DES",
            })
    }
}

impl fmt::Display for AuthenticationProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for PrivacyProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_the_ways_they_are_written() {
        for protocol in AuthenticationProtocol::ALL {
            assert_eq!(protocol.name().parse(), Ok(protocol));
            assert_eq!(protocol.name().to_lowercase().parse(), Ok(protocol));
        }
        for protocol in PrivacyProtocol::ALL {
            assert_eq!(protocol.name().parse(), Ok(protocol));
            assert_eq!(protocol.name().replace('-', "").parse(), Ok(protocol));
        }
        assert_eq!("sha1".parse(), Ok(AuthenticationProtocol::Sha1));
        assert_eq!("aes128".parse(), Ok(PrivacyProtocol::Aes128));
        let error = "AES-512".parse::<PrivacyProtocol>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("unknown protocol AES-512: choose AES-256")
        );
    }
}
