//! Agents that run already.

use super::demands::LONGEST_START;
use super::{Credentials, SecureAccesses};
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::session::Target;

/// An agent that runs already, anywhere.
#[derive(Clone, Debug)]
pub struct RunningAgent {
    /// Where it listens: an address for each transport.
    pub addresses: Vec<AgentAddress>,
    /// How managers authenticate.
    pub credentials: Credentials,
}

/// An address of an agent that runs already.
#[derive(Clone, Debug)]
pub struct AgentAddress {
    /// The transport with the address.
    pub target: Target,
    /// What a manager needs there over a secure transport.
    pub accesses: Option<Box<SecureAccesses>>,
    /// How the agent is asked first.
    pub first: Scheme,
}

impl RunningAgent {
    /// What is printed before the agent is asked for the first time, because it may not answer.
    #[must_use]
    pub fn first_request(&self) -> String {
        format!(
            "asking {} for sysUpTime.0, for up to {} s",
            self.name(),
            LONGEST_START.as_secs()
        )
    }

    /// The transports over which it is asked.
    pub fn transports(&self) -> impl Iterator<Item = TransportKind> {
        self.addresses
            .iter()
            .map(|address| address.target.transport)
    }

    /// All its addresses, as `udp:192.0.2.1:161, tcp:192.0.2.1:161`.
    pub(super) fn name(&self) -> String {
        let names: Vec<String> = self
            .addresses
            .iter()
            .map(|address| address.target.to_string())
            .collect();
        names.join(", ")
    }
}
