//! Programs of a confined agent run in another process, the runner: the agent asks over a socket for the program at a place
//! of the configuration, and gets the ends of its pipes.
//!
//! The runner reads the configuration itself, so that an agent that was taken over can start no other program.

mod client;
mod messages;
mod server;

pub(crate) use client::{RunOf, Runner};
pub use server::{RunnerError, run_programs};

use varbind_codec::smi::Oid;

/// Where a configuration has a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place {
    pub(crate) table: Table,
    /// The number of those before it in the table.
    pub(crate) at: usize,
    /// The configuration ([`AgentConfiguration::checksum`](crate::configuration::AgentConfiguration)).
    pub(crate) checksum: u32,
}

/// A table with programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Table {
    Extend,
    Pass,
}

/// What a program is asked for beside the arguments that it is configured with.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Question {
    /// Whether the next instance is asked for.
    pub(crate) is_next: bool,
    /// The numbers of the name.
    pub(crate) name: Vec<u32>,
}

impl Question {
    /// The arguments of `pass`; none if the name is none.
    pub(crate) fn arguments(&self) -> Option<[String; 2]> {
        let name = Oid::new(&self.name).ok()?;
        let option = if self.is_next { "-n" } else { "-g" };
        Some([option.to_owned(), format!(".{name}")])
    }
}

#[cfg(test)]
mod tests;
