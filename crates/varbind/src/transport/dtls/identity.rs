//! Who a peer is, by its certificates: what the handshake asks.

use std::sync::{Arc, Mutex, PoisonError};

use openssl::ssl::{SslRef, SslVerifyMode};
use openssl::x509::{X509StoreContextRef, X509VerifyResult};
use rustls::pki_types::{CertificateDer, UnixTime};
use varbind_engine::security::SecurityName;

use super::system_library;
use crate::transport::Observation;
use crate::transport::certificate::{
    CertificateError, ClientAuthentication, MalformedCertificate, ServerAuthentication, TlsFacts,
    Untrusted,
};

/// Decides who a peer is and whether it is spoken to.
pub(crate) trait PeerAuthentication: Send + Sync + 'static {
    /// The name of the peer with these certificates, its own first.
    ///
    /// # Errors
    /// When the certificates are not accepted.
    fn authenticate(&self, chain: &[CertificateDer<'_>]) -> Result<SecurityName, CertificateError>;
}

/// A server's clients have names.
impl PeerAuthentication for ClientAuthentication {
    fn authenticate(&self, chain: &[CertificateDer<'_>]) -> Result<SecurityName, CertificateError> {
        self.security_name(chain, UnixTime::now())
    }
}

/// A client's server is the one that is meant.
pub(crate) struct ExpectedServer {
    pub(crate) authentication: ServerAuthentication,
    /// The name or address by which it is spoken to.
    pub(crate) target: String,
    pub(crate) observation: Option<Arc<Observation<TlsFacts>>>,
}

impl PeerAuthentication for ExpectedServer {
    fn authenticate(&self, chain: &[CertificateDer<'_>]) -> Result<SecurityName, CertificateError> {
        Observation::note(self.observation.as_deref(), |facts| {
            let chain = chain.iter().map(|it| it.clone().into_owned());
            facts.peer_chain = chain.collect();
        });
        self.authentication
            .verify(chain, &self.target, UnixTime::now())?;
        Ok(SecurityName::new(self.target.as_str()))
    }
}

/// The alerts that tell a peer what is wrong with its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusalAlert {
    BadCertificate,
    UnknownAuthority,
    WrongUsage,
    Expired,
    Revoked,
    /// There is no fault in it, but it is not the one, or no rule maps it to a name.
    Unmapped,
}

impl RefusalAlert {
    const fn of(error: &CertificateError) -> Self {
        match error {
            CertificateError::NotYetValid(_) | CertificateError::Expired(_) => Self::Expired,
            CertificateError::Untrusted { reason, .. } => match reason {
                Untrusted::Revoked(_) => Self::Revoked,
                Untrusted::WrongUsage => Self::WrongUsage,
                _ => Self::UnknownAuthority,
            },
            CertificateError::Unmapped(_) | CertificateError::WrongFingerprint { .. } => {
                Self::Unmapped
            }
            _ => Self::BadCertificate,
        }
    }
}

/// What was found out about the peer of one association.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict(Arc<Mutex<Option<Result<SecurityName, CertificateError>>>>);

impl Verdict {
    /// What was decided in the handshake; nothing if the peer resumed a session.
    pub(crate) fn take(&self) -> Option<Result<SecurityName, CertificateError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, result: Result<SecurityName, CertificateError>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }
}

/// Has `authentication` decide about the peer in the handshake, so that a refused peer gets an alert with the reason.
///
/// The result of OpenSSL's own verification is ignored: it calls back for each objection and, at last, for the peer's own
/// certificate without one, when the chain is in order and the decision is taken.
pub(crate) fn verify_by(ssl: &mut SslRef, authentication: Arc<dyn PeerAuthentication>) -> Verdict {
    let verdict = Verdict::default();
    let result = verdict.clone();
    let mode = SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT;
    ssl.set_verify_callback(mode, move |is_good, context| {
        if !is_good && let Some(reason) = weakness(context) {
            result.set(Err(MalformedCertificate { reason }.into()));
            return false;
        }
        if !is_good || context.error_depth() != 0 {
            return true;
        }
        let decision = authentication.authenticate(&chain(context));
        let alert = decision.as_ref().err().map(RefusalAlert::of);
        result.set(decision);
        let verify_result = match alert {
            None => X509VerifyResult::OK,
            Some(alert) => system_library::verify_result(alert),
        };
        context.set_error(verify_result);
        alert.is_none()
    });
    verdict
}

/// What is weaker in the chain than security level 2 admits: the one thing that OpenSSL decides.
fn weakness(context: &X509StoreContextRef) -> Option<String> {
    // X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK
    matches!(context.error().as_raw(), 66..=68)
        .then(|| format!("it is too weak: {}", context.error()))
}

fn chain(context: &X509StoreContextRef) -> Vec<CertificateDer<'static>> {
    let certificates = context.chain().into_iter().flatten();
    certificates
        .filter_map(|certificate| certificate.to_der().ok())
        .map(CertificateDer::from)
        .collect()
}
