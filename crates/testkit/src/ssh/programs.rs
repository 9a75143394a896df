//! Programs of OpenSSH, run for a test.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use varbind_peers::{Running, is_installed};

use crate::fixture::PATIENCE;
use crate::keys::Files;

/// An authentication agent of OpenSSH.
pub(crate) struct SshAgentProcess {
    directory: PathBuf,
    _process: Running,
}

impl SshAgentProcess {
    pub(crate) fn start(files: &Files) -> Option<Self> {
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
