use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, UnixTime};
use sha2::{Digest, Sha256};
use varbind_engine::security::SecurityName;

use super::description::Date;
use super::peer_identity::names_host;
use super::trust::CertificateUsage;
use super::{
    CertificateDescription, CertificateError, CertificateMap, Fingerprint, PeerIdentity,
    TrustAnchors, Untrusted,
};

/// How a server authenticates clients by their certificates (RFC 6353 section 5.3.2).
#[derive(Debug, Default)]
pub struct ClientAuthentication {
    trust: TrustAnchors,
    map: CertificateMap,
    known: Mutex<Known>,
}

/// Clients that were authenticated lately, by the hash of all their certificates.
type Known = HashMap<[u8; 32], KnownClient>;

#[derive(Debug)]
struct KnownClient {
    /// The times at which this holds, in seconds since 1970.
    times: RangeInclusive<i64>,
    name: SecurityName,
}

/// How many authenticated clients are remembered.
const KNOWN: usize = 1024;
/// How long at most, in seconds.
const REMEMBERED: i64 = 60;

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
        let seconds = seconds(now);
        let is_current = |client: &KnownClient| client.times.contains(&seconds);
        if let Some(client) = self.known().get(&key)
            && is_current(client)
        {
            return Ok(client.name.clone());
        }
        let client = self.authenticate(chain, now)?;
        let name = client.name.clone();
        let mut known = self.known();
        if known.len() >= KNOWN {
            known.retain(|_, client| is_current(client));
        }
        if known.len() < KNOWN {
            known.insert(key, client);
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
    ) -> Result<KnownClient, CertificateError> {
        let leaf = chain.first().ok_or(CertificateError::Missing)?;
        let description = CertificateDescription::read(leaf)?;
        check_version(&description)?;
        check_dates(&description, now)?;
        let untrusted = |reason| CertificateError::Untrusted {
            certificate: Box::new(description.clone()),
            reason,
        };
        if !description.is_for_clients {
            return Err(untrusted(Untrusted::WrongUsage));
        }
        // A certificate with a rule of its own gets no name by an authority that does not vouch for it.
        let authorities = match self.map.pins(leaf) {
            true => self
                .trust
                .verify_known(chain, CertificateUsage::Client, now),
            false => self.trust.verify(chain, CertificateUsage::Client, now),
        };
        let authorities = authorities.map_err(untrusted)?;
        let name = self.map.security_name(leaf, &description, &authorities);
        let since = seconds(now);
        let until = self.valid_until(&description, &authorities, now);
        Ok(KnownClient {
            times: since..=until.min(since + REMEMBERED - 1),
            name: name.map_err(CertificateError::Unmapped)?,
        })
    }

    /// Until when a certificate that was verified stays valid, if nothing else changes.
    fn valid_until(
        &self,
        leaf: &CertificateDescription,
        authorities: &[&[u8]],
        now: UnixTime,
    ) -> i64 {
        let authorities = authorities
            .iter()
            .copied()
            .map(CertificateDescription::read);
        let ends = authorities.flatten().map(|authority| authority.not_after);
        // An authority that is trusted itself may be out of date.
        let ends = ends.filter(|end| *end >= seconds(now));
        let due = self.trust.revocation_lists().next_due(now);
        ends.chain(due.map(|due| due - 1))
            .fold(leaf.not_after, i64::min)
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

/// How a client authenticates its server by its certificate (RFC 6353 section 5.3.1).
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
        check_version(&description)?;
        check_dates(&description, now)?;
        let verified = match self.identity {
            PeerIdentity::Fingerprint(_) => {
                self.trust
                    .verify_known(chain, CertificateUsage::Server, now)
            }
            _ => self.trust.verify(chain, CertificateUsage::Server, now),
        };
        if let Err(reason) = verified {
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

/// RFC 5246 7.4.2
fn check_version(certificate: &CertificateDescription) -> Result<(), CertificateError> {
    match certificate.version {
        3 => Ok(()),
        _ => Err(CertificateError::WrongVersion(Box::new(
            certificate.clone(),
        ))),
    }
}

fn seconds(time: UnixTime) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

pub(super) fn check_dates(
    certificate: &CertificateDescription,
    now: UnixTime,
) -> Result<(), CertificateError> {
    let now = seconds(now);
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
