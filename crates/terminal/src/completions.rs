//! Completions for shells.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::Failure;

/// What `completions` takes.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

impl CompletionsArguments {
    /// Writes the script for a program to standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(&self, mut definition: Command) -> Result<(), Failure> {
        let program = definition.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut definition, program, &mut script);
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}
