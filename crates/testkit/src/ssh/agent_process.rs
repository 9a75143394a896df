//! An authentication agent of OpenSSH.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::Files;
use crate::loopback::PATIENCE;
use crate::peers::{Running, is_installed};

/// An authentication agent of OpenSSH.
pub struct SshAgentProcess {
    directory: PathBuf,
    _process: Running,
}

impl SshAgentProcess {
    /// Starts one; `None`, and a visible skip, where it is not installed.
    pub fn start(files: &Files) -> Option<Self> {
        if !is_installed("ssh-agent") || !is_installed("ssh-add") {
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
        // The socket is there a moment before it listens.
        while UnixStream::connect(agent.socket()).is_err() {
            assert!(start.elapsed() < PATIENCE, "ssh-agent does not start");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Some(agent)
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        self.directory.join("agent")
    }

    /// Adds a key of the files.
    pub fn add(&self, key: &str) {
        let output = Command::new("ssh-add")
            .arg(self.directory.join(key))
            .env("SSH_AUTH_SOCK", self.socket())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
