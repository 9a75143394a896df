use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use super::device::INTERFACE;
use super::system_calls::make_tunnel;

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
        make_tunnel(&device, INTERFACE)?;
        Ok(Self(device))
    }

    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }

    pub(super) fn send(&self, packet: &[u8]) -> io::Result<()> {
        // A tunnel takes a packet whole or not at all.
        (&self.0).write_all(packet)
    }
}

impl AsFd for Tunnel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
