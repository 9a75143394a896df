//! The web services as their clients see them.
#![cfg(test)]

mod access;
mod client;
mod conditional;
mod curl;
mod hostile;
mod https;
mod metrics;
mod oracles;
mod restconf;
#[cfg(feature = "experiments")]
mod soap;
