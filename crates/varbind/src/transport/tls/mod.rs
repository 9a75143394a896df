//! SNMP over TLS (RFC 6353 with the rules of RFC 9456): TLS 1.2 and 1.3, both sides with certificates.
//!
//! A [`TlsServer`](crate::transport::certificate::TlsServer) is what an agent or a notification receiver needs to listen, a
//! [`TlsClient`](crate::transport::certificate::TlsClient) what a manager or a target of notifications needs to open
//! sessions. Sessions are resumed where both sides can; early data is never sent nor taken
//! (RFC 9456 section 2.1), and nothing renegotiates. `SSLKEYLOGFILE` names a file for the keys of sessions, for
//! debugging.

mod acceptor;
mod client;
mod client_side;
mod client_stream;
mod endpoint;
mod failure;
#[cfg(feature = "openssl-tls")]
pub(crate) mod openssl;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod records;
mod refusal;
mod server;
mod server_name;
mod stream;
#[cfg(test)]
mod tests;
mod verifier;

pub(crate) use acceptor::TlsAcceptor;
pub(crate) use client::ClientConfiguration;
pub(crate) use client_stream::ClientTlsStream;
pub(crate) use failure::{Side, advise, handshake_failure};
pub(crate) use server::{TlsConfiguration, server_configuration};

use std::fmt;

use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

/// The versions of TLS that are spoken. There are no older ones: RFC 9456 section 2.1 forbids them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsVersions {
    /// 1.3, and 1.2 with those who have nothing newer.
    #[default]
    All,
    /// 1.2 alone.
    Only12,
    /// 1.3 alone.
    Only13,
    /// 1.0 and up by OpenSSL, with whatever suites it has: for peers that have nothing newer. RFC 9456 forbids it.
    #[cfg(feature = "openssl-tls")]
    Legacy,
    /// **Unsafe**: 1.0 to 1.2 by OpenSSL, without encryption: messages cannot be changed, but be read by everybody.
    /// Sessions have the level authNoPriv. The suites are `ECDHE-ECDSA-NULL-SHA`, `ECDHE-RSA-NULL-SHA` and `NULL-SHA256`
    /// (RFC 8422, RFC 5246). It is there to measure what encryption costs.
    #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
    UnsafeIntegrityOnly,
    /// The same versions, key exchanges and digests with AES-128 (CBC) besides, which is what the former is compared with:
    /// `ECDHE-ECDSA-AES128-SHA`, `ECDHE-RSA-AES128-SHA` and `AES128-SHA256`.
    #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
    LegacyAes128,
}

impl TlsVersions {
    /// Whether OpenSSL has to speak them.
    #[cfg(feature = "openssl-tls")]
    pub(crate) const fn need_openssl(self) -> bool {
        !matches!(self, Self::All | Self::Only12 | Self::Only13)
    }

    const fn versions(self) -> &'static [&'static SupportedProtocolVersion] {
        static ALL: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
        let [only_13, only_12] = &ALL;
        match self {
            Self::Only12 => std::slice::from_ref(only_12),
            Self::Only13 => std::slice::from_ref(only_13),
            _ => &ALL,
        }
    }
}

impl fmt::Display for TlsVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "TLS 1.2 and 1.3",
            Self::Only12 => "TLS 1.2",
            Self::Only13 => "TLS 1.3",
            #[cfg(feature = "openssl-tls")]
            Self::Legacy => "TLS 1.0 and up",
            #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
            Self::UnsafeIntegrityOnly => "TLS without encryption",
            #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
            Self::LegacyAes128 => "TLS up to 1.2 with AES-128",
        })
    }
}
