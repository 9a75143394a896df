//! Programs of OpenSSH, run for a test.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::fixture::PATIENCE;
use crate::keys::Files;

/// Whether a program can be run; if not, that is said.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program)
        .arg("-V")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match found {
        Ok(mut child) => {
            let _ = child.kill();
            let _ = child.wait();
            true
        }
        Err(error) => {
            skip(&format!("{program}: {error}"));
            false
        }
    }
}

/// Says that a test is skipped, and why.
pub(crate) fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(log) = std::env::var_os("VARBIND_SKIP_LOG") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(log);
        let _ = file.and_then(|mut file| writeln!(file, "ssh: {reason}"));
    }
}

/// A process that ends with the test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An authentication agent of OpenSSH.
pub(crate) struct SshAgentProcess {
    directory: PathBuf,
    _process: Running,
}

impl SshAgentProcess {
    pub(crate) fn start(files: &Files) -> Option<Self> {
        if !has("ssh-agent") || !has("ssh-add") {
            return None;
        }
        let directory = files.path("");
        let process = Command::new("ssh-agent")
            .arg("-D")
            .arg("-a")
            .arg(directory.join("agent"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let agent = Self {
            directory,
            _process: Running(process),
        };
        let start = std::time::Instant::now();
        while !agent.socket().exists() {
            assert!(start.elapsed() < PATIENCE, "ssh-agent does not start");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Some(agent)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.join("agent")
    }

    pub(crate) fn add(&self, key: &str) {
        let output = Command::new("ssh-add")
            .arg(self.directory.join(key))
            .env("SSH_AUTH_SOCK", self.socket())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
