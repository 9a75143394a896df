//! TLS by the system's OpenSSL, for peers that have nothing newer than TLS 1.0 and for suites without encryption, which
//! `rustls` has not. It is not built by default, and nothing uses it that does not ask for it by its versions
//! ([`TlsVersions`]).

mod client;
mod connection;
mod context;
mod server;

use openssl::ssl::SslRef;
use varbind_engine::security::SecurityLevel;

pub(crate) use client::OpensslClientStream;
pub(crate) use context::client as client_context;
pub(super) use context::server as server_context;
pub(super) use server::serve;

use super::TlsVersions;

/// What a session protects against: suites without encryption leave only authentication.
pub(crate) fn security_level(ssl: &SslRef) -> SecurityLevel {
    match ssl.current_cipher().map(|cipher| cipher.bits().secret) {
        Some(0) | None => SecurityLevel::AuthNoPriv,
        Some(_) => SecurityLevel::AuthPriv,
    }
}
