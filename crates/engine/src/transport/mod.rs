//! What the engine knows of transports (RFC 5590): where a message came from and how large an answer may be.

use std::net::SocketAddr;

use crate::clock::Instant;

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
    /// Whether a SetRequest is carried out in the call.
    pub sets: SetHandling,
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

/// Whether a SetRequest is carried out in the call: it waits for stable storage, which a thread that serves others
/// should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetHandling {
    /// In the call.
    Now,
    /// Not now: the caller passes the message on to a thread that may wait.
    Defer,
}
