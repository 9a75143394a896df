use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::schemes::FIGURES;
use super::{Bench, Running};
use crate::measurement::{ProcessResult, ProcessTask, TransportKind};
use crate::process::pss;
use crate::security::Scheme;
use crate::statistics::{Cluster, Random, median_interval, summarise};
use crate::subject::{CommandQuestion, Demands, OwnCommand, Subject, many_users};

const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
const IF_TABLE: &str = "1.3.6.1.2.1.2.2";

/// What commands do.
const COMMANDS: [ProcessTask; 6] = [
    ProcessTask::Get,
    ProcessTask::BulkWalk,
    ProcessTask::GetV3,
    ProcessTask::GetTls,
    ProcessTask::GetDtls,
    ProcessTask::GetSsh,
];

/// Runs of one process, and what came of them.
pub(super) struct ProcessRuns {
    pub(super) result: ProcessResult,
    /// Wall-clock time of each, in milliseconds.
    pub(super) wall: Vec<f64>,
    /// Memory (PSS) of each, in octets.
    pub(super) pss: Vec<f64>,
}

/// Runs a process: the wall-clock time, the memory (PSS) of an agent, or why it failed.
type Timed<'a> = dyn Fn() -> Result<(Duration, Option<u64>), String> + 'a;

/// One way to run a process and to take its time.
struct Candidate<'a> {
    subject: String,
    task: ProcessTask,
    command: String,
    run: Box<Timed<'a>>,
    wall: Cluster,
    pss: Vec<f64>,
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
        let mut missing = MissingFigures::default();
        for (subject, running) in subjects.iter().zip(agents) {
            for task in COMMANDS {
                if task == ProcessTask::GetV3
                    && let Subject::Varbind { executable } = subject
                    && !speaks_v3(executable)
                {
                    let note = "left out: varbind get -v3: this varbind's commands do not know it";
                    self.notes.push(note.into());
                    continue;
                }
                match command(subject, running, task) {
                    Ok(words) => candidates.push(command_candidate(subject, task)(words)),
                    Err(reason) => missing.add(subject.name(), task, reason),
                }
            }
            candidates.extend(start_candidate(subject, running, ProcessTask::Start));
            candidates.extend(start_candidate(
                subject,
                running,
                ProcessTask::StartWithUsers,
            ));
        }
        self.notes.extend(missing.notes());
        let rounds = self.options.usual(32);
        let mut random = Random::new(self.options.seed);
        for round in 0..rounds {
            random.shuffle(&mut candidates);
            for candidate in &mut candidates {
                // Starts take longer, and fewer of them do.
                let interval = match candidate.task {
                    ProcessTask::Start => 2,
                    ProcessTask::StartWithUsers => 4,
                    _ => 1,
                };
                if round % interval == 0 {
                    candidate.take();
                }
            }
            self.progress.report(
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
            Ok((wall, pss)) => {
                self.wall.record(wall);
                self.pss.extend(pss.map(|octets| octets as f64));
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
                pss: median_interval(&self.pss),
            },
            pss: self.pss,
        })
    }
}

/// Figures that are not measured: of whom, what, and why not.
#[derive(Default)]
struct MissingFigures(Vec<(String, String, Vec<ProcessTask>)>);

impl MissingFigures {
    fn add(&mut self, subject: String, task: ProcessTask, reason: String) {
        let known = self.0.iter_mut();
        let mut known = known.filter(|(whose, why, _)| *whose == subject && *why == reason);
        match known.next() {
            Some((_, _, tasks)) => tasks.push(task),
            None => self.0.push((subject, reason, vec![task])),
        }
    }

    fn notes(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(subject, reason, tasks)| {
            let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
            format!("not measured: {subject}: {}: {reason}", tasks.join(", "))
        })
    }
}

/// The subject's own command for a task, or why it has none here.
fn command(subject: &Subject, running: &Running, task: ProcessTask) -> Result<OwnCommand, String> {
    let (scheme, transport) = match task {
        ProcessTask::Get | ProcessTask::BulkWalk => (Scheme::V2c, TransportKind::Udp),
        ProcessTask::GetV3 => (Scheme::V3(FIGURES), TransportKind::Udp),
        ProcessTask::GetTls => (Scheme::V3Transport, TransportKind::Tls),
        ProcessTask::GetDtls => (Scheme::V3Transport, TransportKind::Dtls),
        ProcessTask::GetSsh => (Scheme::V3Transport, TransportKind::Ssh),
        ProcessTask::Start | ProcessTask::StartWithUsers => {
            return Err("no command does that".into());
        }
    };
    let (command, name) = match task {
        ProcessTask::BulkWalk => ("bulkwalk", IF_TABLE),
        _ => ("get", SYS_DESCR),
    };
    let question = CommandQuestion {
        command,
        name,
        scheme,
        transport,
    };
    OwnCommand::of(subject, &running.agent, question)
}

fn command_candidate<'a>(
    subject: &Subject,
    task: ProcessTask,
) -> impl Fn(OwnCommand) -> Candidate<'a> {
    let subject = subject.name();
    move |command| Candidate {
        subject: subject.clone(),
        task,
        command: command.line(),
        run: Box::new(move || command.time().map(|wall| (wall, None))),
        wall: Cluster::new(),
        pss: Vec::new(),
        failure: None,
    }
}

/// Whether the commands of a varbind executable speak SNMPv3.
fn speaks_v3(executable: &Path) -> bool {
    let help = Command::new(executable).args(["get", "--help"]).output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("authPriv"))
}

fn start_candidate<'a>(
    subject: &'a Subject,
    running: &Running,
    task: ProcessTask,
) -> Option<Candidate<'a>> {
    let command = running.agent.command()?.to_owned();
    let (users, first) = match task {
        ProcessTask::StartWithUsers => (many_users(), Scheme::V3(FIGURES)),
        _ => (Vec::new(), Scheme::V2c),
    };
    let demands = Demands::users(users);
    Some(Candidate {
        subject: subject.name(),
        task,
        command,
        run: Box::new(move || {
            let agent = subject
                .start_until(&demands, first)
                .map_err(|error| error.to_string())?;
            let wall = agent.start_time().ok_or("it was not started here")?;
            Ok((wall, agent.id().and_then(|pid| pss(pid).ok())))
        }),
        wall: Cluster::new(),
        pss: Vec::new(),
        failure: None,
    })
}
