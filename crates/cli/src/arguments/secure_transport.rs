use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use varbind::transport::certificate::{Fingerprint, Mapping, OverdueLists};

const TLS: &str = "TLS and DTLS";
const SSH: &str = "SSH";

/// The own certificate and key, and who is trusted.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CertificateArguments {
    /// Own certificate (PEM), followed by its intermediates (otherwise: VARBIND_CERTIFICATE, or manager.pem of varbind pki; agent.pem
    /// for receive)
    #[arg(help_heading = TLS, long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Its private key (otherwise: VARBIND_KEY, FILE-key.pem beside the certificate FILE.pem, or in its file)
    #[arg(help_heading = TLS, long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Certificates of authorities that are trusted; may be repeated (otherwise: VARBIND_TRUST, or ca.pem of varbind pki)
    #[arg(help_heading = TLS, long, value_name = "FILE")]
    pub(crate) trust: Vec<PathBuf>,

    /// Certificates that authorities have revoked; may be repeated (otherwise: VARBIND_REVOCATION_LISTS, or crl.pem of varbind pki)
    #[arg(help_heading = TLS, long, value_name = "FILE")]
    pub(crate) revocation_list: Vec<PathBuf>,

    /// Certificates whose list is overdue: refuse them, or use the list all the same
    #[arg(help_heading = TLS, long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) overdue_revocation_lists: Overdue,
}

/// What becomes of certificates whose revocation list is overdue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Overdue {
    #[default]
    Refuse,
    Use,
}

impl From<Overdue> for OverdueLists {
    fn from(overdue: Overdue) -> Self {
        match overdue {
            Overdue::Refuse => Self::Refuse,
            Overdue::Use => Self::Use,
        }
    }
}

/// How a manager tells that its agent is the right one, over TLS and DTLS.
#[derive(Args, Debug, Default)]
pub(crate) struct PeerArguments {
    /// Fingerprint of the peer's certificate, which then needs no authority, as `varbind pki fingerprint` tells it
    #[arg(help_heading = TLS, long, value_name = "FINGERPRINT", conflicts_with = "peer_name")]
    pub(crate) peer_fingerprint: Option<Fingerprint>,

    /// Name in the peer's certificate [default: the name or address of TARGET]; * is any name
    #[arg(help_heading = TLS, long, value_name = "NAME")]
    pub(crate) peer_name: Option<String>,

    /// Speak TLS 1.0 if the peer has nothing newer, by the system's OpenSSL
    #[cfg(feature = "openssl-tls")]
    #[arg(help_heading = TLS, long)]
    pub(crate) legacy_tls: bool,

    /// The same in the words of Net-SNMP: our_identity, their_identity, trust_cert or their_hostname
    #[arg(help_heading = TLS, short = 'T', value_name = "KEY=VALUE", value_delimiter = ',')]
    pub(crate) net_snmp: Vec<NetSnmpOption>,
}

/// An option of Net-SNMP's `-T` that means the same here.
#[derive(Clone, Debug)]
pub(crate) enum NetSnmpOption {
    /// The own certificate.
    OurIdentity(PathBuf),
    /// The peer's certificate: a fingerprint, or a file.
    TheirIdentity(String),
    /// A certificate that is trusted.
    TrustCertificate(PathBuf),
    /// The name in the peer's certificate.
    TheirHostname(String),
}

impl fmt::Display for NetSnmpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OurIdentity(file) => write!(f, "our_identity={}", file.display()),
            Self::TheirIdentity(text) => write!(f, "their_identity={text}"),
            Self::TrustCertificate(file) => write!(f, "trust_cert={}", file.display()),
            Self::TheirHostname(name) => write!(f, "their_hostname={name}"),
        }
    }
}

impl std::str::FromStr for NetSnmpOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = "write our_identity=FILE, their_identity=FINGERPRINT or FILE, trust_cert=FILE, or their_hostname=NAME";
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?}: {wanted}"))?;
        // Net-SNMP takes some of them by two names.
        match key {
            "our_identity" | "localCert" => Ok(Self::OurIdentity(value.into())),
            "their_identity" | "peerCert" => Ok(Self::TheirIdentity(value.to_owned())),
            "trust_cert" | "trustCert" => Ok(Self::TrustCertificate(value.into())),
            "their_hostname" => Ok(Self::TheirHostname(value.to_owned())),
            _ => Err(format!("{key:?} is not known: {wanted}")),
        }
    }
}

