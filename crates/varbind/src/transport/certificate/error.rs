use std::fmt;

use super::description::Date;
use super::{CertificateDescription, Fingerprint, MalformedCertificate, Unmapped, Untrusted};

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The peer has sent none.
    #[error("it has sent no certificate")]
    Missing,
    /// It cannot be read.
    #[error("{0}")]
    Malformed(MalformedCertificate),
    /// It is not X.509 version 3.
    #[error("the certificate {} {}", .0, RequiredVersion(.0.version))]
    WrongVersion(Box<CertificateDescription>),
    /// It is not valid yet.
    #[error("the certificate {} is not valid before {}: look at the clocks of both hosts", .0, Date(.0.not_before))]
    NotYetValid(Box<CertificateDescription>),
    /// It is not valid any more.
    #[error("the certificate {} has expired, at {}", .0, Date(.0.not_after))]
    Expired(Box<CertificateDescription>),
    /// No trusted authority has signed it.
    #[error(
        "the certificate {certificate}, signed by \"{}\", is not trusted: {reason}",
        .certificate.issuer.escape_debug()
    )]
    Untrusted {
        /// The certificate.
        certificate: Box<CertificateDescription>,
        /// Why not.
        reason: Untrusted,
    },
    /// It is good, but nothing gives it a name.
    #[error("{0}")]
    Unmapped(Box<Unmapped>),
    /// It is another one than the one that is expected.
    #[error(fmt = wrong_fingerprint)]
    WrongFingerprint {
        /// The certificate.
        certificate: Box<CertificateDescription>,
        /// Its fingerprint by the algorithm of the one that is expected.
        found: Fingerprint,
        /// The fingerprint that is expected.
        expected: Fingerprint,
    },
    /// It is that of another host.
    #[error("the certificate {certificate} is not that of {}: it has other names", .expected.escape_debug())]
    WrongName {
        /// The certificate.
        certificate: Box<CertificateDescription>,
        /// The name or address that is expected.
        expected: String,
    },
}

impl CertificateError {
    /// The certificate, if it could be read.
    #[must_use]
    pub fn certificate(&self) -> Option<&CertificateDescription> {
        match self {
            Self::Missing | Self::Malformed(_) => None,
            Self::WrongVersion(certificate)
            | Self::NotYetValid(certificate)
            | Self::Expired(certificate)
            | Self::Untrusted { certificate, .. }
            | Self::WrongFingerprint { certificate, .. }
            | Self::WrongName { certificate, .. } => Some(certificate),
            Self::Unmapped(unmapped) => Some(&unmapped.certificate),
        }
    }

    /// Whether a revocation list is why: then nothing else vouches for the certificate.
    #[must_use]
    pub const fn is_about_revocation(&self) -> bool {
        matches!(self, Self::Untrusted { reason, .. } if reason.is_about_revocation())
    }

    /// The error, with what to do about it.
    #[must_use]
    pub(crate) fn advised(&self) -> String {
        let alone = |certificate: &CertificateDescription| {
            let fingerprint = &certificate.fingerprint;
            format!("this certificate alone (--peer-fingerprint {fingerprint})")
        };
        let advice = match self {
            Self::Expired(_) => {
                return format!(
                    "{self}: renew it there (varbind pki renew), or correct the clock of this host"
                );
            }
            Self::Untrusted { reason, .. } if reason.is_about_revocation() => None,
            Self::Untrusted {
                certificate,
                reason:
                    Untrusted::NoAuthorities | Untrusted::UnknownIssuer | Untrusted::WrongSignature,
            } => Some(format!(
                "trust its authority (--trust FILE), or {}",
                alone(certificate)
            )),
            Self::Untrusted { certificate, .. } => Some(format!("trust {}", alone(certificate))),
            Self::WrongName { certificate, .. } => Some(match certificate.host_name() {
                Some(name) => format!(
                    "expect a name that it has (--peer-name {name}), or {}",
                    alone(certificate)
                ),
                None => format!("expect {}", alone(certificate)),
            }),
            Self::WrongFingerprint { certificate, .. } => Some(format!(
                "which varbind pki fingerprint shows there, expect {}",
                alone(certificate)
            )),
            _ => None,
        };
        match advice {
            Some(advice) => format!("{self}. If it is the right one, {advice}"),
            None => self.to_string(),
        }
    }

    /// Whether nothing that is configured could vouch for it (snmpTlstmSessionUnknownServerCertificate), rather than that it
    /// is wrong in itself (snmpTlstmSessionInvalidServerCertificates).
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(
            self,
            Self::WrongFingerprint { .. }
                | Self::Untrusted {
                    reason: Untrusted::NoAuthorities | Untrusted::UnknownIssuer,
                    ..
                }
        )
    }
}

impl From<MalformedCertificate> for CertificateError {
    fn from(error: MalformedCertificate) -> Self {
        Self::Malformed(error)
    }
}

fn wrong_fingerprint(
    certificate: &CertificateDescription,
    found: &Fingerprint,
    expected: &Fingerprint,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(
        f,
        "the certificate {certificate} is not the one that is expected, {expected}"
    )?;
    if found != &certificate.fingerprint {
        write!(f, ": its fingerprint is {found}")?;
    }
    Ok(())
}

/// What is wrong with a certificate of another version.
pub(super) struct RequiredVersion(pub(super) u32);

impl fmt::Display for RequiredVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "is X.509 version {}; version 3 is required: issue it again with extensions",
            self.0
        )
    }
}
