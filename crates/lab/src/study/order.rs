use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{CommandWords, ExternalAgent, NetworkName, SmallBoards, SubjectName, Task};

/// The network in which a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// Loopback of this host, with the interfaces that it has.
    Host,
    /// Loopback of a network of its own, with so many interfaces, loopback included.
    Interfaces(u32),
    /// Both ends of emulated links.
    Link,
    /// An emulated network between manager and agent.
    Across {
        /// Which.
        network: NetworkName,
        /// Interfaces of the agent's host, loopback included; 0 for as few as there can be.
        interfaces: u32,
    },
}

impl Setting {
    /// The same with a network between manager and agent, if it has none.
    #[must_use]
    pub const fn across(self, network: NetworkName) -> Self {
        let interfaces = match self {
            Self::Host => 0,
            Self::Interfaces(count) => count,
            Self::Link | Self::Across { .. } => return self,
        };
        Self::Across {
            network,
            interfaces,
        }
    }

    /// Interfaces of the agent's host, where their number is said.
    #[must_use]
    pub const fn interfaces(self) -> u32 {
        match self {
            Self::Interfaces(interfaces) | Self::Across { interfaces, .. } => interfaces,
            Self::Host | Self::Link => 0,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("this host"),
            Self::Interfaces(count) => write!(f, "a network with {count} interfaces"),
            Self::Link => f.write_str("an emulated link"),
            Self::Across { network, .. } => write!(f, "the emulated network {network}"),
        }
    }
}

/// How to start the process of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteProgram {
    /// The executable that does the tasks.
    pub executable: PathBuf,
    /// The arguments with which it calls [`serve_site`](super::serve_site).
    pub site: Vec<String>,
    /// The arguments with which it holds sessions.
    pub holder: Vec<String>,
    /// The arguments with which it returns each datagram ([`serve_echo`](crate::subject::serve_echo)).
    pub echo: Vec<String>,
    /// The varbind executable, whose agent is measured.
    pub varbind: PathBuf,
}

/// The first message to the process of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) setting: Setting,
    pub(super) program: SiteProgram,
    /// All that will be asked of it, so that agents offer what any of it needs.
    pub(super) tasks: Vec<(Task, SubjectName)>,
    /// Of a core, in hundredths, for each agent of which its task says nothing else.
    pub(super) share: Option<u32>,
    pub(super) seed: u64,
    /// The agent that runs already, if a task asks it, and the command line with its credentials.
    pub(super) external: Option<(ExternalAgent, CommandWords)>,
    /// What is known of small boards.
    pub(super) small_boards: Option<SmallBoards>,
}
