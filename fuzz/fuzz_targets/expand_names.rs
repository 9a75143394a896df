//! Any octets, expanded as a compressed list and compressed as a list: no panic, no bomb, and what is compressed comes back.
#![no_main]

use varbind_testkit::codec::check_compressed_list;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| check_compressed_list(octets));
