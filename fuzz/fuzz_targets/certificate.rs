//! Any octets as a certificate or a revocation list: names are made of it by its own fingerprint alone.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::certificate(octets));
