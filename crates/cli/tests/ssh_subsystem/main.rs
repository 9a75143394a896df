//! OpenSSH's server with our launcher, in front of an agent.
#![cfg(test)]

#[path = "../../../varbind/tests/loopback/fixture/mod.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod fixture;
#[path = "../../../varbind/tests/ssh/keys.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod keys;
mod launcher;
#[path = "../../../varbind/tests/ssh/programs.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod programs;
mod server;
