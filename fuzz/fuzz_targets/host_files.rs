//! Any octets as a file of /proc, /sys, dpkg or utmp: each reader takes of it what it understands.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind_agent::fuzzing::host_files(octets));
