use std::cell::RefCell;

use crate::transport::certificate::{CertificateError, Untrusted};

thread_local! {
    /// Why the last certificate was refused in this thread.
    ///
    /// A handshake is worked on by one call, in which the certificate is verified: so this is of the handshake that has
    /// just failed. The library's own errors have no place for it beside the alert that the peer is to get.
    static REFUSAL: RefCell<Option<CertificateError>> = const { RefCell::new(None) };
}

/// Records why a certificate is refused, and selects the alert for the peer.
pub(super) fn refuse(error: CertificateError) -> rustls::Error {
    let reason = alert_reason(&error);
    REFUSAL.set(Some(error));
    reason.into()
}

/// Why the certificate was refused by the handshake that has just failed.
pub(super) fn take() -> Option<CertificateError> {
    REFUSAL.take()
}

fn alert_reason(error: &CertificateError) -> rustls::CertificateError {
    use rustls::CertificateError as Reason;
    match error {
        CertificateError::Missing
        | CertificateError::Malformed(_)
        | CertificateError::WrongVersion(_) => Reason::BadEncoding,
        CertificateError::NotYetValid(_) => Reason::NotValidYet,
        CertificateError::Expired(_) => Reason::Expired,
        CertificateError::Untrusted { reason, .. } => match reason {
            Untrusted::WrongUsage => Reason::InvalidPurpose,
            Untrusted::OutOfDate | Untrusted::AuthorityOutOfDate => Reason::Expired,
            Untrusted::Revoked(_) => Reason::Revoked,
            // There is no alert for it: what cannot be verified is not trusted.
            Untrusted::RevocationListOverdue(_) | Untrusted::RevocationListNotSigned(_) => {
                Reason::UnknownRevocationStatus
            }
            Untrusted::NoAuthorities | Untrusted::UnknownIssuer | Untrusted::WrongSignature => {
                Reason::UnknownIssuer
            }
            _ => Reason::NotValidForName,
        },
        // access_denied: the certificate is good, but its subject has no rights here.
        CertificateError::Unmapped(_) => Reason::ApplicationVerificationFailure,
        CertificateError::WrongFingerprint { .. } => Reason::UnknownIssuer,
        CertificateError::WrongName { .. } => Reason::NotValidForName,
    }
}
