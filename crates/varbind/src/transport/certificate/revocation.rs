//! Certificates that their authorities have taken back (RFC 5280 section 5).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, UnixTime};
use webpki::{
    CertRevocationList, ExpirationPolicy, OwnedCertRevocationList, RevocationOptions,
    RevocationOptionsBuilder, RevocationReason, UnknownStatusPolicy,
};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;

use super::description::Date;
use super::identity::read;
use super::{IdentityError, LoadError, LoadProblem, Untrusted};

/// What becomes of certificates whose authority's list should have been followed by another one (nextUpdate).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverdueLists {
    /// They are refused: what was revoked meanwhile cannot be known.
    #[default]
    Refuse,
    /// The list counts as if it were the newest.
    Use,
}

/// The lists of certificates that authorities have revoked (CRLs, RFC 5280 section 5).
///
/// A peer is refused if its certificate, or that of an authority in its chain, is in the list of the issuer. Certificates
/// of authorities without a list are not checked.
#[derive(Clone, Default)]
pub struct RevocationLists {
    /// The newest first: of the lists of one authority, the first is the one that must be signed and not overdue.
    lists: Arc<Vec<RevocationList>>,
    overdue: OverdueLists,
}

struct RevocationList {
    list: CertRevocationList<'static>,
    /// The name of the issuer in DER, and as RFC 4514 writes it.
    issuer: Vec<u8>,
    issuer_name: String,
    this_update: i64,
    next_update: i64,
    file: PathBuf,
}

impl RevocationLists {
    /// Reads the lists of files, each of which is one in DER or has any number in PEM. Warns in the log of those that are
    /// overdue.
    ///
    /// # Errors
    /// When a file cannot be read, or does not hold what it should.
    pub fn load(files: &[PathBuf], overdue: OverdueLists) -> Result<Self, LoadError> {
        let mut lists = Vec::new();
        for file in files {
            lists.extend(load_file(file)?);
        }
        let lists = Self::of(lists, overdue);
        for list in lists.overdue(UnixTime::now()) {
            log::warn!("{list}{}", overdue.consequence());
        }
        Ok(lists)
    }

    /// Lists in DER.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn new(
        lists: &[CertificateRevocationListDer<'_>],
        overdue: OverdueLists,
    ) -> Result<Self, MalformedRevocationList> {
        let lists: Result<Vec<_>, _> = lists
            .iter()
            .map(|list| RevocationList::read(list, Path::new("")))
            .collect();
        Ok(Self::of(lists?, overdue))
    }

    fn of(mut lists: Vec<RevocationList>, overdue: OverdueLists) -> Self {
        lists.sort_by_key(|list| std::cmp::Reverse(list.this_update));
        Self {
            lists: Arc::new(lists),
            overdue,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Those that should have been followed by others by now.
    fn overdue(&self, now: UnixTime) -> impl Iterator<Item = OverdueList> {
        let now = seconds(now);
        let overdue = self
            .lists
            .iter()
            .filter(move |list| list.next_update <= now);
        overdue.map(RevocationList::overdue)
    }

    /// Whether a list of its issuer names this certificate.
    pub(super) fn check(&self, certificate: &[u8]) -> Result<(), Untrusted> {
        if self.is_empty() {
            return Ok(());
        }
        match X509Certificate::from_der(certificate) {
            Ok((_, parsed)) => self.check_parsed(&parsed),
            Err(_) => Ok(()),
        }
    }

    fn check_parsed(&self, certificate: &X509Certificate<'_>) -> Result<(), Untrusted> {
        for list in self.of_issuer(certificate) {
            let found = list.list.find_serial(certificate.raw_serial());
            if let Ok(Some(entry)) = found {
                return Err(Untrusted::Revoked(Box::new(Revocation {
                    subject: certificate.subject().to_string(),
                    since: i64::try_from(entry.revocation_date.as_secs()).unwrap_or(i64::MAX),
                    reason: entry.reason_code.map(reason_text),
                    file: list.file.clone(),
                })));
            }
        }
        Ok(())
    }

    /// Whether a list names the first of these certificates or one of those that have issued it, as far as they are among the
    /// others or the `trusted`; or whether such a list is overdue. Nothing is verified: what is wrong here is refused.
    pub(super) fn check_issuers<'c>(
        &self,
        chain: &'c [CertificateDer<'_>],
        trusted: impl Iterator<Item = &'c [u8]>,
        now: UnixTime,
    ) -> Result<(), Untrusted> {
        if self.is_empty() {
            return Ok(());
        }
        let sent = chain.iter().map(AsRef::as_ref);
        let parsed = sent.chain(trusted).map(X509Certificate::from_der);
        let mut known: Vec<_> = parsed.flatten().map(|(_, parsed)| parsed).collect();
        // Each is taken out, so that no circle of issuers is followed for ever.
        let mut next = (!known.is_empty()).then(|| known.remove(0));
        while let Some(certificate) = next {
            self.check_parsed(&certificate)?;
            self.check_due(&certificate, now)?;
            let issuer = certificate.issuer().as_raw();
            let place = known.iter().position(|it| it.subject().as_raw() == issuer);
            next = place.map(|place| known.remove(place));
        }
        Ok(())
    }

