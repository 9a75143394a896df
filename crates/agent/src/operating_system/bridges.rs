//! Bridges, from /sys/class/net.

use super::host_files::HostRoot;

const NETWORK: &str = "sys/class/net";
/// The size of struct __fdb_entry.
const FORWARDING_ENTRY: usize = 16;
/// More addresses of a bridge are left out.
const MOST_ADDRESSES: usize = 5000;

/// A bridge of this host, its ports, and the addresses behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bridge {
    /// The index of its link.
    pub(crate) link: u32,
    pub(crate) id: BridgeId,
    pub(crate) designated_root: BridgeId,
    pub(crate) root_path_cost: u32,
    pub(crate) root_port: u32,
    /// Whether it takes part in the spanning tree.
    pub(crate) has_spanning_tree: bool,
    /// Whether it separates frames by their VLANs.
    pub(crate) filters_vlans: bool,
    /// Times in hundredths of a second.
    pub(crate) max_age: u32,
    pub(crate) hello_time: u32,
    pub(crate) forward_delay: u32,
    pub(crate) ageing_time: u32,
    pub(crate) ports: Vec<BridgePort>,
    pub(crate) addresses: Vec<ForwardingEntry>,
}

impl Bridge {
    /// The number of the port that this link is.
    pub(crate) fn port_number(&self, link: u32) -> Option<u32> {
        let mut ports = self.ports.iter();
        Some(ports.find(|port| port.link == link)?.number)
    }
}

/// Priority and hardware address (IEEE 802.1D).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BridgeId {
    pub(crate) priority: u16,
    pub(crate) address: [u8; 6],
}

impl BridgeId {
    /// The eight octets of BridgeId in BRIDGE-MIB.
    pub(crate) fn octets(self) -> Vec<u8> {
        [&self.priority.to_be_bytes()[..], &self.address].concat()
    }

    /// Of a text as `8000.020000000020`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (priority, digits) = text.split_once('.')?;
        let mut address = [0; 6];
        for (at, octet) in address.iter_mut().enumerate() {
            *octet = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self {
            priority: u16::from_str_radix(priority, 16).ok()?,
            address,
        })
    }
}

/// A link that is a port of a bridge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BridgePort {
    /// The number of the port on its bridge, from 1 on.
    pub(crate) number: u32,
    /// The index of the link.
    pub(crate) link: u32,
    pub(crate) priority: u32,
    pub(crate) path_cost: u32,
    /// The kernel's state of the spanning tree: from disabled (0) to forwarding (3), and blocking (4).
    pub(crate) state: u32,
    pub(crate) designated_root: BridgeId,
    pub(crate) designated_cost: u32,
    pub(crate) designated_bridge: BridgeId,
    pub(crate) designated_port: u16,
}

/// An address that a bridge knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForwardingEntry {
    pub(crate) address: [u8; 6],
    /// The number of the port behind which it is.
    pub(crate) port: u32,
    /// Whether it is one of the port's own.
    pub(crate) is_local: bool,
}

impl ForwardingEntry {
    /// From struct __fdb_entry (linux/if_bridge.h).
    fn decode(octets: &[u8; FORWARDING_ENTRY]) -> Self {
        let &[a, b, c, d, e, f, port, is_local, _, _, _, _, high_port, ..] = octets;
        Self {
            address: [a, b, c, d, e, f],
            port: u32::from(u16::from_be_bytes([high_port, port])),
            is_local: is_local != 0,
        }
    }
}

/// The bridges of the host, in the order of their links.
pub(crate) fn bridges(root: &HostRoot) -> Vec<Bridge> {
    let names = root.names(NETWORK);
    let mut bridges: Vec<_> = names.iter().filter_map(|name| bridge(root, name)).collect();
    bridges.sort_by_key(|bridge| bridge.link);
    bridges
}

