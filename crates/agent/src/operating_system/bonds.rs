//! Bonds of links, from /sys/class/net.

use super::host_files::HostRoot;

const NETWORK: &str = "sys/class/net";

/// A link that is made of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bond {
    /// The index of its link.
    pub(crate) link: u32,
    pub(crate) address: Vec<u8>,
    /// What LACP agreed on; `None` where it is not used.
    pub(crate) aggregator: Option<Aggregator>,
    pub(crate) ports: Vec<BondPort>,
}

/// What LACP knows of a bond (IEEE 802.1AX).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aggregator {
    pub(crate) actor_key: u16,
    pub(crate) partner_key: u16,
    pub(crate) partner_address: Vec<u8>,
}

/// A link that is a part of a bond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BondPort {
    /// The index of the link.
    pub(crate) link: u32,
    /// The states of LACP on both sides, with the bits of IEEE 802.1AX: the lowest is LACP_Activity.
    pub(crate) states: Option<(u8, u8)>,
}

/// The bonds of the host, in the order of their links.
pub(crate) fn bonds(root: &HostRoot) -> Vec<Bond> {
    let names = root.names(NETWORK);
    let mut bonds: Vec<_> = names.iter().filter_map(|name| bond(root, name)).collect();
    bonds.sort_by_key(|bond| bond.link);
    bonds
}

/// `None` for a link that is not a bond.
fn bond(root: &HostRoot, name: &str) -> Option<Bond> {
    let line = |file: &str| root.line(format!("{NETWORK}/{name}/bonding/{file}"));
    let number = |file: &str| line(file).and_then(|text| text.parse().ok());
    let uses_lacp = line("mode")?.starts_with("802.3ad");
    let aggregator = uses_lacp.then(|| Aggregator {
        actor_key: number("ad_actor_key").unwrap_or(0),
        partner_key: number("ad_partner_key").unwrap_or(0),
        partner_address: hardware_address(&line("ad_partner_mac").unwrap_or_default()),
    });
    let ports = line("slaves").unwrap_or_default();
    let ports = ports.split_ascii_whitespace();
    Some(Bond {
        link: link_index(root, name)?,
        address: hardware_address(&root.line(format!("{NETWORK}/{name}/address"))?),
        aggregator,
        ports: ports.filter_map(|port| bond_port(root, port)).collect(),
    })
}

fn bond_port(root: &HostRoot, name: &str) -> Option<BondPort> {
    let number = |file: &str| {
        let line = root.line(format!("{NETWORK}/{name}/bonding_slave/{file}"));
        line?.parse().ok()
    };
    let actor = number("ad_actor_oper_port_state");
    Some(BondPort {
        link: link_index(root, name)?,
        states: actor.zip(number("ad_partner_oper_port_state")),
    })
}

fn link_index(root: &HostRoot, name: &str) -> Option<u32> {
    root.line(format!("{NETWORK}/{name}/ifindex"))?.parse().ok()
}

/// Octets in hexadecimal digits between colons; none of another text.
pub(super) fn hardware_address(text: &str) -> Vec<u8> {
    let octets = text.split(':').map(|digits| u8::from_str_radix(digits, 16));
    octets.collect::<Result<_, _>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn bonds_are_read_with_and_without_lacp() {
        let directory = tempfile::tempdir().unwrap();
        for (file, content) in [
            ("bond1/ifindex", "9\n"),
            ("bond1/address", "02:00:00:00:00:09\n"),
            ("bond1/bonding/mode", "active-backup 1\n"),
            ("bond0/ifindex", "8\n"),
            ("bond0/address", "02:00:00:00:00:08\n"),
            ("bond0/bonding/mode", "802.3ad 4\n"),
            ("bond0/bonding/slaves", "eth1 gone eth2\n"),
            ("bond0/bonding/ad_actor_key", "15\n"),
            ("bond0/bonding/ad_partner_mac", "odd\n"),
            ("eth1/ifindex", "3\n"),
            ("eth1/bonding_slave/ad_actor_oper_port_state", "61\n"),
            ("eth1/bonding_slave/ad_partner_oper_port_state", "63\n"),
            ("eth2/ifindex", "4\n"),
        ] {
            let path = directory.path().join(NETWORK).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let found = bonds(&HostRoot::new(directory.path().to_owned()));
        let expected = Bond {
            link: 8,
            address: vec![2, 0, 0, 0, 0, 8],
            aggregator: Some(Aggregator {
                actor_key: 15,
                ..Aggregator::default()
            }),
            ports: vec![
                BondPort {
                    link: 3,
                    states: Some((61, 63)),
                },
                BondPort {
                    link: 4,
                    states: None,
                },
            ],
        };
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], expected);
        assert_eq!((found[1].link, &found[1].aggregator), (9, &None));
    }
}
