//! Sessions with an agent, the same for every subject. Over UDP and TCP they are the leanest possible, so that what is
//! measured is the agent, or the library's; over TLS, DTLS and SSH they are always the library's.

mod packet_counter;
mod secure;
mod tcp;
mod udp;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use serde::{Deserialize, Serialize};
use varbind_codec::message::SecurityLevel;

use crate::measurement::{Traffic, TransportKind};
#[cfg(test)]
pub(crate) use packet_counter::Direction;
pub(crate) use packet_counter::{Packet, PacketCounter};
pub(crate) use secure::LEAST_TIMEOUT;
use secure::LibrarySession;
pub use secure::SecureAccess;
use tcp::TcpSession;
use udp::UdpSession;

/// Where an agent listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The transport.
    pub transport: TransportKind,
    /// Address and port.
    pub address: SocketAddr,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.transport, self.address)
    }
}

/// Whose sessions ask over UDP and TCP. Over TLS, DTLS and SSH they are always the library's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// The laboratory's, the leanest possible.
    #[default]
    Lean,
    /// The library's.
    Library,
}

/// An open session.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    traffic: Traffic,
    opened_in: Duration,
}

#[derive(Debug)]
enum Transport {
    Udp(UdpSession),
    Tcp(TcpSession),
    Library(Box<LibrarySession>),
}

/// How long opening a session took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// In all.
    pub total: Duration,
    /// The socket, and the TCP connection where there is one.
    pub connect: Duration,
    /// The handshake of TLS or DTLS, or the key exchange of SSH.
    pub handshake: Option<Duration>,
    /// Authentication of the user in SSH, and opening the channel.
    pub authentication: Option<Duration>,
    /// Whether the session is resumed.
    pub is_resumed: bool,
}

/// How long to wait for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For the silence that was set when the session was opened: costs no further system call.
    Silence,
    /// Until this moment.
    Until(Instant),
}

impl Session {
    /// Opens a session; `silence` is the longest wait for a message. With `access` it is the library's session; a secure
    /// transport needs it.
    ///
    /// # Errors
    /// If there is no socket to be had, or the agent refuses the session.
    pub fn open(
        target: Target,
        silence: Duration,
        access: Option<&SecureAccess>,
    ) -> io::Result<Self> {
        let begun = Instant::now();
        let transport = match (target.transport, access) {
            (_, Some(access)) => {
                Transport::Library(Box::new(LibrarySession::open(target, silence, access)?))
            }
            (TransportKind::Udp, None) => {
                Transport::Udp(UdpSession::open(target.address, silence)?)
            }
            (TransportKind::Tcp, None) => {
                Transport::Tcp(TcpSession::open(target.address, silence)?)
            }
            (transport, None) => {
                let reason = format!("{transport} needs a key, and whom to trust");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
        };
        Ok(Self {
            transport,
            traffic: Traffic::default(),
            opened_in: begun.elapsed(),
        })
    }

    /// How long opening it took, in its parts.
    #[must_use]
    pub fn opening(&self) -> Opening {
        match &self.transport {
            Transport::Udp(_) | Transport::Tcp(_) => Opening {
                total: self.opened_in,
                connect: self.opened_in,
                handshake: None,
                authentication: None,
                is_resumed: false,
            },
            Transport::Library(session) => {
                let opening = session.opening();
                Opening {
                    total: self.opened_in,
                    connect: opening.connect,
                    handshake: opening.handshake,
                    authentication: opening.authentication,
                    is_resumed: opening.is_resumed,
                }
            }
        }
    }

    /// Whether a lost message is sent again by the transport itself.
    #[must_use]
    pub fn is_reliable(&self) -> bool {
        match &self.transport {
            Transport::Udp(_) => false,
            Transport::Tcp(_) => true,
            Transport::Library(session) => session.is_reliable(),
        }
    }

    /// The level of the messages that the transport protects.
    pub(crate) const fn security_level(&self) -> SecurityLevel {
        match &self.transport {
            Transport::Udp(_) | Transport::Tcp(_) => SecurityLevel::NoAuthNoPriv,
            Transport::Library(session) => session.security_level(),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the kernel does not take it: the session is broken then.
    pub fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.traffic.messages_sent += 1;
        self.traffic.snmp_octets_sent += message.len() as u64;
        match &mut self.transport {
            Transport::Udp(session) => session.send(message),
            Transport::Tcp(session) => session.send(message),
            Transport::Library(session) => session.send(message),
        }
    }

    /// Sends messages together, over UDP by as few system calls as the kernel allows.
    ///
    /// # Errors
    /// If the kernel does not take them: the session is broken then.
    pub fn send_together(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        self.traffic.messages_sent += messages.len() as u64;
        let octets: usize = messages.iter().map(Vec::len).sum();
        self.traffic.snmp_octets_sent += octets as u64;
        match &mut self.transport {
            Transport::Udp(session) => session.send_together(messages),
            Transport::Tcp(session) => session.send(&messages.concat()),
            Transport::Library(session) => messages
                .iter()
                .try_for_each(|message| session.send(message)),
        }
    }

    /// Receives a message; `None` if none came in time.
    ///
    /// # Errors
    /// If the port is refused, the connection closed or out of step: the session is broken then.
    pub fn receive(&mut self, wait: Wait) -> io::Result<Option<&[u8]>> {
        let message = match &mut self.transport {
            Transport::Udp(session) => session.receive(wait)?,
            Transport::Tcp(session) => session.receive(wait)?,
            Transport::Library(session) => session.receive(wait)?,
        };
        if let Some(message) = message {
            self.traffic.messages_received += 1;
            self.traffic.snmp_octets_received += message.len() as u64;
        }
        Ok(message)
    }

    /// The messages so far.
    #[must_use]
    pub const fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Closes the session. Over TCP the lean one waits for the end that the agent answers with; the library's tells the agent,
    /// and waits for nothing.
    pub fn close(self) {
        match self.transport {
            Transport::Udp(_) | Transport::Library(_) => {}
            Transport::Tcp(session) => session.close(),
        }
    }
}

/// Waits until something can be read, and says whether it can.
fn readable(socket: impl AsFd, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let mut fds = [PollFd::new(&socket, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(count) => return Ok(count > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a receive ended because of its time-out.
fn timed_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
