use varbind_lab::subject::hold_sessions;

use crate::failure::Failure;

/// How `varbind bench` asks for it.
pub(crate) const NAME: &str = "hold-sessions";

/// Transport, address, number and directory of keys.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    sessions: Vec<String>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        hold_sessions(&self.sessions).map_err(|error| Failure::Usage(error.to_string()))
    }
}
