//! The program, with an environment in which nothing is the user's.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};

use serde_json::Value;
use varbind_peers::Running;

/// The program; `home` is where it looks for what is the user's.
pub(crate) fn varbind(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command.args(words).env("HOME", home);
    for variable in ["SSH_AUTH_SOCK", "VARBIND_LOG", "XDG_CONFIG_HOME"] {
        command.env_remove(variable);
    }
    command
        .env("MIBDIRS", "")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// How a run ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

pub(crate) fn run(home: &Path, words: &[&str]) -> Outcome {
    let output = varbind(home, words).output().unwrap();
    Outcome {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A command that listens and runs on.
pub(crate) struct Listener {
    _process: Running,
    output: BufReader<ChildStdout>,
    errors: BufReader<ChildStderr>,
}

impl Listener {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process = Running(command.spawn().unwrap());
        Self {
            output: BufReader::new(process.0.stdout.take().unwrap()),
            errors: BufReader::new(process.0.stderr.take().unwrap()),
            _process: process,
        }
    }

    /// The next line that it writes.
    #[track_caller]
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it has ended");
        line
    }

    #[track_caller]
    pub(crate) fn next_json(&mut self) -> Value {
        serde_json::from_str(&self.next_line()).unwrap()
    }

    /// The next line on standard error with this text.
    #[track_caller]
    pub(crate) fn wait_for_error(&mut self, expected: &str) -> String {
        let mut line = String::new();
        while !line.contains(expected) {
            line.clear();
            let length = self.errors.read_line(&mut line).unwrap();
            assert_ne!(length, 0, "it has ended");
        }
        line
    }
}
