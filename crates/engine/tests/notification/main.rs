//! Notifications: their conversion between versions, the receiver, the originator.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod message;
mod originator;
mod receiver;
mod rfc3413_3_3_access;
mod rfc3584_3_1_from_v1;
mod rfc3584_3_2_to_v1;
mod user_based;
