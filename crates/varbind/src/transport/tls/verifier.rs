use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use super::refusal::refuse;
use crate::transport::Observation;
use crate::transport::certificate::cryptography::provider;
use crate::transport::certificate::{ClientAuthentication, ServerAuthentication, TlsFacts};

/// The client's certificate as RFC 6353 section 5.3.2 has it: the client is told at once if it has no name.
#[derive(Debug)]
pub(super) struct ClientVerifier(pub(super) Arc<ClientAuthentication>);

/// The server's certificate as RFC 6353 section 5.3.1 has it.
#[derive(Debug)]
pub(super) struct ServerVerifier {
    pub(super) server: ServerAuthentication,
    pub(super) observation: Option<Arc<Observation<TlsFacts>>>,
}

fn chain(
    end_entity: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
) -> Vec<CertificateDer<'static>> {
    let chain = std::iter::once(end_entity).chain(intermediates);
    chain
        .map(|certificate| certificate.clone().into_owned())
        .collect()
}

impl ClientCertVerifier for ClientVerifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        // Clients are known by their fingerprints too, and must not hold back their certificate for want of an authority.
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        match self.0.security_name(&chain(end_entity, intermediates), now) {
            Ok(_) => Ok(ClientCertVerified::assertion()),
            Err(error) => Err(refuse(error)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &provider().signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &provider().signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}

impl ServerCertVerifier for ServerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = chain(end_entity, intermediates);
        Observation::note(self.observation.as_deref(), |facts| {
            facts.peer_chain.clone_from(&chain);
        });
        match self.server.verify(&chain, &server_name.to_str(), now) {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => Err(refuse(error)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &provider().signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &provider().signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
