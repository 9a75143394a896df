use std::fmt;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use super::authentication::check_dates;
use super::cryptography::provider;
use super::{
    CertificateDescription, MalformedCertificate, OverdueList, Revocation, RevocationLists,
    UnsignedList,
};

/// The authorities whose signatures are trusted, and single certificates that are trusted themselves.
#[derive(Clone, Default)]
pub struct TrustAnchors {
    certificates: Arc<Vec<CertificateDer<'static>>>,
    anchors: Arc<Vec<TrustAnchor<'static>>>,
    revocation: RevocationLists,
}

impl TrustAnchors {
    /// Trust in these certificates.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn new(certificates: Vec<CertificateDer<'static>>) -> Result<Self, MalformedCertificate> {
        let mut anchors = Vec::with_capacity(certificates.len());
        for certificate in &certificates {
            let anchor =
                anchor_from_trusted_cert(certificate).map_err(|error| MalformedCertificate {
                    reason: error.to_string(),
                })?;
            anchors.push(anchor.to_owned());
        }
        Ok(Self {
            certificates: Arc::new(certificates),
            anchors: Arc::new(anchors),
            revocation: RevocationLists::default(),
        })
    }

    /// The same without revoked certificates. Revocation also applies to certificates that are trusted directly or by their
    /// fingerprint.
    #[must_use]
    pub fn with_revocation_lists(self, revocation: RevocationLists) -> Self {
        Self { revocation, ..self }
    }

    /// What was revoked.
    #[must_use]
    pub const fn revocation_lists(&self) -> &RevocationLists {
        &self.revocation
    }

    /// The certificates.
    #[must_use]
    pub fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.certificates
    }

    /// Whether no certificate is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.certificates.is_empty()
    }

    /// Verifies a certificate by way of those that came with it up to one that is trusted (RFC 5280 section 6). Returns the
    /// authorities of the path, in DER; none if the certificate is trusted itself.
    pub(super) fn verify<'c>(
        &'c self,
        chain: &'c [CertificateDer<'_>],
        usage: CertificateUsage,
        now: UnixTime,
    ) -> Result<Vec<&'c [u8]>, Untrusted> {
        let (leaf, intermediates) = chain
            .split_first()
            .ok_or(Untrusted::Path("no certificate came".to_owned()))?;
        self.revocation.check(leaf)?;
        if self.certificates.iter().any(|trusted| trusted == leaf) {
            self.check_issuers(chain, now)?;
            return Ok(Vec::new());
        }
        if self.anchors.is_empty() {
            return Err(Untrusted::NoAuthorities);
        }
        let end_entity = EndEntityCert::try_from(leaf).map_err(|error| Untrusted::from(&error))?;
        let usage = match usage {
            CertificateUsage::Client => KeyUsage::client_auth(),
            CertificateUsage::Server => KeyUsage::server_auth(),
        };
        let lists = self.revocation.lists();
        let revocation = self.revocation.options(&lists);
        let path = end_entity
            .verify_for_usage(
                provider().signature_verification_algorithms.all,
                &self.anchors,
                intermediates,
                now,
                usage,
                revocation,
                None,
            )
            .map_err(|error| {
                let about_a_list = self.revocation.explain(&error, chain, now);
                about_a_list.unwrap_or_else(|| match Untrusted::from(&error) {
                    Untrusted::AuthorityOutOfDate if is_out_of_date(leaf, now) => {
                        Untrusted::OutOfDate
                    }
                    reason => reason,
                })
            })?;
        let mut authorities: Vec<&[u8]> = Vec::new();
        for used in path.intermediate_certificates() {
            let der = used.der();
            authorities.extend(
                intermediates
                    .iter()
                    .find(|it| **it == der)
                    .map(AsRef::as_ref),
            );
        }
        let anchor = path.anchor();
        // Several certificates may hold the same key and name, as after a renewal.
        let anchors = self.anchors.iter().zip(self.certificates.iter());
        let is_used = |it: &TrustAnchor<'_>| {
            it.subject == anchor.subject
                && it.subject_public_key_info == anchor.subject_public_key_info
        };
        let mut revoked = Ok(());
        let known = authorities.len();
        for (_, certificate) in anchors.filter(|(it, _)| is_used(it)) {
            match self.revocation.check(certificate) {
                Ok(()) => authorities.push(certificate.as_ref()),
                Err(reason) => revoked = Err(reason),
            }
        }
        // The verifying library looks for no authority that is trusted on a list.
        if authorities.len() == known {
            revoked?;
        }
        Ok(authorities)
    }

    /// Verifies a certificate that is known by its fingerprint. It needs no authority, so there may be no path; but it is refused
    /// when it was revoked or an authority that has issued it, and when the list that could say so is overdue.
    pub(super) fn verify_known<'c>(
        &'c self,
        chain: &'c [CertificateDer<'_>],
        usage: CertificateUsage,
        now: UnixTime,
    ) -> Result<Vec<&'c [u8]>, Untrusted> {
        match self.verify(chain, usage, now) {
            Err(reason) if reason.is_about_revocation() => Err(reason),
            Err(_) => {
                self.check_issuers(chain, now)?;
                Ok(Vec::new())
            }
            verified => verified,
        }
    }

    fn check_issuers(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Result<(), Untrusted> {
        let trusted = self.certificates.iter().map(AsRef::as_ref);
        self.revocation.check_issuers(chain, trusted, now)
    }
}

