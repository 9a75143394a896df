//! What the engine knows of transports (RFC 5590): where a message came from and how large an answer may be.

use std::net::SocketAddr;

use crate::clock::Instant;
use crate::security::{SecurityLevel, SecurityName};

/// A message as a transport delivers it (receiveMessage, RFC 5590 section 5.3).
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// When it arrived.
    pub now: Instant,
    /// Who sent it.
    pub remote: SocketAddr,
    /// The message.
    pub message: &'a [u8],
    /// The sizes of an answer.
    pub limits: ResponseLimits,
    /// What is done with a request that may have to wait.
    pub waits: WaitHandling,
    /// What the transport itself knows of the sender, if it is a secure one.
    pub transport_state: Option<&'a TransportState>,
}

/// A transport that authenticates and protects by itself (RFC 6353, RFC 5592).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecureTransport {
    /// TLS over TCP (snmpTLSTCPDomain, RFC 6353).
    Tls,
    /// DTLS over UDP (snmpDTLSUDPDomain, RFC 6353).
    Dtls,
    /// SSH (snmpSSHDomain, RFC 5592).
    Ssh,
}

impl SecureTransport {
    /// The prefix that stands for the transport in a security name (RFC 6353 section 7, RFC 5592 section 7).
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::Dtls => "dtls",
            Self::Ssh => "ssh",
        }
    }
}

/// What a secure transport knows of a session (tmStateReference, RFC 5590 section 5.2).
///
/// Invariant: a session has one state from its beginning to its end, and an answer leaves by the session that brought
/// the request, which is what tmSameSecurity asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportState {
    transport: SecureTransport,
    security_name: SecurityName,
    prefixed_security_name: SecurityName,
    security_level: SecurityLevel,
    session_id: u64,
}

impl TransportState {
    /// The state of a session with a sender of this name (tmSecurityName). No two sessions have one number
    /// (tmSessionID).
    #[must_use]
    pub fn new(
        transport: SecureTransport,
        security_name: SecurityName,
        security_level: SecurityLevel,
        session_id: u64,
    ) -> Self {
        let prefix = transport.prefix();
        Self {
            prefixed_security_name: SecurityName::new(format!("{prefix}:{security_name}")),
            transport,
            security_name,
            security_level,
            session_id,
        }
    }

    /// The transport (tmTransportDomain).
    #[must_use]
    pub const fn transport(&self) -> SecureTransport {
        self.transport
    }

    /// Who the sender is (tmSecurityName).
    #[must_use]
    pub const fn security_name(&self) -> &SecurityName {
        &self.security_name
    }

    /// Who the sender is, with the transport before it (RFC 5591 section 5.2).
    #[must_use]
    pub const fn prefixed_security_name(&self) -> &SecurityName {
        &self.prefixed_security_name
    }

    /// What the session protects against (tmTransportSecurityLevel).
    #[must_use]
    pub const fn security_level(&self) -> SecurityLevel {
        self.security_level
    }

    /// Which session it is (tmSessionID).
    #[must_use]
    pub const fn session_id(&self) -> u64 {
        self.session_id
    }
}

/// How large an answer may be, in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseLimits {
    /// The largest message: what does not fit is answered with tooBig (RFC 3416 section 4.2).
    pub message: usize,
    /// Where the answer to a GetBulkRequest is cut, so that it is not fragmented on the way. A first variable binding
    /// that is longer is sent alone, up to the largest message.
    pub bulk: usize,
}

/// What is done with requests that wait, which a thread that serves others should not: a SetRequest for stable storage, one
/// for objects of another program for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitHandling {
    /// They are carried out in the call.
    Now,
    /// They are put off: the caller passes what was decoded on to a thread that may wait.
    Defer,
}
