//! How large messages are over each transport.

use super::Transport;

/// The largest payload of a UDP datagram of IPv4, in octets.
pub const UDP_PAYLOAD: usize = 65_507;
/// What Ethernet carries of a UDP datagram in one piece, for IPv4 and IPv6.
const UDP_UNFRAGMENTED: (usize, usize) = (1472, 1452);
/// The largest message over a stream, in octets.
pub const STREAM_MESSAGE: usize = 65_535;
/// The largest datagram of a handshake over DTLS, in octets of its payload, unless another is asked for: it fits into what
/// Ethernet carries in one piece, with room for the headers of IP, UDP and a tunnel.
pub(crate) const DTLS_DATAGRAM: usize = 1400;
/// The largest content of a record of DTLS (RFC 6347 section 4.1.1.1), which is one message.
pub(crate) const DTLS_RECORD: usize = 16_384;
/// What a record of DTLS adds to its content with any cipher suite that is accepted: its header, the explicit nonce and the
/// tag of AES-GCM (RFC 5288 section 3).
pub(crate) const DTLS_OVERHEAD: usize = 13 + 8 + 16;

/// The largest message that the transport carries.
pub(crate) const fn largest(transport: Transport) -> usize {
    match transport {
        Transport::Udp => UDP_PAYLOAD,
        Transport::Dtls => DTLS_RECORD,
        Transport::Tcp | Transport::Tls | Transport::Ssh => STREAM_MESSAGE,
    }
}

/// The largest message that the transport carries over IPv4 or IPv6 without fragments.
pub(crate) const fn unfragmented(transport: Transport, is_ipv6: bool) -> usize {
    match (transport, is_ipv6) {
        (Transport::Udp, false) => UDP_UNFRAGMENTED.0,
        (Transport::Udp, true) => UDP_UNFRAGMENTED.1,
        (Transport::Dtls, _) => DTLS_DATAGRAM - DTLS_OVERHEAD,
        (Transport::Tcp | Transport::Tls | Transport::Ssh, _) => STREAM_MESSAGE,
    }
}
