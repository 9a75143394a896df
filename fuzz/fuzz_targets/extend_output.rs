//! Any octets as the output of a program of `[[extend]]`: each line has a row, and each object can be told in a response.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind_agent::fuzzing::extend_output(octets));
