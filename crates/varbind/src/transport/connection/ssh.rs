use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Connection, Opening, Peer, Wait};
use crate::transport::client_session::{MESSAGE_OR_FRAME, take_messages};
use crate::transport::ssh::{SshChannel, SshConnection, SshError, first_line, without_session};
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
        let socket = SshSocket {
            channel,
            opened_in,
            input: Vec::new(),
        };
        Self::over(Peer::Ssh(Box::new(socket)), remote)
    }
}

/// A session over SSH, and what has arrived of it but not been taken.
#[derive(Debug)]
pub(super) struct SshSocket {
    channel: SshChannel,
    opened_in: Duration,
    input: Vec<u8>,
}

impl SshSocket {
    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.channel.send(message)
    }

    /// Waits until something has arrived.
    pub(super) fn receive(
        &mut self,
        deadline: Instant,
        on_message: impl FnMut(&[u8]),
    ) -> io::Result<Wait> {
        loop {
            match self.channel.read(&mut self.input)? {
                // OpenSSH's server drops the standard error of subsystems: there our launcher writes to standard output.
                Some(0) => {
                    let complaint = self.channel.complaint();
                    return Err(complaint
                        .map_or(io::ErrorKind::UnexpectedEof.into(), |complaint| {
                            without_session(&complaint)
                        }));
                }
                Some(_) => break,
                None if self.channel.has_something() => {}
                // Where the connection has other sessions, the file may be readable without end.
                None if deadline <= Instant::now() => return Ok(Wait::TimedOut),
                None => self.poll(deadline)?,
            }
        }
        let taken = take_messages(&mut self.input, MESSAGE_OR_FRAME, on_message);
        taken.map_err(|error| match first_line(&self.input) {
            Some(complaint) => without_session(&complaint),
            None => io::Error::other(error),
        })?;
        Ok(Wait::Readable)
    }

    /// Waits with the precision of the high-resolution clock: the time-outs of sockets count in scheduler ticks.
    fn poll(&self, deadline: Instant) -> io::Result<()> {
        let patience = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(patience).ok();
        let file = self.channel.as_fd();
        let mut files = [PollFd::from_borrowed_fd(file, PollFlags::IN)];
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn local(&self) -> io::Result<SocketAddr> {
        self.channel.local()
    }

    pub(super) fn opening(&self) -> Opening {
        let (handshake, authentication) = self.channel.took();
        let later = handshake.unwrap_or_default() + authentication;
        Opening {
            connect: self.opened_in.saturating_sub(later),
            handshake,
            authentication: Some(authentication),
            ..Opening::default()
        }
    }
}
