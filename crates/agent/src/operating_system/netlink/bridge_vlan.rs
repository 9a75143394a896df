use super::message::{Attributes, Message, u16_at, u32_at, u32_of};
use super::request::Request;
use super::socket::{NetlinkError, NetlinkSocket};

const RTM_NEWLINK: u16 = 16;
const RTM_GETLINK: u16 = 18;
const RTM_NEWNEIGH: u16 = 28;
const RTM_GETNEIGH: u16 = 30;
const AF_BRIDGE: u8 = 7;

// Attributes of ports (linux/if_link.h, linux/if_bridge.h), and the filter that asks for VLANs (linux/rtnetlink.h).
const IFLA_MASTER: u16 = 10;
const IFLA_AF_SPEC: u16 = 26;
const IFLA_EXT_MASK: u16 = 29;
const IFLA_BRIDGE_VLAN_INFO: u16 = 2;
const RTEXT_FILTER_BRVLAN: u32 = 0x2;
const BRIDGE_VLAN_INFO_PVID: u16 = 0x2;
const BRIDGE_VLAN_INFO_UNTAGGED: u16 = 0x4;

// Attributes of addresses behind a bridge (linux/neighbour.h).
const NDA_LLADDR: u16 = 2;
const NDA_VLAN: u16 = 5;
const NDA_MASTER: u16 = 9;
const NUD_PERMANENT: u16 = 0x80;

/// More memberships, or addresses, are left out.
const MOST: usize = 5000;

/// A VLAN that a port of a bridge, or the bridge itself, is a member of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VlanMembership {
    /// The index of the bridge's link.
    pub(crate) bridge: u32,
    /// The index of the port's link; that of the bridge for the bridge itself.
    pub(crate) link: u32,
    /// The number of the VLAN (IEEE 802.1Q).
    pub(crate) vlan: u16,
    /// Whether frames of the VLAN leave the port without a tag.
    pub(crate) is_untagged: bool,
    /// Whether frames without a tag that arrive are of this VLAN.
    pub(crate) is_pvid: bool,
}

/// An address that a bridge knows in a VLAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VlanAddress {
    /// The index of the bridge's link.
    pub(crate) bridge: u32,
    /// The index of the link of the port behind which it is.
    pub(crate) link: u32,
    pub(crate) vlan: u16,
    pub(crate) address: [u8; 6],
    /// Whether it is one of the bridge's own.
    pub(crate) is_local: bool,
}

impl VlanMembership {
    fn request() -> Request {
        let mut header = [0; 16];
        let [family, ..] = &mut header;
        *family = AF_BRIDGE;
        Request::dump(RTM_GETLINK, &header)
            .attribute(IFLA_EXT_MASK, &RTEXT_FILTER_BRVLAN.to_ne_bytes())
    }

