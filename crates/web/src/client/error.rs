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
        /// What the system said.
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
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// One side does not accept what the other one is, or speaks, in TLS.
    #[error("{endpoint}: no session of TLS: {failure}")]
    Tls {
        /// The server.
        endpoint: String,
        /// Why.
        #[source]
        failure: SecurityFailure,
    },
    /// Nothing came in time.
    #[error("{endpoint}: no answer within {} s", .after.as_secs_f64())]
    TimedOut {
        /// The server.
        endpoint: String,
        /// How long it was waited.
        after: Duration,
    },
    /// The connection ended before the response was whole.
    #[error("{endpoint}: the connection broke: {explanation}")]
    Broken {
        /// The server.
        endpoint: String,
        /// What happened.
        explanation: String,
    },
    /// What came is not a response.
    #[error("{endpoint}: {explanation}")]
    Malformed {
        /// The server.
        endpoint: String,
        /// Why not.
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

/// The error of TLS that is behind an error.
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

/// What it means that a handshake failed.
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
