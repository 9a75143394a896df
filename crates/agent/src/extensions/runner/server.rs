//! The side of the runner.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, kill_process_group};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use varbind_codec::smi::Oid;

use super::messages::{Answer, Request, receive, send};
use super::{Place, Question, Table};
use crate::configuration::{AgentConfiguration, DEFAULT_CONFIGURATION};
use crate::extensions::program::status_of;
use crate::extensions::{ExtensionKind, PassProtocol, Program};

/// A reload may need each program twice for a moment.
const RUNS_OF_A_PROGRAM: usize = 2;

/// Why the runner has ended.
#[derive(Debug, thiserror::Error)]
#[error("the process that runs programs has no agent: {0}; `varbind agent` starts it by itself")]
pub struct RunnerError(#[source] io::Error);

/// Runs the programs of a configuration for the agent at the other end of standard input, until that one ends.
///
/// # Errors
/// When standard input is no such socket.
pub fn run_programs(configuration: Option<&Path>) -> Result<(), RunnerError> {
    let stdin = io::stdin();
    let _signals = ignore_signals().map_err(RunnerError)?;
    let mut programs = Programs::of(configuration.map(Path::to_owned));
    serve(stdin.as_fd(), &mut programs).map_err(RunnerError)
}

/// Outlives signals to all processes of this name: they end the agent, the agent's end ends the runner, and that ends
/// programs. They are caught, not ignored, since programs inherit what is ignored.
fn ignore_signals() -> io::Result<(Runtime, [Signal; 3])> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let signals = [
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::hangup())?,
    ];
    drop(inside);
    Ok((runtime, signals))
}

/// Answers until the agent ends, and then ends what runs.
pub(super) fn serve(socket: BorrowedFd<'_>, programs: &mut Programs) -> io::Result<()> {
    while let Some((request, _)) = receive::<Request>(socket)? {
        let mut pipes = Vec::new();
        let answer = programs.answer(&request, &mut pipes);
        let pipes: Vec<_> = pipes.iter().map(OwnedFd::as_fd).collect();
        send(socket, &answer, &pipes)?;
    }
    Ok(())
}

/// The programs of the configuration, and those that run.
pub(super) struct Programs {
    file: Option<PathBuf>,
    /// The configuration in use, and the one that is to take its place.
    known: Vec<Known>,
    runs: BTreeMap<u64, Run>,
    next: u64,
}

/// What was read of the configuration.
struct Known {
    checksum: u32,
    extend: Vec<Program>,
    pass: Vec<(Oid, PassProtocol, Program)>,
}

struct Run {
    child: Child,
    group: Pid,
}

impl Run {
    fn kill(&self) {
        let _ = kill_process_group(self.group, rustix::process::Signal::KILL);
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for run in self.runs.values_mut() {
            run.kill();
            let _ = run.child.wait();
        }
    }
}

impl Known {
    fn read(file: Option<&Path>) -> Result<Self, String> {
        let default = Path::new(DEFAULT_CONFIGURATION);
        let configuration = AgentConfiguration::load(file.unwrap_or(default));
        let configuration = configuration.map_err(|error| error.to_string())?;
        let extend = configuration.extensions.into_iter();
        let pass = configuration.pass_subtrees.into_iter();
        Ok(Self {
            checksum: configuration.checksum,
            extend: extend
                .filter_map(|extension| match extension.kind {
                    ExtensionKind::Program { program, .. } => Some(program),
                    ExtensionKind::Fixed(_) => None,
                })
                .collect(),
            pass: pass
                .map(|subtree| (subtree.root, subtree.protocol, subtree.program))
                .collect(),
        })
    }

    /// The program at a place, with the arguments of a question that it may be asked.
    fn program(
        &self,
        place: Place,
        question: Option<&Question>,
    ) -> Option<(&Program, Vec<String>)> {
        match (place.table, question) {
            (Table::Extend, None) => Some((self.extend.get(place.at)?, Vec::new())),
            (Table::Extend, Some(_)) => None,
            (Table::Pass, None) => Some((&self.pass.get(place.at)?.2, Vec::new())),
            (Table::Pass, Some(question)) => {
                let (root, protocol, program) = self.pass.get(place.at)?;
                let is_askable =
                    *protocol == PassProtocol::Pass && root.is_prefix_of(&question.name);
                let arguments = question.arguments().filter(|_| is_askable)?;
                Some((program, arguments.into()))
            }
        }
    }
}

impl Programs {
    pub(super) const fn of(file: Option<PathBuf>) -> Self {
        Self {
            file,
            known: Vec::new(),
            runs: BTreeMap::new(),
            next: 0,
        }
    }

    fn answer(&mut self, request: &Request, pipes: &mut Vec<OwnedFd>) -> Answer {
        match request {
            Request::Read { checksum, in_use } => match self.read(*checksum, *in_use) {
                Ok(()) => Answer::Read,
                Err(problem) => Answer::Refused { problem },
            },
            Request::Start {
                place,
                question,
                wants_input,
            } => match self.start(*place, question.as_ref(), *wants_input, pipes) {
                Ok(run) => Answer::Started { run },
                Err(problem) => Answer::Refused { problem },
            },
            Request::Look { run } => self.look(*run),
            Request::End { run } => {
                if let Some(run) = self.runs.get(run) {
                    run.kill();
                }
                let answer = self.look(*run);
                if matches!(answer, Answer::Status { status: Some(_) }) {
                    self.runs.remove(run);
                }
                answer
            }
        }
    }

    fn read(&mut self, checksum: u32, in_use: Option<u32>) -> Result<(), String> {
        self.known.retain(|known| Some(known.checksum) == in_use);
        if self.known.iter().any(|known| known.checksum == checksum) {
            return Ok(());
        }
        let read = Known::read(self.file.as_deref())?;
        if read.checksum != checksum {
            return Err("the configuration changed while it was read: try again".to_owned());
        }
        self.known.push(read);
        Ok(())
    }

    fn look(&mut self, run: u64) -> Answer {
        let Some(found) = self.runs.get_mut(&run) else {
            return refused("no such program runs");
        };
        match found.child.try_wait() {
            Ok(status) => Answer::Status {
                status: status.map(status_of),
            },
            Err(error) => refused(&error.to_string()),
        }
    }

    fn start(
        &mut self,
        place: Place,
        question: Option<&Question>,
        wants_input: bool,
        pipes: &mut Vec<OwnedFd>,
    ) -> Result<u64, String> {
        let programs = self.known.iter();
        let programs: usize = programs
            .map(|known| known.extend.len() + known.pass.len())
            .sum();
        let most = RUNS_OF_A_PROGRAM * programs;
        if self.runs.len() >= most {
            return Err("too many programs run".to_owned());
        }
        let mut known = self.known.iter();
        let (program, arguments) = known
            .find(|known| known.checksum == place.checksum)
            .and_then(|known| known.program(place, question))
            .ok_or("the configuration has no such program")?;
        let stdin = if wants_input {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut child = program
            .spawn(&arguments, stdin)
            .map_err(|error| error.to_string())?;
        pipes.extend(child.stdout.take().map(OwnedFd::from));
        pipes.extend(child.stdin.take().map(OwnedFd::from));
        let run = self.next;
        self.next += 1;
        let group = Pid::from_child(&child);
        self.runs.insert(run, Run { child, group });
        Ok(run)
    }
}

fn refused(problem: &str) -> Answer {
    Answer::Refused {
        problem: problem.to_owned(),
    }
}
