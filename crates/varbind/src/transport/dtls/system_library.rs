//! What the crate `openssl` does not have of libssl's DTLS: listening with cookies, retransmission timers, and the release of
//! buffers. The only unsafe code of DTLS.
#![expect(
    unsafe_code,
    reason = "DTLSv1_listen, the DTLS timers and SSL_free_buffers have no safe interface in the crate openssl"
)]

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::io::{Read, Write};
use std::time::Duration;

use foreign_types::{ForeignType, ForeignTypeRef};
use openssl::error::ErrorStack;
use openssl::ssl::{SslContext, SslContextBuilder, SslRef, SslSession, SslSessionRef, SslStream};
use openssl::x509::X509VerifyResult;
use openssl_sys::SSL;

use super::identity::RefusalAlert;

/// `BIO_ADDR`, which is only passed through.
#[repr(C)]
struct BioAddr {
    _opaque: [u8; 0],
}

// SAFETY: these are declarations of openssl/ssl.h and openssl/bio.h as of OpenSSL 1.1.1 to 3.x, whose types are those of
// openssl-sys. All are thread-safe for distinct objects.
unsafe extern "C" {
    fn DTLSv1_listen(ssl: *mut SSL, client: *mut BioAddr) -> c_int;
    fn DTLS_set_timer_cb(ssl: *mut SSL, callback: extern "C" fn(*mut SSL, c_uint) -> c_uint);
    fn SSL_alloc_buffers(ssl: *mut SSL) -> c_int;
    fn SSL_free_buffers(ssl: *mut SSL) -> c_int;
    fn BIO_ADDR_new() -> *mut BioAddr;
    fn BIO_ADDR_free(address: *mut BioAddr);
}

/// DTLS_CTRL_GET_TIMEOUT of openssl/ssl.h.
const GET_TIMEOUT: c_int = 73;
/// DTLS_CTRL_HANDLE_TIMEOUT of openssl/ssl.h.
const HANDLE_TIMEOUT: c_int = 74;

/// Takes the ClientHello that waits in the stream, with a cookie, as the beginning of a handshake. Whether it was taken.
pub(super) fn listen<S: Read + Write>(stream: &mut SslStream<S>) -> Result<bool, ErrorStack> {
    // SAFETY: no arguments; the result is checked for null.
    let address = unsafe { BIO_ADDR_new() };
    if address.is_null() {
        return Err(ErrorStack::get());
    }
    // SAFETY: the SSL is live and borrowed mutably, so that nobody else uses it, and has the stream's BIO; `address` is a
    // live BIO_ADDR, into which the address of the peer is written or, since the BIO knows none, nothing.
    let result = unsafe { DTLSv1_listen(stream.ssl().as_ptr(), address) };
    // SAFETY: it was made above, and nobody keeps it.
    unsafe { BIO_ADDR_free(address) };
    match result {
        ..0 => Err(ErrorStack::get()),
        0 => {
            // What was wrong with the ClientHello may have been left behind.
            drop(ErrorStack::get());
            Ok(false)
        }
        1.. => Ok(true),
    }
}

