//! Transports: UDP (RFC 3417 section 3), TCP (RFC 3430), TLS and DTLS (RFC 6353, RFC 9456) and SSH (RFC 5592).

mod accept_failures;
mod address;
pub mod certificate;
pub mod dtls;
mod observation;
pub mod places;
pub(crate) mod session;
mod source;
pub mod ssh;
pub(crate) mod tcp;
pub mod tls;
pub mod udp;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

pub use accept_failures::AcceptFailures;
pub use address::{AddressFamily, ParseAddressError, TransportAddress};
pub use observation::Observation;
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

/// A number for a session that no other session of the process has (tmSessionID, RFC 5590 section 5.2.4).
pub(crate) fn next_session_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The error where a transport that needs a configuration of its own is to be listened on without it.
pub(crate) fn missing_configuration(transport: Transport) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{transport} needs a configuration of its own: a key, and whom to trust"),
    )
}
