//! Notification receivers and targets over sockets of the loopback interface.
#![cfg(test)]

mod fixture;
mod flood;
mod hostile;
mod senders;
mod stream;
mod transports;
