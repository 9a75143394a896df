use openssl::error::ErrorStack;
use openssl::ssl::{
    SslContext, SslContextBuilder, SslMethod, SslOptions, SslSessionCacheMode, SslVersion,
};

use super::TlsVersions;
use crate::transport::certificate::CertificateIdentity;
use crate::transport::dtls::{log_keys_as_asked, set_identity};

/// All that OpenSSL has, but for suites without authentication or encryption.
const LEGACY: &str = "ALL:!aNULL:!eNULL";
/// Authentication and integrity without encryption: anyone on the path can read the messages.
#[cfg(feature = "experiments")]
const INTEGRITY_ONLY: &str = "ECDHE-ECDSA-NULL-SHA:ECDHE-RSA-NULL-SHA:NULL-SHA256";
/// The same suites with encryption.
#[cfg(feature = "experiments")]
const AES_128: &str = "ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:AES128-SHA256";

/// The context of a server.
pub(crate) fn server(
    identity: &CertificateIdentity,
    versions: TlsVersions,
) -> Result<SslContext, ErrorStack> {
    let mut builder = builder(SslMethod::tls_server(), identity, versions)?;
    builder.set_options(SslOptions::CIPHER_SERVER_PREFERENCE);
    builder.set_session_id_context(b"snmp")?;
    Ok(builder.build())
}

/// The context of a client.
pub(crate) fn client(
    identity: &CertificateIdentity,
    versions: TlsVersions,
) -> Result<SslContext, ErrorStack> {
    Ok(builder(SslMethod::tls_client(), identity, versions)?.build())
}

fn builder(
    method: SslMethod,
    identity: &CertificateIdentity,
    versions: TlsVersions,
) -> Result<SslContextBuilder, ErrorStack> {
    let mut builder = SslContextBuilder::new(method)?;
    // Older versions sign with SHA-1.
    builder.set_security_level(0);
    builder.set_min_proto_version(Some(SslVersion::TLS1))?;
    // TLS 1.3 has no suites without encryption in OpenSSL 3.0 (RFC 9150).
    let (newest, suites) = match versions {
        #[cfg(feature = "experiments")]
        TlsVersions::UnsafeIntegrityOnly => (Some(SslVersion::TLS1_2), INTEGRITY_ONLY),
        #[cfg(feature = "experiments")]
        TlsVersions::LegacyAes128 => (Some(SslVersion::TLS1_2), AES_128),
        _ => (None, LEGACY),
    };
    builder.set_max_proto_version(newest)?;
    builder.set_cipher_list(suites)?;
    builder.set_options(
        SslOptions::NO_RENEGOTIATION | SslOptions::NO_COMPRESSION | SslOptions::NO_TICKET,
    );
    // Without a session cache, each connection is authenticated anew.
    builder.set_session_cache_mode(SslSessionCacheMode::OFF);
    set_identity(&mut builder, identity)?;
    log_keys_as_asked(&mut builder);
    Ok(builder)
}
