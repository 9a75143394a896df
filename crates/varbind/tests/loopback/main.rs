//! Agents and managers over sockets of the loopback interface.
#![cfg(test)]

#[cfg(feature = "experiments")]
mod compression;
mod cut_sessions;
mod features;
mod hostile_agents;
mod life;
mod net_snmp;
mod pipeline;
mod places;
mod sets;
mod tcp;
mod tcp_sessions;
mod tshark;
mod udp;
mod walks;
