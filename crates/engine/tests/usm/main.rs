//! SNMPv3 with the user-based security model: keys, the authoritative engine, the other engine, and both together.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

#[path = "../command_responder/fixture/mod.rs"]
mod fixture;
#[path = "../simulator/mod.rs"]
#[allow(dead_code, reason = "its own agents are not needed here")]
mod simulator;

mod agent;
mod corpus;
mod craft;
mod discovery;
mod exchanges;
mod judge;
mod keys;
mod mutation;
mod over_time;
mod reports_refuse_requests;
mod rfc3412_7_messages;
mod rfc3414_3_2_incoming_messages;
mod secrets;
