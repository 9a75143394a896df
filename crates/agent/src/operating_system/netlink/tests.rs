//! What was captured in a network namespace on Linux 6.18, little endian: lo, a veth pair whose one end is a port of
//! a bridge, a macvlan on the other end.

use std::net::IpAddr;

use proptest::prelude::{ProptestConfig, any, proptest};

use super::message::Messages;
use super::properties::messages;
use super::*;

const LINKS: &[u8] = include_bytes!("captured/links.bin");
const STATISTICS: &[u8] = include_bytes!("captured/statistics.bin");
const ADDRESSES: &[u8] = include_bytes!("captured/addresses.bin");
const SPEEDS: &[u8] = include_bytes!("captured/speeds.bin");

fn links(octets: &[u8]) -> Vec<Link> {
    Messages::new(octets)
        .filter_map(|message| match LinkChange::decode(&message)? {
            LinkChange::Present(link) => Some(link),
            LinkChange::Gone(_) => None,
        })
        .collect()
}

#[cfg(target_endian = "little")]
#[test]
fn captured_links_are_read() {
    let links = links(LINKS);
    let names: Vec<_> = links
        .iter()
        .map(|link| (link.index, link.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [(1, "lo"), (2, "v1"), (3, "v0"), (4, "br0"), (5, "mv0")]
    );
    let [loopback, port, uplink, bridge, macvlan] = links.as_slice() else {
        panic!("five links");
    };
    assert_eq!((loopback.hardware, loopback.mtu), (772, 65_536));
    assert_eq!(loopback.operational_state, OperationalState::Up);
    assert_eq!((port.master, port.lower), (Some(4), None));
    assert_eq!(uplink.alias, "uplink to the lab");
    assert_eq!((uplink.mtu, uplink.is_promiscuous), (1400, true));
    assert_eq!(uplink.address, [2, 0, 0, 0, 0, 0x10]);
    assert_eq!(uplink.kind, "veth");
    assert_eq!(
        (bridge.kind.as_str(), bridge.is_promiscuous),
        ("bridge", false)
    );
    assert_eq!((macvlan.kind.as_str(), macvlan.lower), ("macvlan", Some(3)));
    assert!(!macvlan.is_up && macvlan.operational_state == OperationalState::Down);
}

#[cfg(target_endian = "little")]
#[test]
fn captured_statistics_are_read_from_both_kinds_of_messages() {
    let read = |octets| -> Vec<_> {
        Messages::new(octets)
            .filter_map(|message| LinkStatistics::decode(&message))
            .collect()
    };
    let alone = read(STATISTICS);
    let with_links = read(LINKS);
    assert_eq!(alone.len(), 5);
    assert_eq!(alone, with_links);
    let (index, bridge) = alone[3];
    assert_eq!((index, bridge.rx_bytes, bridge.rx_packets), (4, 512, 6));
    assert_eq!(
        (bridge.multicast, bridge.tx_bytes, bridge.tx_packets),
        (6, 414, 5)
    );
}

#[cfg(target_endian = "little")]
#[test]
fn captured_addresses_are_read() {
    let addresses: Vec<_> = Messages::new(ADDRESSES)
        .filter_map(|message| Address::decode(&message))
        .collect();
    let found: Vec<_> = addresses
        .iter()
        .map(|address| {
            format!(
                "{} {}/{}",
                address.link, address.address, address.prefix_length
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "1 127.0.0.1/8",
            "3 192.0.2.1/24",
            "1 ::1/128",
            "2 fe80::ff:fe00:11/64",
            "3 2001:db8::1/64",
            "3 fe80::ff:fe00:10/64",
            "4 fe80::ff:fe00:20/64"
        ]
    );
    assert_eq!(addresses[1].broadcast, Some("192.0.2.255".parse().unwrap()));
    assert_eq!(addresses[0].scope, Scope::Host);
    assert_eq!(addresses[3].scope, Scope::Link);
    assert!(addresses[6].flags.is_tentative() && !addresses[5].flags.is_tentative());
}

#[cfg(target_endian = "little")]
#[test]
fn captured_speeds_are_read() {
    let speeds: Vec<_> = Messages::new(SPEEDS)
        .filter_map(|message| ethtool::decode(&message))
        .collect();
    assert_eq!(speeds, [(2, 10_000), (3, 10_000), (4, 10_000), (5, 10_000)]);
}

/// An attribute of type `attribute` around `content`, padded.
fn attribute(attribute: u16, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + content.len()).unwrap();
    let mut octets = length.to_ne_bytes().to_vec();
    octets.extend(attribute.to_ne_bytes());
    octets.extend(content);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

fn neighbors(payload: &[u8]) -> Vec<Neighbor> {
    Messages::new(&framed(28, payload))
        .filter_map(|message| Neighbor::decode(&message))
        .collect()
}

#[test]
fn neighbors_are_read_with_or_without_hardware_address() {
    let header = |state: u16| {
        let mut header = vec![2, 0, 0, 0];
        header.extend(7_u32.to_ne_bytes());
        header.extend(state.to_ne_bytes());
        header.extend([0, 1]);
        header
    };
    let destination = attribute(1, &[192, 0, 2, 1]);
    let physical = attribute(2, &[2, 0, 0, 0, 0, 1]);
    let found = neighbors(&[header(2), destination.clone(), physical].concat());
    let expected = Neighbor {
        link: 7,
        address: "192.0.2.1".parse().unwrap(),
        physical_address: vec![2, 0, 0, 0, 0, 1],
        state: NeighborState::Reachable,
    };
    assert_eq!(found, [expected]);
    let found = neighbors(&[header(0x20), destination.clone()].concat());
    assert!(found[0].physical_address.is_empty() && found[0].state == NeighborState::Failed);
    // NUD_NOARP; an address of another length; no address
    assert!(neighbors(&[header(0x40), destination].concat()).is_empty());
    assert!(neighbors(&[header(2), attribute(1, &[0; 16])].concat()).is_empty());
    assert!(neighbors(&header(2)).is_empty());
}

fn routes(header: [u8; 12], attributes: &[Vec<u8>]) -> Vec<Route> {
    let payload = [&header[..], &attributes.concat()].concat();
    Messages::new(&framed(24, &payload))
        .flat_map(|message| Route::decode(&message))
        .collect()
}

#[test]
fn a_route_with_several_next_hops_is_several_routes() {
    let header = [2, 0, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0];
    let hop = |link: u32, gateway: u8| {
        let gateway = attribute(5, &[192, 0, 2, gateway]);
        let mut octets = vec![16, 0, 0, 0];
        octets[..2].copy_from_slice(&16_u16.to_ne_bytes());
        octets.extend(link.to_ne_bytes());
        octets.extend(gateway);
        octets
    };
    let metric = attribute(6, &100_u32.to_ne_bytes());
    let several = attribute(9, &[hop(3, 1), hop(4, 2)].concat());
    let found = routes(header, &[metric, several]);
    let told: Vec<_> = found
        .iter()
        .map(|route| {
            (
                route.next_hop.link,
                route.next_hop.gateway.unwrap(),
                route.metric,
            )
        })
        .collect();
    let gateway = |text: &str| text.parse::<IpAddr>().unwrap();
    assert_eq!(
        told,
        [
            (3, gateway("192.0.2.1"), 100),
            (4, gateway("192.0.2.2"), 100)
        ]
    );
    assert!(found[0].destination.is_unspecified() && found[0].prefix_length == 0);
}

#[test]
fn routes_of_router_advertisements_have_a_lifetime_and_a_preference() {
    let header = [10, 0, 0, 0, 254, 9, 0, 1, 0, 0, 0, 0];
    let expires = |ticks: i32| {
        let mut information = [0; 32];
        information[8..12].copy_from_slice(&ticks.to_ne_bytes());
        attribute(12, &information)
    };
    for (ticks, lifetime) in [(0, None), (180_050, Some(1800)), (-5, Some(0))] {
        let found = routes(header, &[expires(ticks), attribute(20, &[3])]);
        assert_eq!((found[0].lifetime, found[0].preference), (lifetime, -1));
    }
    let found = routes(header, &[attribute(12, &[0; 4])]);
    assert_eq!((found[0].lifetime, found[0].preference), (None, 0));
}

#[test]
fn routes_of_other_tables_and_kinds_are_left_out() {
    let link = || attribute(4, &2_u32.to_ne_bytes());
    let main = [10, 64, 0, 0, 254, 2, 0, 1, 0, 0, 0, 0];
    let destination = || attribute(1, &[0xfd; 16]);
    let found = routes(main, &[destination(), link()]);
    assert_eq!((found.len(), found[0].next_hop.gateway), (1, None));
    let local = [10, 64, 0, 0, 255, 2, 0, 2, 0, 0, 0, 0];
    assert!(routes(local, &[destination(), link()]).is_empty());
    let in_long_number = attribute(15, &1000_u32.to_ne_bytes());
    assert!(routes(main, &[destination(), link(), in_long_number]).is_empty());
    let multicast = [10, 64, 0, 0, 254, 2, 0, 5, 0, 0, 0, 0];
    assert!(routes(multicast, &[destination(), link()]).is_empty());
    let unreachable = [10, 64, 0, 0, 254, 2, 0, 7, 0, 0, 0, 0];
    assert_eq!(
        routes(unreachable, &[destination()])[0].kind,
        RouteKind::Reject
    );
}

/// A message of type `message_type` around `payload`.
fn framed(message_type: u16, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + payload.len()).unwrap();
    let mut octets = length.to_ne_bytes().to_vec();
    octets.extend(message_type.to_ne_bytes());
    octets.extend([0; 10]);
    octets.extend(payload);
    octets
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_octets_never_panic(octets: Vec<u8>) {
        messages(&octets);
        for message_type in [16, 17, 20, 21, 24, 28, 92] {
            messages(&framed(message_type, &octets));
        }
    }

    #[test]
    fn captured_octets_with_changes_never_panic(
        at in any::<proptest::sample::Index>(),
        octet: u8,
        end in any::<proptest::sample::Index>(),
    ) {
        for captured in [LINKS, STATISTICS, ADDRESSES, SPEEDS] {
            let mut octets = captured.to_vec();
            let at = at.index(octets.len());
            octets[at] = octet;
            octets.truncate(end.index(octets.len()));
            messages(&octets);
        }
    }
}

#[test]
fn the_host_tells_its_loopback() {
    let mut socket = NetlinkSocket::route().unwrap();
    let links = socket
        .request(&mut Link::request(), Vec::new, |links, message| {
            links.extend(LinkChange::decode(message));
        })
        .unwrap();
    let has_loopback = links.iter().any(
        |change| matches!(change, LinkChange::Present(link) if link.index == 1 && link.name == "lo"),
    );
    assert!(has_loopback, "{links:?}");
}
