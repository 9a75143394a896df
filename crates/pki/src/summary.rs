use std::fmt;
use std::time::SystemTime;

use x509_parser::certificate::X509Certificate;
use x509_parser::oid_registry::{Oid, asn1_rs::oid};
use x509_parser::time::ASN1Time;
use x509_parser::x509::SubjectPublicKeyInfo;

use crate::validity::{Validity, system_time};

/// The fields of a certificate in readable form, and warnings about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number that the issuer gave it, in hexadecimal digits.
    pub serial_number: String,
    /// From when to when it is valid.
    pub validity: Validity,
    /// The start of the validity, as text.
    pub not_before: String,
    /// The end of the validity, as text.
    pub not_after: String,
    /// The algorithm of the key and its length.
    pub key: String,
    /// The algorithm of the signature.
    pub signature: String,
    /// The permitted uses of the key (keyUsage, extendedKeyUsage).
    pub usages: Vec<&'static str>,
    /// Reasons why peers may refuse it.
    pub warnings: Vec<Warning>,
}

/// A reason why peers may refuse a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// The signature uses a hash function that is broken.
    WeakSignature(String),
    /// An RSA key of this many bits is too short.
    ShortKey(usize),
    /// It has no subjectAltName, and is not an authority's.
    NoAlternativeName,
    /// It is not for clients (extendedKeyUsage).
    NotForClients,
    /// It is not for servers (extendedKeyUsage).
    NotForServers,
    /// It is of a version before 3, which has no extensions.
    OldVersion,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expired => f.write_str("it has expired: no peer accepts it"),
            Self::NotYetValid => {
                f.write_str("it is not valid yet: no peer accepts it, unless a clock is wrong")
            }
            Self::WeakSignature(algorithm) => {
                write!(f, "its signature ({algorithm}) can be forged: peers refuse it")
            }
            Self::ShortKey(bits) => {
                write!(f, "an RSA key of {bits} bits is too short: peers require 2048")
            }
            Self::NoAlternativeName => f.write_str(
                "it has no subjectAltName: managers cannot compare the name of the host with it",
            ),
            Self::NotForClients => f.write_str(
                "it is not for clients (extendedKeyUsage): managers and senders of notifications cannot use it",
            ),
            Self::NotForServers => f.write_str(
                "it is not for servers (extendedKeyUsage): agents and receivers of notifications cannot use it",
            ),
            Self::OldVersion => f.write_str("it is of an old version of X.509, without extensions"),
        }
    }
}

/// The shortest RSA key that is not warned of, in bits.
const RSA_BITS: usize = 2048;

const RSA: Oid<'static> = oid!(1.2.840.113549.1.1.1);
const EC: Oid<'static> = oid!(1.2.840.10045.2.1);

