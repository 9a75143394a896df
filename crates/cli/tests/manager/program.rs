use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a program wrote and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) code: Option<i32>,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

/// The program with arguments and an environment without anything of the user's.
pub(crate) fn varbind(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command
        .args(arguments)
        .env_remove("VARBIND_COMMUNITY")
        .env_remove("VARBIND_AUTH_PASSWORD")
        .env_remove("VARBIND_CERTIFICATE")
        .env_remove("VARBIND_KEY")
        .env_remove("VARBIND_LOG")
        .env_remove("VARBIND_TRUST")
        .env_remove("VARBIND_PRIV_PASSWORD")
        // Only the names that are built in.
        .env("MIBDIRS", "")
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    varbind(arguments).output().unwrap().into()
}

/// `varbind agent --init` in a directory.
pub(crate) fn initialize(directory: &Path, options: &[&str]) -> Outcome {
    let directory = directory.to_str().unwrap();
    run(&[&["agent", "--init", "--directory", directory], options].concat())
}
