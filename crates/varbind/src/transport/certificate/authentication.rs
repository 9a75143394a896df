use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, UnixTime};
use sha2::{Digest, Sha256};
use varbind_engine::security::SecurityName;

use super::description::Date;
use super::peer_identity::names_host;
use super::trust::CertificateUsage;
use super::{
    CertificateDescription, CertificateMap, Fingerprint, MalformedCertificate, PeerIdentity,
    TrustAnchors, Unmapped, Untrusted,
};

/// How a server tells its clients by their certificates (RFC 6353 section 5.3.2).
#[derive(Debug, Default)]
pub struct ClientAuthentication {
    trust: TrustAnchors,
    map: CertificateMap,
    known: Mutex<Known>,
}

/// Clients that were authenticated lately, by the hash of all their certificates.
type Known = HashMap<[u8; 32], (u64, SecurityName)>;

/// How many authenticated clients are remembered.
const KNOWN: usize = 1024;
/// How long, in seconds: an authority or the client itself may meanwhile have become invalid.
const REMEMBERED: u64 = 60;

impl ClientAuthentication {
    /// Clients are accepted whose certificate one of these authorities has signed, or a rule of the map has the
    /// fingerprint of; and who then have a name by the map.
    #[must_use]
    pub fn new(trust: TrustAnchors, map: CertificateMap) -> Self {
        Self {
            trust,
            map,
            known: Mutex::default(),
        }
    }

    /// The authorities.
    #[must_use]
    pub const fn trust(&self) -> &TrustAnchors {
        &self.trust
    }

    /// The rules.
    #[must_use]
    pub const fn map(&self) -> &CertificateMap {
        &self.map
    }

