use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use crate::arguments;
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut arguments::definition(),
            "varbind",
            &mut script,
        );
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}
