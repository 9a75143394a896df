use std::time::Duration;

use varbind::transport::places::PlaceLimits;

/// The resources that the web server grants to its peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address.
    pub connections_per_source: usize,
    /// Connections from one [`SourceBlock`](varbind::transport::SourceBlock); never fewer than from one address.
    pub connections_per_block: usize,
    /// How long the handshake of TLS may take.
    pub handshake: Duration,
    /// How long a peer may take for its first request, from the connection or the handshake of TLS on.
    pub first_request: Duration,
    /// How long a peer may take for the header of a request, or be silent before it.
    pub header: Duration,
    /// How long a peer may take for the body of a request, and how long it may take nothing of a response.
    pub body: Duration,
    /// The largest body of a request, in octets, also after it was decompressed.
    pub request: usize,
    /// The largest body of a response, in octets, before it is compressed.
    pub response: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1000,
            connections_per_source: 100,
            connections_per_block: 250,
            handshake: Duration::from_secs(10),
            first_request: Duration::from_secs(5),
            header: Duration::from_secs(30),
            body: Duration::from_secs(30),
            request: 1 << 20,
            response: 64 << 20,
        }
    }
}

impl Limits {
    pub(crate) const fn places(&self) -> PlaceLimits {
        PlaceLimits {
            total: self.connections,
            per_source: self.connections_per_source,
            per_block: self.connections_per_block,
            handshakes_per_source: self.connections_per_source,
            handshakes: self.connections,
        }
    }
}
