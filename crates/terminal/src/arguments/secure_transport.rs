use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use varbind::transport::certificate::{Fingerprint, OverdueLists};

/// The heading of options for TLS and DTLS.
pub const TLS_HEADING: &str = "TLS and DTLS";
/// The heading of options for SSH.
pub const SSH_HEADING: &str = "SSH";

/// The own certificate and key, and who is trusted.
#[derive(Args, Clone, Debug, Default)]
pub struct CertificateArguments {
    /// Own certificate (PEM), followed by its intermediates (otherwise: VARBIND_CERTIFICATE, or manager.pem of varbind pki; agent.pem
    /// for receive)
    #[arg(help_heading = TLS_HEADING, long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Its private key (otherwise: VARBIND_KEY, FILE-key.pem beside the certificate FILE.pem, or in its file)
    #[arg(help_heading = TLS_HEADING, long, value_name = "FILE")]
    pub key: Option<PathBuf>,

    /// Certificates of authorities that are trusted; may be repeated (otherwise: VARBIND_TRUST, or ca.pem of varbind pki)
    #[arg(help_heading = TLS_HEADING, long, value_name = "FILE")]
    pub trust: Vec<PathBuf>,

    /// Certificates that authorities have revoked; may be repeated (otherwise: VARBIND_REVOCATION_LISTS, or crl.pem of varbind pki)
    #[arg(help_heading = TLS_HEADING, long, value_name = "FILE")]
    pub revocation_list: Vec<PathBuf>,

    /// Certificates whose list is overdue: refuse them, or use the list all the same
    #[arg(help_heading = TLS_HEADING, long, value_name = "WHAT", value_enum, default_value_t)]
    pub overdue_revocation_lists: Overdue,
}

/// What becomes of certificates whose revocation list is overdue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Overdue {
    /// They are refused.
    #[default]
    Refuse,
    /// The list counts all the same.
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

/// How a manager authenticates its agent over TLS and DTLS.
#[derive(Args, Clone, Debug, Default)]
pub struct PeerArguments {
    /// Fingerprint of the peer's certificate, which then needs no authority, as `varbind pki fingerprint` prints it
    #[arg(help_heading = TLS_HEADING, long, value_name = "FINGERPRINT", conflicts_with = "peer_name")]
    pub peer_fingerprint: Option<Fingerprint>,

    /// Name in the peer's certificate [default: the name or address of TARGET]; * is any name
    #[arg(help_heading = TLS_HEADING, long, value_name = "NAME")]
    pub peer_name: Option<String>,

    /// Speak TLS 1.0 if the peer has nothing newer, by the system's OpenSSL
    #[cfg(feature = "openssl-tls")]
    #[arg(help_heading = TLS_HEADING, long)]
    pub legacy_tls: bool,

    /// The same in the words of Net-SNMP: our_identity, their_identity, trust_cert or their_hostname
    #[arg(help_heading = TLS_HEADING, short = 'T', value_name = "KEY=VALUE", value_delimiter = ',')]
    pub net_snmp: Vec<NetSnmpOption>,
}

/// An option of Net-SNMP's `-T` that means the same here.
#[derive(Clone, Debug)]
pub enum NetSnmpOption {
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
#[derive(Args, Clone, Debug, Default)]
pub struct SshArguments {
    /// Private key; may be repeated [default: those of ~/.ssh/config, or the usual ones, and those of SSH_AUTH_SOCK]
    #[arg(help_heading = SSH_HEADING, long, value_name = "FILE")]
    pub identity: Vec<PathBuf>,

    /// File of host keys; may be repeated [default: ~/.ssh/known_hosts]
    #[arg(help_heading = SSH_HEADING, long, value_name = "FILE")]
    pub known_hosts: Vec<PathBuf>,

    /// Trust a host whose key is not known yet, and remember the key, without asking
    #[arg(help_heading = SSH_HEADING, long)]
    pub accept_new_host_key: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

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
