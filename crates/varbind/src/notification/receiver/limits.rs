use std::time::Duration;

use varbind_engine::transport::ResponseLimits;

use crate::transport::message_size::{DTLS_DATAGRAM, UDP_PAYLOAD};
use crate::transport::session::SessionLimits;

/// How much a notification receiver gives to its peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverLimits {
    /// The largest message received or sent, in octets; over UDP no more than a datagram takes.
    pub message: usize,
    /// How many notifications may wait to be taken.
    pub queue: usize,
    /// How much may wait in the kernel to be received on a UDP socket, in octets as the kernel counts them. Without
    /// privileges it grants no more than net.core.rmem_max says.
    pub receive_buffer: usize,
    /// Sessions over TCP in all, those of TLS and SSH among them; and as many at each address of DTLS.
    pub tcp_sessions: usize,
    /// Sessions over TCP, and at each address of DTLS, from one address.
    pub tcp_sessions_per_source: usize,
    /// The same from one block of addresses ([`SourceBlock`](crate::transport::SourceBlock)); never fewer than from one
    /// address.
    pub tcp_sessions_per_block: usize,
    /// How long a session over TCP may be open before one of its messages is accepted.
    pub tcp_first_message: Duration,
    /// How long a session over TCP, TLS, DTLS or SSH may be open; `None` for no limit. It is closed between two messages.
    pub session_lifetime: Option<Duration>,
    /// How long a session over TCP or DTLS may be silent between messages.
    pub tcp_idle: Duration,
    /// How long a peer may take to send one message over TCP, or to take the answers to it.
    pub tcp_message: Duration,
    /// How long the handshake of a secure transport may take, authentication included.
    pub handshake: Duration,
    /// Handshakes in progress from one address, over each transport.
    pub handshakes_per_source: usize,
}

impl Default for ReceiverLimits {
    fn default() -> Self {
        Self {
            message: UDP_PAYLOAD,
            queue: 10_000,
            receive_buffer: 8 << 20,
            tcp_sessions: 1000,
            tcp_sessions_per_source: 100,
            tcp_sessions_per_block: 250,
            // A sender may open its session long before it has something to say.
            tcp_first_message: Duration::from_secs(3600),
            // What a sender without acknowledgements sends into a session that is being closed is lost.
            session_lifetime: None,
            // Senders of notifications are silent most of the time, and must not lose one when they open a session anew.
            tcp_idle: Duration::from_secs(3600),
            tcp_message: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            handshakes_per_source: 20,
        }
    }
}

impl ReceiverLimits {
    pub(super) const fn sessions(&self) -> SessionLimits {
        SessionLimits {
            message: self.message,
            sessions: self.tcp_sessions,
            sessions_per_source: self.tcp_sessions_per_source,
            sessions_per_block: self.tcp_sessions_per_block,
            first_message_time: self.tcp_first_message,
            lifetime: self.session_lifetime,
            idle: self.tcp_idle,
            message_time: self.tcp_message,
            handshake_time: self.handshake,
            handshakes_per_source: self.handshakes_per_source,
            datagram: DTLS_DATAGRAM,
            fragments: true,
            #[cfg(feature = "experiments")]
            dictionaries: 0,
            linear_timeouts: false,
        }
    }

    pub(super) const fn responses(&self) -> ResponseLimits {
        ResponseLimits {
            message: self.message,
            bulk: self.message,
        }
    }
}
