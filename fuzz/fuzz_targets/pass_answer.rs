//! Any octets as an answer of a program of `[[pass]]`: what is read of it can be told in a response.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind_agent::fuzzing::pass_answer(octets));
