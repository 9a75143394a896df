//! The system's libssl is loaded when DTLS is used first: who does not use it starts without it, in half the time and with
//! less memory.
//!
//! Each function of the library that is called has a stub of the same name here, which jumps to where the library has it.
//! A function that is missing below is found by the dynamic linker as ever, at the price of loading the library at once.
#![expect(
    unsafe_code,
    reason = "a library that is loaded at run time is reached by addresses that the system tells"
)]

use std::arch::{global_asm, naked_asm};
use std::ffi::{CStr, c_void};
use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The library for whose functions the crate `openssl` was made.
const LIBRARY: &CStr = c"libssl.so.3";

macro_rules! functions {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(concat!(stringify!($name), "\0")),*];

        $(global_asm!(
            concat!(".pushsection .text.lazy.", stringify!($name), ",\"ax\",@progbits"),
            concat!(".globl ", stringify!($name)),
            concat!(".hidden ", stringify!($name)),
            concat!(".type ", stringify!($name), ",@function"),
            concat!(stringify!($name), ":"),
            "mov r11, qword ptr [rip + {addresses} + {offset}]",
            "test r11, r11",
            "je 2f",
            "jmp r11",
            "2: call {load}",
            concat!("jmp ", stringify!($name)),
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            addresses = sym ADDRESSES,
            offset = const 8 * position(concat!(stringify!($name), "\0")),
            load = sym load_at_call,
        );)*
    };
}

functions! {
    BIO_ADDR_free BIO_ADDR_new BIO_clear_flags BIO_get_data BIO_meth_free BIO_meth_new BIO_meth_set_create
    BIO_meth_set_ctrl BIO_meth_set_destroy BIO_meth_set_puts BIO_meth_set_read BIO_meth_set_write BIO_new
    BIO_set_data BIO_set_flags BIO_set_init CRYPTO_get_ex_new_index CRYPTO_malloc DTLS_client_method
    DTLS_server_method DTLS_set_timer_cb DTLSv1_listen ERR_get_error_all ERR_lib_error_string ERR_new
    ERR_reason_error_string ERR_set_debug ERR_set_error ERR_set_error_data EVP_PKEY_free OPENSSL_init_ssl
    OPENSSL_sk_num OPENSSL_sk_value SSL_CIPHER_get_protocol_id SSL_CTX_check_private_key SSL_CTX_ctrl SSL_CTX_free
    SSL_CTX_get_ex_data SSL_CTX_new SSL_CTX_sess_set_get_cb SSL_CTX_sess_set_new_cb
    SSL_CTX_sess_set_remove_cb SSL_CTX_set_cipher_list SSL_CTX_set_cookie_generate_cb
    SSL_CTX_set_cookie_verify_cb SSL_CTX_set_ex_data SSL_CTX_set_keylog_callback SSL_CTX_set_options
    SSL_CTX_set_security_level SSL_CTX_set_session_id_context SSL_CTX_up_ref SSL_CTX_use_PrivateKey
    SSL_CTX_use_certificate SSL_SESSION_free SSL_SESSION_get_id SSL_SESSION_get_master_key SSL_SESSION_up_ref
    SSL_alert_desc_string_long SSL_ctrl SSL_do_handshake SSL_free
    SSL_get1_peer_certificate SSL_get_SSL_CTX SSL_get_client_random SSL_get_current_cipher SSL_get_error
    SSL_get_ex_data SSL_get_ex_data_X509_STORE_CTX_idx SSL_get_peer_cert_chain SSL_get_rbio SSL_get_server_random
    SSL_get_session SSL_is_server SSL_new SSL_read_ex SSL_session_reused SSL_set_accept_state SSL_set_bio
    SSL_set_connect_state SSL_set_ex_data SSL_set_session SSL_set_shutdown SSL_set_verify SSL_shutdown
    SSL_state_string_long SSL_write_ex X509_STORE_CTX_get0_chain X509_STORE_CTX_get_error
    X509_STORE_CTX_get_error_depth X509_STORE_CTX_get_ex_data X509_STORE_CTX_set_error X509_free
    X509_verify_cert_error_string d2i_AutoPrivateKey d2i_SSL_SESSION
    d2i_X509 i2d_SSL_SESSION i2d_X509
}

/// Where the functions are, in the order of their names; null before the library is loaded.
static ADDRESSES: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; NAMES.len()];

/// The place of a name.
const fn position(name: &str) -> usize {
    let mut place = 0;
    while place < NAMES.len() {
        if is_same(NAMES[place].as_bytes(), name.as_bytes()) {
            return place;
        }
        place += 1;
    }
    place
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    one.len() == other.len()
}

/// Loads the library, if it is not loaded. Whoever calls this first need not fear that a call ends the process.
///
/// # Errors
/// When there is no such library, or a function is missing in it.
pub(super) fn load() -> io::Result<()> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    LOADED.get_or_init(find_all).clone().map_err(|problem| {
        io::Error::other(format!(
            "{} cannot be used, which DTLS needs ({problem}): install OpenSSL 3, on Debian the package libssl3",
            LIBRARY.to_string_lossy()
        ))
    })
}

fn find_all() -> Result<(), String> {
    // SAFETY: the name ends with a zero. The library's own initialisation runs, which is made to run at any time.
    let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err("it is not there".into());
    }
    let mut found = Vec::with_capacity(NAMES.len());
    for name in NAMES {
        // SAFETY: the library is open and is never closed; the name ends with a zero.
        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
        if address.is_null() {
            return Err(format!("it lacks {}", name.trim_end_matches('\0')));
        }
        found.push(address);
    }
    for (slot, address) in ADDRESSES.iter().zip(found) {
        slot.store(address, Ordering::Release);
    }
    Ok(())
}

/// Loads the library in the middle of a call, whose arguments stay where they are.
#[unsafe(naked)]
extern "C" fn load_at_call() {
    naked_asm!(
        // The registers of arguments, of which none is of floating point; with the return addresses, they leave the stack as
        // it has to be aligned but for eight octets.
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push rax",
        "sub rsp, 8",
        "call {load}",
        "add rsp, 8",
        "pop rax",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "ret",
        load = sym load_or_abort,
    );
}

extern "C" fn load_or_abort() {
    if let Err(error) = load() {
        log::error!("{error}");
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_place_of_its_own() {
        for (place, name) in NAMES.iter().enumerate() {
            assert_eq!(position(name), place);
        }
        load().unwrap();
        for (name, address) in NAMES.iter().zip(&ADDRESSES) {
            assert!(!address.load(Ordering::Acquire).is_null(), "{name}");
        }
    }
}
