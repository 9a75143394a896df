use rustls::pki_types::CertificateDer;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::FromDer;
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

use super::peer_identity::names_host;
use super::{Fingerprint, HashAlgorithm};

/// A name in the subjectAltName of a certificate (RFC 5280 section 4.2.1.6), of the kinds that name SNMP engines and users.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlternativeName {
    /// An address of electronic mail (rfc822Name).
    Rfc822(String),
    /// A name of the DNS (dNSName).
    Dns(String),
    /// An address of the Internet Protocol (iPAddress).
    Ip(IpAddr),
}

impl fmt::Display for AlternativeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rfc822(name) => write!(f, "email {}", name.escape_debug()),
            Self::Dns(name) => write!(f, "DNS {}", name.escape_debug()),
            Self::Ip(address) => write!(f, "IP {address}"),
        }
    }
}

/// The content of a certificate that matters to SNMP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateDescription {
    /// The version of X.509.
    pub version: u32,
    /// The subject, as RFC 4514 writes it.
    pub subject: String,
    /// Who has signed it, likewise.
    pub issuer: String,
    /// The first CommonName of the subject, if it has one that is text.
    pub common_name: Option<String>,
    /// The names of the subjectAltName, in their order.
    pub alternative_names: Vec<AlternativeName>,
    /// From when it is valid, in seconds since 1970.
    pub not_before: i64,
    /// Until when it is valid, in seconds since 1970.
    pub not_after: i64,
    /// Whether it may sign others.
    pub is_authority: bool,
    /// Whether its extended key usage, if it has one, allows clients.
    pub is_for_clients: bool,
    /// Its SHA-256 fingerprint.
    pub fingerprint: Fingerprint,
}

impl CertificateDescription {
    /// Reads a certificate in DER.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(certificate: &[u8]) -> Result<Self, MalformedCertificate> {
        let malformed = |error: &dyn fmt::Display| MalformedCertificate {
            reason: error.to_string(),
        };
        let (rest, parsed) =
            X509Certificate::from_der(certificate).map_err(|error| malformed(&error))?;
        if !rest.is_empty() {
            return Err(malformed(&"octets follow the certificate"));
        }
        Ok(Self {
            // Version 1 is written as 0.
            version: parsed.version().0.saturating_add(1),
            subject: parsed.subject().to_string(),
            issuer: parsed.issuer().to_string(),
            common_name: common_name(parsed.subject()),
            alternative_names: alternative_names(&parsed),
            not_before: parsed.validity().not_before.timestamp(),
            not_after: parsed.validity().not_after.timestamp(),
            is_authority: parsed.is_ca(),
            is_for_clients: is_for_clients(&parsed),
            fingerprint: Fingerprint::of(certificate, HashAlgorithm::Sha256),
        })
    }
}

impl CertificateDescription {
    /// From when it is valid, as a date and time (UTC).
    #[must_use]
    pub fn valid_from(&self) -> impl fmt::Display + use<> {
        Date(self.not_before)
    }

    /// Whether it is that of a host: one of its dNSName or iPAddress names it, or, if it has none, its CommonName (RFC
    /// 6353 section 7, snmpTlstmAddrTable).
    #[must_use]
    pub fn is_for_host(&self, host: &str) -> bool {
        names_host(self, host)
    }

    /// A name by which its host can be expected: a dNSName or iPAddress, or else its CommonName. It has no characters that
    /// mean something to a shell.
    #[must_use]
    pub fn host_name(&self) -> Option<String> {
        let mut names = self.alternative_names.iter();
        let name = names.find_map(|name| match name {
            AlternativeName::Dns(name) if !name.contains('*') => Some(name.clone()),
            AlternativeName::Ip(address) => Some(address.to_string()),
            _ => None,
        });
        let name = name.or_else(|| self.common_name.clone())?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
        (self.is_for_host(&name) && name.chars().all(is_plain)).then_some(name)
    }

    /// Until when it is valid, as a date and time (UTC).
    #[must_use]
    pub fn valid_until(&self) -> impl fmt::Display + use<> {
        Date(self.not_after)
    }
}

