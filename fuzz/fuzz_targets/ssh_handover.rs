//! Any octets from the launcher of OpenSSH's server, in pieces: the name is the same whatever the pieces are.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::ssh_handover(octets));
