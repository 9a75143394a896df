//! A program that runs within limits.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};

use super::RunResult;
use super::runner::{Place, Question, RunOf, Runner};

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
    #[error("{program} has ended instead of answering")]
    Ended { program: String },
    #[error("{program}: {message}")]
    Answer { program: String, message: String },
}

impl Program {
    fn path(&self) -> String {
        self.command.first().cloned().unwrap_or_default()
    }

    /// Starts it with `arguments` behind its own, and with its limit of memory.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn spawn(&self, arguments: &[String], stdin: Stdio) -> io::Result<Child> {
        let mut command = Command::new(self.path());
        command
            .args(self.command.get(1..).unwrap_or_default())
            .args(arguments)
            .env_clear()
            .env("PATH", PATH)
            .env("LC_ALL", "C.UTF-8")
            .current_dir("/")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Of its own, so that all that it starts can be ended with it.
            .process_group(0);
        if let Some(RunAs { uid, gid }) = self.run_as {
            command.gid(gid).uid(uid);
        }
        let child = command.spawn()?;
        let memory = Some(self.limits.memory);
        let limit = Rlimit {
            current: memory,
            maximum: memory,
        };
        // It may have ended already.
        let _ = prlimit(Some(Pid::from_child(&child)), Resource::Data, limit);
        Ok(child)
    }
}

/// Who starts programs.
#[derive(Clone, Debug, Default)]
pub(crate) enum Starter {
    /// The agent itself.
    #[default]
    Agent,
    /// Another process, since the agent may be confined, and since that ends them whatever becomes of the agent.
    Runner(Arc<Runner>),
}

/// A program, and what starts it.
#[derive(Clone, Debug)]
pub(crate) struct Launch<'a> {
    program: &'a Program,
    starter: &'a Starter,
    place: Place,
}

impl<'a> Launch<'a> {
    pub(super) const fn new(program: &'a Program, starter: &'a Starter, place: Place) -> Self {
        Self {
            program,
            starter,
            place,
        }
    }

    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        &self,
        question: Option<Question>,
        wants_input: bool,
    ) -> Result<Running, RunError> {
        self.process(question, wants_input)
            .map_err(|source| RunError::Start {
                program: self.program.path(),
                source,
            })
    }

    fn process(&self, question: Option<Question>, wants_input: bool) -> io::Result<Running> {
        let (process, stdout, stdin) = match self.starter {
            Starter::Agent => {
                let question = question.and_then(|question| question.arguments());
                let arguments = question.map(Vec::from).unwrap_or_default();
                let stdin = if wants_input {
                    Stdio::piped()
                } else {
                    Stdio::null()
                };
                let mut child = self.program.spawn(&arguments, stdin)?;
                let (stdout, stdin) = (child.stdout.take(), child.stdin.take());
                (Process::Own(child), stdout, stdin)
            }
            Starter::Runner(runner) => {
                let (run, stdout, stdin) = RunOf::start(runner, self.place, question, wants_input)?;
                (Process::OfRunner(run), Some(stdout), stdin)
            }
        };
        Ok(Running {
            process,
            stdin,
            stdout,
            output: Vec::new(),
            status: None,
        })
    }

    /// Runs the program until it ends, reaches a limit, or `is_unwanted`.
    ///
    /// # Errors
    /// When it cannot be started, or was ended.
    pub(super) fn run(&self, is_unwanted: &dyn Fn() -> bool) -> Result<RunResult, RunError> {
        let bounds = Bounds::new(self.program, is_unwanted);
        let mut running = self.start(None, false)?;
        while running.read(&bounds)? {}
        let output = std::mem::take(&mut running.output);
        let status = running.end();
        Ok(RunResult { output, status })
    }
}

/// What bounds one use of a program.
pub(super) struct Bounds<'a> {
    program: &'a Program,
    deadline: Instant,
    is_unwanted: &'a dyn Fn() -> bool,
}

