//! Any octets as a stream of AgentX PDUs: what is read is written and read again as the same, in both byte orders.
#![no_main]

use varbind_testkit::codec::check_agentx_stream;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| check_agentx_stream(octets));
