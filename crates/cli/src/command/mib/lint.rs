use std::path::PathBuf;

use clap::Args;
use varbind_mib::compile::{Severity, lint};
use varbind_terminal::Failure;

use crate::output::Sink;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Files of MIB modules
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Look for what they import below this directory; without it, in the directories of the files
    #[arg(short = 'M', long = "mib-directory", value_name = "DIRECTORY")]
    directories: Vec<PathBuf>,

    /// Tell what breaks a rule, but not what could be better
    #[arg(short, long)]
    quiet: bool,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut directories = self.directories.clone();
        if directories.is_empty() {
            for file in &self.files {
                let parent = file.parent().map(PathBuf::from).unwrap_or_default();
                let parent = match parent.as_os_str().is_empty() {
                    true => PathBuf::from("."),
                    false => parent,
                };
                if !directories.contains(&parent) {
                    directories.push(parent);
                }
            }
        }
        let problems =
            lint(&self.files, &directories).map_err(|error| Failure::Usage(error.to_string()))?;
        let mut sink = Sink::new();
        let (mut errors, mut warnings) = (0_u32, 0_u32);
        for problem in problems {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
                Severity::Note if self.quiet => continue,
                Severity::Note => {}
            }
            sink.text.push_str(&problem.to_string());
            sink.text.push('\n');
        }
        sink.write()?;
        match errors {
            0 => Ok(()),
            _ => Err(Failure::Usage(format!(
                "{errors} errors, {warnings} warnings"
            ))),
        }
    }
}
