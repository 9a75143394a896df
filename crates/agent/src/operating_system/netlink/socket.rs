use std::io;
use std::time::Duration;

use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_ROUTE;
use rustix::net::sockopt;
use socket2::SockRef;

use super::message::{Message, Messages, u32_at};
use super::request::Request;

/// The kernel fills a read up to the largest size that the socket has asked for, but at most 32 KiB for a dump; one
/// message larger than that (a link with many virtual functions) still fits. So large a buffer is mapped by itself, and
/// takes only the memory that is used.
const BUFFER: usize = 256 * 1024;
/// How often a dump is repeated that the kernel marked as inconsistent, because links changed meanwhile.
const ATTEMPTS: usize = 4;
/// The kernel responds at once; if it does not, the agent must not hang.
const PATIENCE: Duration = Duration::from_secs(2);
/// Notifications that the kernel keeps while the agent is busy, in octets: thousands of new interfaces.
const NOTIFICATIONS: usize = 4 * 1024 * 1024;

const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_MULTI: u16 = 0x2;
const NLM_F_DUMP_INTR: u16 = 0x10;

/// Why the kernel did not tell.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NetlinkError {
    /// The socket failed, or the kernel refused the request.
    #[error("netlink: {0}")]
    Io(io::Error),
    /// A read was cut off: a message is larger than the buffer.
    #[error("netlink: an answer of {0} octets exceeds {BUFFER}")]
    Truncated(usize),
    /// Links changed during each attempt of a dump.
    #[error("netlink: interfaces change faster than they can be read")]
    Interrupted,
}

impl NetlinkError {
    /// Whether reading again may succeed at once.
    pub(crate) const fn is_transient(&self) -> bool {
        matches!(self, Self::Interrupted)
    }

    /// Whether this kernel does not know the request.
    pub(crate) fn is_unsupported(&self) -> bool {
        match self {
            Self::Io(error) => matches!(
                error.raw_os_error(),
                Some(libc::EOPNOTSUPP | libc::EINVAL | libc::ENOSYS | libc::ENOENT)
            ),
            Self::Truncated(_) | Self::Interrupted => false,
        }
    }
}

impl From<io::Error> for NetlinkError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A socket for requests.
pub(crate) struct NetlinkSocket {
    socket: Socket,
    buffer: Box<[u8]>,
    sequence: u32,
}

impl NetlinkSocket {
    /// A socket for links and addresses.
    pub(crate) fn route() -> io::Result<Self> {
        Self::new(NETLINK_ROUTE)
    }

    pub(super) fn new(protocol: isize) -> io::Result<Self> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        SockRef::from(&socket).set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            socket,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            sequence: 0,
        })
    }

    /// Sends a request, and hands each message of the answer to `take`. `start` is called before each attempt, so that what an
    /// inconsistent dump told is forgotten.
    pub(crate) fn request<T>(
        &mut self,
        message: &mut Request,
        start: impl Fn() -> T,
        mut take: impl FnMut(&mut T, &Message<'_>),
    ) -> Result<T, NetlinkError> {
        for _ in 0..ATTEMPTS {
            let mut collected = start();
            self.sequence = self.sequence.wrapping_add(1);
            self.socket.send(message.with_sequence(self.sequence), 0)?;
            if self.read_answer(|message| take(&mut collected, message))? {
                return Ok(collected);
            }
        }
        Err(NetlinkError::Interrupted)
    }

    /// Reads to the end of an answer; whether it is consistent.
    fn read_answer(&mut self, mut take: impl FnMut(&Message<'_>)) -> Result<bool, NetlinkError> {
        let mut is_consistent = true;
        loop {
            let length = receive(&self.socket, &mut self.buffer, 0)?;
            for message in Messages::new(self.buffer.get(..length).unwrap_or(&[])) {
                // What is left of an answer that an earlier error broke off.
                if message.sequence != self.sequence {
                    continue;
                }
                is_consistent &= message.flags & NLM_F_DUMP_INTR == 0;
                match message.message_type {
                    NLMSG_DONE => return error_of(message.payload).map(|()| is_consistent),
                    NLMSG_ERROR => return error_of(message.payload).map(|()| is_consistent),
                    _ => take(&message),
                }
                if message.flags & NLM_F_MULTI == 0 {
                    return Ok(is_consistent);
                }
            }
        }
    }
}

/// The errno, negated, that NLMSG_ERROR and NLMSG_DONE carry; 0 is success.
fn error_of(payload: &[u8]) -> Result<(), NetlinkError> {
    let errno = u32_at(payload, 0).map_or(0, u32::cast_signed);
    match errno.checked_neg() {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno).into()),
        None => Err(io::Error::from_raw_os_error(libc::EPROTO).into()),
    }
}

fn receive(socket: &Socket, buffer: &mut [u8], flags: i32) -> Result<usize, NetlinkError> {
    loop {
        let mut room: &mut [u8] = buffer;
        match socket.recv(&mut room, flags | libc::MSG_TRUNC) {
            Ok(length) if length > buffer.len() => return Err(NetlinkError::Truncated(length)),
            Ok(length) => return Ok(length),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A socket for notifications of changed links and addresses.
pub(crate) struct Notifications {
    socket: Socket,
    buffer: Box<[u8]>,
}

impl Notifications {
    /// Subscribes to changes. Read the state afterwards, so that no change is missed.
    pub(crate) fn subscribe() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        if sockopt::set_socket_recv_buffer_size_force(&socket, NOTIFICATIONS).is_err() {
            // Without CAP_NET_ADMIN the system's limit counts.
            SockRef::from(&socket).set_recv_buffer_size(NOTIFICATIONS)?;
        }
        for group in [
            libc::RTNLGRP_LINK,
            libc::RTNLGRP_IPV4_IFADDR,
            libc::RTNLGRP_IPV6_IFADDR,
        ] {
            socket.add_membership(group)?;
        }
        Ok(Self {
            socket,
            buffer: vec![0; BUFFER].into_boxed_slice(),
        })
    }

    /// Waits for notifications, no longer than `timeout`, and hands over all that are there, up to `most` reads.
    ///
    /// # Errors
    /// `ENOBUFS` when notifications were lost: then everything is to be read again.
    pub(crate) fn wait(
        &mut self,
        most: usize,
        timeout: Option<Duration>,
        mut take: impl FnMut(&Message<'_>),
    ) -> Result<(), NetlinkError> {
        SockRef::from(&self.socket).set_read_timeout(timeout)?;
        let mut flags = 0;
        for _ in 0..most {
            match receive(&self.socket, &mut self.buffer, flags) {
                Ok(length) => {
                    let octets = self.buffer.get(..length).unwrap_or(&[]);
                    Messages::new(octets).for_each(|message| take(&message));
                }
                Err(NetlinkError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
            flags = libc::MSG_DONTWAIT;
        }
        Ok(())
    }
}
