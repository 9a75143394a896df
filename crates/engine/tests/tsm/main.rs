//! SNMPv3 with the transport security model, and SNMPv1 and SNMPv2c over secure transports: agents, managers,
//! originators and receivers of notifications.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod corpus;
mod notifications;
mod rfc3412_7_2_responses;
mod rfc3584_communities;
mod rfc5343_discovery;
mod rfc5590_other_models;
mod rfc5591_5_2_incoming_messages;
