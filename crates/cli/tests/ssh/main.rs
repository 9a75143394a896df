//! SSH as users and administrators meet it: OpenSSH's server with our launcher, accounts of the system, the terminal.
#![cfg(test)]

mod accounts;
mod daemon;
#[path = "../../../varbind/tests/loopback/fixture/mod.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod fixture;
mod host;
#[path = "../../../varbind/tests/ssh/keys.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod keys;
mod launcher;
mod notifications;
#[cfg(feature = "pam")]
mod pam;
mod program;
#[path = "../../../varbind/tests/ssh/programs.rs"]
#[allow(dead_code, reason = "the tests of the library use more of it")]
mod programs;
mod server;
mod terminal;
mod user_configuration;
