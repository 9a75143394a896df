//! EtherLike-MIB (RFC 3635): errors of Ethernet, and whether a link is full duplex.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, counter, integer, object_identifier};
use crate::operating_system::{HostRoot, LinkStatistics};

pub(super) const ROOTS: &[&[u32]] = &[DOT3_STATS_TABLE];

const DOT3_STATS_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 10, 7, 2];
const DOT3_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 10, 7, 2, 1];
/// ifType: ethernetCsmacd.
const ETHERNET: i32 = 6;
/// dot3StatsDuplexStatus.
const UNKNOWN: i32 = 1;
const HALF_DUPLEX: i32 = 2;
const FULL_DUPLEX: i32 = 3;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let snapshot = host.interfaces.snapshot_now();
    for (row, interface) in snapshot.table.interfaces().iter().enumerate() {
        let link = &interface.link;
        // Devices of software have a kind, and no wire that could have errors.
        if interface.if_type == ETHERNET
            && link.kind.is_empty()
            && let Some(counters) = snapshot.table.counters(row)
        {
            let duplex = duplex_status(&host.root, link.index, &link.name);
            instances.row(
                DOT3_STATS_ENTRY,
                &[link.index],
                columns(link.index, counters, duplex),
            );
        }
    }
}

fn duplex_status(root: &HostRoot, index: u32, name: &str) -> i32 {
    let file = |file: &str| root.line(format!("sys/class/net/{name}/{file}"));
    // What is mounted may be of another network namespace.
    if file("ifindex") != Some(index.to_string()) {
        return UNKNOWN;
    }
    match file("duplex").as_deref() {
        Some("half") => HALF_DUPLEX,
        Some("full") => FULL_DUPLEX,
        _ => UNKNOWN,
    }
}

/// The columns that Linux counts for every driver.
fn columns(index: u32, counters: &LinkStatistics, duplex: i32) -> [(u32, Value); 10] {
    [
        // dot3StatsIndex, AlignmentErrors, FCSErrors
        (1, integer(index)),
        (2, counter(counters.rx_frame_errors)),
        (3, counter(counters.rx_crc_errors)),
        // dot3StatsLateCollisions, ExcessiveCollisions, InternalMacTransmitErrors
        (8, counter(counters.tx_window_errors)),
        (9, counter(counters.tx_aborted_errors)),
        (10, counter(counters.tx_fifo_errors)),
        // dot3StatsCarrierSenseErrors, FrameTooLongs, EtherChipSet, DuplexStatus
        (11, counter(counters.tx_carrier_errors)),
        (13, counter(counters.rx_length_errors)),
        (17, object_identifier(ZERO_DOT_ZERO)),
        (19, Value::Integer(duplex)),
    ]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn duplex_status_is_known_of_the_same_link_alone() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("sys/class/net/eth0");
        fs::create_dir_all(&link).unwrap();
        fs::write(link.join("ifindex"), "2\n").unwrap();
        let root = HostRoot::new(directory.path().to_owned());
        assert_eq!(duplex_status(&root, 2, "eth0"), UNKNOWN);
        for (text, expected) in [
            ("full\n", FULL_DUPLEX),
            ("half\n", HALF_DUPLEX),
            ("unknown\n", UNKNOWN),
            ("full\n", FULL_DUPLEX),
        ] {
            fs::write(link.join("duplex"), text).unwrap();
            assert_eq!(duplex_status(&root, 2, "eth0"), expected, "{text}");
        }
        assert_eq!(duplex_status(&root, 3, "eth0"), UNKNOWN);
        assert_eq!(duplex_status(&root, 2, "eth1"), UNKNOWN);
    }

    #[test]
    fn counters_run_on_modulo_2_32() {
        let counters = LinkStatistics {
            rx_crc_errors: (1 << 32) + 2,
            ..LinkStatistics::default()
        };
        let columns = columns(7, &counters, FULL_DUPLEX);
        assert_eq!(columns[0], (1, Value::Integer(7)));
        assert_eq!(columns[1], (2, Value::Counter32(0)));
        assert_eq!(columns[2], (3, Value::Counter32(2)));
    }
}
