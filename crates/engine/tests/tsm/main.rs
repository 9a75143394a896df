//! SNMPv3 with the transport security model, and SNMPv1 and SNMPv2c over secure transports: agents, managers,
//! originators and receivers of notifications.
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
mod judge;
mod notifications;
mod rfc3412_7_2_responses;
mod rfc3584_communities;
mod rfc5343_discovery;
mod rfc5590_other_models;
mod rfc5591_5_2_incoming_messages;
