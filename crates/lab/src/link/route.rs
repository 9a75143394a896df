//! Addresses and routes of a namespace, by rtnetlink (rtnetlink(7)).

use std::io;

use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};

/// A netlink socket of the namespace of the thread that opened it.
pub(super) struct RouteSocket {
    socket: Socket,
    sequence: u32,
}

const RTM_NEWLINK: u16 = 16;
const RTM_NEWADDR: u16 = 20;
const RTM_NEWROUTE: u16 = 24;
const NLM_F_REQUEST_ACK: u16 = 1 | 4;
const NLM_F_CREATE: u16 = 0x400;
const IFLA_IFNAME: u16 = 3;
const NLM_F_EXCL: u16 = 0x200;
const NLMSG_ERROR: u16 = 2;
const IFF_UP: u32 = 1;
const IFF_NOARP: u32 = 0x80;
/// Octets of a message about an interface before its attributes.
const IFINFOMSG: usize = 16;

/// An address or a prefix, of one of the versions of IP.
#[derive(Clone, Copy)]
pub(super) enum Address {
    V4([u8; 4]),
    V6([u8; 16]),
}

impl Address {
    fn octets(&self) -> &[u8] {
        match self {
            Self::V4(octets) => octets,
            Self::V6(octets) => octets,
        }
    }

    const fn family(self) -> u8 {
        match self {
            Self::V4(_) => libc::AF_INET as u8,
            Self::V6(_) => libc::AF_INET6 as u8,
        }
    }
}

