//! SNMP over SSH: our manager and our agent with each other, with OpenSSH's client and with its server.
#![cfg(test)]

mod cut_sessions;
#[path = "../loopback/fixture/mod.rs"]
#[allow(dead_code, reason = "the tests of other transports use more of it")]
mod fixture;
mod hostile;
mod keys;
mod login;
mod notifications;
mod openssh;
#[cfg(feature = "pam")]
mod pam;
mod programs;
mod reauthentication;
mod reload;
mod sessions;
