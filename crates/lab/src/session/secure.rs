use std::io;
use std::time::{Duration, Instant};

use varbind::transport::{
    MessageSession, Opening, SecureTransportOptions, SessionError, Transport, TransportAddress,
};
use varbind_codec::message::SecurityLevel;

use super::{Target, Wait};
use crate::measurement::TransportKind;

/// What sessions of the library need: over secure transports who asks, and whom to trust. Whoever shares one resumes sessions
/// that were opened with it.
#[derive(Clone, Debug)]
pub struct SecureAccess {
    /// Keys and certificates.
    pub options: SecureTransportOptions,
    /// Who logs in, over SSH.
    pub user: Option<String>,
    /// The agent as it was named, where certificates and host keys have its name; each session looks the name up.
    pub address: Option<TransportAddress>,
    /// The least time for opening a session, which takes more than one message.
    pub least_timeout: Duration,
}

impl SecureAccess {
    /// For sessions over UDP and TCP, which protect nothing.
    #[must_use]
    pub fn without_keys() -> Self {
        Self {
            options: SecureTransportOptions::default(),
            user: None,
            address: None,
            least_timeout: Duration::ZERO,
        }
    }
}

/// A session of the library: handshakes, and what they protect, are its own.
#[derive(Debug)]
pub(super) struct LibrarySession {
    session: MessageSession,
    transport: TransportKind,
    silence: Duration,
}

impl LibrarySession {
    pub(super) fn open(
        target: Target,
        silence: Duration,
        access: &SecureAccess,
    ) -> io::Result<Self> {
        let transport = target.transport.of_library();
        let of_socket = || TransportAddress {
            user: access.user.clone().filter(|_| transport == Transport::Ssh),
            ..TransportAddress::of_socket(transport, target.address)
        };
        let address = access.address.clone().unwrap_or_else(of_socket);
        let timeout = silence.max(access.least_timeout);
        let session = MessageSession::open(&address, timeout, &access.options);
        Ok(Self {
            session: session.map_err(|error| io::Error::other(error.to_string()))?,
            transport: target.transport,
            silence,
        })
    }

    pub(super) const fn is_reliable(&self) -> bool {
        self.transport.is_reliable()
    }

    pub(super) const fn security_level(&self) -> SecurityLevel {
        self.transport.security_level()
    }

    pub(super) fn opening(&self) -> Opening {
        self.session.opening()
    }

    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.session.send(message).map_err(io_error)
    }

    pub(super) fn receive(&mut self, wait: Wait) -> io::Result<Option<&[u8]>> {
        let patience = match wait {
            Wait::Silence => self.silence,
            Wait::Until(deadline) => deadline.saturating_duration_since(Instant::now()),
        };
        self.session.receive(patience).map_err(io_error)
    }
}

fn io_error(error: SessionError) -> io::Error {
    match error {
        SessionError::System(error) => error,
        error => io::Error::other(error),
    }
}

/// The least time for opening a session, where nothing else is wanted.
pub(crate) const LEAST_TIMEOUT: Duration = Duration::from_secs(5);
