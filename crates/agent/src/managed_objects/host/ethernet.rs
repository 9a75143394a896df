//! EtherLike-MIB (RFC 3635): errors of Ethernet, and whether a link is full duplex.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, counter, integer, object_identifier};
use crate::operating_system::HostRoot;

pub(super) const ROOTS: &[&[u32]] = &[DOT3_STATS_TABLE];

const DOT3_STATS_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 10, 7, 2];
const DOT3_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 10, 7, 2, 1];
/// ifType: ethernetCsmacd.
const ETHERNET: i32 = 6;
/// The columns that Linux counts for every driver, and the files of their counters.
const COUNTERS: [(u32, &str); 7] = [
    // dot3StatsAlignmentErrors, FCSErrors, LateCollisions, ExcessiveCollisions
    (2, "rx_frame_errors"),
    (3, "rx_crc_errors"),
    (8, "tx_window_errors"),
    (9, "tx_aborted_errors"),
    // dot3StatsInternalMacTransmitErrors, CarrierSenseErrors, FrameTooLongs
    (10, "tx_fifo_errors"),
    (11, "tx_carrier_errors"),
    (13, "rx_length_errors"),
];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let snapshot = host.interfaces.snapshot();
    for interface in snapshot.table.interfaces() {
        // Devices of software have a kind, and no wire that could have errors.
        if interface.if_type == ETHERNET && interface.link.kind.is_empty() {
            row(
                &host.root,
                instances,
                interface.link.index,
                &interface.link.name,
            );
        }
    }
}

fn row(root: &HostRoot, instances: &mut Instances, index: u32, name: &str) {
    let file_of = |file: &str| root.line(format!("sys/class/net/{name}/{file}"));
    // What is mounted may be of another network namespace.
    let is_same = file_of("ifindex").is_some_and(|text| text == index.to_string());
    let read = |file: &str| file_of(file).filter(|_| is_same);
    // dot3StatsDuplexStatus: unknown(1), halfDuplex(2), fullDuplex(3)
    let duplex = match read("duplex").as_deref() {
        Some("half") => 2,
        Some("full") => 3,
        _ => 1,
    };
    let columns = [
        // dot3StatsIndex, EtherChipSet, DuplexStatus
        (1, integer(index)),
        (17, object_identifier(ZERO_DOT_ZERO)),
        (19, Value::Integer(duplex)),
    ];
    instances.row(DOT3_STATS_ENTRY, &[index], columns);
    let counters = COUNTERS.iter().filter_map(|(column, file)| {
        let value = read(&format!("statistics/{file}"))?.parse().ok()?;
        Some((*column, counter(value)))
    });
    instances.row(DOT3_STATS_ENTRY, &[index], counters);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn counters_of_other_links_and_odd_ones_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("sys/class/net/eth0");
        fs::create_dir_all(link.join("statistics")).unwrap();
        fs::write(link.join("ifindex"), "2\n").unwrap();
        fs::write(link.join("duplex"), "full\n").unwrap();
        fs::write(link.join("statistics/rx_crc_errors"), "4294967298\n").unwrap();
        fs::write(link.join("statistics/rx_frame_errors"), "odd\n").unwrap();
        let mut instances = Instances::default();
        let root = HostRoot::new(directory.path().to_owned());
        row(&root, &mut instances, 2, "eth0");
        row(&root, &mut instances, 3, "eth0");
        instances.sort();
        let value = |column, index| {
            let name = [DOT3_STATS_ENTRY, &[column, index]].concat();
            instances.get(&name).cloned()
        };
        assert_eq!(value(3, 2), Some(Value::Counter32(2)));
        assert_eq!(value(2, 2), None);
        assert_eq!(value(19, 2), Some(Value::Integer(3)));
        assert_eq!(value(19, 3), Some(Value::Integer(1)));
    }
}
