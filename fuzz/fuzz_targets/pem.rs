//! Any octets as a file in PEM, as agents and managers read it: no key is told.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::pem(octets));
