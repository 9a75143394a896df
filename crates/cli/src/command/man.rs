use std::path::PathBuf;

use clap::Args;

use crate::arguments;
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The directory
    directory: PathBuf,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| clap_mangen::generate_to(arguments::definition(), &self.directory))
            .map_err(|error| {
                let directory = self.directory.display();
                Failure::Usage(format!(
                    "the manual pages cannot be written into {directory}: {error}"
                ))
            })
    }
}
