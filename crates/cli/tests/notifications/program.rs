use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use varbind_testkit::peers::{Running, free_port};

/// How long is waited for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The program with arguments and an environment without anything of the user's.
pub(crate) fn varbind(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command
        .args(arguments)
        .env_remove("VARBIND_COMMUNITY")
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = varbind(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// Runs it, and it must succeed.
#[track_caller]
pub(crate) fn succeed(arguments: &[&str]) {
    assert_eq!(run(arguments), (Some(0), String::new()), "{arguments:?}");
}

/// A running `varbind receive`.
pub(crate) struct Receive {
    pub(crate) child: Running,
    output: Receiver<String>,
    errors: Receiver<String>,
    /// Without the transport.
    pub(crate) address: String,
    /// Its state, unless the arguments say where that is.
    _state: TempDir,
}

/// `varbind receive`, run by these words.
fn wrapped(wrapper: &[&str]) -> Command {
    let receive = varbind(&["receive"]);
    let Some((program, words)) = wrapper.split_first() else {
        return receive;
    };
    let mut command = Command::new(program);
    command
        .args(words)
        .arg(receive.get_program())
        .args(receive.get_args())
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null());
    command
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

impl Receive {
    /// Listens over UDP and TCP on the same port of loopback.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_wrapped(&[], arguments)
    }

    /// The same, run by these words.
    pub(crate) fn start_wrapped(wrapper: &[&str], arguments: &[&str]) -> Self {
        Self::start_on_some_port(|| {
            let mut command = wrapped(wrapper);
            command.args(arguments).stdout(Stdio::piped());
            command
        })
    }

    /// The same, with another standard output.
    pub(crate) fn start_into(arguments: &[&str], stdout: impl Fn() -> Stdio) -> Self {
        Self::start_on_some_port(|| {
            let mut command = wrapped(&[]);
            command.args(arguments).stdout(stdout());
            command
        })
    }

    fn start_on_some_port(command: impl Fn() -> Command) -> Self {
        let mut refused = String::new();
        for _ in 0..50 {
            match Self::try_start(&format!("127.0.0.1:{}", free_port()), command()) {
                Ok(receive) => return receive,
                Err(error) => refused = error,
            }
        }
        panic!("{refused}");
    }

    /// Listens on this address.
    pub(crate) fn start_at(address: &str, arguments: &[&str]) -> Self {
        let mut command = wrapped(&[]);
        command.args(arguments).stdout(Stdio::piped());
        Self::try_start(address, command).expect("a receiver")
    }

    fn try_start(address: &str, mut command: Command) -> Result<Self, String> {
        let (udp, tcp) = (format!("udp:{address}"), format!("tcp:{address}"));
        let state = tempfile::tempdir().expect("a directory");
        command
            .args(["--listen", &udp, "--listen", &tcp])
            .stderr(Stdio::piped());
        let mut arguments = command.get_args();
        if !arguments.any(|argument| argument == "--state") {
            command.arg("--state").arg(state.path());
        }
        let mut child = command.spawn().expect("a process");
        let output = child.stdout.take().map(lines);
        let errors = lines(child.stderr.take().expect("standard error"));
        let receive = Self {
            child: Running(child),
            output: output.unwrap_or_else(|| channel().1),
            errors,
            address: address.to_owned(),
            _state: state,
        };
        let first = receive.next_error();
        if first == format!("listening on {udp}") {
            assert_eq!(receive.next_error(), format!("listening on {tcp}"));
            return Ok(receive);
        }
        Err(first)
    }

    /// The next line of standard output.
    #[track_caller]
    pub(crate) fn next_line(&self) -> String {
        self.output.recv_timeout(PATIENCE).expect("a line")
    }

    #[track_caller]
    pub(crate) fn next_error(&self) -> String {
        self.errors.recv_timeout(PATIENCE).expect("a line")
    }

    /// The next line of standard output, which is JSON.
    #[track_caller]
    pub(crate) fn next_json(&self) -> Value {
        serde_json::from_str(&self.next_line()).expect("JSON")
    }

    /// Waits for a line of standard error with this in it.
    #[track_caller]
    pub(crate) fn await_error(&self, part: &str) -> String {
        loop {
            let line = self.next_error();
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Ends it with a signal; returns what is left of its output, and what it tells at the end.
    #[track_caller]
    pub(crate) fn stop(self, signal: &str) -> (Vec<String>, String) {
        self.child.signal(signal);
        self.finish()
    }

    /// Waits for its end, which must be a success.
    #[track_caller]
    pub(crate) fn finish(self) -> (Vec<String>, String) {
        let (code, output, summary) = self.finish_with();
        assert_eq!(code, Some(0), "{summary}");
        (output, summary)
    }

    /// Waits for its end; returns its exit code as well.
    #[track_caller]
    pub(crate) fn finish_with(mut self) -> (Option<i32>, Vec<String>, String) {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        let summary = self.errors.iter().last().expect("a summary");
        (status.code(), self.output.iter().collect(), summary)
    }
}

/// The number before a word of the summary.
#[track_caller]
pub(crate) fn count(summary: &str, what: &str) -> u64 {
    let words: Vec<_> = summary
        .split([' ', ',', ';'])
        .filter(|word| !word.is_empty())
        .collect();
    let at = words
        .iter()
        .position(|word| *word == what)
        .expect("a count");
    words[at - 1].parse().expect("a number")
}
