//! SNMP over TLS: agents, managers, notification receivers and targets, with each other and with OpenSSL.
#![cfg(test)]

mod agent;
mod certificates;
mod compression;
mod cut_sessions;
#[allow(dead_code, reason = "it is shared with tests that use the rest")]
#[path = "../loopback/fixture/mod.rs"]
mod fixture;
mod hostile;
#[cfg(feature = "openssl-tls")]
mod legacy;
mod notifications;
mod openssl;
mod proxy;
mod refusals;
mod reload;
mod resumption;
mod revocation;
mod sessions;
