//! The agent as a process: this test program starts itself again.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_agent::{Options, RunnerCommand};
use varbind_testkit::peers::{Running, is_installed, skip};

use crate::confinement;

const CONFIGURATION: &str = "VARBIND_TEST_CONFIGURATION";
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
#[ignore = "the agent itself, which the other tests start"]
fn agent_process() {
    let Some(configuration) = std::env::var_os(CONFIGURATION) else {
        return;
    };
    let runner = RunnerCommand {
        program: std::env::current_exe().unwrap(),
        arguments: harness_arguments("process::runner_process")
            .map(Into::into)
            .into(),
    };
    let options = Options {
        configuration: Some(configuration.into()),
        runner: Some(runner),
        ..Options::default()
    };
    log::set_logger(&StandardError).unwrap();
    log::set_max_level(log::LevelFilter::Info);
    if let Err(error) = varbind_agent::run(&options) {
        eprintln!("{error}");
        std::process::exit(3);
    }
    // This thread has the rights of those that served the network.
    confinement::attempt_all();
    std::process::exit(0);
}

#[test]
#[ignore = "the process that runs programs, which the agent starts"]
fn runner_process() {
    let Some(configuration) = std::env::var_os(CONFIGURATION) else {
        return;
    };
    varbind_agent::run_programs(Some(configuration.as_ref())).unwrap();
    std::process::exit(0);
}

fn harness_arguments(name: &str) -> [&str; 5] {
    [
        "--ignored",
        "--exact",
        name,
        "--nocapture",
        "--test-threads=1",
    ]
}

/// Writes the agent's log where the tests read it.
struct StandardError;

impl log::Log for StandardError {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        eprintln!("{} {}", record.level(), record.args());
    }

    fn flush(&self) {}
}

/// The directory of a test: its configuration and its state.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new(configuration: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.configure(configuration);
        home
    }

    pub(crate) fn configure(&self, configuration: &str) {
        let state = self.state();
        let text = format!("state-directory = {state:?}\n{configuration}");
        // As a whole, since an agent may be reading it.
        let new = self.configuration().with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.configuration()).unwrap();
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.0.path().join("agent.toml")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// The command that runs the agent, after `before` in the same shell.
    fn command(&self, before: &str) -> Command {
        let program = std::env::current_exe().unwrap();
        let arguments = harness_arguments("process::agent_process");
        let mut command = if before.is_empty() {
            Command::new(program)
        } else {
            let mut command = Command::new("unshare");
            command.args(["-Urnm", "sh", "-ec"]);
            command.arg(format!("{before}\nexec \"$0\" \"$@\""));
            command.arg(program);
            command
        };
        command
            .args(arguments)
            .env(CONFIGURATION, self.configuration())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, listeners: usize) -> Agent {
        self.start_in_namespace("", listeners)
    }

    /// The same with an environment variable.
    pub(crate) fn start_with(&self, variable: &str, value: &str, listeners: usize) -> Agent {
        let mut command = self.command("");
        command.env(variable, value);
        follow(command, listeners)
    }

    /// Starts the agent in name spaces of its own, after the shell commands `before`.
    pub(crate) fn start_in_namespace(&self, before: &str, listeners: usize) -> Agent {
        follow(self.command(before), listeners)
    }

    /// Starts the agent with a socket as service managers give it one (sd_listen_fds(3)).
    pub(crate) fn start_with_socket(&self, socket: &UnixListener, listeners: usize) -> Agent {
        let program = self.command("");
        let mut command = Command::new("sh");
        command
            .arg("-ec")
            .arg("exec 3<&0 0</dev/null; export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$0\" \"$@\"")
            .arg(program.get_program())
            .args(program.get_args())
            .env(CONFIGURATION, self.configuration())
            .stdin(OwnedFd::from(socket.try_clone().unwrap()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        follow(command, listeners)
    }

    /// Runs the agent, which is expected to end at once.
    pub(crate) fn fail(&self) -> Output {
        self.fail_in_namespace("")
    }

    /// The same in name spaces of its own, after the shell commands `before`.
    pub(crate) fn fail_in_namespace(&self, before: &str) -> Output {
        self.command(before).output().unwrap()
    }
}

/// Starts the agent, and waits until it listens at so many addresses.
fn follow(mut command: Command, listeners: usize) -> Agent {
    let mut child = command.spawn().unwrap();
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once("listening on ") {
                let _ = sender.send(address.to_owned());
            }
        }
    });
    let log = Arc::<Mutex<String>>::default();
    let written = Arc::clone(&log);
    let errors = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || {
        for line in errors.lines().map_while(Result::ok) {
            let mut written = written.lock().unwrap();
            written.push_str(&line);
            written.push('\n');
        }
    });
    let mut agent = Agent {
        child: Running(child),
        lines,
        log,
        addresses: Vec::new(),
    };
    agent.await_listeners(listeners);
    agent
}

