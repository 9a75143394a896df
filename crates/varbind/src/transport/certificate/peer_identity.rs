use std::fmt;
use std::net::IpAddr;

use super::{AlternativeName, CertificateDescription, Fingerprint};

/// Which certificate a server must have (snmpTlstmAddrTable, RFC 6353 section 7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PeerIdentity {
    /// One that a trusted authority has signed, with the name or address by which the server is spoken to.
    #[default]
    Target,
    /// The certificate with this fingerprint, whatever its issuer (snmpTlstmAddrServerFingerprint).
    Fingerprint(Fingerprint),
    /// One that a trusted authority has signed, with this name or address (snmpTlstmAddrServerIdentity).
    Name(String),
    /// Any that a trusted authority has signed, whatever its name. This is not a value for the MIB: RFC 6353 forbids `*`
    /// without a fingerprint there.
    AnyTrusted,
}

impl PeerIdentity {
    /// The name or address that the certificate must have, where names matter.
    pub(super) fn expected_name<'n>(&'n self, target: &'n str) -> Option<&'n str> {
        match self {
            Self::Target => Some(target),
            Self::Name(name) => Some(name),
            Self::Fingerprint(_) | Self::AnyTrusted => None,
        }
    }
}

impl fmt::Display for PeerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target => f.write_str("the name of the target"),
            Self::Fingerprint(fingerprint) => write!(f, "{fingerprint}"),
            Self::Name(name) => f.write_str(name),
            Self::AnyTrusted => f.write_str("*"),
        }
    }
}

/// Whether a certificate is that of a host (RFC 6353 section 7, snmpTlstmAddrTable): one of its dNSName, in which the
/// left-most label may be `*`, or for an address one of its iPAddress. The CommonName counts if the certificate has no
/// such names.
pub(super) fn names_host(certificate: &CertificateDescription, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    // The zone of a link-local address says where it is, not what it is.
    let address = host.split('%').next().unwrap_or(host).parse::<IpAddr>();
    let names = &certificate.alternative_names;
    if let Ok(address) = address {
        let is_named = names
            .iter()
            .any(|name| matches!(name, AlternativeName::Ip(ip) if *ip == address.to_canonical()));
        return is_named;
    }
    let mut dns = names.iter().filter_map(|name| match name {
        AlternativeName::Dns(name) => Some(name.as_str()),
        _ => None,
    });
    let has_names = names
        .iter()
        .any(|name| !matches!(name, AlternativeName::Rfc822(_)));
    if has_names {
        dns.any(|pattern| matches_host(pattern, host))
    } else {
        let common_name = certificate.common_name.as_deref();
        common_name.is_some_and(|pattern| matches_host(pattern, host))
    }
}

fn matches_host(pattern: &str, host: &str) -> bool {
    let pattern = pattern.trim_end_matches('.');
    if pattern.is_empty() || host.is_empty() {
        return false;
    }
    match pattern.strip_prefix("*.") {
        None => pattern.eq_ignore_ascii_case(host),
        // One label, and never so few that a whole domain of the registries is meant.
        Some(domain) => host.split_once('.').is_some_and(|(label, rest)| {
            !label.is_empty() && domain.contains('.') && rest.eq_ignore_ascii_case(domain)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::certificate::HashAlgorithm;

    fn certificate(common_name: &str, names: Vec<AlternativeName>) -> CertificateDescription {
        CertificateDescription {
            version: 3,
            subject: format!("CN={common_name}"),
            issuer: String::new(),
            common_name: Some(common_name.to_owned()),
            alternative_names: names,
            not_before: 0,
            not_after: 0,
            is_authority: false,
            is_for_clients: true,
            fingerprint: Fingerprint::of(&[], HashAlgorithm::Sha256),
        }
    }

    #[test]
    fn hosts_are_reported_by_their_names_and_addresses() {
        let dns = |name: &str| vec![AlternativeName::Dns(name.to_owned())];
        let ip = |address: &str| vec![AlternativeName::Ip(address.parse().unwrap())];
        for (names, host, is_named) in [
            (dns("router.example"), "Router.Example", true),
            (dns("router.example"), "router.example.", true),
            (dns("router.example"), "router.example.org", false),
            (dns("*.example.com"), "a.example.com", true),
            (dns("*.example.com"), "example.com", false),
            (dns("*.example.com"), "a.b.example.com", false),
            (dns("a*.example.com"), "ab.example.com", false),
            (dns("*.com"), "example.com", false),
            (dns("*"), "example", false),
            (dns("192.0.2.1"), "192.0.2.1", false),
            (ip("192.0.2.1"), "192.0.2.1", true),
            (ip("192.0.2.2"), "192.0.2.1", false),
            (ip("fe80::1"), "fe80::1%eth0", true),
            (ip("192.0.2.1"), "router", false),
            (vec![], "router", true),
            (dns("other"), "router", false),
            (
                vec![AlternativeName::Rfc822("a@router".to_owned())],
                "router",
                true,
            ),
        ] {
            let certificate = certificate("router", names);
            assert_eq!(
                names_host(&certificate, host),
                is_named,
                "{certificate} {host}"
            );
        }
    }
}
