//! The message processing model of SNMPv3 (RFC 3412 section 7), for engines that are authoritative and for those that are
//! not (RFC 3414 section 1.5.1).
//!
//! All roles write headers by `outgoing` and read messages by `incoming`. What differs is whose keys and clock count:
//! `authoritative` has the way of a request or inform to this engine, `peer` that of the messages exchanged with an
//! engine that is asked. Whoever receives traps keeps the clock of each sender.

mod authoritative;
mod incoming;
mod outgoing;
mod owned_state;
mod peer;

pub(crate) use authoritative::ReportState;
pub(super) use authoritative::{V3State, prepare_data_elements};
pub use incoming::MessageError;
pub(crate) use incoming::{MessageSecurity, unreadable};
pub(crate) use outgoing::{OutgoingMessage, OutgoingSecurity, headroom};
pub(super) use owned_state::OwnedV3State;
pub use peer::{Peer, PeerElements, RequestHeaders};
