use super::message::{Attributes, Message, text_of, u32_at, u32_of};
use super::request::Request;

pub(super) const RTM_NEWLINK: u16 = 16;
const RTM_DELLINK: u16 = 17;
const RTM_GETLINK: u16 = 18;

// Attributes of links (linux/if_link.h).
const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINK: u16 = 5;
const IFLA_MASTER: u16 = 10;
const IFLA_WIRELESS: u16 = 11;
const IFLA_OPERSTATE: u16 = 16;
const IFLA_LINKINFO: u16 = 18;
const IFLA_IFALIAS: u16 = 20;
const IFLA_PROMISCUITY: u16 = 30;
const IFLA_LINK_NETNSID: u16 = 37;
const IFLA_PARENT_DEV_NAME: u16 = 56;
const IFLA_INFO_KIND: u16 = 1;

// Flags of links (linux/if.h).
const IFF_UP: u32 = 0x1;
const IFF_RUNNING: u32 = 0x40;
const IFF_PROMISC: u32 = 0x100;

/// Kinds that name a peer and not a lower link in IFLA_LINK.
const PAIRED_KINDS: [&str; 2] = ["veth", "netkit"];

/// A network device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    /// Its number, from 1 on.
    pub(crate) index: u32,
    /// Its name, as eth0.
    pub(crate) name: String,
    /// The type of its hardware (ARPHRD_...).
    pub(crate) hardware: u16,
    /// What kind of software device it is (as bridge, vlan, veth); empty for others.
    pub(crate) kind: String,
    /// Its largest packet, in octets.
    pub(crate) mtu: u32,
    /// Its hardware address.
    pub(crate) address: Vec<u8>,
    /// Whether it is enabled.
    pub(crate) is_up: bool,
    /// Its state.
    pub(crate) operational_state: OperationalState,
    /// Whether it takes packets for others.
    pub(crate) is_promiscuous: bool,
    /// The text that the administrator gave it.
    pub(crate) alias: String,
    /// The bridge, bond or other device that it is a port of.
    pub(crate) master: Option<u32>,
    /// The device of the same network namespace that it runs on, as a VLAN on its port.
    pub(crate) lower: Option<u32>,
    /// Whether it belongs to a piece of hardware, or to what a hypervisor presents as such.
    pub(crate) has_device: bool,
}

/// The operational state of a link (RFC 2863, as linux/if.h numbers it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OperationalState {
    /// It passes packets.
    Up,
    /// It does not.
    #[default]
    Down,
    /// It is in a test.
    Testing,
    /// It waits for something, as an authentication.
    Dormant,
    /// A part is missing.
    NotPresent,
    /// What it runs on is down.
    LowerLayerDown,
}

impl OperationalState {
    /// Drivers that do not maintain the state leave it unknown; then the flag decides.
    fn new(number: Option<u8>, is_running: bool) -> Self {
        match number {
            Some(1) => Self::NotPresent,
            Some(2) => Self::Down,
            Some(3) => Self::LowerLayerDown,
            Some(4) => Self::Testing,
            Some(5) => Self::Dormant,
            Some(6) => Self::Up,
            _ if is_running => Self::Up,
            _ => Self::Down,
        }
    }
}

/// Data on a link in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkChange {
    /// A link is there, or has changed.
    Present(Link),
    /// The link of this index is gone.
    Gone(u32),
}

impl LinkChange {
    /// The index of the link.
    pub(crate) const fn index(&self) -> u32 {
        match self {
            Self::Present(link) => link.index,
            Self::Gone(index) => *index,
        }
    }

    /// The content of `message`; `None` if it is about something else.
    pub(crate) fn decode(message: &Message<'_>) -> Option<Self> {
        let (header, attributes) = message.split::<16>()?;
        // AF_BRIDGE: a port joined or left a bridge; RTM_DELLINK then does not mean that the link is gone.
        let [family, _, _, _, ..] = header;
        if *family != 0 {
            return None;
        }
        let index =
            u32_at(header, 4).filter(|&index| (1..=i32::MAX.cast_unsigned()).contains(&index))?;
        match message.message_type {
            // Wireless events come as half a link.
            RTM_NEWLINK if attributes.find(IFLA_WIRELESS).is_none() => {
                Some(Self::Present(Link::decode(header, index, attributes)?))
            }
            RTM_DELLINK => Some(Self::Gone(index)),
            _ => None,
        }
    }
}

impl Link {
    /// The request for all links.
    pub(crate) fn request() -> Request {
        Request::dump(RTM_GETLINK, &[0; 16])
    }

    fn decode(header: &[u8; 16], index: u32, attributes: Attributes<'_>) -> Option<Self> {
        let [_, _, hardware @ .., _, _, _, _, _, _, _, _, _, _, _, _] = header;
        let flags = u32_at(header, 8)?;
        let mut link = Self {
            index,
            hardware: u16::from_ne_bytes(*hardware),
            is_up: flags & IFF_UP != 0,
            is_promiscuous: flags & IFF_PROMISC != 0,
            ..Self::default()
        };
        let mut operational_state = None;
        let mut is_elsewhere = false;
        for (attribute, content) in attributes {
            match attribute {
                IFLA_ADDRESS => link.address = content.to_vec(),
                IFLA_IFNAME => link.name = text_of(content),
                IFLA_MTU => link.mtu = u32_of(content).unwrap_or(0),
                IFLA_LINK => link.lower = u32_of(content).filter(|&lower| lower != 0),
                IFLA_MASTER => link.master = u32_of(content).filter(|&master| master != 0),
                IFLA_OPERSTATE => operational_state = content.first().copied(),
                IFLA_LINKINFO => {
                    link.kind = Attributes::new(content)
                        .find(IFLA_INFO_KIND)
                        .map_or_else(String::new, text_of);
                }
                IFLA_IFALIAS => link.alias = text_of(content),
                IFLA_PROMISCUITY => link.is_promiscuous |= u32_of(content).is_some_and(|n| n > 0),
                IFLA_LINK_NETNSID => is_elsewhere = true,
                IFLA_PARENT_DEV_NAME => link.has_device = true,
                _ => {}
            }
        }
        if is_elsewhere || link.lower == Some(index) || PAIRED_KINDS.contains(&link.kind.as_str()) {
            link.lower = None;
        }
        link.operational_state = OperationalState::new(operational_state, flags & IFF_RUNNING != 0);
        Some(link)
    }
}