/// How a manager logs in over SSH. What is not said comes from the configuration of OpenSSH's client.
#[derive(Args, Debug, Default)]
pub(crate) struct SshArguments {
    /// Private key; may be repeated [default: those of ~/.ssh/config, or the usual ones, and those of SSH_AUTH_SOCK]
    #[arg(help_heading = SSH, long, value_name = "FILE")]
    pub(crate) identity: Vec<PathBuf>,

    /// File of host keys; may be repeated [default: ~/.ssh/known_hosts]
    #[arg(help_heading = SSH, long, value_name = "FILE")]
    pub(crate) known_hosts: Vec<PathBuf>,

    /// Trust a host whose key is not known yet, and remember the key, without asking
    #[arg(help_heading = SSH, long)]
    pub(crate) accept_new_host_key: bool,
}

/// What a receiver of notifications is over SSH, and who may log in there.
#[derive(Args, Debug, Default)]
pub(crate) struct SshServerArguments {
    /// Private key by which senders know this host; may be repeated
    #[arg(help_heading = SSH, long, value_name = "FILE")]
    pub(crate) host_key: Vec<PathBuf>,

    /// File of keys with which users may log in, %u is the user; may be repeated [default: ~/.ssh/authorized_keys of each user]
    #[arg(help_heading = SSH, long, value_name = "FILE")]
    pub(crate) authorized_keys: Vec<String>,
}

/// How a receiver of notifications names its senders, over TLS and DTLS.
#[derive(Args, Debug, Default)]
pub(crate) struct MapArguments {
    /// Rule: who has this certificate, or one that it signed, has that name; may be repeated [default: any, then common-name,
    /// of what --trust signed]
    ///
    /// CERTIFICATE is a file or a fingerprint. TO is what the name is made of: rfc822, dns, ip, any (the first of the three) or
    /// common-name; or it is name:NAME.
    #[arg(help_heading = TLS, long, value_name = "CERTIFICATE=TO")]
    pub(crate) map: Vec<MapArgument>,
}

/// A rule of `--map`.
#[derive(Clone, Debug)]
pub(crate) struct MapArgument {
    /// A file or a fingerprint.
    pub(crate) certificate: String,
    /// The name.
    pub(crate) to: Mapping,
}

impl std::str::FromStr for MapArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            "write CERTIFICATE=TO, where TO is rfc822, dns, ip, any, common-name or name:NAME";
        let (certificate, to) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("{text:?}: {wanted}"))?;
        let to = match to.split_once(':') {
            Some(("name", name)) => Mapping::Specified(name.to_owned()),
            _ => match to {
                "rfc822" => Mapping::Rfc822Name,
                "dns" => Mapping::DnsName,
                "ip" => Mapping::IpAddress,
                "any" => Mapping::AnyAlternativeName,
                "common-name" => Mapping::CommonName,
                _ => return Err(format!("{to:?}: {wanted}")),
            },
        };
        Ok(Self {
            certificate: certificate.to_owned(),
            to,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule: MapArgument = "ca.pem=name:ops".parse().unwrap();
        assert_eq!(rule.certificate, "ca.pem");
        assert_eq!(rule.to, Mapping::Specified("ops".to_owned()));
        let rule: MapArgument = "sha256:ab=dns".parse().unwrap();
        assert_eq!(rule.to, Mapping::DnsName);
        for wrong in ["", "ca.pem", "ca.pem=", "ca.pem=cn"] {
            let error = wrong.parse::<MapArgument>().unwrap_err();
            assert!(error.contains("name:NAME"), "{error}");
        }
    }

    #[test]
    fn the_words_of_net_snmp_are_read() {
        for (text, is_read) in [
            ("our_identity=a.pem", true),
            ("their_identity=AB:CD", true),
            ("trust_cert=ca.pem", true),
            ("their_hostname=router", true),
            ("localCert=a.pem", true),
            ("our_identity", false),
            ("x509crlFile=a", false),
        ] {
            assert_eq!(text.parse::<NetSnmpOption>().is_ok(), is_read, "{text}");
        }
    }
}
