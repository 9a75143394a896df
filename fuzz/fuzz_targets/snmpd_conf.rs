//! Any octets as a configuration of snmpd: what is made of it is TOML, and each directive is carried over or noted.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| varbind_agent::fuzzing::snmpd_conf(octets));
