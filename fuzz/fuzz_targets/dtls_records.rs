//! Any datagrams to an association of DTLS: what is read was sent, once.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::dtls_records(octets));
