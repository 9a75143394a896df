//! Any octets, expanded as a compressed list and compressed as a list: no panic, no bomb, and what is compressed comes back.
#![no_main]

#[path = "../../crates/codec/tests/compression/invariants.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| invariants::check(octets));
