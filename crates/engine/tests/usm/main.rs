//! SNMPv3 with the user-based security model: keys, the authoritative engine, the other engine, and both together.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod keys;
