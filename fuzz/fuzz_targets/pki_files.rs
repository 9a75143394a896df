//! Any octets as a file of certificates, keys or revocation lists, as the authority reads it.
#![no_main]

use std::cell::OnceCell;

use varbind_pki::{Authority, KeyType, Validity};

thread_local! {
    static AUTHORITY: OnceCell<Authority> = const { OnceCell::new() };
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    AUTHORITY.with(|authority| {
        let make = || Authority::create("test", KeyType::EcdsaP256, Validity::days(30)).unwrap();
        varbind_pki::fuzzing::files(authority.get_or_init(make), octets);
    });
});
