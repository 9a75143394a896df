//! The master of the Agent Extensibility protocol (AgentX, RFC 2741): other programs serve objects of this agent.
//!
//! Threads read from the subagents and never wait for anything else, so that these are answered at once. Requests of managers
//! that concern them are put off by the dispatcher, and wait in threads of their own.

mod connection;
mod context;
mod fetched;
mod fetching;
mod indexes;
mod inherited;
mod listener;
mod master;
mod mib;
mod objects;
mod pace;
mod regions;
mod sessions;
mod sets;
#[cfg(test)]
mod tests;

pub(crate) use inherited::InheritedSockets;
pub(crate) use listener::{AgentxAddress, AgentxListeners};
pub(crate) use mib::{AGENTX_OBJECTS, AgentxObjects};
pub(crate) use objects::SubagentObjects;
pub(crate) use sessions::{Host, Sessions};
