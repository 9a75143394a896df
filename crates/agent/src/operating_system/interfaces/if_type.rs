//! IANAifType of a link (the registry of IANA, and RFC 2863).

/// other(1).
const OTHER: i32 = 1;

/// By what the kernel calls the kind of a software device.
const BY_KIND: [(&str, i32); 9] = [
    ("bond", 161),   // ieee8023adLag
    ("bridge", 209), // bridge
    ("gre", 131),    // tunnel
    ("ip6tnl", 131),
    ("ipip", 131),
    ("sit", 131),
    ("team", 161),
    ("vlan", 135), // l2vlan
    ("vxlan", 131),
];

/// By ARPHRD_... (linux/if_arp.h).
const BY_HARDWARE: [(u16, i32); 30] = [
    (1, 6),    // ethernetCsmacd
    (2, 6),    // experimental Ethernet
    (6, 7),    // iso88023Csmacd
    (7, 35),   // arcnet
    (15, 32),  // frameRelay
    (19, 37),  // atm
    (24, 144), // ieee1394
    (32, 199), // infiniband
    (256, 28), // slip
    (257, 28),
    (258, 28),
    (259, 28),
    (271, 5),   // rfc877x25
    (512, 23),  // ppp
    (513, 118), // hdlc
    (516, 16),  // lapb
    (518, 118), // raw HDLC
    (768, 131), // tunnel
    (769, 131),
    (770, 32),  // frameRelay
    (772, 24),  // softwareLoopback
    (774, 15),  // fddi
    (776, 131), // sit
    (778, 131), // GRE
    (784, 56),  // fibreChannel
    (800, 9),   // iso88025TokenRing
    (801, 71),  // ieee80211
    (802, 71),
    (803, 71),
    (804, 259), // ieee802154
];

pub(super) fn if_type(kind: &str, hardware: u16) -> i32 {
    let by_kind = BY_KIND.iter().find(|(known, _)| *known == kind);
    let by_hardware = BY_HARDWARE.iter().find(|(known, _)| *known == hardware);
    by_kind
        .map(|(_, if_type)| *if_type)
        .or(by_hardware.map(|(_, if_type)| *if_type))
        .unwrap_or(OTHER)
}
