use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, sendmmsg};
use varbind::transport::message_size::UDP_PAYLOAD;

use super::{Wait, readable, timed_out};

/// A connected UDP socket: the kernel discards what other addresses send.
#[derive(Debug)]
pub(super) struct UdpSession {
    socket: UdpSocket,
    buffer: Box<[u8]>,
}

impl UdpSession {
    pub(super) fn open(address: SocketAddr, silence: Duration) -> io::Result<Self> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(address)?;
        socket.set_read_timeout(Some(silence))?;
        Ok(Self {
            socket,
            buffer: vec![0; UDP_PAYLOAD].into_boxed_slice(),
        })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.socket.send(message).map(|_| ())
    }

    pub(super) fn send_together(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        let slices: Vec<[IoSlice<'_>; 1]> = messages
            .iter()
            .map(|message| [IoSlice::new(message)])
            .collect();
        let mut controls: Vec<SendAncillaryBuffer<'_, '_, '_>> = Vec::new();
        controls.resize_with(messages.len(), SendAncillaryBuffer::default);
        let mut headers: Vec<MMsgHdr<'_>> = slices
            .iter()
            .zip(&mut controls)
            .map(|(slice, control)| MMsgHdr::new(slice, control))
            .collect();
        let mut left = headers.as_mut_slice();
        while !left.is_empty() {
            let sent = sendmmsg(&self.socket, left, SendFlags::empty())?;
            left = left.get_mut(sent.max(1)..).unwrap_or_default();
        }
        Ok(())
    }

    pub(super) fn receive(&mut self, wait: Wait) -> io::Result<Option<&[u8]>> {
        if let Wait::Until(deadline) = wait
            && !readable(&self.socket, deadline)?
        {
            return Ok(None);
        }
        match self.socket.recv(&mut self.buffer) {
            Ok(length) => Ok(self.buffer.get(..length)),
            Err(error) if timed_out(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
