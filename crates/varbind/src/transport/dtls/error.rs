use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use openssl::error::ErrorStack;
use openssl::ssl::SslAlert;

use crate::transport::certificate::CertificateError;
use crate::transport::{SecurityFailure, SecurityFailureKind, SessionError, TransportError};

/// Why there is no DTLS association, or no longer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DtlsError {
    /// Nothing came back.
    #[error(
        "no answer to the ClientHello within {:.1} s: the host is down, a firewall is between, or nothing speaks DTLS \
         there",
        .waited.as_secs_f64()
    )]
    NoAnswer {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The handshake began and did not end in time.
    #[error("the DTLS handshake was not finished in time ({state})")]
    HandshakeTimedOut {
        /// What was awaited, in the words of OpenSSL.
        state: &'static str,
    },
    /// The peer ended the handshake or the association with an alert.
    #[error("the peer sent the alert \"{}\": {}", .0, .0.hint())]
    AlertReceived(Alert),
    /// The peer's certificate was refused, by which rule.
    #[error("the peer is refused: {0}")]
    PeerRefused(CertificateError),
    /// The peer offers no version that is spoken here (DTLS 1.2 alone).
    #[error("the peer does not support DTLS 1.2, the only accepted version")]
    VersionMismatch,
    /// The peer and this side have no cipher suite or signature algorithm in common.
    #[error(
        "no cipher suite or signature algorithm in common: ECDHE with AES-GCM or ChaCha20-Poly1305 and SHA-256 or \
         better is required"
    )]
    NoCommonCipher,
    /// The peer closed the association.
    #[error("the peer closed the session")]
    Closed,
    /// A message does not fit into a record.
    #[error("a message of {length} octets does not fit into a DTLS record, which takes {largest}")]
    MessageTooLong {
        /// Its length.
        length: usize,
        /// The largest.
        largest: usize,
    },
    /// The peer did what it must not: what OpenSSL says of it.
    #[error("DTLS failed: {0}")]
    Protocol(String),
    /// The operating system reports an error.
    #[error("{0}")]
    System(Arc<io::Error>),
}

/// The description of an alert (RFC 5246 section 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alert(pub u8);

impl Alert {
    /// What is probably wrong when this comes from a peer.
    const fn hint(self) -> &'static str {
        match self.0 {
            40 => {
                "it accepts none of the cipher suites or signature algorithms, or wants another certificate"
            }
            41 | 116 => "it wants a certificate, and none was sent",
            42 | 43 => "it does not accept our certificate: its log may say why",
            44 => "our certificate is revoked",
            45 => {
                "our certificate is expired or not yet valid by its clock: renew the certificate (varbind pki renew), or \
                 correct the clock"
            }
            46 => {
                "it has no name for our certificate: add a rule there that gives one, as [[tls.map]] of a varbind agent"
            }
            48 => {
                "it does not know the authority that issued our certificate: let it trust that authority, or use another \
                 certificate (--certificate) of an authority that it trusts"
            }
            49 => "our certificate is valid, but has no access",
            70 => "it does not support DTLS 1.2",
            71 => "it asks for more security than is offered",
            80 => "it has a problem of its own, such as too many sessions",
            _ => "the reason is unknown",
        }
    }
}

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SslAlert knows the names.
        match SslAlert::from_reason_code(1000 + i32::from(self.0)) {
            Some(alert) => write!(f, "{alert}"),
            None => write!(f, "{}", self.0),
        }
    }
}

impl From<io::Error> for DtlsError {
    fn from(error: io::Error) -> Self {
        Self::System(Arc::new(error))
    }
}

impl From<ErrorStack> for DtlsError {
    fn from(stack: ErrorStack) -> Self {
        Self::from_stack(&stack)
    }
}

impl DtlsError {
    /// What OpenSSL's errors mean.
    pub(super) fn from_stack(stack: &ErrorStack) -> Self {
        // Of openssl/sslerr.h.
        const UNSUPPORTED_PROTOCOL: i32 = 258;
        const WRONG_VERSION_NUMBER: i32 = 267;
        const UNKNOWN_SSL_VERSION: i32 = 254;
        const WRONG_SSL_VERSION: i32 = 266;
        const NO_SHARED_CIPHER: i32 = 193;
        const NO_SUITABLE_SIGNATURE_ALGORITHM: i32 = 118;
        const PEER_DID_NOT_RETURN_A_CERTIFICATE: i32 = 199;
        for error in stack.errors() {
            let reason = error.reason_code();
            let alert = reason.checked_sub(1000).and_then(|n| u8::try_from(n).ok());
            if let Some(alert) = alert {
                return Self::AlertReceived(Alert(alert));
            }
            match reason {
                UNSUPPORTED_PROTOCOL | WRONG_VERSION_NUMBER | UNKNOWN_SSL_VERSION
                | WRONG_SSL_VERSION => return Self::VersionMismatch,
                NO_SHARED_CIPHER | NO_SUITABLE_SIGNATURE_ALGORITHM => return Self::NoCommonCipher,
                PEER_DID_NOT_RETURN_A_CERTIFICATE => {
                    return Self::PeerRefused(CertificateError::Missing);
                }
                _ => {}
            }
        }
        let reasons: Vec<_> = stack
            .errors()
            .iter()
            .filter_map(openssl::error::Error::reason)
            .collect();
        Self::Protocol(match reasons.is_empty() {
            true => "without a reason from OpenSSL".to_owned(),
            false => reasons.join(", "),
        })
    }
}

impl From<DtlsError> for SessionError {
    fn from(error: DtlsError) -> Self {
        let kind = match &error {
            DtlsError::NoAnswer { .. } | DtlsError::HandshakeTimedOut { .. } => {
                return io::Error::new(io::ErrorKind::TimedOut, error).into();
            }
            DtlsError::System(system) => {
                let error = match system.raw_os_error() {
                    Some(number) => io::Error::from_raw_os_error(number),
                    None => io::Error::new(system.kind(), error),
                };
                return error.into();
            }
            DtlsError::MessageTooLong { .. } => return TransportError::MessageTooLong.into(),
            DtlsError::PeerRefused(certificate) => {
                let kind = match certificate.is_unknown() {
                    true => SecurityFailureKind::UnknownPeer,
                    false => SecurityFailureKind::InvalidPeer,
                };
                return SecurityFailure::new(kind, certificate.advised()).into();
            }
            DtlsError::AlertReceived(Alert(40 | 70 | 71))
            | DtlsError::VersionMismatch
            | DtlsError::NoCommonCipher => SecurityFailureKind::NothingInCommon,
            DtlsError::AlertReceived(_) => SecurityFailureKind::RefusedByPeer,
            DtlsError::Closed | DtlsError::Protocol(_) => SecurityFailureKind::ProtocolError,
        };
        SecurityFailure::new(kind, error.to_string()).into()
    }
}
