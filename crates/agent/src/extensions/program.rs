//! One run of a program, within limits.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};

use super::RunResult;

/// How often a program is looked at that has closed its output and not ended, and whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// The search path of programs and shells.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its path and arguments; the path is absolute.
    pub(crate) command: Vec<String>,
    /// Whose rights it has; those of the agent where that is not root.
    pub(crate) run_as: Option<RunAs>,
    pub(crate) limits: Limits,
}

/// A user of the system and its first group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunAs {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// How long a run may take.
    pub(crate) time: Duration,
    /// Octets of output that are kept.
    pub(crate) output: usize,
    /// Octets of memory of the program, and of each that it starts.
    pub(crate) memory: u64,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("{program} cannot be started: {source}")]
    Start { program: String, source: io::Error },
    #[error("{program} did not end within {} s and was ended", .time.as_secs_f64())]
    TimedOut { program: String, time: Duration },
    #[error("{program} wrote more than {limit} octets and was ended: raise output-limit")]
    TooMuchOutput { program: String, limit: usize },
    #[error("{program}: {source}")]
    Failed { program: String, source: io::Error },
    #[error("{program} was ended with the agent's configuration")]
    Unwanted { program: String },
}

impl Program {
    fn path(&self) -> String {
        self.command.first().cloned().unwrap_or_default()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.path());
        command
            .args(self.command.get(1..).unwrap_or_default())
            .env_clear()
            .env("PATH", PATH)
            .env("LC_ALL", "C.UTF-8")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Of its own, so that all that it starts can be ended with it.
            .process_group(0);
        if let Some(RunAs { uid, gid }) = self.run_as {
            command.gid(gid).uid(uid);
        }
        command
    }

    /// Runs it until it ends, reaches a limit, or `is_unwanted`.
    ///
    /// # Errors
    /// When it cannot be started, or was ended.
    pub(super) fn run(&self, is_unwanted: impl Fn() -> bool) -> Result<RunResult, RunError> {
        let deadline = Instant::now() + self.limits.time;
        let mut child = self.command().spawn().map_err(|source| RunError::Start {
            program: self.path(),
            source,
        })?;
        let group = Pid::from_child(&child);
        let memory = Some(self.limits.memory);
        let limit = Rlimit {
            current: memory,
            maximum: memory,
        };
        // It may have ended already.
        let _ = prlimit(Some(group), Resource::Data, limit);
        let mut result = self.follow(&mut child, deadline, is_unwanted);
        // What is left of its group goes too: a program that runs on in the background would do so after each run.
        let _ = kill_process_group(group, Signal::KILL);
        let reaped = child.wait();
        if let (Ok(result), Ok(status)) = (&mut result, reaped) {
            result.status = status_of(status);
        }
        result
    }

    fn follow(
        &self,
        child: &mut Child,
        deadline: Instant,
        is_unwanted: impl Fn() -> bool,
    ) -> Result<RunResult, RunError> {
        let failed = |source: io::Error| RunError::Failed {
            program: self.path(),
            source,
        };
        let mut output = Vec::new();
        let mut stdout = child.stdout.take();
        loop {
            if is_unwanted() {
                return Err(RunError::Unwanted {
                    program: self.path(),
                });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(RunError::TimedOut {
                    program: self.path(),
                    time: self.limits.time,
                });
            }
            let Some(open) = &mut stdout else {
                if child.try_wait().map_err(failed)?.is_some() {
                    return Ok(RunResult { output, status: 0 });
                }
                thread::sleep(LOOK.min(left));
                continue;
            };
            if is_readable(open, LOOK.min(left)).map_err(failed)? {
                let mut octets = [0; 4096];
                match open.read(&mut octets).map_err(failed)? {
                    0 => stdout = None,
                    length => output.extend_from_slice(octets.get(..length).unwrap_or_default()),
                }
                if output.len() > self.limits.output {
                    return Err(RunError::TooMuchOutput {
                        program: self.path(),
                        limit: self.limits.output,
                    });
                }
            } else if child.try_wait().map_err(failed)?.is_some() {
                // It ended, and a program that it left behind holds its output open.
                return Ok(RunResult { output, status: 0 });
            }
        }
    }
}

fn is_readable(stdout: &ChildStdout, time: Duration) -> io::Result<bool> {
    let mut descriptors = [PollFd::new(stdout, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(|_| io::ErrorKind::InvalidInput)?;
    match poll(&mut descriptors, Some(&time)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The exit status as shells tell it: 128 is added to the number of a signal.
fn status_of(status: ExitStatus) -> i32 {
    let signal = status.signal().map(|signal| signal.saturating_add(128));
    status.code().or(signal).unwrap_or(super::NO_RESULT)
}
