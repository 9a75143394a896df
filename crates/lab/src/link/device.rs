use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::str::FromStr;

use super::tunnel::Tunnel;
use super::veth::Veth;

/// How packets leave a network namespace and get into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkDevice {
    /// A tunnel (/dev/net/tun).
    Tunnel,
    /// A pair of virtual Ethernet interfaces with a packet socket, which needs no device file.
    Veth,
}

/// No such device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a device is tunnel or veth")]
pub struct ParseLinkDeviceError;

impl FromStr for LinkDevice {
    type Err = ParseLinkDeviceError;

    fn from_str(text: &str) -> Result<Self, ParseLinkDeviceError> {
        match text {
            "tunnel" => Ok(Self::Tunnel),
            "veth" => Ok(Self::Veth),
            _ => Err(ParseLinkDeviceError),
        }
    }
}

impl fmt::Display for LinkDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tunnel => "tunnel",
            Self::Veth => "veth",
        })
    }
}

/// The name of the interface in a namespace through which its programs see the link.
pub(super) const INTERFACE: &str = "link";

/// One end of a link: what a namespace sends into it is read here, and what is written is received there.
#[derive(Debug)]
pub(super) enum Device {
    Tunnel(Tunnel),
    Veth(Box<Veth>),
}

impl Device {
    /// One in the namespace of this thread; of no particular kind it is a tunnel where that is allowed.
    pub(super) fn open(wanted: Option<LinkDevice>) -> io::Result<Self> {
        let tunnel = || Tunnel::open().map(Self::Tunnel);
        let veth = || Veth::open().map(Box::new).map(Self::Veth);
        match wanted {
            Some(LinkDevice::Tunnel) => tunnel(),
            Some(LinkDevice::Veth) => veth(),
            // What a tunnel lacks says more than what the other lacks.
            None => tunnel().or_else(|error| veth().map_err(|_| error)),
        }
    }

    pub(super) const fn kind(&self) -> LinkDevice {
        match self {
            Self::Tunnel(_) => LinkDevice::Tunnel,
            Self::Veth(_) => LinkDevice::Veth,
        }
    }

    /// Reads a packet, if there is one.
    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let received = match self {
            Self::Tunnel(tunnel) => tunnel.receive(buffer),
            Self::Veth(veth) => veth.receive(buffer),
        };
        match received {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Delivers a packet. One that the namespace does not take is lost, as by any interface.
    pub(super) fn send(&self, packet: &[u8]) -> io::Result<()> {
        let sent = match self {
            Self::Tunnel(tunnel) => tunnel.send(packet),
            Self::Veth(veth) => veth.send(packet),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN | libc::ENOBUFS | libc::EINVAL | libc::EMSGSIZE) => Ok(()),
                _ => Err(error),
            },
        }
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tunnel(tunnel) => tunnel.as_fd(),
            Self::Veth(veth) => veth.as_fd(),
        }
    }
}
