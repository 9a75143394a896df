use std::fmt;
use std::net::IpAddr;

use rustls::pki_types::CertificateDer;
use varbind_engine::security::SecurityName;

use super::{AlternativeName, CertificateDescription, Fingerprint, HashAlgorithm};

/// How a name is made of a certificate (snmpTlstmCertToTSNMapType, RFC 6353 section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// This name (snmpTlstmCertSpecified).
    Specified(String),
    /// The first rfc822Name, its host in lower case (snmpTlstmCertSANRFC822Name).
    Rfc822Name,
    /// The first dNSName in lower case (snmpTlstmCertSANDNSName).
    DnsName,
    /// The first iPAddress: dotted decimals, or 32 hexadecimal digits (snmpTlstmCertSANIpAddress).
    IpAddress,
    /// The first of the three (snmpTlstmCertSANAny).
    AnyAlternativeName,
    /// The CommonName of the subject (snmpTlstmCertCommonName), which is deprecated.
    CommonName,
}

impl Mapping {
    /// The name that this makes of a certificate.
    ///
    /// # Errors
    /// When the certificate has nothing to make it of, or it has not 1 to 32 octets (RFC 6353 section 7, RFC 3415 section 2).
    pub fn security_name(
        &self,
        certificate: &CertificateDescription,
    ) -> Result<SecurityName, NoName> {
        let alternative = |is_wanted: fn(&AlternativeName) -> bool| {
            let names = &mut certificate.alternative_names.iter();
            names.find(|name| is_wanted(name)).map(security_name_of)
        };
        let name = match self {
            Self::Specified(name) => Some(name.clone()),
            Self::Rfc822Name => alternative(|name| matches!(name, AlternativeName::Rfc822(_))),
            Self::DnsName => alternative(|name| matches!(name, AlternativeName::Dns(_))),
            Self::IpAddress => alternative(|name| matches!(name, AlternativeName::Ip(_))),
            Self::AnyAlternativeName => alternative(|_| true),
            Self::CommonName => certificate.common_name.clone(),
        };
        let name = name.ok_or(NoName::Missing)?;
        if (1..=LONGEST_NAME).contains(&name.len()) && !name.contains(char::is_control) {
            Ok(SecurityName::new(name))
        } else {
            Err(NoName::Unusable(name))
        }
    }
}

/// The longest name that access control takes (RFC 3415 section 2.1).
const LONGEST_NAME: usize = 32;

fn security_name_of(name: &AlternativeName) -> String {
    match name {
        AlternativeName::Rfc822(name) => match name.rsplit_once('@') {
            Some((local, host)) => format!("{local}@{}", host.to_ascii_lowercase()),
            None => name.clone(),
        },
        AlternativeName::Dns(name) => name.to_ascii_lowercase(),
        AlternativeName::Ip(IpAddr::V4(address)) => address.to_string(),
        AlternativeName::Ip(IpAddr::V6(address)) => format!("{:032x}", u128::from(*address)),
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Specified(name) => write!(f, "the name {name:?}"),
            Self::Rfc822Name => f.write_str("its rfc822Name"),
            Self::DnsName => f.write_str("its dNSName"),
            Self::IpAddress => f.write_str("its iPAddress"),
            Self::AnyAlternativeName => f.write_str("its first subjectAltName"),
            Self::CommonName => f.write_str("its CommonName"),
        }
    }
}

/// A rule that gives a name to certificates (a row of snmpTlstmCertToTSNTable, RFC 6353 section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateMapRow {
    /// The number: rules are tried in its order (snmpTlstmCertToTSNID).
    pub id: u32,
    /// The fingerprint of the client's certificate, or of an authority that has signed it.
    pub fingerprint: Fingerprint,
    /// The name.
    pub mapping: Mapping,
}

/// The rules that give names to the certificates of clients (snmpTlstmCertToTSNTable, RFC 6353 section 7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateMap {
    rows: Vec<CertificateMapRow>,
}

