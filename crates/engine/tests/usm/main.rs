//! SNMPv3 with the user-based security model: keys, the authoritative engine, the other engine, and both together.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod corpus;
mod discovery;
mod exchanges;
mod keys;
mod mutation;
mod over_time;
mod reports_refuse_requests;
mod rfc3412_7_messages;
mod rfc3414_3_2_incoming_messages;
mod secrets;
