//! Any octets as messages of the kernel about links, addresses, neighbours, routes and VLANs.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind_agent::fuzzing::netlink_messages(octets));
