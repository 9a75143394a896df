//! What the standards demand of a command responder, filed by document and section, and what no peer and no managed
//! object may do to it. All of it goes through the dispatcher: octets in, octets out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what a test relies on ends it"
)]

mod corpus;
mod managed_objects_misbehave;
mod messages_at_random;
mod model;
mod objects_not_ready;
mod rfc3412_4_2_1_incoming_messages;
mod rfc3413_3_2_command_responder;
mod rfc3415_views;
mod rfc3416_4_2_1_get;
mod rfc3416_4_2_2_get_next;
mod rfc3416_4_2_3_get_bulk;
mod rfc3416_4_2_5_set;
mod rfc3418_counters;
mod rfc3584_4_2_2_1_counter64;
mod rfc3584_4_4_error_status;
mod rfc3584_5_2_communities;
mod scripted_sets;
