//! Transports: UDP (RFC 3417 section 3), TCP (RFC 3430), TLS and DTLS (RFC 6353, RFC 9456) and SSH (RFC 5592).
//!
//! UDP and TCP are always there; each of the others is a feature of this crate.

mod accept_failures;
mod address;
#[cfg(feature = "certificates")]
#[cfg_attr(
    not(all(feature = "tls", feature = "dtls")),
    allow(
        dead_code,
        unused_imports,
        reason = "some of it is for one of the two alone"
    )
)]
pub mod certificate;
pub(crate) mod client_session;
#[cfg(feature = "manager")]
pub(crate) mod connection;
#[cfg(feature = "dtls")]
pub mod dtls;
mod error;
mod framing;
pub(crate) mod listeners;
pub mod message_size;
mod opening;
pub mod places;
#[cfg(any(feature = "certificates", feature = "ssh"))]
mod secure;
#[cfg_attr(
    not(all(feature = "tls", feature = "dtls", feature = "ssh")),
    allow(
        dead_code,
        unused_imports,
        reason = "some of it is for one of the secure transports alone"
    )
)]
pub(crate) mod session;
mod source;
#[cfg(feature = "ssh")]
pub mod ssh;
pub(crate) mod tcp;
#[cfg(feature = "tls")]
pub mod tls;
pub mod udp;

use std::fmt;
use std::io;

pub use accept_failures::AcceptFailures;
pub use address::{AddressFamily, ParseAddressError, TransportAddress};
#[cfg(feature = "manager")]
pub use connection::MessageSession;
pub use error::{SecurityFailure, SecurityFailureKind, SessionError, TransportError};
pub use opening::{OpenError, Opening, SecureTransportOptions};
#[cfg(any(feature = "certificates", feature = "ssh"))]
pub(crate) use secure::next_session_id;
#[cfg(any(feature = "certificates", feature = "ssh"))]
pub use secure::{Observation, TransportCounter};
pub use source::SourceBlock;

/// The port on which agents listen (RFC 3417 section 3.2, RFC 3430 section 2.2).
pub const AGENT_PORT: u16 = 161;
/// The port on which notification receivers listen (RFC 3417 section 3.2, RFC 3430 section 2.2).
pub const NOTIFICATION_PORT: u16 = 162;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// One message in a datagram.
    Udp,
    /// Messages one behind the other in a stream.
    Tcp,
    /// Messages one behind the other in a TLS session over TCP.
    Tls,
    /// One message in a record of a DTLS session over UDP.
    Dtls,
    /// Messages one behind the other in the subsystem `snmp` of an SSH connection.
    Ssh,
}

impl Transport {
    /// Whether what is sent arrives, and in order, as long as the session lasts.
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        matches!(self, Self::Tcp | Self::Tls | Self::Ssh)
    }

    /// Whether this build of the crate has it.
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::Udp | Self::Tcp => true,
            Self::Tls => cfg!(feature = "tls"),
            Self::Dtls => cfg!(feature = "dtls"),
            Self::Ssh => cfg!(feature = "ssh"),
        }
    }

    /// Whether it authenticates and protects by itself.
    #[must_use]
    pub const fn is_secure(self) -> bool {
        matches!(self, Self::Tls | Self::Dtls | Self::Ssh)
    }

    /// The port on which agents listen (RFC 3417 section 3.2, RFC 3430 section 2.2, RFC 6353 section 10, RFC 5592
    /// section 10).
    #[must_use]
    pub const fn agent_port(self) -> u16 {
        match self {
            Self::Udp | Self::Tcp => AGENT_PORT,
            Self::Tls | Self::Dtls => 10_161,
            Self::Ssh => 5161,
        }
    }

    /// The port on which notification receivers listen (the same sections).
    #[must_use]
    pub const fn notification_port(self) -> u16 {
        match self {
            Self::Udp | Self::Tcp => NOTIFICATION_PORT,
            Self::Tls | Self::Dtls => 10_162,
            Self::Ssh => 5162,
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Dtls => "dtls",
            Self::Ssh => "ssh",
        })
    }
}

/// What is to be done about a transport that this build of the crate does not have.
struct Unavailable(Transport);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = self.0.to_string();
        write!(
            f,
            "this build has no {}: enable the feature `{feature}` of the crate varbind",
            feature.to_uppercase()
        )
    }
}

/// The error where a transport that needs a configuration of its own is to be used without it, or is not available.
pub(crate) fn missing_configuration(transport: Transport) -> io::Error {
    if !transport.is_available() {
        let why = Unavailable(transport).to_string();
        return io::Error::new(io::ErrorKind::Unsupported, why);
    }
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{transport} needs a configuration of its own: a key, and whom to trust"),
    )
}
