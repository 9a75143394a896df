//! What must hold of anything that files of the host and the kernel say.
#![allow(
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use super::bonds::hardware_address;
use super::bridges::{BridgeId, forwarding_entries};
use super::disks::parse_disk_statistics;
use super::file_systems::parse_mounts;
use super::network_statistics::{ProtocolCounters, parse_ipv6_counters};
use super::packages::parse_packages;
use super::processes::Process;
use super::processors::{ProcessorStatistics, parse_load_averages, parse_named_numbers};
use super::sensors::parse_input;
use super::sockets::parse_sockets;

pub use super::netlink::properties::messages;

/// A file of /proc, /sys or dpkg: each reader takes of it what it understands.
pub(crate) fn files(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    let lines = text.lines().count();
    assert!(parse_mounts(&text).len() <= lines);
    assert!(parse_disk_statistics(&text).len() <= lines);
    assert!(parse_sockets(&text).len() <= lines);
    assert!(parse_ipv6_counters(&text).len() <= lines);
    assert!(parse_named_numbers(&text).count() <= lines);
    assert!(parse_packages(&text).len() <= lines);
    let _ = ProtocolCounters::parse(&text);
    let _ = ProcessorStatistics::parse(&text);
    let _ = parse_load_averages(&text);
    if let Some(process) = Process::parse(1, &text) {
        assert!(text.contains(&process.name));
    }
    assert!(forwarding_entries(octets).len() <= octets.len() / 16);
    for line in text.lines() {
        let _ = hardware_address(line);
        let _ = BridgeId::parse(line);
        if let Some((_, _, input)) = parse_input(line) {
            assert!(line.starts_with(input));
        }
    }
}