impl CertificateMap {
    /// These rules, in the order of their numbers.
    #[must_use]
    pub fn new(mut rows: Vec<CertificateMapRow>) -> Self {
        rows.sort_by_key(|row| row.id);
        Self { rows }
    }

    /// Rules for these authorities: they name each client that one of them has signed by its first subjectAltName, or else by
    /// its CommonName.
    #[must_use]
    pub fn of_authorities(authorities: &[CertificateDer<'_>]) -> Self {
        let rules = authorities.iter().flat_map(|authority| {
            let fingerprint = Fingerprint::of(authority, HashAlgorithm::Sha256);
            [Mapping::AnyAlternativeName, Mapping::CommonName]
                .map(|mapping| (fingerprint.clone(), mapping))
        });
        Self::numbered(rules)
    }

    /// These rules, in this order.
    #[must_use]
    pub fn numbered(rules: impl IntoIterator<Item = (Fingerprint, Mapping)>) -> Self {
        let rows = (1..).zip(rules);
        Self {
            rows: rows
                .map(|(id, (fingerprint, mapping))| CertificateMapRow {
                    id,
                    fingerprint,
                    mapping,
                })
                .collect(),
        }
    }

    /// The rules, in the order in which they are tried.
    #[must_use]
    pub fn rows(&self) -> &[CertificateMapRow] {
        &self.rows
    }

    /// Whether a rule has the fingerprint of this certificate itself, so that it needs no authority.
    #[must_use]
    pub fn pins(&self, certificate: &[u8]) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.fingerprint.identifies(certificate))
    }

    /// The name of the client: that of the first rule that has the fingerprint of the certificate, or of one of the
    /// authorities by which it was verified, and yields a name. `certificate` and `authorities` are in DER.
    ///
    /// # Errors
    /// When no rule yields a name.
    pub fn security_name(
        &self,
        certificate: &[u8],
        description: &CertificateDescription,
        authorities: &[&[u8]],
    ) -> Result<SecurityName, Box<Unmapped>> {
        let mut tried = Vec::new();
        for row in &self.rows {
            let is_match = row.fingerprint.identifies(certificate)
                || authorities.iter().any(|it| row.fingerprint.identifies(it));
            let failure = if is_match {
                match row.mapping.security_name(description) {
                    Ok(name) => return Ok(name),
                    Err(error) => Some(error),
                }
            } else {
                None
            };
            tried.push(TriedRow {
                id: row.id,
                mapping: row.mapping.clone(),
                failure,
            });
        }
        Err(Box::new(Unmapped {
            certificate: description.clone(),
            tried,
        }))
    }
}

/// Why a rule makes no name of a certificate that has its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoName {
    /// The certificate has no such name.
    Missing,
    /// This is empty, or longer than 32 octets, or has control characters.
    Unusable(String),
}

impl fmt::Display for NoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the certificate has none"),
            Self::Unusable(name) => write!(
                f,
                "{:?} has {} octets, and a name must have 1 to {LONGEST_NAME} without control characters",
                name.chars().take(64).collect::<String>(),
                name.len()
            ),
        }
    }
}

/// A rule that gave a certificate no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedRow {
    /// The number of the rule.
    pub id: u32,
    /// What name it would give.
    pub mapping: Mapping,
    /// Why it gave none; `None` if it has the fingerprint of another certificate.
    pub failure: Option<NoName>,
}

/// No rule gives the certificate a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmapped {
    /// The certificate.
    pub certificate: CertificateDescription,
    /// The rules, in the order in which they were tried.
    pub tried: Vec<TriedRow>,
}

impl fmt::Display for Unmapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most rules that are listed.
        const ROWS: usize = 4;
        write!(
            f,
            "no rule gives a name to the certificate {}: ",
            self.certificate
        )?;
        if self.tried.is_empty() {
            return f.write_str("there are no rules");
        }
        let (matching, others): (Vec<_>, Vec<_>) =
            self.tried.iter().partition(|row| row.failure.is_some());
        let mut separator = "";
        for row in matching.iter().take(ROWS) {
            if let Some(failure) = &row.failure {
                write!(
                    f,
                    "{separator}rule {} asks for {}, but {failure}",
                    row.id, row.mapping
                )?;
                separator = "; ";
            }
        }
        if !others.is_empty() {
            write!(f, "{separator}rule")?;
            for row in others.iter().take(ROWS) {
                write!(f, " {}", row.id)?;
            }
            if others.len() > ROWS {
                write!(f, " and {} more", others.len() - ROWS)?;
            }
            f.write_str(" for other fingerprints")?;
        }
        Ok(())
    }
}

