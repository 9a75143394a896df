use std::ffi::c_long;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::ssl::{
    SslContext, SslContextBuilder, SslMethod, SslOptions, SslSessionCacheMode, SslVersion,
};
use openssl::x509::X509;

use super::error::DtlsError;
use super::resumption::ResumableSessions;
use super::system_library;
use crate::transport::certificate::{CertificateIdentity, TlsServer};

/// ECDHE and an AEAD, with SHA-256 or better (RFC 9456 section 2.3 deprecates the rest).
const CIPHER_SUITES: &str = "ECDHE+AESGCM:ECDHE+CHACHA20";
const GROUPS: &str = "X25519:P-256:P-384:P-521";
const SIGNATURE_ALGORITHMS: &str = "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512";
/// The certificates that a peer may send, in octets.
const LARGEST_CHAIN: c_long = 32 * 1024;

/// The context of a server, whose cookies are checked before OpenSSL sees a ClientHello.
pub(super) fn server(
    server: &TlsServer,
    sessions: &Arc<ResumableSessions>,
) -> Result<SslContext, DtlsError> {
    let identity = &server.identity;
    let mut builder = builder(SslMethod::dtls_server(), identity)?;
    builder.set_options(SslOptions::COOKIE_EXCHANGE | SslOptions::CIPHER_SERVER_PREFERENCE);
    // An association begins with a ClientHello whose cookie was accepted (`Cookies::accept`), and with no other.
    builder.set_cookie_verify_cb(|_, _| true);
    builder.set_cookie_generate_cb(|_, _| Err(ErrorStack::get()));
    if server.keeps_server_names {
        // A resumed session has the name that was accepted when it was opened.
        builder.set_servername_callback(|_, _| Ok(()));
    }
    // Without it sessions of clients that have certificates are not resumed.
    builder.set_session_id_context(b"snmp")?;
    builder.set_session_cache_mode(match server.resumption {
        true => SslSessionCacheMode::SERVER | SslSessionCacheMode::NO_INTERNAL,
        false => SslSessionCacheMode::OFF,
    });
    let known = Arc::clone(sessions);
    builder.set_new_session_callback(move |ssl, session| known.keep(ssl, &session));
    let known = Arc::clone(sessions);
    builder.set_remove_session_callback(move |_, session| known.forget(session.id()));
    let known = Arc::clone(sessions);
    system_library::find_sessions(&mut builder, move |id| known.find(id));
    Ok(builder.build())
}

/// The context of a client.
pub(super) fn client(identity: &CertificateIdentity) -> Result<SslContext, DtlsError> {
    let mut builder = builder(SslMethod::dtls_client(), identity)?;
    builder.set_session_cache_mode(SslSessionCacheMode::OFF);
    Ok(builder.build())
}

fn builder(
    method: SslMethod,
    identity: &CertificateIdentity,
) -> Result<SslContextBuilder, ErrorStack> {
    let mut builder = SslContextBuilder::new(method)?;
    builder.set_security_level(2);
    builder.set_min_proto_version(Some(SslVersion::DTLS1_2))?;
    builder.set_max_proto_version(Some(SslVersion::DTLS1_2))?;
    builder.set_cipher_list(CIPHER_SUITES)?;
    builder.set_groups_list(GROUPS)?;
    builder.set_sigalgs_list(SIGNATURE_ALGORITHMS)?;
    builder.set_options(
        SslOptions::NO_QUERY_MTU
            | SslOptions::NO_RENEGOTIATION
            | SslOptions::NO_COMPRESSION
            // A ticket holds a certificate, so a ClientHello with it does not fit into a datagram, and in fragments it is
            // not answered with a cookie. It also lacks the certificates by which an intermediate authority is known.
            | SslOptions::NO_TICKET,
    );
    system_library::limit_handshake_messages(&mut builder, LARGEST_CHAIN);
    set_identity(&mut builder, identity)?;
    log_keys_as_asked(&mut builder);
    Ok(builder)
}

/// Shows a certificate, with those between it and the authority, and proves it with the key.
pub(crate) fn set_identity(
    builder: &mut SslContextBuilder,
    identity: &CertificateIdentity,
) -> Result<(), ErrorStack> {
    let mut chain = identity.chain().iter();
    if let Some(own) = chain.next() {
        builder.set_certificate(X509::from_der(own)?.as_ref())?;
        for certificate in chain {
            builder.add_extra_chain_cert(X509::from_der(certificate)?)?;
        }
        let key = PKey::private_key_from_der(identity.key().secret_der())?;
        builder.set_private_key(&key)?;
        builder.check_private_key()?;
    }
    Ok(())
}

/// Appends the secrets of sessions to the file that `SSLKEYLOGFILE` names.
pub(crate) fn log_keys_as_asked(builder: &mut SslContextBuilder) {
    if let Some(log) = std::env::var_os("SSLKEYLOGFILE") {
        log_keys(builder, Path::new(&log));
    }
}

/// Appends the secrets of associations to a file, for tools that decrypt captured packets.
fn log_keys(builder: &mut SslContextBuilder, path: &Path) {
    let file = match OpenOptions::new().append(true).create(true).open(path) {
        Ok(file) => Arc::new(Mutex::new(file)),
        Err(error) => {
            log::warn!(
                "SSLKEYLOGFILE: {} cannot be written: {error}",
                path.display()
            );
            return;
        }
    };
    builder.set_keylog_callback(move |_, line| write_line(&file, line));
}

fn write_line(file: &Mutex<File>, line: &str) {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    // In one piece: others may write to the same file.
    let _ = file.write_all(format!("{line}\n").as_bytes());
}
