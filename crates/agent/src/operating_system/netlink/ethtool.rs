use std::io;

use netlink_sys::protocols::NETLINK_GENERIC;

use super::message::{Attributes, Message, u16_at, u32_of};
use super::request::Request;
use super::socket::{NetlinkError, NetlinkSocket};

// Generic netlink's own family (linux/genetlink.h).
const GENL_ID_CTRL: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;

// The family of ethtool (linux/ethtool_netlink_generated.h).
const ETHTOOL_MSG_LINKMODES_GET: u8 = 4;
const ETHTOOL_A_LINKMODES_HEADER: u16 = 1;
const ETHTOOL_A_LINKMODES_SPEED: u16 = 5;
const ETHTOOL_A_HEADER_DEV_INDEX: u16 = 1;
const NLA_F_NESTED: u16 = 0x8000;

/// Asks for the speeds of links, which rtnetlink does not tell (Linux 5.6 and later).
pub(crate) struct EthtoolSocket {
    socket: NetlinkSocket,
    family: u16,
}

impl EthtoolSocket {
    /// A socket.
    ///
    /// # Errors
    /// When the kernel does not have this family.
    pub(crate) fn open() -> Result<Self, NetlinkError> {
        let mut socket = NetlinkSocket::new(NETLINK_GENERIC)?;
        let mut request = Request::one(GENL_ID_CTRL, &[CTRL_CMD_GETFAMILY, 1, 0, 0])
            .attribute(CTRL_ATTR_FAMILY_NAME, b"ethtool\0");
        let family = socket.request(
            &mut request,
            || None,
            |family, message| {
                let found = message
                    .split::<4>()
                    .and_then(|(_, attributes)| attributes.find(CTRL_ATTR_FAMILY_ID));
                *family = found.and_then(|content| u16_at(content, 0)).or(*family);
            },
        )?;
        let family = family.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))?;
        Ok(Self { socket, family })
    }

    /// The index of each link that has a speed, and the speed in Mbit/s.
    pub(crate) fn speeds(&mut self) -> Result<Vec<(u32, u32)>, NetlinkError> {
        let mut request = Request::dump(self.family, &[ETHTOOL_MSG_LINKMODES_GET, 1, 0, 0])
            .attribute(ETHTOOL_A_LINKMODES_HEADER | NLA_F_NESTED, &[]);
        self.request(&mut request)
    }

    /// The speed of one link in Mbit/s; `None` if it has none.
    pub(crate) fn speed(&mut self, index: u32) -> Option<u32> {
        let [a, b, c, d] = index.to_ne_bytes();
        let [length_low, length_high] = 8_u16.to_ne_bytes();
        let [type_low, type_high] = ETHTOOL_A_HEADER_DEV_INDEX.to_ne_bytes();
        let header = [length_low, length_high, type_low, type_high, a, b, c, d];
        let mut request = Request::one(self.family, &[ETHTOOL_MSG_LINKMODES_GET, 1, 0, 0])
            .attribute(ETHTOOL_A_LINKMODES_HEADER | NLA_F_NESTED, &header);
        // EOPNOTSUPP is how the kernel says that a link has no speed.
        let speeds = self.request(&mut request).ok()?;
        speeds.first().map(|&(_, speed)| speed)
    }

    fn request(&mut self, request: &mut Request) -> Result<Vec<(u32, u32)>, NetlinkError> {
        let family = self.family;
        self.socket.request(request, Vec::new, |speeds, message| {
            if message.message_type == family {
                speeds.extend(decode(message));
            }
        })
    }
}

pub(super) fn decode(message: &Message<'_>) -> Option<(u32, u32)> {
    let (_, attributes) = message.split::<4>()?;
    let header = Attributes::new(attributes.find(ETHTOOL_A_LINKMODES_HEADER)?);
    let index = header.find(ETHTOOL_A_HEADER_DEV_INDEX).and_then(u32_of)?;
    let speed = attributes
        .find(ETHTOOL_A_LINKMODES_SPEED)
        .and_then(u32_of)?;
    // SPEED_UNKNOWN is -1.
    (speed != 0 && speed != u32::MAX).then_some((index, speed))
}
