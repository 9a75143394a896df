//! Any octets, read as a message of any version: no panic, and what was read can be written and read again.
#![no_main]

#[path = "../../crates/codec/tests/codec/invariants.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| invariants::check(octets));