impl RouteSocket {
    pub(super) fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self {
            socket,
            sequence: 0,
        })
    }

    /// Sets an interface up, with this MTU if it is given.
    pub(super) fn set_up(&mut self, interface: u32, mtu: Option<u32>) -> io::Result<()> {
        self.change(interface, IFF_UP, mtu)
    }

    fn change(&mut self, interface: u32, flags: u32, mtu: Option<u32>) -> io::Result<()> {
        const IFLA_MTU: u16 = 4;
        let mut message = vec![0; 4];
        message.extend_from_slice(&interface.to_ne_bytes());
        // What they are to be, and which of them are to change.
        message.extend_from_slice(&flags.to_ne_bytes());
        message.extend_from_slice(&flags.to_ne_bytes());
        if let Some(mtu) = mtu {
            append_attribute(&mut message, IFLA_MTU, &mtu.to_ne_bytes());
        }
        self.request(RTM_NEWLINK, 0, &message)
    }

    /// Enables an interface without ARP.
    pub(super) fn set_up_without_arp(&mut self, interface: u32, mtu: u32) -> io::Result<()> {
        self.change(interface, IFF_UP | IFF_NOARP, Some(mtu))
    }

    /// Makes a pair of virtual Ethernet interfaces, down as yet; the first one has this address.
    pub(super) fn add_veth(&mut self, name: &str, address: [u8; 6], peer: &str) -> io::Result<()> {
        const IFLA_ADDRESS: u16 = 1;
        const IFLA_IFNAME: u16 = 3;
        const IFLA_LINKINFO: u16 = 18;
        const IFLA_INFO_KIND: u16 = 1;
        const IFLA_INFO_DATA: u16 = 2;
        const VETH_INFO_PEER: u16 = 1;
        let terminated = |name: &str| [name.as_bytes(), &[0]].concat();
        let mut other = vec![0; IFINFOMSG];
        append_attribute(&mut other, IFLA_IFNAME, &terminated(peer));
        let mut data = Vec::new();
        append_attribute(&mut data, VETH_INFO_PEER, &other);
        let mut information = Vec::new();
        append_attribute(&mut information, IFLA_INFO_KIND, b"veth");
        append_attribute(&mut information, IFLA_INFO_DATA, &data);
        let mut message = vec![0; IFINFOMSG];
        append_attribute(&mut message, IFLA_IFNAME, &terminated(name));
        append_attribute(&mut message, IFLA_ADDRESS, &address);
        append_attribute(&mut message, IFLA_LINKINFO, &information);
        self.request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &message)
    }

    /// Gives an interface an address, which is not looked for elsewhere before (no duplicate address detection).
    pub(super) fn add_address(
        &mut self,
        interface: u32,
        address: Address,
        prefix: u8,
    ) -> io::Result<()> {
        const IFA_ADDRESS: u16 = 1;
        const IFA_LOCAL: u16 = 2;
        const IFA_F_NODAD: u8 = 2;
        let flags = if matches!(address, Address::V6(_)) {
            IFA_F_NODAD
        } else {
            0
        };
        let mut message = vec![address.family(), prefix, flags, 0];
        message.extend_from_slice(&interface.to_ne_bytes());
        append_attribute(&mut message, IFA_LOCAL, address.octets());
        append_attribute(&mut message, IFA_ADDRESS, address.octets());
        self.request(RTM_NEWADDR, NLM_F_CREATE, &message)
    }

    /// Sends what is for this prefix through an interface; with `is_local`, takes it as its own.
    pub(super) fn add_route(
        &mut self,
        interface: u32,
        destination: Address,
        prefix: u8,
        is_local: bool,
    ) -> io::Result<()> {
        const RTA_DST: u16 = 1;
        const RTA_OIF: u16 = 4;
        const RTPROT_STATIC: u8 = 4;
        // Table, scope and type of local routes, and of those over a link.
        let (table, scope, kind) = if is_local {
            (255, 254, 2)
        } else {
            (254, 253, 1)
        };
        let scope = if matches!(destination, Address::V6(_)) {
            0
        } else {
            scope
        };
        let mut message = vec![
            destination.family(),
            prefix,
            0,
            0,
            table,
            RTPROT_STATIC,
            scope,
            kind,
        ];
        message.extend_from_slice(&[0; 4]);
        append_attribute(&mut message, RTA_DST, destination.octets());
        append_attribute(&mut message, RTA_OIF, &interface.to_ne_bytes());
        self.request(RTM_NEWROUTE, NLM_F_CREATE, &message)
    }

    /// Sends what is for one address through an interface, from this address where the sender has chosen none.
    pub(super) fn add_host_route(
        &mut self,
        interface: u32,
        destination: Address,
        source: Address,
    ) -> io::Result<()> {
        const RTA_DST: u16 = 1;
        const RTA_OIF: u16 = 4;
        const RTA_PREFSRC: u16 = 7;
        const RTPROT_STATIC: u8 = 4;
        // The main table; link scope in IPv4; unicast.
        let (scope, prefix) = match destination {
            Address::V4(_) => (253, 32),
            Address::V6(_) => (0, 128),
        };
        let family = destination.family();
        let mut message = vec![family, prefix, 0, 0, 254, RTPROT_STATIC, scope, 1];
        message.extend_from_slice(&[0; 4]);
        append_attribute(&mut message, RTA_DST, destination.octets());
        append_attribute(&mut message, RTA_OIF, &interface.to_ne_bytes());
        append_attribute(&mut message, RTA_PREFSRC, source.octets());
        self.request(RTM_NEWROUTE, NLM_F_CREATE, &message)
    }

    /// Makes two interfaces that are connected with each other.
    pub(super) fn add_pair(&mut self, names: [&str; 2]) -> io::Result<()> {
        const VETH_INFO_PEER: u16 = 1;
        let [name, peer_name] = names;
        let mut peer = vec![0; 16];
        append_attribute(&mut peer, IFLA_IFNAME, peer_name.as_bytes());
        let mut data = Vec::new();
        append_attribute(&mut data, VETH_INFO_PEER, &peer);
        self.add_link(name, "veth", &data)
    }

    /// Makes a bridge to which nothing is attached.
    pub(super) fn add_bridge(&mut self, name: &str) -> io::Result<()> {
        self.add_link(name, "bridge", &[])
    }

    fn add_link(&mut self, name: &str, kind: &str, data: &[u8]) -> io::Result<()> {
        const IFLA_LINKINFO: u16 = 18;
        const IFLA_INFO_KIND: u16 = 1;
        const IFLA_INFO_DATA: u16 = 2;
        let mut information = Vec::new();
        append_attribute(&mut information, IFLA_INFO_KIND, kind.as_bytes());
        append_attribute(&mut information, IFLA_INFO_DATA, data);
        let mut message = vec![0; 16];
        append_attribute(&mut message, IFLA_IFNAME, name.as_bytes());
        append_attribute(&mut message, IFLA_LINKINFO, &information);
        self.request(RTM_NEWLINK, NLM_F_CREATE, &message)
    }

    fn request(&mut self, kind: u16, flags: u16, content: &[u8]) -> io::Result<()> {
        self.sequence += 1;
        let length = u32::try_from(16 + content.len()).unwrap_or(u32::MAX);
        let mut message = Vec::with_capacity(16 + content.len());
        message.extend_from_slice(&length.to_ne_bytes());
        message.extend_from_slice(&kind.to_ne_bytes());
        message.extend_from_slice(&(NLM_F_REQUEST_ACK | flags).to_ne_bytes());
        message.extend_from_slice(&self.sequence.to_ne_bytes());
        message.extend_from_slice(&[0; 4]);
        message.extend_from_slice(content);
        self.socket.send(&message, 0)?;
        let mut answer = Vec::with_capacity(4096);
        self.socket.recv(&mut answer, 0)?;
        acknowledgement(&answer)
    }
}

/// What an NLMSG_ERROR says; its number is 0 if all is well.
fn acknowledgement(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|kind| kind.try_into().ok());
    let number = answer.get(16..20).and_then(|number| number.try_into().ok());
    match (kind.map(u16::from_ne_bytes), number.map(i32::from_ne_bytes)) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(number)) => Err(io::Error::from_raw_os_error(-number)),
        _ => Err(io::Error::other("the kernel did not acknowledge")),
    }
}

fn append_attribute(message: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let length = u16::try_from(4 + value.len()).unwrap_or(u16::MAX);
    message.extend_from_slice(&length.to_ne_bytes());
    message.extend_from_slice(&kind.to_ne_bytes());
    message.extend_from_slice(value);
    message.resize(message.len().next_multiple_of(4), 0);
}