impl std::error::Error for Unmapped {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::certificate::HashAlgorithm;

    fn certificate() -> CertificateDescription {
        CertificateDescription {
            version: 3,
            subject: "CN=ops".to_owned(),
            issuer: "CN=authority".to_owned(),
            common_name: Some("ops".to_owned()),
            alternative_names: vec![
                AlternativeName::Ip("2001:db8::1".parse().unwrap()),
                AlternativeName::Rfc822("FooBar@Example.COM".to_owned()),
                AlternativeName::Dns("Ops.Example.COM".to_owned()),
                AlternativeName::Ip("192.0.2.1".parse().unwrap()),
            ],
            not_before: 0,
            not_after: i64::MAX,
            is_authority: false,
            is_for_clients: true,
            fingerprint: Fingerprint::of(b"leaf", HashAlgorithm::Sha256),
        }
    }

    fn row(id: u32, of: &[u8], mapping: Mapping) -> CertificateMapRow {
        CertificateMapRow {
            id,
            fingerprint: Fingerprint::of(of, HashAlgorithm::Sha384),
            mapping,
        }
    }

    #[test]
    fn each_kind_of_mapping_makes_the_name_that_rfc_6353_gives() {
        for (mapping, name) in [
            (Mapping::Specified("boss".to_owned()), "boss"),
            (Mapping::Rfc822Name, "FooBar@example.com"),
            (Mapping::DnsName, "ops.example.com"),
            (Mapping::IpAddress, "20010db8000000000000000000000001"),
            (
                Mapping::AnyAlternativeName,
                "20010db8000000000000000000000001",
            ),
            (Mapping::CommonName, "ops"),
        ] {
            let made = mapping.security_name(&certificate());
            assert_eq!(made, Ok(SecurityName::new(name)), "{mapping}");
        }
    }

    #[test]
    fn rules_are_tried_by_number_and_those_without_a_name_are_passed_over() {
        let map = CertificateMap::new(vec![
            row(30, b"leaf", Mapping::CommonName),
            row(10, b"other", Mapping::Specified("other".to_owned())),
            row(20, b"authority", Mapping::Specified("x".repeat(33))),
            row(15, b"leaf", Mapping::Specified(String::new())),
        ]);
        let name = map.security_name(b"leaf", &certificate(), &[b"authority"]);
        assert_eq!(name, Ok(SecurityName::new("ops")));
    }

    #[test]
    fn an_authority_counts_only_if_the_certificate_was_verified_by_it() {
        let map = CertificateMap::new(vec![row(1, b"authority", Mapping::CommonName)]);
        let described = certificate();
        assert!(
            map.security_name(b"leaf", &described, &[b"authority"])
                .is_ok()
        );
        let error = map.security_name(b"leaf", &described, &[]).unwrap_err();
        assert_eq!(error.tried[0].failure, None);
    }

    #[test]
    fn a_failure_names_the_certificate_and_the_rules() {
        let map = CertificateMap::new(vec![
            row(1, b"leaf", Mapping::Specified("x".repeat(40))),
            row(2, b"other", Mapping::DnsName),
        ]);
        let error = map.security_name(b"leaf", &certificate(), &[]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("\"CN=ops\" (sha256:"), "{text}");
        assert!(text.contains("DNS Ops.Example.COM"), "{text}");
        assert!(text.contains("40 octets"), "{text}");
        assert!(text.contains("rule 2 for other fingerprints"), "{text}");
        let none = CertificateMap::default().security_name(b"leaf", &certificate(), &[]);
        assert!(
            none.unwrap_err()
                .to_string()
                .ends_with("there are no rules")
        );
    }
}
