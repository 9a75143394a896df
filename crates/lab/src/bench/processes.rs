use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::schemes::FIGURES;
use super::{Bench, Running};
use crate::measurement::{ProcessResult, ProcessTask, TransportKind};
use crate::process::pss;
use crate::security::Scheme;
use crate::statistics::{Cluster, Random, median_interval, summarise};
use crate::subject::{
    AUTHENTICATION_PASSWORD, Demands, MANAGER, PRIVACY_PASSWORD, READ_COMMUNITY, Subject,
    command_line, find_executable, many_users, user_name,
};

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

/// A command with its arguments, and its environment.
type Words = (PathBuf, Vec<String>, Environment);
type Environment = Vec<(&'static str, PathBuf)>;

/// How Net-SNMP's commands find their keys for DTLS.
const NET_SNMP_KEYS: [&str; 9] = [
    "-v3",
    "-l",
    "authPriv",
    "-T",
    "our_identity=manager",
    "-T",
    "their_identity=agent",
    "-T",
    "trust_cert=authority",
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
fn command(subject: &Subject, running: &Running, task: ProcessTask) -> Result<Words, String> {
    let (transport, name) = match task {
        ProcessTask::Get | ProcessTask::GetV3 => (TransportKind::Udp, SYS_DESCR),
        ProcessTask::BulkWalk => (TransportKind::Udp, IF_TABLE),
        ProcessTask::GetTls => (TransportKind::Tls, SYS_DESCR),
        ProcessTask::GetDtls => (TransportKind::Dtls, SYS_DESCR),
        ProcessTask::GetSsh => (TransportKind::Ssh, SYS_DESCR),
        ProcessTask::Start | ProcessTask::StartWithUsers => {
            return Err("no command does that".into());
        }
    };
    if matches!(subject, Subject::External { .. }) {
        return Err("an agent that runs already has no command here".into());
    }
    if !subject.offers(transport) {
        return Err(format!("it does not offer {transport}"));
    }
    let no_session = || format!("{transport} is not among the transports of this run");
    let target = running.agent.target(transport).ok_or_else(no_session)?;
    let (ours, theirs) = match task {
        ProcessTask::BulkWalk => ("bulkwalk", "snmpbulkwalk"),
        _ => ("get", "snmpget"),
    };
    let is_ours = matches!(subject, Subject::Varbind { .. });
    let (executable, first): (PathBuf, &[&str]) = match subject {
        // All without MIB files: the best case of each.
        Subject::Varbind { executable } => (executable.clone(), &[ours, "-m", ""]),
        Subject::NetSnmp { .. } | Subject::External { .. } => (
            find_executable(theirs).ok_or_else(|| {
                format!("{theirs} is not installed: on Debian it is in package snmp")
            })?,
            &["-m", "", "-On"],
        ),
    };
    let (access, environment) = access(running, task, transport, is_ours).ok_or_else(no_session)?;
    let address = match (transport, is_ours) {
        (TransportKind::Dtls, false) => format!("dtlsudp:{}", target.address),
        (TransportKind::Ssh, _) => format!("ssh:{MANAGER}@{}", target.address),
        _ => target.to_string(),
    };
    let mut arguments = owned(first);
    arguments.extend(access);
    arguments.extend([address, name.to_owned()]);
    Ok((executable, arguments, environment))
}

/// The options by which a command shows who asks, and its environment; `None` if the agent has no keys for the transport.
fn access(
    running: &Running,
    task: ProcessTask,
    transport: TransportKind,
    is_ours: bool,
) -> Option<(Vec<String>, Environment)> {
    let user = user_name(FIGURES);
    let of_user = [
        "-v3",
        "-l",
        "authPriv",
        "-u",
        &user,
        "-a",
        "SHA",
        "-A",
        AUTHENTICATION_PASSWORD,
        "-x",
        "AES",
        "-X",
        PRIVACY_PASSWORD,
    ];
    match task {
        ProcessTask::GetV3 => Some((owned(&of_user), Vec::new())),
        _ if !transport.is_secure() => Some((owned(&["-v2c", "-c", READ_COMMUNITY]), Vec::new())),
        _ if is_ours => Some((running.agent.command_arguments(transport)?, Vec::new())),
        _ => Some((
            owned(&NET_SNMP_KEYS),
            vec![("SNMPCONFPATH", running.agent.keys()?.parent()?.to_owned())],
        )),
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn command_candidate<'a>(subject: &Subject, task: ProcessTask) -> impl Fn(Words) -> Candidate<'a> {
    let subject = subject.name();
    move |(executable, arguments, environment)| {
        let mut command = Command::new(&executable);
        command.args(&arguments);
        Candidate {
            subject: subject.clone(),
            task,
            command: command_line(&command),
            run: Box::new(move || {
                let mut command = Command::new(&executable);
                command.args(&arguments).envs(environment.iter().cloned());
                time_command(&mut command).map(|wall| (wall, None))
            }),
            wall: Cluster::new(),
            pss: Vec::new(),
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
