//! Any octets as a stream of messages in pieces: a manager takes the messages that are in it, whatever the pieces are.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind::fuzzing::framing(octets));
