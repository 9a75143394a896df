use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use varbind_lab::link::{Lane, Namespace};

use crate::failure::Failure;

/// How long a program has to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A program at one end of a link.
pub(super) struct Program {
    child: Child,
    name: String,
}

impl Program {
    pub(super) fn start(end: &Namespace, words: &[OsString]) -> Result<Self, Failure> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Failure::Usage("no command to run at the near end".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        Self::spawn(end, command, program.to_string_lossy().into_owned())
    }

    pub(super) fn start_shell(end: &Namespace, line: &str) -> Result<Self, Failure> {
        let mut command = Command::new("sh");
        // The shell becomes the program, so that the program is ended.
        command
            .arg("-c")
            .arg(format!("exec {line}"))
            .stdin(Stdio::null());
        Self::spawn(end, command, line.to_owned())
    }

    fn spawn(end: &Namespace, mut command: Command, name: String) -> Result<Self, Failure> {
        if let Some(lane) = Lane::new(1) {
            command
                .env("VARBIND_LINK_NEAR", lane.near().to_string())
                .env("VARBIND_LINK_FAR", lane.far().to_string());
        }
        match end.spawn(command) {
            Ok(child) => Ok(Self { child, name }),
            Err(error) => Err(Failure::Usage(format!("cannot run {name}: {error}"))),
        }
    }

    pub(super) fn wait(mut self) -> Result<ExitStatus, Failure> {
        let status = self.child.wait();
        status.map_err(|error| Failure::Usage(format!("waiting for {} failed: {error}", self.name)))
    }

    /// Asks the program to end, and makes it end.
    pub(super) fn stop(mut self) {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                log::warn!("{} had ended before: {status}", self.name);
                return;
            }
            Ok(None) => {}
            Err(_) => return,
        }
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            let _ = kill_process(pid, Signal::TERM);
        }
        let deadline = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