impl<'a> Bounds<'a> {
    /// The limits of a program, from now on.
    pub(super) fn new(program: &'a Program, is_unwanted: &'a dyn Fn() -> bool) -> Self {
        Self {
            program,
            deadline: Instant::now() + program.limits.time,
            is_unwanted,
        }
    }

    /// How long may be waited before it is looked again.
    fn next_wait(&self) -> Result<Duration, RunError> {
        let program = self.program.path();
        if (self.is_unwanted)() {
            return Err(RunError::Unwanted { program });
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let time = self.program.limits.time;
            return Err(RunError::TimedOut { program, time });
        }
        Ok(LOOK.min(left))
    }

    pub(super) fn failed(&self, source: io::Error) -> RunError {
        RunError::Failed {
            program: self.program.path(),
            source,
        }
    }

    pub(super) fn ended(&self) -> RunError {
        RunError::Ended {
            program: self.program.path(),
        }
    }

    pub(super) fn too_much_output(&self) -> RunError {
        RunError::TooMuchOutput {
            program: self.program.path(),
            limit: self.program.limits.output,
        }
    }

    pub(super) fn no_answer(&self, message: impl Into<String>) -> RunError {
        RunError::Answer {
            program: self.program.path(),
            message: message.into(),
        }
    }
}

/// The process of a program.
#[derive(Debug)]
enum Process {
    Own(Child),
    OfRunner(RunOf),
}

impl Process {
    /// The exit status, if it has ended.
    fn look(&mut self) -> io::Result<Option<i32>> {
        match self {
            Self::Own(child) => Ok(child.try_wait()?.map(status_of)),
            Self::OfRunner(run) => run.look(),
        }
    }

    /// Ends what is left of its group, and waits for it.
    fn end(&mut self) -> i32 {
        match self {
            Self::Own(child) => {
                // A program that runs on in the background would do so after each run.
                let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
                child.wait().map_or(super::NO_RESULT, status_of)
            }
            Self::OfRunner(run) => run.end(),
        }
    }
}

/// A program that was started. It is ended, with what it started, when this is dropped.
pub(super) struct Running {
    process: Process,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    /// Output that was not read yet.
    pub(super) output: Vec<u8>,
    status: Option<i32>,
}

impl Running {
    pub(super) const fn stdin(&mut self) -> &mut Option<ChildStdin> {
        &mut self.stdin
    }

    /// Reads what it writes in the next moment; whether more may come.
    pub(super) fn read(&mut self, bounds: &Bounds<'_>) -> Result<bool, RunError> {
        let failed = |source| bounds.failed(source);
        let next_wait = bounds.next_wait()?;
        let Some(open) = &mut self.stdout else {
            if self.process.look().map_err(failed)?.is_some() {
                return Ok(false);
            }
            thread::sleep(next_wait);
            return Ok(true);
        };
        if !is_readable(open, next_wait).map_err(failed)? {
            // It may have ended, and a program that it left behind may hold its output open.
            let is_over = self.process.look().map_err(failed)?.is_some();
            return Ok(!is_over || is_readable(open, Duration::ZERO).map_err(failed)?);
        }
        let mut octets = [0; 4096];
        match open.read(&mut octets).map_err(failed)? {
            0 => self.stdout = None,
            length => {
                let octets = octets.get(..length).unwrap_or_default();
                self.output.extend_from_slice(octets);
            }
        }
        if self.output.len() > bounds.program.limits.output {
            return Err(bounds.too_much_output());
        }
        Ok(true)
    }

    pub(super) fn has_ended(&mut self, bounds: &Bounds<'_>) -> Result<bool, RunError> {
        let ended = self.process.look().map_err(|error| bounds.failed(error))?;
        Ok(ended.is_some())
    }

    /// Ends what is left of it; its exit status.
    fn end(&mut self) -> i32 {
        // What waits for input gets no more of it.
        self.stdin = None;
        *self.status.get_or_insert_with(|| self.process.end())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
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
pub(super) fn status_of(status: ExitStatus) -> i32 {
    let signal = status.signal().map(|signal| signal.saturating_add(128));
    status.code().or(signal).unwrap_or(super::NO_RESULT)
}
