//! Any octets, read as a message of any version: no panic, and what was read can be written and read again.
#![no_main]

use varbind_testkit::codec::check_message;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| check_message(octets));
