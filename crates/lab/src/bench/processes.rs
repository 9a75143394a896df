use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Bench, Running};
use crate::measurement::{ProcessResult, ProcessTask, TransportKind};
use crate::process::resident;
use crate::statistics::{Cluster, Random, bootstrap_median, summarise};
use crate::subject::{READ_COMMUNITY, Subject, command_line, find_executable};

const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
const IF_TABLE: &str = "1.3.6.1.2.1.2.2";

/// Runs of one process, and what came of them.
pub(super) struct ProcessRuns {
    pub(super) result: ProcessResult,
    /// Wall-clock time of each, in milliseconds.
    pub(super) wall: Vec<f64>,
    /// Resident memory of each, in octets.
    pub(super) resident: Vec<f64>,
}

/// Runs a process: the wall-clock time, the resident memory of an agent, or why it failed.
type Timed<'a> = dyn Fn() -> Result<(Duration, Option<u64>), String> + 'a;

/// One way to run a process and to take its time.
struct Candidate<'a> {
    subject: String,
    task: ProcessTask,
    command: String,
    run: Box<Timed<'a>>,
    wall: Cluster,
    resident: Vec<f64>,
    failure: Option<String>,
}

impl Bench<'_> {
    /// Times whole processes: each subject's own commands against its own agent, and its agent's start.
    pub(super) fn processes(
        &mut self,
        subjects: &[Subject],
        agents: &[Running],
    ) -> Vec<ProcessRuns> {
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        for (subject, running) in subjects.iter().zip(agents) {
            for task in [ProcessTask::Get, ProcessTask::BulkWalk] {
                candidates
                    .extend(command(subject, running, task).map(command_candidate(subject, task)));
            }
            candidates.extend(start_candidate(subject, running));
        }
        let rounds = self.options.usual(32);
        let mut random = Random::new(self.options.seed);
        for round in 0..rounds {
            random.shuffle(&mut candidates);
            for candidate in &mut candidates {
                // Starts take longer, and fewer of them do.
                if candidate.task != ProcessTask::Start || round % 2 == 0 {
                    candidate.take();
                }
            }
            self.progress.tell(
                "whole processes, round",
                round as usize + 1,
                rounds as usize,
            );
        }
        candidates.sort_by_key(|candidate| {
            let position = agents
                .iter()
                .position(|running| running.name == candidate.subject);
            (candidate.task as u8, position)
        });
        let seed = self.options.seed;
        candidates
            .into_iter()
            .filter_map(|candidate| {
                if let Some(failure) = &candidate.failure {
                    self.notes
                        .push(format!("left out: {}: {failure}", candidate.command));
                    return None;
                }
                candidate.finish(seed)
            })
            .collect()
    }
}

impl Candidate<'_> {
    fn take(&mut self) {
        if self.failure.is_some() {
            return;
        }
        match (self.run)() {
            Ok((wall, resident)) => {
                self.wall.record(wall);
                self.resident.extend(resident.map(|octets| octets as f64));
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    fn finish(self, seed: u64) -> Option<ProcessRuns> {
        let wall = self.wall.kept().iter();
        Some(ProcessRuns {
            wall: wall.map(|&nanoseconds| nanoseconds as f64 / 1e6).collect(),
            result: ProcessResult {
                wall: summarise(std::slice::from_ref(&self.wall), seed)?,
                subject: self.subject,
                task: self.task,
                command: self.command,
                resident: bootstrap_median(&self.resident, seed),
            },
            resident: self.resident,
        })
    }
}

/// The subject's own command for a task; `None` if it has none here.
fn command(
    subject: &Subject,
    running: &Running,
    task: ProcessTask,
) -> Option<(PathBuf, Vec<String>)> {
    let target = running.agent.target(TransportKind::Udp)?;
    let (ours, theirs, name) = match task {
        ProcessTask::Get => ("get", "snmpget", SYS_DESCR),
        ProcessTask::BulkWalk => ("bulkwalk", "snmpbulkwalk", IF_TABLE),
        ProcessTask::Start => return None,
    };
    let (executable, first): (PathBuf, Vec<&str>) = match subject {
        Subject::Varbind { executable } => (executable.clone(), vec![ours]),
        // Without MIB files: their best case.
        Subject::NetSnmp { .. } => (find_executable(theirs)?, vec!["-m", "", "-On"]),
        Subject::External { .. } => return None,
    };
    let address = target.to_string();
    let rest = ["-v2c", "-c", READ_COMMUNITY, &address, name];
    let arguments = first.iter().chain(&rest).map(|&word| word.to_owned());
    Some((executable, arguments.collect()))
}

fn command_candidate<'a>(
    subject: &Subject,
    task: ProcessTask,
) -> impl Fn((PathBuf, Vec<String>)) -> Candidate<'a> {
    let subject = subject.name();
    move |(executable, arguments)| {
        let mut command = Command::new(&executable);
        command.args(&arguments);
        Candidate {
            subject: subject.clone(),
            task,
            command: command_line(&command),
            run: Box::new(move || {
                let mut command = Command::new(&executable);
                command.args(&arguments);
                time_command(&mut command).map(|wall| (wall, None))
            }),
            wall: Cluster::new(),
            resident: Vec::new(),
            failure: None,
        }
    }
}

fn time_command(command: &mut Command) -> Result<Duration, String> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status().map_err(|error| error.to_string())?;
    let wall = begun.elapsed();
    if status.success() {
        Ok(wall)
    } else {
        Err(format!("it ended with {status}"))
    }
}

fn start_candidate<'a>(subject: &'a Subject, running: &Running) -> Option<Candidate<'a>> {
    let command = running.agent.command()?.to_owned();
    Some(Candidate {
        subject: subject.name(),
        task: ProcessTask::Start,
        command,
        run: Box::new(move || {
            let agent = subject.start().map_err(|error| error.to_string())?;
            let wall = agent.start_time().ok_or("it was not started here")?;
            Ok((wall, agent.id().and_then(|pid| resident(pid).ok())))
        }),
        wall: Cluster::new(),
        resident: Vec::new(),
        failure: None,
    })
}
