use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::framing::Framing;
use super::{Connection, Opening, PeerSocket, boxed};
use crate::transport::ssh::{SshChannel, SshConnection, SshError, without_session};
use crate::transport::{OpenError, SecureTransportOptions, TransportAddress};

impl Connection {
    pub(super) fn open_ssh(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        let begun = Instant::now();
        let connection = SshConnection::open(target, default_port, timeout, &secure.ssh)?;
        let channel = connection.channel(timeout);
        let channel = channel.map_err(|error| OpenError::ssh(target, error))?;
        Ok(Self::on_channel(channel, begun.elapsed()))
    }

    /// A session beside others on an SSH connection.
    pub(crate) fn beside_others(
        connection: &SshConnection,
        timeout: Duration,
    ) -> Result<Self, SshError> {
        let channel = connection.shared_channel(timeout)?;
        Ok(Self::on_channel(channel, Duration::ZERO))
    }

    fn on_channel(channel: SshChannel, opened_in: Duration) -> Self {
        let remote = channel.connection().remote();
        Self::over(boxed(SshSocket::new(channel)), remote, opened_in)
    }
}

/// A session over SSH, and what has arrived of it but not been taken.
#[derive(Debug)]
struct SshSocket {
    channel: SshChannel,
    framing: Framing,
}

impl SshSocket {
    fn new(channel: SshChannel) -> Self {
        Self {
            channel,
            framing: Framing::default(),
        }
    }
}

impl PeerSocket for SshSocket {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.channel.send(message)
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Self { channel, framing } = self;
        let received = framing.receive(buffer, |arrived| channel.read(arrived));
        received.map_err(|error| {
            // OpenSSH's server drops the standard error of subsystems: there our launcher writes to standard output.
            let complaint = match error.kind() {
                io::ErrorKind::UnexpectedEof => channel.complaint(),
                _ => framing.text(),
            };
            complaint.map_or(error, |complaint| without_session(&complaint))
        })
    }

    fn is_ready(&self) -> bool {
        self.framing.has_message() || self.channel.has_something()
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.channel.local()
    }

    fn opening(&self) -> Opening {
        let (handshake, authentication) = self.channel.took();
        Opening {
            handshake,
            authentication: Some(authentication),
            ..Opening::default()
        }
    }
}