/// The algorithms that are found in certificates, and whether they are weak.
const SIGNATURES: [(Oid<'static>, &str, bool); 12] = [
    (oid!(1.2.840.113549.1.1.4), "RSA with MD5", true),
    (oid!(1.2.840.113549.1.1.5), "RSA with SHA-1", true),
    (oid!(1.2.840.113549.1.1.11), "RSA with SHA-256", false),
    (oid!(1.2.840.113549.1.1.12), "RSA with SHA-384", false),
    (oid!(1.2.840.113549.1.1.13), "RSA with SHA-512", false),
    (oid!(1.2.840.113549.1.1.10), "RSA-PSS", false),
    (oid!(1.2.840.10045.4.1), "ECDSA with SHA-1", true),
    (oid!(1.2.840.10045.4.3.2), "ECDSA with SHA-256", false),
    (oid!(1.2.840.10045.4.3.3), "ECDSA with SHA-384", false),
    (oid!(1.2.840.10045.4.3.4), "ECDSA with SHA-512", false),
    (oid!(1.3.101.112), "Ed25519", false),
    (oid!(1.3.101.113), "Ed448", false),
];

const KEYS: [(Oid<'static>, &str); 5] = [
    (oid!(1.2.840.10045.3.1.7), "ECDSA P-256"),
    (oid!(1.3.132.0.34), "ECDSA P-384"),
    (oid!(1.3.132.0.35), "ECDSA P-521"),
    (oid!(1.3.101.112), "Ed25519"),
    (oid!(1.3.101.113), "Ed448"),
];

impl Summary {
    /// Reads a certificate in DER; `now` decides whether it has expired.
    ///
    /// # Errors
    /// If the octets are not a certificate: the reason as text.
    pub fn of(der: &[u8], now: SystemTime) -> Result<Self, String> {
        let (_, certificate) = x509_parser::parse_x509_certificate(der)
            .map_err(|error| format!("the certificate cannot be read: {error}"))?;
        let validity = Validity {
            not_before: system_time(certificate.validity().not_before),
            not_after: system_time(certificate.validity().not_after),
        };
        let mut summary = Self {
            serial_number: certificate.raw_serial_as_string(),
            validity,
            not_before: date(certificate.validity().not_before),
            not_after: date(certificate.validity().not_after),
            key: key(certificate.public_key()),
            signature: signature(&certificate).0,
            usages: usages(&certificate),
            warnings: Vec::new(),
        };
        summary.warnings = summary.warnings_of(&certificate, now);
        Ok(summary)
    }

    fn warnings_of(&self, certificate: &X509Certificate<'_>, now: SystemTime) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if now > self.validity.not_after {
            warnings.push(Warning::Expired);
        }
        if now < self.validity.not_before {
            warnings.push(Warning::NotYetValid);
        }
        let (name, is_weak) = signature(certificate);
        let is_self_signed = certificate.subject().as_raw() == certificate.issuer().as_raw();
        // Attributes of a root are not verified.
        if is_weak && !is_self_signed {
            warnings.push(Warning::WeakSignature(name));
        }
        if certificate.public_key().algorithm.algorithm == RSA {
            let bits = rsa_bits(certificate.public_key());
            if bits < RSA_BITS {
                warnings.push(Warning::ShortKey(bits));
            }
        }
        if certificate.version() != x509_parser::x509::X509Version::V3 {
            warnings.push(Warning::OldVersion);
        } else if !certificate.is_ca() {
            let usage = certificate.extended_key_usage().ok().flatten();
            if let Some(usage) = usage.map(|extension| extension.value) {
                if !usage.any && !usage.client_auth {
                    warnings.push(Warning::NotForClients);
                }
                if !usage.any && !usage.server_auth {
                    warnings.push(Warning::NotForServers);
                }
            }
            // A manager's common name is enough, and who is a server alone is none.
            let is_server_alone = warnings.contains(&Warning::NotForClients);
            if is_server_alone && !has_alternative_name(certificate) {
                warnings.push(Warning::NoAlternativeName);
            }
        }
        warnings
    }
}

fn date(time: ASN1Time) -> String {
    let time = time.to_datetime();
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
        time.year(),
        u8::from(time.month()),
        time.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

fn has_alternative_name(certificate: &X509Certificate<'_>) -> bool {
    certificate
        .subject_alternative_name()
        .ok()
        .flatten()
        .is_some_and(|names| !names.value.general_names.is_empty())
}

fn rsa_bits(key: &SubjectPublicKeyInfo<'_>) -> usize {
    key.parsed().map_or(0, |key| key.key_size())
}

fn key(key: &SubjectPublicKeyInfo<'_>) -> String {
    let algorithm = &key.algorithm.algorithm;
    if *algorithm == RSA {
        return format!("RSA {}", rsa_bits(key));
    }
    let curve = key
        .algorithm
        .parameters
        .as_ref()
        .and_then(|parameters| parameters.as_oid().ok());
    let wanted = if *algorithm == EC {
        curve.unwrap_or_else(|| algorithm.clone())
    } else {
        algorithm.clone()
    };
    KEYS.iter()
        .find(|(oid, _)| *oid == wanted)
        .map_or_else(|| wanted.to_string(), |(_, name)| (*name).to_owned())
}

fn signature(certificate: &X509Certificate<'_>) -> (String, bool) {
    let algorithm = &certificate.signature_algorithm.algorithm;
    SIGNATURES
        .iter()
        .find(|(oid, _, _)| oid == algorithm)
        .map_or_else(
            || (algorithm.to_string(), false),
            |(_, name, is_weak)| ((*name).to_owned(), *is_weak),
        )
}

fn usages(certificate: &X509Certificate<'_>) -> Vec<&'static str> {
    let mut usages = Vec::new();
    let extended = certificate.extended_key_usage().ok().flatten();
    if let Some(usage) = extended.map(|extension| extension.value) {
        let known = [
            (usage.any, "any"),
            (usage.server_auth, "server"),
            (usage.client_auth, "client"),
        ];
        usages.extend(known.iter().filter(|(is, _)| *is).map(|(_, name)| *name));
    }
    let usage = certificate.key_usage().ok().flatten();
    if let Some(usage) = usage.map(|extension| extension.value) {
        let known = [
            (usage.digital_signature(), "digital signature"),
            (usage.key_encipherment(), "key encipherment"),
            (usage.key_agreement(), "key agreement"),
            (usage.key_cert_sign(), "certificate signing"),
            (usage.crl_sign(), "revocation list signing"),
        ];
        usages.extend(known.iter().filter(|(is, _)| *is).map(|(_, name)| *name));
    }
    usages
}
