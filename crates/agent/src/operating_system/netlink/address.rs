use std::net::IpAddr;

use super::message::{Message, u32_at, u32_of};
use super::request::Request;
use super::socket::NetlinkSocket;

const RTM_NEWADDR: u16 = 20;
const RTM_DELADDR: u16 = 21;
const RTM_GETADDR: u16 = 22;

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;

// Attributes of addresses (linux/if_addr.h).
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const IFA_BROADCAST: u16 = 4;
const IFA_CACHEINFO: u16 = 6;
const IFA_FLAGS: u16 = 8;
const IFA_PROTO: u16 = 11;

/// An address of this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The index of its link.
    pub(crate) link: u32,
    /// The address.
    pub(crate) address: IpAddr,
    /// The length of its prefix, in bits.
    pub(crate) prefix_length: u8,
    /// The broadcast address that goes with it.
    pub(crate) broadcast: Option<IpAddr>,
    /// How far it is valid.
    pub(crate) scope: Scope,
    /// In which state it is.
    pub(crate) flags: AddressFlags,
    /// Who set it (IFAP_...): 1 the loopback, 2 a router's announcement, 3 the link-local address; 0 unknown.
    pub(crate) protocol: u8,
    /// How long it may be used, as its router or server said last.
    pub(crate) lifetimes: Lifetimes,
}

/// Seconds; all ones are unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetimes {
    /// For new connections.
    pub(crate) preferred: u32,
    /// At all.
    pub(crate) valid: u32,
}

impl Lifetimes {
    pub(crate) const INFINITE: Self = Self {
        preferred: u32::MAX,
        valid: u32::MAX,
    };

    /// From struct ifa_cacheinfo (linux/if_addr.h).
    fn decode(content: &[u8]) -> Option<Self> {
        Some(Self {
            preferred: u32_at(content, 0)?,
            valid: u32_at(content, 4)?,
        })
    }
}

/// How far an address is valid (rtnetlink(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everywhere, or in a site.
    Global,
    /// On its link.
    Link,
    /// On this host.
    Host,
}

/// The state of an address (IFA_F_...).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressFlags(pub(crate) u32);

impl AddressFlags {
    /// It is to be given up soon.
    pub(crate) const fn is_deprecated(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// It is being checked for duplicates.
    pub(crate) const fn is_tentative(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Another host has it.
    pub(crate) const fn is_duplicate(self) -> bool {
        self.0 & 0x08 != 0
    }

    /// It was not given for a limited time.
    pub(crate) const fn is_permanent(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// It is a temporary one of RFC 8981, for privacy.
    pub(crate) const fn is_temporary(self) -> bool {
        self.0 & 0x01 != 0
    }
}

impl Address {
    /// The request for all addresses of both families.
    pub(crate) fn request() -> Request {
        Request::dump(RTM_GETADDR, &[0; 8])
    }

    /// Whether a notification is about addresses.
    pub(crate) const fn is_change(message: &Message<'_>) -> bool {
        matches!(message.message_type, RTM_NEWADDR | RTM_DELADDR)
    }

    /// The address in a message of a dump; `None` if it is about something else.
    pub(crate) fn decode(message: &Message<'_>) -> Option<Self> {
        if message.message_type != RTM_NEWADDR {
            return None;
        }
        let (header, attributes) = message.split::<8>()?;
        let &[family, prefix_length, low_flags, scope, ..] = header;
        let ip = |content: &[u8]| ip_address(family, content);
        // On point-to-point links IFA_ADDRESS is the peer's.
        let address = attributes
            .find(IFA_LOCAL)
            .or_else(|| attributes.find(IFA_ADDRESS))?;
        let flags = attributes.find(IFA_FLAGS).and_then(u32_of);
        Some(Self {
            link: u32_at(header, 4)?,
            address: ip(address)?,
            prefix_length,
            broadcast: attributes.find(IFA_BROADCAST).and_then(ip),
            scope: match scope {
                254 => Scope::Host,
                253 => Scope::Link,
                _ => Scope::Global,
            },
            flags: AddressFlags(flags.unwrap_or_else(|| u32::from(low_flags))),
            protocol: attributes
                .find(IFA_PROTO)
                .and_then(|content| content.first().copied())
                .unwrap_or(0),
            lifetimes: attributes
                .find(IFA_CACHEINFO)
                .and_then(Lifetimes::decode)
                .unwrap_or(Lifetimes::INFINITE),
        })
    }
}

/// The address of a family that an attribute holds.
pub(super) fn ip_address(family: u8, content: &[u8]) -> Option<IpAddr> {
    match family {
        AF_INET => <[u8; 4]>::try_from(content).ok().map(IpAddr::from),
        AF_INET6 => <[u8; 16]>::try_from(content).ok().map(IpAddr::from),
        _ => None,
    }
}

/// All addresses in the network namespace of the calling thread; none if the kernel does not tell them.
pub(crate) fn addresses() -> Vec<Address> {
    let told = NetlinkSocket::route()
        .map_err(Into::into)
        .and_then(|mut socket| {
            socket.request(&mut Address::request(), Vec::new, |addresses, message| {
                addresses.extend(Address::decode(message));
            })
        });
    told.unwrap_or_else(|error| {
        log::warn!("the addresses of this host cannot be read: {error}");
        Vec::new()
    })
}
