use std::io;
use std::sync::Arc;

use rustls::pki_types::UnixTime;
use rustls::{HandshakeKind, ProtocolVersion};

use super::failure::{Side, advise, handshake_failure};
use super::records::{ClientRecords, RecordError};
use super::{ClientConfiguration, TlsVersions};
use crate::transport::certificate::{TlsClient, TlsFacts, TlsStatistics};
use crate::transport::{Observation, SecurityFailure, SecurityFailureKind, SessionError};

/// A client's side of a session without its socket, and what is said of its errors.
pub(crate) struct ClientSide {
    pub(crate) records: ClientRecords,
    pub(crate) statistics: Arc<TlsStatistics>,
    versions: TlsVersions,
    configuration: Arc<ClientConfiguration>,
}

/// As much of what came first as is needed to say what the peer speaks.
const FIRST: usize = 16;

impl ClientSide {
    pub(crate) fn new(client: &TlsClient, host: &str) -> Result<Self, SessionError> {
        let configuration = client.tls()?;
        Ok(Self {
            records: ClientRecords::new(configuration.connection(host)?),
            statistics: Arc::clone(client.statistics()),
            versions: client.versions(),
            configuration,
        })
    }

    /// The failure, with what is wrong with our certificate if the peer refuses it.
    fn explain(&self, failure: SecurityFailure) -> SessionError {
        let identity = self.configuration.identity();
        identity.explain(failure, UnixTime::now()).into()
    }

    /// Keeps what came first.
    pub(crate) fn keep_first(first: &mut Vec<u8>, arrived: &[u8]) {
        let missing = FIRST.saturating_sub(first.len());
        first.extend(arrived.iter().take(missing));
    }

    /// Takes note of what the two sides have agreed upon so far.
    pub(crate) fn note_negotiated(&self, client: &TlsClient) {
        let state = self.records.state();
        let note = |facts: &mut TlsFacts| {
            facts.version = match state.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => Some("TLS 1.3"),
                Some(ProtocolVersion::TLSv1_2) => Some("TLS 1.2"),
                _ => None,
            };
            // The library writes TLS13 for TLS, where a suite is of that version.
            facts.cipher_suite = state
                .negotiated_cipher_suite()
                .map(|suite| format!("{:?}", suite.suite()).replacen("TLS13", "TLS", 1));
            facts.key_exchange = state
                .negotiated_key_exchange_group()
                .map(|group| format!("{:?}", group.name()));
            facts.is_resumed = state
                .handshake_kind()
                .map(|kind| kind == HandshakeKind::Resumed);
        };
        Observation::note(client.observation().map(Arc::as_ref), note);
    }

    /// The peer has ended the connection during the handshake without an alert.
    pub(crate) fn ended(&self, first: &[u8]) -> SessionError {
        let explanation = if first.is_empty() {
            format!(
                "the peer has closed the connection without an answer to TLS: it speaks something else at this port, does not \
                 speak {}, or is overloaded",
                self.versions
            )
        } else {
            "the peer has closed the connection in the middle of the handshake: its log may say why"
                .to_owned()
        };
        SecurityFailure::new(SecurityFailureKind::ProtocolError, explanation).into()
    }

    /// Why a handshake failed, which is counted.
    pub(crate) fn handshake_failure(&self, error: RecordError, first: &[u8]) -> SessionError {
        let error = match error {
            RecordError::Io(error) => return error.into(),
            RecordError::Tls(error) => error,
        };
        let (failure, certificate) = handshake_failure(&error, Side::Client, self.versions, first);
        let statistics = &self.statistics;
        match &certificate {
            Some(error) if error.is_unknown() => statistics.unknown_server_certificates.increment(),
            Some(_) => statistics.invalid_server_certificates.increment(),
            None if matches!(error, rustls::Error::InvalidCertificate(_)) => {
                statistics.invalid_server_certificates.increment();
            }
            None => {}
        }
        self.explain(advise(&failure, certificate.as_ref()))
    }

    /// Why a session failed that was open.
    pub(crate) fn failure(&self, error: &rustls::Error) -> SessionError {
        let (failure, _) = handshake_failure(error, Side::Client, self.versions, &[]);
        self.explain(failure)
    }

    /// The peer does not take what is sent: its alert, if it has sent one before, says why.
    pub(crate) fn write_failure(
        &mut self,
        error: io::Error,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> SessionError {
        match self.records.read(read, &mut Vec::new()) {
            Err(error @ RecordError::Tls(_)) => self.handshake_failure(error, &[]),
            _ => error.into(),
        }
    }
}