/// A running agent.
pub(crate) struct Agent {
    child: Running,
    lines: Receiver<String>,
    log: Arc<Mutex<String>>,
    pub(crate) addresses: Vec<String>,
}

impl Agent {
    pub(crate) fn await_listeners(&mut self, count: usize) {
        while self.addresses.len() < count {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(address) => self.addresses.push(address),
                Err(error) => {
                    let _ = self.child.0.kill();
                    panic!("{error}: {:?} {}", self.addresses, self.log());
                }
            }
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.0.id()
    }

    pub(crate) fn signal(&self, signal: &str) {
        self.child.signal(signal);
    }

    /// What the agent wrote to standard error so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the log has this text, and returns all of it.
    pub(crate) fn await_log(&self, text: &str) -> String {
        self.await_in_log(text, 1)
    }

    /// Waits until the log has this text so many times.
    pub(crate) fn await_in_log(&self, text: &str, count: usize) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let log = self.log();
            if log.matches(text).count() >= count {
                return log;
            }
            assert!(Instant::now() < deadline, "{text:?} is not in {log}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn wait(mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the agent does not end");
    }

    /// The port of the agent's first address.
    pub(crate) fn port(&self) -> &str {
        self.addresses[0].rsplit(':').next().unwrap()
    }

    /// Runs one of Net-SNMP's tools against the agent's first address.
    pub(crate) fn ask(&self, tool: &str, arguments: &[&str]) -> String {
        ask(tool, "public", &self.addresses[0], arguments)
    }

    /// The same from within the agent's network namespace.
    pub(crate) fn ask_inside(&self, tool: &str, arguments: &[&str]) -> String {
        let id = self.process().to_string();
        let mut command = Command::new("nsenter");
        command.args(["-t", &id, "-U", "-n", "--preserve-credentials", tool]);
        finish(command, "public", &self.addresses[0], arguments)
    }

    /// Runs a shell command within the agent's name spaces, and returns what it wrote.
    pub(crate) fn shell_inside(&self, script: &str) -> String {
        let id = self.process().to_string();
        let output = Command::new("nsenter")
            .args([
                "-t",
                &id,
                "-U",
                "-n",
                "-m",
                "--preserve-credentials",
                "sh",
                "-ec",
                script,
            ])
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}");
        String::from_utf8(output.stdout).unwrap()
    }
}

pub(crate) fn ask(tool: &str, community: &str, address: &str, arguments: &[&str]) -> String {
    finish(Command::new(tool), community, address, arguments)
}

fn finish(mut command: Command, community: &str, address: &str, arguments: &[&str]) -> String {
    // Net-SNMP's name of the same transport over IPv6.
    let address = if address.contains('[') {
        address.replacen(':', "6:", 1)
    } else {
        address.to_owned()
    };
    let output = command
        .args([
            "-v2c", "-c", community, "-t", "2", "-r", "1", "-m", "", "-On", "-Oe", &address,
        ])
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap().trim_end().to_owned()
}

/// Whether name spaces can be made without privileges.
pub(crate) fn has_namespaces() -> bool {
    if !["unshare", "nsenter", "ip"].into_iter().all(is_installed) {
        return false;
    }
    let made = Command::new("unshare")
        .args(["-Urnm", "true"])
        .output()
        .unwrap();
    if !made.status.success() {
        skip(String::from_utf8_lossy(&made.stderr).trim_end());
    }
    made.status.success()
}
