//! The program, with an environment in which nothing is the user's.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::peers::Running;

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
    output: Receiver<String>,
    errors: Receiver<String>,
}

impl Listener {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process = Running(command.spawn().unwrap());
        Self {
            output: lines(process.0.stdout.take().unwrap()),
            errors: lines(process.0.stderr.take().unwrap()),
            _process: process,
        }
    }

    /// The next line that it writes.
    #[track_caller]
    pub(crate) fn next_line(&mut self) -> String {
        self.output.recv_timeout(PATIENCE).expect("a line")
    }

    #[track_caller]
    pub(crate) fn next_json(&mut self) -> Value {
        serde_json::from_str(&self.next_line()).unwrap()
    }

    /// The next line on standard error with this text.
    #[track_caller]
    pub(crate) fn wait_for_error(&mut self, expected: &str) -> String {
        loop {
            let line = self.errors.recv_timeout(PATIENCE).expect("a line");
            if line.contains(expected) {
                return line;
            }
        }
    }
}

/// The lines of a pipe, each with its end, by a thread that reads them.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = String::new();
        while pipe.read_line(&mut line).is_ok_and(|length| length > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    receiver
}
