//! SNMP over TLS: agents, managers, notification receivers and targets, with each other and with OpenSSL.
#![cfg(test)]

mod agent;
mod client;
#[cfg(feature = "experiments")]
mod compression;
mod cut_sessions;
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