    /// Whether the list that decides about a certificate should have been followed by another one.
    fn check_due(&self, certificate: &X509Certificate<'_>, now: UnixTime) -> Result<(), Untrusted> {
        let now = seconds(now);
        match self.of_issuer(certificate).next() {
            Some(list) if self.overdue == OverdueLists::Refuse && list.next_update <= now => {
                Err(Untrusted::RevocationListOverdue(Box::new(list.overdue())))
            }
            _ => Ok(()),
        }
    }

    /// When the next list becomes overdue that then refuses certificates, in seconds since 1970.
    pub(super) fn next_due(&self, now: UnixTime) -> Option<i64> {
        let now = seconds(now);
        let due = self.lists.iter().map(|list| list.next_update);
        due.filter(|due| self.overdue == OverdueLists::Refuse && *due > now)
            .min()
    }

    fn of_issuer<'a>(
        &'a self,
        certificate: &'a X509Certificate<'_>,
    ) -> impl Iterator<Item = &'a RevocationList> {
        let issuer = certificate.issuer().as_raw();
        self.lists.iter().filter(move |list| list.issuer == issuer)
    }

    /// What the verifying library takes.
    pub(super) fn lists(&self) -> Vec<&CertRevocationList<'static>> {
        self.lists.iter().map(|list| &list.list).collect()
    }

    /// How the verifying library is to use them; `None` if there are none.
    pub(super) fn options<'a>(
        &self,
        lists: &'a [&'a CertRevocationList<'a>],
    ) -> Option<RevocationOptions<'a>> {
        let builder = RevocationOptionsBuilder::new(lists).ok()?;
        let expiration = match self.overdue {
            OverdueLists::Refuse => ExpirationPolicy::Enforce,
            OverdueLists::Use => ExpirationPolicy::Ignore,
        };
        // An authority without a list revokes no certificates.
        let builder = builder.with_status_policy(UnknownStatusPolicy::Allow);
        Some(builder.with_expiration_policy(expiration).build())
    }

    /// What an error of the verifying library means that is about a list, with the certificate and the list of which it is.
    pub(super) fn explain(
        &self,
        error: &webpki::Error,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Option<Untrusted> {
        match error {
            webpki::Error::CertRevoked => chain
                .iter()
                .find_map(|certificate| self.check(certificate).err()),
            webpki::Error::CrlExpired { .. } => {
                let now = seconds(now);
                let list = self.first_of(chain, |list| list.next_update <= now)?;
                Some(Untrusted::RevocationListOverdue(Box::new(list.overdue())))
            }
            webpki::Error::InvalidCrlSignatureForPublicKey
            | webpki::Error::IssuerNotCrlSigner
            | webpki::Error::UnsupportedCrlSignatureAlgorithmContext(_)
            | webpki::Error::UnsupportedCrlSignatureAlgorithmForPublicKeyContext(_) => {
                let list = self.first_of(chain, |_| true)?;
                Some(Untrusted::RevocationListNotSigned(Box::new(UnsignedList {
                    file: list.file.clone(),
                    issuer: list.issuer_name.clone(),
                    reason: error.to_string(),
                })))
            }
            _ => None,
        }
    }

    fn first_of(
        &self,
        chain: &[CertificateDer<'_>],
        is_meant: impl Fn(&RevocationList) -> bool,
    ) -> Option<&RevocationList> {
        chain.iter().find_map(|certificate| {
            let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
            let issuer = parsed.issuer().as_raw();
            let mut lists = self.lists.iter();
            lists.find(|list| list.issuer == issuer && is_meant(list))
        })
    }
}

impl fmt::Debug for RevocationLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let issuers = self.lists.iter().map(|list| list.issuer_name.as_str());
        f.debug_list().entries(issuers).finish()
    }
}

impl OverdueLists {
    const fn consequence(self) -> &'static str {
        match self {
            Self::Refuse => {
                ": until there is a newer one in its place, everybody whose certificate it could name is refused"
            }
            Self::Use => ", and is used all the same",
        }
    }
}

fn seconds(time: UnixTime) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

fn load_file(file: &Path) -> Result<Vec<RevocationList>, LoadError> {
    let problem = |problem| LoadError::new(file, problem);
    let lists = lists_in(&read(file)?).map_err(problem)?;
    let read = |der| RevocationList::read(der, file);
    let lists: Result<_, _> = lists.iter().map(|der| read(der)).collect();
    lists.map_err(|error| problem(LoadProblem::Identity(IdentityError::RevocationList(error))))
}

