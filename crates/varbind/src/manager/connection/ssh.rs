use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};

use varbind_engine::applications::command_generator::{SecurityFailure, SecurityFailureKind};

use super::ManagerSocket;
use super::framing::Framing;
use crate::manager::Opening;
use crate::transport::ssh::SshChannel;

/// A session over SSH, and what has arrived of it but not been taken.
#[derive(Debug)]
pub(super) struct SshSocket {
    channel: SshChannel,
    framing: Framing,
}

impl SshSocket {
    pub(super) fn new(channel: SshChannel) -> Self {
        Self {
            channel,
            framing: Framing::default(),
        }
    }
}

impl ManagerSocket for SshSocket {
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
            let Some(complaint) = complaint else {
                return error;
            };
            let why = format!("the subsystem snmp has no session for this user: {complaint}");
            io::Error::other(SecurityFailure::new(
                SecurityFailureKind::RefusedByPeer,
                why,
            ))
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
