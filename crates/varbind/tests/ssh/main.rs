//! SNMP over SSH: our manager and our agent with each other, with OpenSSH's client and with its server.
#![cfg(test)]

mod client;
mod cut_sessions;
mod hostile;
mod login;
mod notifications;
mod openssh;
#[cfg(feature = "pam")]
mod pam;
mod reauthentication;
mod reload;
mod sessions;
