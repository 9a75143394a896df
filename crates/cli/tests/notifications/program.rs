use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use varbind_peers::Running;

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
    child: Running,
    output: Receiver<String>,
    errors: Receiver<String>,
    /// Without the transport.
    pub(crate) address: String,
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
        let mut refused = String::new();
        for attempt in 0..50_u32 {
            let port = 20_000 + (std::process::id() * 7 + attempt * 131) % 10_000;
            let address = format!("127.0.0.1:{port}");
            let (udp, tcp) = (format!("udp:{address}"), format!("tcp:{address}"));
            let mut child = varbind(&["receive", "--listen", &udp, "--listen", &tcp])
                .args(arguments)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let output = lines(child.stdout.take().unwrap());
            let errors = lines(child.stderr.take().unwrap());
            let mut receive = Self {
                child: Running(child),
                output,
                errors,
                address,
            };
            let first = receive.next_error();
            if first == format!("listening on {udp}") {
                assert_eq!(receive.next_error(), format!("listening on {tcp}"));
                return receive;
            }
            let _ = receive.child.0.wait();
            refused = first;
        }
        panic!("{refused}");
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

    /// Ends it with a signal; returns what is left of its output, and what it tells at the end.
    #[track_caller]
    pub(crate) fn stop(self, signal: &str) -> (Vec<String>, String) {
        self.child.signal(signal);
        self.finish()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> (Vec<String>, String) {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{status}");
        let summary = self.errors.iter().last().expect("a summary");
        (self.output.iter().collect(), summary)
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