/// One list in DER, or all that are there in PEM.
pub(super) fn lists_in(
    octets: &[u8],
) -> Result<Vec<CertificateRevocationListDer<'static>>, LoadProblem> {
    /// How a list in DER begins: it is a SEQUENCE.
    const SEQUENCE: u8 = 0x30;
    if octets.first() == Some(&SEQUENCE) {
        return Ok(vec![CertificateRevocationListDer::from(octets.to_vec())]);
    }
    let lists: Result<Vec<_>, pem::Error> =
        CertificateRevocationListDer::pem_slice_iter(octets).collect();
    match lists {
        Ok(lists) if !lists.is_empty() => Ok(lists),
        Ok(_) => Err(LoadProblem::Identity(IdentityError::NoRevocationList)),
        Err(error) => Err(LoadProblem::Pem(error)),
    }
}

impl RevocationList {
    /// That another one should have followed it.
    fn overdue(&self) -> OverdueList {
        OverdueList {
            file: self.file.clone(),
            issuer: self.issuer_name.clone(),
            next_update: self.next_update,
        }
    }

    fn read(der: &[u8], file: &Path) -> Result<Self, MalformedRevocationList> {
        let malformed = |error: &dyn fmt::Display| MalformedRevocationList {
            reason: error.to_string(),
        };
        let list = OwnedCertRevocationList::from_der(der).map_err(|error| malformed(&error))?;
        let (_, parsed) =
            CertificateRevocationList::from_der(der).map_err(|error| malformed(&error))?;
        // RFC 5280 5.1.2.5
        let next_update = parsed
            .next_update()
            .ok_or_else(|| malformed(&"it does not say when the next one is due (nextUpdate)"))?;
        Ok(Self {
            list: list.into(),
            issuer: parsed.issuer().as_raw().to_vec(),
            issuer_name: parsed.issuer().to_string(),
            this_update: parsed.last_update().timestamp(),
            next_update: next_update.timestamp(),
            file: file.to_owned(),
        })
    }
}

/// The reasons of RFC 5280 section 5.3.1.
const fn reason_text(reason: RevocationReason) -> &'static str {
    match reason {
        RevocationReason::KeyCompromise => "its key is known to others",
        RevocationReason::CaCompromise | RevocationReason::AaCompromise => {
            "the key of the authority is known to others"
        }
        RevocationReason::AffiliationChanged => "its content is no longer true",
        RevocationReason::Superseded => "there is another in its place",
        RevocationReason::CessationOfOperation => "it is not needed any more",
        RevocationReason::CertificateHold => "it is on hold",
        RevocationReason::PrivilegeWithdrawn => "a right in it was withdrawn",
        RevocationReason::Unspecified | RevocationReason::RemoveFromCrl => "for no reason given",
    }
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// Whose certificate is revoked: the peer's own, or that of an authority on the way.
    pub subject: String,
    /// Since when, in seconds since 1970.
    pub since: i64,
    /// Why, if the list says it.
    pub reason: Option<&'static str>,
    /// The file of the list; empty if it came from none.
    pub file: PathBuf,
}

impl fmt::Display for Revocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the certificate of \"{}\" was revoked at {}",
            self.subject.escape_debug(),
            Date(self.since)
        )?;
        if let Some(reason) = self.reason {
            write!(f, " ({reason})")?;
        }
        write!(
            f,
            ", as the revocation list {}says: have another certificate issued",
            InFile(&self.file)
        )
    }
}

/// A list that should have been followed by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverdueList {
    /// The file; empty if it came from none.
    pub file: PathBuf,
    /// Whose list it is.
    pub issuer: String,
    /// When the next was due, in seconds since 1970.
    pub next_update: i64,
}

impl fmt::Display for OverdueList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the revocation list {}of \"{}\" is overdue: another one should have come at {}",
            InFile(&self.file),
            self.issuer.escape_debug(),
            Date(self.next_update)
        )
    }
}

/// A list that its authority has not signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedList {
    /// The file; empty if it came from none.
    pub file: PathBuf,
    /// Whose list it says it is.
    pub issuer: String,
    /// What is wrong, as the verifying library says it.
    pub reason: String,
}

impl fmt::Display for UnsignedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the revocation list {}is not signed by the key of \"{}\" that has signed the certificate ({}): get the list anew \
             from that authority",
            InFile(&self.file),
            self.issuer.escape_debug(),
            self.reason
        )
    }
}

/// A file that may be none, and a space.
struct InFile<'a>(&'a Path);

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_os_str().is_empty() {
            true => Ok(()),
            false => write!(f, "{} ", self.0.display()),
        }
    }
}

/// What should be a revocation list is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the revocation list cannot be used: {reason} (lists of version 2 are, that are whole and the issuer's own)"
)]
pub struct MalformedRevocationList {
    /// Why.
    pub reason: String,
}
