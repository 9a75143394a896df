//! Any octets as a file of OpenSSH: no key is let in that is not in it.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::ssh_files(octets));
