use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use varbind::transport::ssh::{SUBSYSTEM_SOCKET, SubsystemError, launch_subsystem};
use varbind_terminal::Failure;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The socket on which the agent listens
    #[arg(long, value_name = "PATH", default_value = SUBSYSTEM_SOCKET)]
    socket: PathBuf,
    /// For root only, and only where the agent allows it: the user who has logged in
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        launch_subsystem(&self.socket, self.user.as_deref()).map_err(|error| {
            if matches!(error, SubsystemError::Connecting { .. }) {
                // OpenSSH's server drops what subsystems write to standard error: this is how the client learns it.
                let _ = writeln!(io::stdout(), "varbind ssh-subsystem: {error}");
            }
            Failure::Transport(error.to_string())
        })
    }
}