    /// The name of the client with this certificate (the first) and what came with it (tmSecurityName). That it has the
    /// key is for the handshake to prove.
    ///
    /// # Errors
    /// When it is not accepted, or has no name.
    pub fn security_name(
        &self,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<SecurityName, CertificateError> {
        let key = hash(chain);
        if let Some((since, name)) = self.known().get(&key)
            && now.as_secs().wrapping_sub(*since) < REMEMBERED
        {
            return Ok(name.clone());
        }
        let name = self.authenticate(chain, now)?;
        let mut known = self.known();
        if known.len() >= KNOWN {
            known.retain(|_, (since, _)| now.as_secs().wrapping_sub(*since) < REMEMBERED);
        }
        if known.len() < KNOWN {
            known.insert(key, (now.as_secs(), name.clone()));
        }
        Ok(name)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn authenticate(
        &self,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<SecurityName, CertificateError> {
        let leaf = chain.first().ok_or(CertificateError::Missing)?;
        let description = CertificateDescription::read(leaf)?;
        check_dates(&description, now)?;
        not_revoked(&self.trust, leaf, &description)?;
        let authorities = match self.trust.verify(chain, CertificateUsage::Client, now) {
            Ok(authorities) => authorities,
            // It needs no authority, and gets no name by one.
            Err(_) if self.map.pins(leaf) => Vec::new(),
            Err(reason) => {
                return Err(CertificateError::Untrusted {
                    certificate: Box::new(description),
                    reason,
                });
            }
        };
        let name = self.map.security_name(leaf, &description, &authorities);
        name.map_err(CertificateError::Unmapped)
    }
}

fn hash(chain: &[CertificateDer<'_>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for certificate in chain {
        hash.update(certificate.len().to_be_bytes());
        hash.update(certificate);
    }
    hash.finalize().into()
}

/// How a client tells its server by its certificate (RFC 6353 section 5.3.1).
#[derive(Clone, Debug, Default)]
pub struct ServerAuthentication {
    /// The authorities.
    pub trust: TrustAnchors,
    /// Which certificate it must be.
    pub identity: PeerIdentity,
}

impl ServerAuthentication {
    /// Whether the server with this certificate (the first) and what came with it is the one that is meant. `target` is the
    /// name or address by which it is spoken to. That it has the key is for the handshake to prove.
    ///
    /// # Errors
    /// When it is not.
    pub fn verify(
        &self,
        chain: &[CertificateDer<'_>],
        target: &str,
        now: UnixTime,
    ) -> Result<(), CertificateError> {
        let leaf = chain.first().ok_or(CertificateError::Missing)?;
        let description = CertificateDescription::read(leaf)?;
        if let PeerIdentity::Fingerprint(expected) = &self.identity
            && !expected.identifies(leaf)
        {
            return Err(CertificateError::WrongFingerprint {
                found: Fingerprint::of(leaf, expected.algorithm()),
                certificate: Box::new(description),
                expected: expected.clone(),
            });
        }
        check_dates(&description, now)?;
        not_revoked(&self.trust, leaf, &description)?;
        if matches!(self.identity, PeerIdentity::Fingerprint(_)) {
            return Ok(());
        }
        if let Err(reason) = self.trust.verify(chain, CertificateUsage::Server, now) {
            return Err(CertificateError::Untrusted {
                certificate: Box::new(description),
                reason,
            });
        }
        match self.identity.expected_name(target) {
            Some(expected) if !names_host(&description, expected) => {
                Err(CertificateError::WrongName {
                    certificate: Box::new(description),
                    expected: expected.to_owned(),
                })
            }
            _ => Ok(()),
        }
    }
}

impl ServerAuthentication {
    /// The authorities that vouch for a server's certificate (the first of `chain`), the one that is trusted last; none if
    /// the certificate is trusted itself.
    ///
    /// # Errors
    /// When no path leads from the certificate to one that is trusted.
    pub fn authorities(
        &self,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<Vec<CertificateDescription>, Untrusted> {
        let path = self.trust.verify(chain, CertificateUsage::Server, now)?;
        let read = path.into_iter().map(CertificateDescription::read);
        Ok(read.flatten().collect())
    }
}

/// A certificate that was revoked is refused even where it needs no authority.
fn not_revoked(
    trust: &TrustAnchors,
    leaf: &[u8],
    description: &CertificateDescription,
) -> Result<(), CertificateError> {
    let revoked = trust.revocation_lists().check(leaf);
    revoked.map_err(|reason| CertificateError::Untrusted {
        certificate: Box::new(description.clone()),
        reason,
    })
}

fn check_dates(
    certificate: &CertificateDescription,
    now: UnixTime,
) -> Result<(), CertificateError> {
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    if now < certificate.not_before {
        return Err(CertificateError::NotYetValid(Box::new(certificate.clone())));
    }
    if now > certificate.not_after {
        return Err(CertificateError::Expired(Box::new(certificate.clone())));
    }
    Ok(())
}

/// How soon a certificate must be renewed for a warning to be due.
const RENEWAL: Duration = Duration::from_secs(14 * 86_400);

/// What is wrong with the dates of a certificate of one's own, or soon will be.
pub(super) fn date_warning(certificate: &CertificateDescription, now: UnixTime) -> Option<String> {
    if let Err(error) = check_dates(certificate, now) {
        return Some(error.to_string());
    }
    let soon = UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()) + RENEWAL);
    check_dates(certificate, soon).err().map(|_| {
        format!(
            "the certificate {certificate} expires soon, at {}",
            Date(certificate.not_after)
        )
    })
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateError {
    /// The peer has sent none.
    Missing,
    /// It cannot be read.
    Malformed(MalformedCertificate),
    /// It is not valid yet.
    NotYetValid(Box<CertificateDescription>),
    /// It is not valid any more.
    Expired(Box<CertificateDescription>),
    /// Nobody who is trusted vouches for it.
    Untrusted {
        /// The certificate.
        certificate: Box<CertificateDescription>,
        /// Why not.
        reason: Untrusted,
    },
    /// It is good, but nothing gives it a name.
    Unmapped(Box<Unmapped>),
    /// It is another one than the one that is expected.
    WrongFingerprint {
        /// The certificate.
        certificate: Box<CertificateDescription>,
        /// Its fingerprint by the algorithm of the one that is expected.
        found: Fingerprint,
        /// The fingerprint that is expected.
        expected: Fingerprint,
    },
    /// It is that of another host.
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
            Self::NotYetValid(certificate)
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
        matches!(
            self,
            Self::Untrusted {
                reason: Untrusted::Revoked(_)
                    | Untrusted::RevocationListOverdue(_)
                    | Untrusted::RevocationListNotSigned(_),
                ..
            }
        )
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

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it has sent no certificate"),
            Self::Malformed(error) => write!(f, "{error}"),
            Self::NotYetValid(certificate) => write!(
                f,
                "the certificate {certificate} is not valid before {}: look at the clocks of both hosts",
                Date(certificate.not_before)
            ),
            Self::Expired(certificate) => write!(
                f,
                "the certificate {certificate} has expired, at {}",
                Date(certificate.not_after)
            ),
            Self::Untrusted {
                certificate,
                reason,
            } => write!(
                f,
                "the certificate {certificate}, signed by \"{}\", is not trusted: {reason}",
                certificate.issuer.escape_debug()
            ),
            Self::Unmapped(unmapped) => write!(f, "{unmapped}"),
            Self::WrongFingerprint {
                certificate,
                found,
                expected,
            } => {
                write!(
                    f,
                    "the certificate {certificate} is not the one that is expected, {expected}"
                )?;
                if found != &certificate.fingerprint {
                    write!(f, ": its fingerprint is {found}")?;
                }
                Ok(())
            }
            Self::WrongName {
                certificate,
                expected,
            } => write!(
                f,
                "the certificate {certificate} is not that of {}: it has other names",
                expected.escape_debug()
            ),
        }
    }
}

impl std::error::Error for CertificateError {}
