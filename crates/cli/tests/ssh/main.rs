//! SSH as users and administrators meet it: OpenSSH's server with our launcher, accounts of the system, the terminal.
#![cfg(test)]

mod accounts;
mod daemon;
mod host;
mod launcher;
mod notifications;
#[cfg(feature = "pam")]
mod pam;
mod program;
mod server;
mod terminal;
mod user_configuration;
