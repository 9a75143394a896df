use std::path::PathBuf;

use clap::Args;
use varbind::transport::certificate::Mapping;
use varbind_terminal::arguments::{SSH_HEADING, TLS_HEADING};

/// What a receiver of notifications is over SSH, and who may log in there.
#[derive(Args, Debug, Default)]
pub(crate) struct SshServerArguments {
    /// Private key by which senders know this host; may be repeated
    #[arg(help_heading = SSH_HEADING, long, value_name = "FILE")]
    pub(crate) host_key: Vec<PathBuf>,

    /// File of keys with which users may log in, %u is the user; may be repeated [default: ~/.ssh/authorized_keys of each user]
    #[arg(help_heading = SSH_HEADING, long, value_name = "FILE")]
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
    #[arg(help_heading = TLS_HEADING, long, value_name = "CERTIFICATE=TO")]
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
}
