use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use super::system_calls::make_tunnel;

/// The name of the tunnel in its namespace.
pub(super) const NAME: &str = "link";

/// A tunnel: what a namespace sends into the link is read from it, and what is written is received there.
#[derive(Debug)]
pub(super) struct Tunnel(File);

impl Tunnel {
    /// A tunnel in the namespace of this thread.
    pub(super) fn open() -> io::Result<Self> {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/net/tun")?;
        make_tunnel(&device, NAME)?;
        Ok(Self(device))
    }

    /// Reads a packet, if there is one.
    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.0).read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Delivers a packet. One that the namespace does not take is lost, as by any interface.
    pub(super) fn send(&self, packet: &[u8]) -> io::Result<()> {
        // A tunnel takes a packet whole or not at all.
        match (&self.0).write_all(packet) {
            Ok(()) => Ok(()),
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN | libc::ENOBUFS | libc::EINVAL) => Ok(()),
                _ => Err(error),
            },
        }
    }
}

impl AsFd for Tunnel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