fn is_out_of_date(certificate: &CertificateDer<'_>, now: UnixTime) -> bool {
    CertificateDescription::read(certificate)
        .is_ok_and(|description| check_dates(&description, now).is_err())
}

impl fmt::Debug for TrustAnchors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subjects = self.certificates.iter().map(|certificate| {
            CertificateDescription::read(certificate).map_or_else(
                |error| error.to_string(),
                |description| description.to_string(),
            )
        });
        f.debug_list().entries(subjects).finish()
    }
}

/// What a certificate is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CertificateUsage {
    Client,
    Server,
}

/// Why no path leads from a certificate to one that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untrusted {
    /// No authority is trusted at all.
    NoAuthorities,
    /// No trusted authority has signed it, or its intermediates are missing.
    UnknownIssuer,
    /// It is that of an authority, which must not speak itself.
    Authority,
    /// A signature is wrong.
    WrongSignature,
    /// The certificate itself was not valid at this time.
    OutOfDate,
    /// An authority on the path was not valid at this time.
    AuthorityOutOfDate,
    /// It is for something else: its extended key usage does not allow this.
    WrongUsage,
    /// It was revoked, or an authority on the path was.
    Revoked(Box<Revocation>),
    /// The list in which it could be revoked should have been followed by another one.
    RevocationListOverdue(Box<OverdueList>),
    /// The list in which it could be revoked is not that of the authority.
    RevocationListNotSigned(Box<UnsignedList>),
    /// Something else, as the verifying library says it.
    Path(String),
}

impl Untrusted {
    /// Whether a revocation list is why: then nothing else vouches for the certificate.
    pub(super) const fn is_about_revocation(&self) -> bool {
        matches!(
            self,
            Self::Revoked(_) | Self::RevocationListOverdue(_) | Self::RevocationListNotSigned(_)
        )
    }
}

impl From<&webpki::Error> for Untrusted {
    fn from(error: &webpki::Error) -> Self {
        match error {
            webpki::Error::UnknownIssuer => Self::UnknownIssuer,
            webpki::Error::CaUsedAsEndEntity => Self::Authority,
            webpki::Error::InvalidSignatureForPublicKey => Self::WrongSignature,
            webpki::Error::CertExpired { .. } | webpki::Error::CertNotValidYet { .. } => {
                Self::AuthorityOutOfDate
            }
            webpki::Error::RequiredEkuNotFoundContext(_) => Self::WrongUsage,
            error => Self::Path(error.to_string()),
        }
    }
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAuthorities => f.write_str("no authority is trusted"),
            Self::UnknownIssuer => f.write_str(
                "no authority that is trusted has signed it, or certificates between the two did not come with it",
            ),
            Self::Authority => f.write_str(
                "it is the certificate of an authority, which is not accepted for its own sessions unless it is trusted by its \
                 fingerprint",
            ),
            Self::WrongSignature => f.write_str(
                "an authority of this name is trusted, but with another key: it was made anew, another has the same name, or the \
                 certificate was changed",
            ),
            Self::OutOfDate => f.write_str("it is not valid at this time"),
            Self::AuthorityOutOfDate => f.write_str(
                "the certificate of an authority that has signed it is not valid at this time: renew that, or correct the clock",
            ),
            Self::WrongUsage => f.write_str("its extended key usage does not allow this role"),
            Self::Revoked(revocation) => write!(f, "{revocation}"),
            Self::RevocationListOverdue(list) => write!(
                f,
                "{list}: get the newer one from that authority, or allow lists that are overdue"
            ),
            Self::RevocationListNotSigned(list) => write!(f, "{list}"),
            Self::Path(reason) => f.write_str(reason),
        }
    }
}
