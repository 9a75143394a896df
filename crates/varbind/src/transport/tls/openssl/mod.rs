//! TLS by the system's OpenSSL, for peers that have nothing newer than TLS 1.0 and for suites without encryption, which
//! `rustls` has not. It is not built by default, and nothing uses it that does not ask for it by its versions
//! ([`TlsVersions`]).

mod context;
mod server;

use std::io;

use openssl::ssl::{Error, ErrorCode, SslRef};
use varbind_engine::security::SecurityLevel;

pub(crate) use context::client as client_context;
pub(super) use context::server as server_context;
pub(super) use server::serve;

use super::TlsVersions;
use crate::transport::{SecurityFailure, SecurityFailureKind};

/// What a session protects against: suites without encryption leave only authentication.
pub(crate) fn security_level(ssl: &SslRef) -> SecurityLevel {
    match ssl.current_cipher().map(|cipher| cipher.bits().secret) {
        Some(0) | None => SecurityLevel::AuthNoPriv,
        Some(_) => SecurityLevel::AuthPriv,
    }
}

/// What an error of reading or writing means; `None` if it only is not the time for it.
pub(crate) fn io_error(error: Error) -> Option<io::Error> {
    match error.code() {
        ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => None,
        ErrorCode::ZERO_RETURN => Some(io::ErrorKind::UnexpectedEof.into()),
        _ => Some(error.into_io_error().unwrap_or_else(|error| {
            let explanation = format!("the peer has ended the session: {error}");
            io::Error::other(SecurityFailure::new(
                SecurityFailureKind::RefusedByPeer,
                explanation,
            ))
        })),
    }
}
