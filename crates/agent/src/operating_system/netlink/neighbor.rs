use std::net::IpAddr;

use super::address::ip_address;
use super::message::{Message, u16_at, u32_at};
use super::request::Request;
use super::socket::NetlinkSocket;

const RTM_NEWNEIGH: u16 = 28;
const RTM_GETNEIGH: u16 = 30;

// Attributes of neighbours (linux/neighbour.h).
const NDA_DST: u16 = 1;
const NDA_LLADDR: u16 = 2;

/// Another host on a link of this one, as ARP or neighbour discovery found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Neighbor {
    /// The index of the link.
    pub(crate) link: u32,
    pub(crate) address: IpAddr,
    /// Its hardware address; empty while it is not known.
    pub(crate) physical_address: Vec<u8>,
    pub(crate) state: NeighborState,
}

/// What the kernel knows of a neighbour (NUD_...).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeighborState {
    Incomplete,
    Reachable,
    Stale,
    Delay,
    Probe,
    Failed,
    /// The administrator set it.
    Permanent,
}

impl NeighborState {
    /// `None` for entries of links without address resolution, which name no other host.
    const fn new(number: u16) -> Option<Self> {
        Some(match number {
            0x01 => Self::Incomplete,
            0x02 => Self::Reachable,
            0x04 => Self::Stale,
            0x08 => Self::Delay,
            0x10 => Self::Probe,
            0x20 => Self::Failed,
            0x80 => Self::Permanent,
            _ => return None,
        })
    }
}

impl Neighbor {
    /// The request for all neighbours of both families.
    pub(crate) fn request() -> Request {
        Request::dump(RTM_GETNEIGH, &[0; 12])
    }

    /// The neighbour in a message of a dump; `None` if it is about something else.
    pub(crate) fn decode(message: &Message<'_>) -> Option<Self> {
        if message.message_type != RTM_NEWNEIGH {
            return None;
        }
        let (header, attributes) = message.split::<12>()?;
        let [family, ..] = *header;
        Some(Self {
            link: u32_at(header, 4)?,
            address: ip_address(family, attributes.find(NDA_DST)?)?,
            physical_address: attributes.find(NDA_LLADDR).unwrap_or_default().to_vec(),
            state: NeighborState::new(u16_at(header, 8)?)?,
        })
    }
}

/// The neighbours in the network namespace of the calling thread; none if the kernel does not tell them.
pub(crate) fn neighbors() -> Vec<Neighbor> {
    let told = NetlinkSocket::route()
        .map_err(Into::into)
        .and_then(|mut socket| {
            socket.request(&mut Neighbor::request(), Vec::new, |neighbors, message| {
                neighbors.extend(Neighbor::decode(message));
            })
        });
    told.unwrap_or_else(|error| {
        log::warn!("the neighbors of this host cannot be read: {error}");
        Vec::new()
    })
}
