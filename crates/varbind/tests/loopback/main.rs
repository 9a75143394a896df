//! Agents and managers over sockets of the loopback interface.
#![cfg(test)]

mod fixture;
mod life;
mod sets;
mod tcp;
mod udp;
