use std::net::IpAddr;
use std::path::Path;

use rcgen::{DistinguishedName, DnType, ExtendedKeyUsagePurpose, SanType};
use x509_parser::certificate::X509Certificate;

use crate::Error;
use crate::renewal::Names;

/// The longest common name (ub-common-name, RFC 5280 appendix A).
const COMMON_NAME: usize = 64;
/// The longest security name that access control knows (vacmSecurityName, RFC 3415).
const SECURITY_NAME: usize = 32;
/// The longest name of a host (RFC 1035 section 2.3.4), and of a part of it.
const HOST_NAME: usize = 253;
const LABEL: usize = 63;

/// The subject of a certificate: an agent or a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    common_name: String,
    alternative_names: Vec<SanType>,
    is_agent: bool,
}

impl Subject {
    /// An agent that is reached by these host names and addresses: they are in the certificate as subjectAltName
    /// (dNSName and iPAddress), and the first one is its common name. It may ask as well as serve, since agents send
    /// notifications.
    ///
    /// # Errors
    /// When there is no host, or one of them is no host name and no address.
    pub fn agent(hosts: &[String]) -> Result<Self, Error> {
        let Some(first) = hosts.first() else {
            return Err(Error::Name {
                name: String::new(),
                problem: "a certificate of an agent needs a host name or an address",
            });
        };
        let mut alternative_names = Vec::new();
        for host in hosts {
            let name = match host.parse::<IpAddr>() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName(host_name(host)?.try_into()?),
            };
            if !alternative_names.contains(&name) {
                alternative_names.push(name);
            }
        }
        Ok(Self {
            // A host name that is longer stands in subjectAltName alone, where peers look first.
            common_name: first.chars().take(COMMON_NAME).collect(),
            alternative_names,
            is_agent: true,
        })
    }

    /// A manager with this name, which agents can map to a security name: it is the common name of the certificate, and
    /// if it is written like an address of electronic mail also in subjectAltName (rfc822Name). It may serve as well as
    /// ask, since managers receive notifications.
    ///
    /// # Errors
    /// When the name cannot be a security name.
    pub fn manager(name: &str) -> Result<Self, Error> {
        let problem = if name.is_empty() {
            Some("a certificate of a manager needs a name")
        } else if name.len() > SECURITY_NAME {
            Some("a name that access is granted to has up to 32 octets")
        } else if name.chars().any(char::is_control) {
            Some("a name has no control characters")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(Error::Name {
                name: name.to_owned(),
                problem,
            });
        }
        let is_mail_address = name.is_ascii()
            && name
                .split_once('@')
                .is_some_and(|(local, host)| !local.is_empty() && host_name(host).is_ok());
        let mut alternative_names = Vec::new();
        if is_mail_address {
            alternative_names.push(SanType::Rfc822Name(name.try_into()?));
        }
        Ok(Self {
            common_name: name.to_owned(),
            alternative_names,
            is_agent: false,
        })
    }

    /// The subject of a certificate that was issued here.
    pub(crate) fn of(certificate: &X509Certificate<'_>, path: &Path) -> Result<Self, Error> {
        let names = Names::of(certificate).ok_or_else(|| {
            Error::content(
                path,
                "the certificate has names that varbind pki does not issue: renew it with the program that made it",
            )
        })?;
        let mut alternative_names = Vec::new();
        for host in &names.hosts {
            alternative_names.push(match host.parse::<IpAddr>() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName(host.as_str().try_into()?),
            });
        }
        for mail in &names.mail_addresses {
            alternative_names.push(SanType::Rfc822Name(mail.as_str().try_into()?));
        }
        Ok(Self {
            common_name: names.common_name,
            alternative_names,
            is_agent: !names.hosts.is_empty(),
        })
    }

    /// The common name.
    #[must_use]
    pub fn common_name(&self) -> &str {
        &self.common_name
    }

    pub(crate) fn set(&self, parameters: &mut rcgen::CertificateParams) {
        parameters.distinguished_name = distinguished_name(&self.common_name);
        parameters
            .subject_alt_names
            .clone_from(&self.alternative_names);
        let (first, second) = (
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        );
        parameters.extended_key_usages = if self.is_agent {
            vec![first, second]
        } else {
            vec![second, first]
        };
    }
}

pub(crate) fn distinguished_name(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

/// A name as it may be in a dNSName (RFC 5280 section 4.2.1.6); patterns are none, since RFC 6353 section 7.2 has none
/// for agents.
fn host_name(text: &str) -> Result<&str, Error> {
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| {
        (1..=LABEL).contains(&label.len())
            && label
                .bytes()
                .all(|octet| octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.len() <= HOST_NAME && name.split('.').all(is_label) {
        return Ok(name);
    }
    Err(Error::Name {
        name: text.to_owned(),
        problem: "this is neither a host name nor an IP address",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_addresses() {
        let hosts = ["router1.example.", "192.0.2.1", "2001:db8::1", "192.0.2.1"];
        let agent = Subject::agent(&hosts.map(str::to_owned)).unwrap();
        assert_eq!(agent.alternative_names.len(), 3);
        assert_eq!(agent.common_name(), "router1.example.");
        for wrong in ["", "a b", "-a", "a..b", "*.example", "é.example", "tls:a"] {
            let error = Subject::agent(&[wrong.to_owned()]).unwrap_err();
            assert!(error.to_string().contains("neither a host name"), "{wrong}");
        }
        assert!(Subject::agent(&[]).is_err());
    }

    #[test]
    fn a_manager_is_a_mail_address_or_any_name() {
        assert_eq!(
            Subject::manager("ops@example.org")
                .unwrap()
                .alternative_names,
            [SanType::Rfc822Name("ops@example.org".try_into().unwrap())]
        );
        for name in ["ops", "@example", "a@", "Jürgen", "a@b c"] {
            let manager = Subject::manager(name).unwrap();
            assert_eq!(manager.alternative_names, [], "{name}");
        }
        for wrong in ["", "a\nb", &"x".repeat(33)] {
            assert!(Subject::manager(wrong).is_err(), "{wrong:?}");
        }
    }
}