/// RFC 5280 4.2.1.12
fn is_for_clients(certificate: &X509Certificate<'_>) -> bool {
    match certificate.extended_key_usage() {
        Ok(usage) => usage.is_none_or(|usage| usage.value.any || usage.value.client_auth),
        // It is there twice.
        Err(_) => false,
    }
}

fn common_name(name: &X509Name<'_>) -> Option<String> {
    text(name.iter_common_name().next()?)
}

/// An attribute in UTF-8.
fn text(attribute: &AttributeTypeAndValue<'_>) -> Option<String> {
    /// BMPString: UTF-16 without surrogates, high octets first.
    const BMP_STRING: u32 = 30;
    if let Ok(text) = attribute.as_str() {
        return Some(text.to_owned());
    }
    let value = attribute.attr_value();
    if value.tag().0 != BMP_STRING {
        return None;
    }
    let units: Vec<u16> = value
        .data
        .chunks(2)
        .map(|unit| {
            unit.iter()
                .fold(0, |unit, octet| unit << 8 | u16::from(*octet))
        })
        .collect();
    String::from_utf16(&units).ok()
}

fn alternative_names(certificate: &X509Certificate<'_>) -> Vec<AlternativeName> {
    let extensions = certificate.extensions().iter();
    let names = extensions.filter_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectAlternativeName(names) => Some(&names.general_names),
        _ => None,
    });
    names.flatten().filter_map(alternative_name).collect()
}

fn alternative_name(name: &GeneralName<'_>) -> Option<AlternativeName> {
    match name {
        GeneralName::RFC822Name(name) => Some(AlternativeName::Rfc822((*name).to_owned())),
        GeneralName::DNSName(name) => Some(AlternativeName::Dns((*name).to_owned())),
        GeneralName::IPAddress(octets) => {
            let v4 = <[u8; 4]>::try_from(*octets).map(|it| IpAddr::V4(Ipv4Addr::from(it)));
            let v6 = <[u8; 16]>::try_from(*octets).map(|it| IpAddr::V6(Ipv6Addr::from(it)));
            v4.or(v6).ok().map(AlternativeName::Ip)
        }
        _ => None,
    }
}

impl fmt::Display for CertificateDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most names that are listed.
        const NAMES: usize = 6;
        // A certificate must not inject lines or control characters into a log.
        if self.subject.is_empty() {
            f.write_str("\"\"")?;
        } else {
            write!(f, "\"{}\"", self.subject.escape_debug())?;
        }
        write!(f, " ({}", self.fingerprint)?;
        for name in self.alternative_names.iter().take(NAMES) {
            write!(f, ", {name}")?;
        }
        if self.alternative_names.len() > NAMES {
            write!(
                f,
                " and {} more names",
                self.alternative_names.len() - NAMES
            )?;
        }
        f.write_str(")")
    }
}

/// What should be a certificate is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the certificate cannot be read: {reason}")]
pub struct MalformedCertificate {
    /// What is wrong.
    pub reason: String,
}

/// A time as seconds since 1970, shown as a date and time (UTC).
pub(super) struct Date(pub(super) i64);

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(86_400);
        let seconds = self.0.rem_euclid(86_400);
        // Days since 0000-03-01, so that a leap day is the last of its year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = (month_from_march + 2) % 12 + 1;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC"
        )
    }
}

/// Facts about the peer from a TLS or DTLS handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TlsFacts {
    /// The version that the two sides agreed upon, as in `TLS 1.3`.
    pub version: Option<&'static str>,
    /// The cipher suite, by its name in the registry of IANA.
    pub cipher_suite: Option<String>,
    /// The group of the key exchange, where it is known.
    pub key_exchange: Option<String>,
    /// The certificates that the peer sent, its own first, whether they were accepted or not; none in a resumed session.
    pub peer_chain: Vec<CertificateDer<'static>>,
    /// Whether the session is resumed, once the handshake is finished.
    pub is_resumed: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_as_people_write_them() {
        for (seconds, shown) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (4_102_444_800, "2100-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(Date(seconds).to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_certificate_is_an_error() {
        assert!(CertificateDescription::read(&[]).is_err());
        assert!(CertificateDescription::read(&[0x30, 0x82, 0xff, 0xff]).is_err());
    }
}
