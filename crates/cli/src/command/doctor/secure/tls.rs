//! TLS and DTLS: versions, certificates of both sides, and who accepts whom.

use std::sync::Arc;

use varbind::transport::certificate::{
    CertificateError, CertificateIdentity, PeerIdentity, ServerAuthentication, TlsClient, TlsFacts,
    UnixTime,
};
use varbind::transport::{
    Observation, OpenError, SecureTransportOptions, SecurityFailure, SecurityFailureKind, Transport,
};
use varbind_pki::IdentityFiles;
use varbind_terminal::{Failure, secure_transport};

use super::certificates::{print_own, print_server};
use super::{Examination, Own, Trusting, Way, bad, good, no_session, open, reported};
use crate::session::Session;

/// An attempt to open a session.
struct Attempt {
    facts: TlsFacts,
    result: Result<Session, OpenError>,
    client: Arc<TlsClient>,
}

impl Examination<'_> {
    pub(super) fn examine_tls(&self) -> Result<Way, Failure> {
        let target = &self.session.target;
        let what = if target.transport == Transport::Tls {
            "TLS"
        } else {
            "DTLS"
        };
        let addresses = self.resolve(target)?;
        if target.transport == Transport::Tls {
            let (remote, connection) = self.connect(&addresses)?;
            drop(connection);
            self.print_tls_versions(remote)?;
        } else {
            self.print_dtls_versions(&addresses)?;
        }
        let material =
            secure_transport::tls_material(&self.session.certificate, &self.session.peer)?;
        let (identity, files) = own_identity(&material)?;
        let first = self.attempt(&identity, material.server.clone())?;
        let chain = first.facts.peer_chain.clone();
        let refusal = material
            .server
            .verify(&chain, &target.host, UnixTime::now())
            .err();
        let is_refused = !chain.is_empty() && refusal.is_some();
        // Only what the certificate is worth is in doubt: the rest can be looked at all the same.
        let last = match (chain.first(), &refusal) {
            (Some(leaf), Some(error)) if is_pinnable(error) => {
                let leaf = PeerIdentity::Fingerprint(fingerprint(leaf));
                self.attempt(
                    &identity,
                    ServerAuthentication {
                        identity: leaf,
                        ..ServerAuthentication::default()
                    },
                )?
            }
            _ => first,
        };
        print_agreement(what, &last)?;
        let mut trusting: Option<Trusting> = None;
        if !chain.is_empty()
            && let Err((error, option)) = print_server(&material.server, &chain, &target.host)?
        {
            trusting = option;
            if trusting.is_none() || !is_refused {
                return Err(no_session(&error.to_string()));
            }
        }
        let Attempt { result, client, .. } = last;
        let Err(error) = result else {
            return Ok(Way {
                options: secure(client),
                own: print_own(&identity, &files)?,
                trusting,
            });
        };
        if chain.is_empty() {
            bad(what, &reason(&error))?;
        } else {
            let own = print_own(&identity, &files)?;
            Self::print_refusal(&error, &own)?;
        }
        Err(reported(error))
    }

    fn attempt(
        &self,
        identity: &CertificateIdentity,
        server: ServerAuthentication,
    ) -> Result<Attempt, Failure> {
        let observation = Arc::new(Observation::default());
        let client = TlsClient::new(identity.clone(), server).observed_by(Arc::clone(&observation));
        #[cfg(feature = "openssl-tls")]
        let client = match self.session.peer.legacy_tls {
            true => client.with_versions(varbind::transport::tls::TlsVersions::Legacy),
            false => client,
        };
        let client = Arc::new(client);
        let result = self.open_session(secure(Arc::clone(&client)))?;
        Ok(Attempt {
            facts: observation.take(),
            result,
            client,
        })
    }

    /// Tells how the agent took our certificate.
    fn print_refusal(error: &OpenError, own: &Own) -> Result<(), Failure> {
        bad("accepted", &reason(error))?;
        match error.security_failure().map(SecurityFailure::kind) {
            Some(SecurityFailureKind::RefusedByPeer) => Self::advise_mapping(own),
            _ => Ok(()),
        }
    }

    /// Whether a second session resumes the first.
    pub(super) fn print_resumption(&self, way: &Way) -> Result<(), Failure> {
        let Some(client) = &way.options.tls else {
            return Ok(());
        };
        let resumed = self.open_session(way.options.clone())?.is_ok()
            && client
                .observation()
                .is_some_and(|it| it.take().is_resumed == Some(true));
        match resumed {
            true => good(
                "resumption",
                "a second session resumes the first with a short handshake",
            ),
            false => open(
                "resumption",
                "a second session is not resumed: each costs a whole handshake",
            ),
        }
    }
}

fn own_identity(
    material: &secure_transport::TlsMaterial,
) -> Result<(CertificateIdentity, IdentityFiles), Failure> {
    material.identity().or_else(|failure| {
        bad("ours", &failure.to_string())?;
        Err(reported(failure))
    })
}

fn secure(client: Arc<TlsClient>) -> SecureTransportOptions {
    let mut options = SecureTransportOptions::default();
    options.tls = Some(client);
    options
}

fn fingerprint(certificate: &[u8]) -> varbind::transport::certificate::Fingerprint {
    use varbind::transport::certificate::{Fingerprint, HashAlgorithm};
    Fingerprint::of(certificate, HashAlgorithm::Sha256)
}

/// Whether a certificate is in order but for who vouches for it.
const fn is_pinnable(error: &CertificateError) -> bool {
    matches!(
        error,
        CertificateError::Untrusted { .. }
            | CertificateError::WrongName { .. }
            | CertificateError::WrongFingerprint { .. }
    )
}

fn print_agreement(what: &str, attempt: &Attempt) -> Result<(), Failure> {
    let facts = &attempt.facts;
    let parts = [
        facts.version.map(str::to_owned),
        facts.cipher_suite.clone(),
        facts
            .key_exchange
            .as_ref()
            .map(|group| format!("key exchange {group}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    match (parts.is_empty(), facts.version) {
        (false, Some(_)) => good("session", &parts.join(", ")),
        _ if attempt.result.is_ok() => good("session", what),
        _ => Ok(()),
    }
}

/// Why there is no session, without what the user knows.
pub(super) fn reason(error: &OpenError) -> String {
    match (error.security_failure(), error) {
        (Some(failure), _) => failure.explanation().to_owned(),
        (None, OpenError::Connecting { error, .. }) => error.to_string(),
        (None, OpenError::Ssh { error, .. }) => error.to_string(),
        (None, error) => error.to_string(),
    }
}