/// In what time the flight that was sent last is to be sent again, if it is.
pub(super) fn retransmission_time(ssl: &SslRef) -> Option<Duration> {
    let mut time = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    // SAFETY: the SSL is live; this control writes a struct timeval, for which the pointer is, and reads the SSL alone.
    let is_set = unsafe {
        openssl_sys::SSL_ctrl(
            ssl.as_ptr(),
            GET_TIMEOUT,
            0,
            (&raw mut time).cast::<c_void>(),
        )
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let micros = u64::try_from(time.tv_usec).ok()?;
    (is_set > 0).then(|| Duration::from_secs(seconds) + Duration::from_micros(micros))
}

/// Sends the last flight again if its time has come.
pub(super) fn retransmit<S: Read + Write>(stream: &mut SslStream<S>) -> Result<(), ErrorStack> {
    let ssl = stream.ssl().as_ptr();
    // SAFETY: the SSL is live, borrowed mutably and has the stream's BIO; this control takes no argument.
    let result: c_long =
        unsafe { openssl_sys::SSL_ctrl(ssl, HANDLE_TIMEOUT, 0, std::ptr::null_mut()) };
    if result < 0 {
        return Err(ErrorStack::get());
    }
    Ok(())
}

/// How long a flight waits for an answer before it is sent again: a quarter of a second at first, and twice as long each
/// time, but never more than two. RFC 6347 section 4.2.4.1 has a second and more: where a fifth of all packets is lost,
/// most handshakes would not end within the time that servers give them, and handshakes are too small to congest a network.
extern "C" fn next_retransmission(_: *mut SSL, micros: c_uint) -> c_uint {
    const SECOND: c_uint = 1_000_000;
    match micros {
        0 => SECOND / 4,
        _ => micros.saturating_mul(2).min(2 * SECOND),
    }
}

/// Sets the times of retransmissions.
pub(super) fn set_retransmission_times<S: Read + Write>(stream: &mut SslStream<S>) {
    // SAFETY: the SSL is live and borrowed mutably; the callback is a function that lives forever, and touches nothing.
    unsafe { DTLS_set_timer_cb(stream.ssl().as_ptr(), next_retransmission) };
}

/// Allocates the buffers of records, if there are none. OpenSSL 3.0 writes a record of DTLS without looking whether there are.
pub(super) fn allocate_buffers<S: Read + Write>(
    stream: &mut SslStream<S>,
) -> Result<(), ErrorStack> {
    // SAFETY: the SSL is live and borrowed mutably.
    match unsafe { SSL_alloc_buffers(stream.ssl().as_ptr()) } {
        1 => Ok(()),
        _ => Err(ErrorStack::get()),
    }
}

/// Frees the buffers of records, if nothing is in them.
pub(super) fn release_buffers<S: Read + Write>(stream: &mut SslStream<S>) {
    // SAFETY: the SSL is live and borrowed mutably, so that nobody holds a pointer into its buffers.
    unsafe { SSL_free_buffers(stream.ssl().as_ptr()) };
}

/// Refuses messages of a handshake that are longer than this many octets, or than a record. OpenSSL allocates their announced
/// length.
pub(super) fn limit_handshake_messages(builder: &mut SslContextBuilder, octets: c_long) {
    /// SSL_CTRL_SET_MAX_CERT_LIST of openssl/ssl.h.
    const SET_MAX_CERT_LIST: c_int = 51;
    // SAFETY: the context is live and borrowed mutably; this control takes a number alone.
    unsafe {
        openssl_sys::SSL_CTX_ctrl(
            builder.as_ptr(),
            SET_MAX_CERT_LIST,
            octets,
            std::ptr::null_mut(),
        )
    };
}

/// Has sessions that clients want to resume looked up by their identifiers.
pub(super) fn find_sessions(
    builder: &mut SslContextBuilder,
    find: impl Fn(&[u8]) -> Option<FreshSession> + Send + Sync + 'static,
) {
    // SAFETY: a session must be of no other context. One that was just made of its octets, and nothing else is a
    // `FreshSession`, is of none.
    unsafe { builder.set_get_session_callback(move |_, id| find(id).map(|fresh| fresh.0)) };
}

/// A session that was made of its octets and is of no context yet.
pub(super) struct FreshSession(SslSession);

impl FreshSession {
    /// The session that OpenSSL wrote as these octets.
    pub(super) fn of(octets: &[u8]) -> Option<Self> {
        SslSession::from_der(octets).ok().map(Self)
    }
}

/// The result of verification for which OpenSSL sends this alert.
pub(super) fn verify_result(alert: RefusalAlert) -> X509VerifyResult {
    // Of openssl/x509_vfy.h.
    const UNABLE_TO_GET_ISSUER_CERT: c_int = 2;
    const CERT_HAS_EXPIRED: c_int = 10;
    const CERT_REVOKED: c_int = 23;
    const INVALID_PURPOSE: c_int = 26;
    const CERT_REJECTED: c_int = 28;
    // One that has no alert of its own: certificate_unknown is sent.
    const PERMITTED_VIOLATION: c_int = 47;
    let number = match alert {
        RefusalAlert::BadCertificate => CERT_REJECTED,
        RefusalAlert::UnknownAuthority => UNABLE_TO_GET_ISSUER_CERT,
        RefusalAlert::WrongUsage => INVALID_PURPOSE,
        RefusalAlert::Expired => CERT_HAS_EXPIRED,
        RefusalAlert::Revoked => CERT_REVOKED,
        RefusalAlert::Unmapped => PERMITTED_VIOLATION,
    };
    // SAFETY: these are numbers that OpenSSL defines, with texts that live forever.
    unsafe { X509VerifyResult::from_raw(number) }
}

/// A session of an association, which later associations of the same context may resume.
#[derive(Clone)]
pub(super) struct ResumableSession {
    session: SslSession,
    /// Kept, so that no other context gets its address.
    context: SslContext,
}

impl ResumableSession {
    /// The session of an association whose handshake is finished.
    pub(super) fn of(ssl: &SslRef) -> Option<Self> {
        Some(Self {
            session: ssl.session().map(SslSessionRef::to_owned)?,
            context: ssl.ssl_context().to_owned(),
        })
    }

    /// Has an association resume it. One of another context starts a full handshake.
    pub(super) fn resume_in(&self, ssl: &mut SslRef) -> Result<(), ErrorStack> {
        if ssl.ssl_context().as_ptr() != self.context.as_ptr() {
            return Ok(());
        }
        // SAFETY: the session is of the same context as the SSL.
        unsafe { ssl.set_session(&self.session) }
    }
}
