use std::net::SocketAddr;
use std::time::Duration;

use varbind_engine::transport::ResponseLimits;

use crate::transport::Transport;
use crate::transport::message_size::{DTLS_DATAGRAM, DTLS_OVERHEAD, DTLS_RECORD, UDP_PAYLOAD};
use crate::transport::session::SessionLimits;

/// How much an agent gives to its peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLimits {
    /// The largest message received or sent, in octets (msgMaxSize); over UDP no more than a datagram takes.
    pub message: usize,
    /// Where the answer to a GetBulkRequest over UDP is cut, in octets of a datagram of IPv4; IPv6 takes 20 less.
    pub udp_bulk: usize,
    /// Where the answer to a GetBulkRequest over TCP, TLS or SSH is cut, in octets.
    pub tcp_bulk: usize,
    /// Sessions over TCP in all, those of TLS and SSH among them; and as many at each address of DTLS.
    pub tcp_sessions: usize,
    /// Sessions over TCP, and at each address of DTLS, from one address.
    pub tcp_sessions_per_source: usize,
    /// The same from one block of addresses ([`SourceBlock`](crate::transport::SourceBlock)); never fewer than from one
    /// address.
    pub tcp_sessions_per_block: usize,
    /// How long a session over TCP may be open before one of its messages is accepted. When there is no place for a new
    /// session, the oldest that has not authenticated is closed earlier.
    pub tcp_first_message: Duration,
    /// How long a session over TCP, TLS, DTLS or SSH may be open; `None` for no limit. It is closed when its requests are
    /// answered, so that certificates, keys and users count again that have expired or were revoked.
    pub session_lifetime: Option<Duration>,
    /// How long a session over TCP or DTLS may be silent between messages.
    pub tcp_idle: Duration,
    /// How long a peer may take to send one message over TCP, or to take the answers to it.
    pub tcp_message: Duration,
    /// How long the handshake of a secure transport may take, authentication included.
    pub handshake: Duration,
    /// Handshakes in progress from one address, over each transport.
    pub handshakes_per_source: usize,
    /// The largest DTLS datagram, in octets of its payload: handshakes are cut to it, and answers to GetBulkRequests.
    pub dtls_datagram: usize,
    /// Whether the datagrams of DTLS may be fragmented. If not, they are marked so (Don't Fragment), and an answer that is
    /// larger than [`dtls_datagram`](Self::dtls_datagram) is tooBig. It holds for addresses that are listened at later.
    pub dtls_fragments: bool,
    /// Sessions over TCP, TLS and SSH that may have a dictionary at once ([`compression`](crate::compression)), each of
    /// which takes some 400 kB; 0, as it is by default, for none.
    #[cfg(feature = "experiments")]
    pub dictionary_sessions: usize,
    /// Whether what is lost of an answer over TCP, TLS or SSH is sent again at equal intervals, as our manager does with
    /// requests, and not at ever longer ones: for links that lose packets (`TCP_THIN_LINEAR_TIMEOUTS`, tcp(7)).
    pub tcp_linear_timeouts: bool,
}

/// The header of IPv6 is longer by that much.
const IPV6_HEADER_EXCESS: usize = 20;

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            message: UDP_PAYLOAD,
            // A datagram that Ethernet carries in one piece.
            udp_bulk: 1472,
            tcp_bulk: 16_384,
            tcp_sessions: 1000,
            tcp_sessions_per_source: 100,
            tcp_sessions_per_block: 250,
            tcp_first_message: Duration::from_secs(10),
            session_lifetime: Some(Duration::from_secs(24 * 3600)),
            tcp_idle: Duration::from_secs(300),
            tcp_message: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            handshakes_per_source: 20,
            // Room for the headers of IP and UDP, and of a tunnel, in what Ethernet carries in one piece.
            dtls_datagram: DTLS_DATAGRAM,
            dtls_fragments: true,
            #[cfg(feature = "experiments")]
            dictionary_sessions: 0,
            tcp_linear_timeouts: false,
        }
    }
}

impl AgentLimits {
    pub(super) fn udp(&self, local: SocketAddr) -> ResponseLimits {
        let excess = if local.is_ipv6() {
            IPV6_HEADER_EXCESS
        } else {
            0
        };
        ResponseLimits {
            message: self.message.min(UDP_PAYLOAD - excess),
            bulk: self.udp_bulk.saturating_sub(excess),
        }
    }

    /// Those of a session.
    pub(crate) fn session(&self, transport: Transport) -> ResponseLimits {
        match transport {
            Transport::Dtls => {
                let datagram = self.dtls_datagram.saturating_sub(DTLS_OVERHEAD);
                let largest = match self.dtls_fragments {
                    true => DTLS_RECORD,
                    false => datagram,
                };
                ResponseLimits {
                    message: self.message.min(largest),
                    bulk: datagram,
                }
            }
            _ => self.tcp(),
        }
    }

    /// What sessions may take.
    pub(crate) const fn sessions(&self) -> SessionLimits {
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
            datagram: self.dtls_datagram,
            fragments: self.dtls_fragments,
            #[cfg(feature = "experiments")]
            dictionaries: self.dictionary_sessions,
            linear_timeouts: self.tcp_linear_timeouts,
        }
    }

    const fn tcp(&self) -> ResponseLimits {
        ResponseLimits {
            message: self.message,
            bulk: self.tcp_bulk,
        }
    }
}
