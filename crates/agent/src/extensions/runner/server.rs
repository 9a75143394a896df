//! The side of the runner.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use varbind_codec::smi::Oid;

use super::messages::{Answer, Request, receive, send};
use super::{Place, Question, Table};
use crate::configuration::Configuration;
use crate::daemon::DEFAULT_CONFIGURATION;
use crate::extensions::program::status_of;
use crate::extensions::{ExtensionKind, PassProtocol, Program};

/// More programs than twice those of the configuration, which a reload may need for a moment, do not run at a time.
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
    let mut programs = Programs::of(configuration.map(Path::to_owned));
    serve(stdin.as_fd(), &mut programs).map_err(RunnerError)
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
    known: Option<Known>,
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
        let _ = kill_process_group(self.group, Signal::KILL);
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
        let configuration = Configuration::load(file.unwrap_or(default));
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
            known: None,
            runs: BTreeMap::new(),
            next: 0,
        }
    }

    fn answer(&mut self, request: &Request, pipes: &mut Vec<OwnedFd>) -> Answer {
        match request {
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
        if self
            .known
            .as_ref()
            .is_none_or(|known| known.checksum != place.checksum)
        {
            self.known = Some(Known::read(self.file.as_deref())?);
        }
        let known = self
            .known
            .as_ref()
            .filter(|known| known.checksum == place.checksum);
        let known = known.ok_or("the configuration has changed: send SIGHUP to the agent")?;
        let most = RUNS_OF_A_PROGRAM * (known.extend.len() + known.pass.len());
        if self.runs.len() >= most {
            return Err("too many programs run".to_owned());
        }
        let (program, arguments) = known
            .program(place, question)
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