/// `None` for a link that is not a bridge.
fn bridge(root: &HostRoot, name: &str) -> Option<Bridge> {
    let line = |file: &str| root.line(format!("{NETWORK}/{name}/bridge/{file}"));
    let number = |file: &str| line(file)?.parse().ok();
    let id = BridgeId::parse(&line("bridge_id")?)?;
    let of_ports = format!("{NETWORK}/{name}/brif");
    let mut ports: Vec<_> = root
        .names(of_ports)
        .iter()
        .filter_map(|port| bridge_port(root, port))
        .collect();
    ports.sort_by_key(|port| port.number);
    let table = root.octets(format!("{NETWORK}/{name}/brforward"));
    let table = table.unwrap_or_default();
    Some(Bridge {
        link: link_index(root, name)?,
        id,
        designated_root: line("root_id")
            .and_then(|text| BridgeId::parse(&text))
            .unwrap_or(id),
        root_path_cost: number("root_path_cost").unwrap_or(0),
        root_port: number("root_port").unwrap_or(0),
        has_spanning_tree: number("stp_state").is_some_and(|state: u32| state != 0),
        filters_vlans: number("vlan_filtering").is_some_and(|state: u32| state != 0),
        max_age: number("max_age").unwrap_or(0),
        hello_time: number("hello_time").unwrap_or(0),
        forward_delay: number("forward_delay").unwrap_or(0),
        ageing_time: number("ageing_time").unwrap_or(0),
        ports,
        addresses: forwarding_entries(&table),
    })
}

/// The addresses of a file `brforward`; an entry that is cut off is left out.
pub(super) fn forwarding_entries(table: &[u8]) -> Vec<ForwardingEntry> {
    let entries = table.chunks_exact(FORWARDING_ENTRY);
    entries
        .filter_map(|entry| Some(ForwardingEntry::decode(entry.first_chunk()?)))
        .take(MOST_ADDRESSES)
        .collect()
}

fn link_index(root: &HostRoot, name: &str) -> Option<u32> {
    root.line(format!("{NETWORK}/{name}/ifindex"))?.parse().ok()
}

fn bridge_port(root: &HostRoot, name: &str) -> Option<BridgePort> {
    let line = |file: &str| root.line(format!("{NETWORK}/{name}/brport/{file}"));
    let decimal = |file: &str| line(file).and_then(|text| text.parse().ok());
    let hexadecimal = |file: &str| u32::from_str_radix(line(file)?.strip_prefix("0x")?, 16).ok();
    let id = |file: &str| line(file).and_then(|text| BridgeId::parse(&text));
    let designated_port: Option<u32> = decimal("designated_port");
    Some(BridgePort {
        number: hexadecimal("port_no")?,
        link: link_index(root, name)?,
        priority: decimal("priority").unwrap_or(0),
        path_cost: decimal("path_cost").unwrap_or(0),
        state: decimal("state").unwrap_or(0),
        designated_root: id("designated_root").unwrap_or_default(),
        designated_cost: decimal("designated_cost").unwrap_or(0),
        designated_bridge: id("designated_bridge").unwrap_or_default(),
        designated_port: designated_port
            .and_then(|port| u16::try_from(port).ok())
            .unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_bridge_is_read_with_its_ports_and_addresses() {
        let directory = tempfile::tempdir().unwrap();
        let write = |file: &str, content: &[u8]| {
            let path = directory.path().join(NETWORK).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        write("br0/ifindex", b"4\n");
        write("br0/bridge/bridge_id", b"8000.02000000002a\n");
        write("br0/bridge/stp_state", b"1\n");
        write("br0/bridge/ageing_time", b"30000\n");
        write("br0/brif/v1/port_no", b"");
        write("br0/brif/vanished/port_no", b"");
        write("v1/ifindex", b"2\n");
        write("v1/brport/port_no", b"0x1\n");
        write("v1/brport/state", b"3\n");
        write("v1/brport/designated_bridge", b"8000.02000000002a\n");
        let mut entry = [0; 16];
        entry[..8].copy_from_slice(&[2, 0, 0, 0, 0, 7, 1, 1]);
        write("br0/brforward", &[&entry[..], &[0; 5]].concat());
        write("lo/ifindex", b"1\n");
        let found = bridges(&HostRoot::new(directory.path().to_owned()));
        let [bridge] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((bridge.link, bridge.ageing_time), (4, 30_000));
        assert_eq!(bridge.id.octets(), [0x80, 0, 2, 0, 0, 0, 0, 42]);
        assert!(bridge.has_spanning_tree && bridge.designated_root == bridge.id);
        let ports: Vec<_> = bridge
            .ports
            .iter()
            .map(|port| (port.number, port.link, port.state))
            .collect();
        assert_eq!(ports, [(1, 2, 3)]);
        let expected = ForwardingEntry {
            address: [2, 0, 0, 0, 0, 7],
            port: 1,
            is_local: true,
        };
        assert_eq!(bridge.addresses, [expected]);
    }

    #[test]
    fn odd_names_of_bridges_are_refused() {
        for odd in [
            "",
            "8000",
            "8000.",
            "8000.02000000002",
            "x.020000000020",
            "8000.0200000000ü0",
        ] {
            assert_eq!(BridgeId::parse(odd), None, "{odd}");
        }
    }
}
