use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use varbind::transport::SecurityFailure;
use varbind::transport::certificate::TlsClient;

use super::Endpoint;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The request cannot be sent as it is.
    #[error("{0}")]
    Request(String),
    /// The name of the server has no address.
    #[error("{endpoint}: the name cannot be resolved: {error}")]
    Resolving {
        /// The server.
        endpoint: String,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// The server does not accept a connection.
    #[error("{endpoint}: no connection with {address}: {error}")]
    Connecting {
        /// The server.
        endpoint: String,
        /// Its address.
        address: SocketAddr,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// The TLS handshake failed.
    #[error("{endpoint}: no session of TLS: {failure}")]
    Tls {
        /// The server.
        endpoint: String,
        /// The reason.
        #[source]
        failure: SecurityFailure,
    },
    /// Nothing came in time.
    #[error("{endpoint}: no answer within {} s", .after.as_secs_f64())]
    TimedOut {
        /// The server.
        endpoint: String,
        /// The timeout.
        after: Duration,
    },
    /// The connection ended before the response was whole.
    #[error("{endpoint}: the connection broke: {explanation}")]
    Broken {
        /// The server.
        endpoint: String,
        /// How it ended.
        explanation: String,
    },
    /// The response is malformed.
    #[error("{endpoint}: {explanation}")]
    Malformed {
        /// The server.
        endpoint: String,
        /// The defect.
        explanation: String,
    },
}

impl ClientError {
    pub(super) fn broken(endpoint: &Endpoint, error: &(dyn Error + 'static)) -> Self {
        let mut explanation = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            let inner_text = inner.to_string();
            if !explanation.ends_with(&inner_text) {
                explanation = format!("{explanation}: {inner_text}");
            }
            source = inner.source();
        }
        Self::Broken {
            endpoint: endpoint.to_string(),
            explanation,
        }
    }
}

/// The TLS error in the chain of an error's sources.
pub(super) fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // The source of an error of the system that wraps another one is the other one's source.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|wrapped| wrapped.downcast_ref()) {
            return Some(found);
        }
        current = error.source();
    }
    None
}

/// Explains why a handshake failed.
pub(super) fn tls_failure(
    endpoint: &Endpoint,
    tls: &TlsClient,
    error: &io::Error,
    first: &[u8],
) -> ClientError {
    match tls_error(error) {
        Some(error) => ClientError::Tls {
            endpoint: endpoint.to_string(),
            failure: tls.handshake_failure(error, first),
        },
        None if error.kind() == io::ErrorKind::UnexpectedEof => ClientError::Broken {
            endpoint: endpoint.to_string(),
            explanation: "the server has closed the connection in the handshake of TLS: it speaks something else at this port, \
                          or is overloaded"
                .to_owned(),
        },
        None => ClientError::broken(endpoint, error),
    }
}