    /// The memberships in a message of a dump.
    pub(super) fn decode(message: &Message<'_>) -> Vec<Self> {
        let decoded = || {
            let (header, attributes) = message.split::<16>()?;
            let bridge = u32_of(attributes.find(IFLA_MASTER)?)?;
            let link = u32_at(header, 4)?;
            let of_family = Attributes::new(attributes.find(IFLA_AF_SPEC)?);
            let of_vlans = of_family.filter(|(kind, _)| *kind == IFLA_BRIDGE_VLAN_INFO);
            let membership = |(_, content): (u16, &[u8])| {
                let flags = u16_at(content, 0)?;
                Some(Self {
                    bridge,
                    link,
                    vlan: u16_at(content, 2)?,
                    is_untagged: flags & BRIDGE_VLAN_INFO_UNTAGGED != 0,
                    is_pvid: flags & BRIDGE_VLAN_INFO_PVID != 0,
                })
            };
            Some(of_vlans.filter_map(membership).collect())
        };
        match message.message_type {
            RTM_NEWLINK => decoded().unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

impl VlanAddress {
    fn request() -> Request {
        let mut header = [0; 12];
        let [family, ..] = &mut header;
        *family = AF_BRIDGE;
        Request::dump(RTM_GETNEIGH, &header)
    }

    /// The address in a message of a dump; `None` if it is not one that a bridge knows in a VLAN.
    pub(super) fn decode(message: &Message<'_>) -> Option<Self> {
        if message.message_type != RTM_NEWNEIGH {
            return None;
        }
        let (header, attributes) = message.split::<12>()?;
        Some(Self {
            bridge: u32_of(attributes.find(NDA_MASTER)?)?,
            link: u32_at(header, 4)?,
            vlan: u16_at(attributes.find(NDA_VLAN)?, 0)?,
            address: attributes.find(NDA_LLADDR)?.try_into().ok()?,
            is_local: u16_at(header, 8)? & NUD_PERMANENT != 0,
        })
    }
}

/// The VLANs of all bridges in the network namespace of the calling thread, and the addresses in them; none if the kernel
/// does not tell them.
pub(crate) fn bridge_vlans() -> (Vec<VlanMembership>, Vec<VlanAddress>) {
    let ask = || -> Result<_, NetlinkError> {
        let mut socket = NetlinkSocket::route()?;
        let memberships = socket.request(
            &mut VlanMembership::request(),
            Vec::new,
            |memberships, message| {
                let room = MOST.saturating_sub(memberships.len());
                memberships.extend(VlanMembership::decode(message).into_iter().take(room));
            },
        )?;
        let addresses = socket.request(
            &mut VlanAddress::request(),
            Vec::new,
            |addresses, message| {
                if addresses.len() < MOST {
                    addresses.extend(VlanAddress::decode(message));
                }
            },
        )?;
        Ok((memberships, addresses))
    };
    ask().unwrap_or_else(|error| {
        log::warn!("the VLANs of the bridges of this host cannot be read: {error}");
        Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::message::Messages;
    use super::*;

    /// A message with a header and attributes, as the kernel writes it.
    fn message(message_type: u16, header: &[u8], attributes: &[(u16, &[u8])]) -> Vec<u8> {
        let mut request = Request::one(message_type, header);
        for (attribute, content) in attributes {
            request = request.attribute(*attribute, content);
        }
        request.with_sequence(1).to_vec()
    }

    fn attribute(attribute: u16, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 4).unwrap();
        [&length.to_ne_bytes()[..], &attribute.to_ne_bytes(), content].concat()
    }

    fn port(vlans: &[(u16, u16)]) -> Vec<u8> {
        let mut header = [0; 16];
        header[0] = AF_BRIDGE;
        header[4..8].copy_from_slice(&3_u32.to_ne_bytes());
        let vlans: Vec<_> = vlans
            .iter()
            .map(|(flags, vlan)| [flags.to_ne_bytes(), vlan.to_ne_bytes()].concat())
            .map(|content| attribute(IFLA_BRIDGE_VLAN_INFO, &content))
            .collect();
        let bridge = 7_u32.to_ne_bytes();
        let attributes = [
            (IFLA_MASTER, &bridge[..]),
            // Attributes that contain others are marked so.
            (IFLA_AF_SPEC | 0x8000, &vlans.concat()),
        ];
        message(RTM_NEWLINK, &header, &attributes)
    }

    #[test]
    fn the_vlans_of_a_port_are_read() {
        let octets = port(&[(6, 1), (0, 4094)]);
        let messages: Vec<_> = Messages::new(&octets).collect();
        let [message] = messages.as_slice() else {
            panic!("one message");
        };
        let tagged = VlanMembership {
            bridge: 7,
            link: 3,
            vlan: 4094,
            ..VlanMembership::default()
        };
        let untagged = VlanMembership {
            vlan: 1,
            is_untagged: true,
            is_pvid: true,
            ..tagged
        };
        assert_eq!(VlanMembership::decode(message), [untagged, tagged]);
        assert_eq!(VlanAddress::decode(message), None);
    }

    #[test]
    fn addresses_are_those_of_bridges_in_vlans() {
        let mut header = [0; 12];
        header[0] = AF_BRIDGE;
        header[4..8].copy_from_slice(&3_u32.to_ne_bytes());
        header[8..10].copy_from_slice(&NUD_PERMANENT.to_ne_bytes());
        let (bridge, vlan) = (7_u32.to_ne_bytes(), 10_u16.to_ne_bytes());
        let all = [
            (NDA_LLADDR, &[2, 0, 0, 0, 0, 1][..]),
            (NDA_MASTER, &bridge[..]),
            (NDA_VLAN, &vlan[..]),
        ];
        let decode = |attributes: &[_]| {
            let octets = message(RTM_NEWNEIGH, &header, attributes);
            let message = Messages::new(&octets).next()?;
            VlanAddress::decode(&message)
        };
        let expected = VlanAddress {
            bridge: 7,
            link: 3,
            vlan: 10,
            address: [2, 0, 0, 0, 0, 1],
            is_local: true,
        };
        assert_eq!(decode(&all), Some(expected));
        // An address of the device itself, and one of a bridge without VLANs.
        for without in 0..all.len() {
            let mut some = all.to_vec();
            some.remove(without);
            assert_eq!(decode(&some), None);
        }
    }

    #[test]
    fn what_is_cut_off_costs_vlans_and_no_more() {
        let octets = port(&[(6, 1), (0, 2)]);
        for end in 0..octets.len() {
            let mut cut = octets[..end].to_vec();
            if let Some(length) = cut.first_chunk_mut() {
                *length = u32::try_from(end).unwrap().to_ne_bytes();
            }
            let found = Messages::new(&cut).flat_map(|message| VlanMembership::decode(&message));
            assert!(found.count() < 2, "{end}");
        }
    }
}
