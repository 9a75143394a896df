//! `varbind bench`: plans configurations, runs them interleaved, and gathers the report.

mod baseline;
mod comparison;
mod error;
mod gather;
mod memory;
mod notifications;
mod options;
mod plan;
mod processes;
mod run;
mod schemes;
mod sessions;
mod soak;
mod throughput;

pub use baseline::{BaselineComparison, WorseFigure, read_baseline};
pub use error::BenchError;
pub use options::{BenchOptions, Outputs, Peer, RequestKind};

use std::time::Instant;

use varbind_codec::pdu::PduType;

use crate::environment::{environment, load_average};
use crate::measurement::{ConfigurationResult, Report, SCHEMA_VERSION, TransportKind};
use crate::process::Cores;
use crate::progress::Progress;
use crate::subject::{Agent, AgentAddress, Credentials, Demands, RunningAgent, Subject, Users};
use plan::Configuration;
use schemes::Schemes;

/// A subject that runs.
struct Running {
    name: String,
    agent: Agent,
    answered_by: PduType,
}

impl Running {
    fn start(subject: &Subject, demands: &Demands) -> Result<Self, BenchError> {
        Ok(Self {
            name: subject.name(),
            agent: subject.start(demands).map_err(BenchError::Subject)?,
            answered_by: PduType::Response,
        })
    }
}

/// The name of the bare echo among the subjects.
const ECHO: &str = "echo";

/// What all parts of a bench run share.
struct Bench<'a> {
    options: &'a BenchOptions,
    begun: Instant,
    cores: Cores,
    progress: Progress,
    notes: Vec<String>,
}

/// Measures what `options` ask for, and reports.
///
/// Progress goes to standard error. The calling thread's choice of processor cores is changed meanwhile and set free
/// at the end.
///
/// # Errors
/// If the options contradict each other, a subject cannot be started, or the machine cannot be read.
pub fn run_bench(options: &BenchOptions) -> Result<Report, BenchError> {
    let begun = Instant::now();
    let cores = Cores::available().map_err(BenchError::Machine)?;
    let subjects = subjects(options)?;
    let schemes = Schemes::of_options(options, &subjects)?;
    let plan = plan::plan(options, &subjects, &schemes)?;
    let mut environment = environment(&cores, options.seed);
    environment.subjects = subjects.iter().map(Subject::describe).collect();
    let mut bench = Bench {
        options,
        begun,
        cores,
        progress: Progress::new(begun),
        notes: schemes.note.iter().cloned().collect(),
    };
    bench.notes.extend(not_started_here(&subjects));

    let mut report = Report {
        schema_version: SCHEMA_VERSION,
        question: question(options, &subjects, &schemes),
        environment,
        configurations: Vec::new(),
        echoes: Vec::new(),
        processes: Vec::new(),
        sessions: Vec::new(),
        memory: Vec::new(),
        notifications: Vec::new(),
        soak: None,
        comparisons: Vec::new(),
        notes: Vec::new(),
    };
    match (options.soak, subjects.first()) {
        (Some(cpu), Some(subject)) => report.soak = Some(bench.soak(subject, cpu)?),
        _ => {
            let agents = bench.start(&subjects, &demands(options, &schemes))?;
            bench.measure(&subjects, agents, &plan, &mut report)?;
        }
    }
    bench.progress.finish();
    report.environment.load_at_end = load_average();
    report.environment.duration = begun.elapsed().as_secs_f64();
    report.notes = bench.notes;
    Ok(report)
}

impl Bench<'_> {
    fn start(&self, subjects: &[Subject], demands: &Demands) -> Result<Vec<Running>, BenchError> {
        let start = |subject: &Subject| {
            if let Subject::External(agent) = subject {
                self.progress.print(&agent.first_request());
            }
            Running::start(subject, demands)
        };
        subjects.iter().map(start).collect()
    }

    fn measure(
        &mut self,
        subjects: &[Subject],
        mut agents: Vec<Running>,
        plan: &[Configuration],
        report: &mut Report,
    ) -> Result<(), BenchError> {
        report.configurations = self.exchanges("response times, round", plan, &agents)?;
        if self.options.figures {
            let throughput = self.throughput(subjects, &mut agents)?;
            report
                .comparisons
                .extend(comparison::of_throughput(&throughput));
            report.echoes = throughput::echoes(&throughput);
            let results = throughput.into_iter().filter(|result| !is_echo(result));
            report.configurations.extend(results);
            report.sessions = self.sessions(subjects, &agents)?;
            report.memory = self.memory(subjects)?;
            report.notifications = self.notifications(subjects)?;
            let processes = self.processes(subjects, &agents);
            report.comparisons.extend(comparison::of_processes(
                &processes,
                report.environment.interfaces,
            ));
            let results = processes.into_iter().map(|process| process.result);
            report.processes = results.collect();
        }
        report
            .comparisons
            .extend(comparison::of_configurations(&report.configurations));
        // Of an agent that was not started here, no process is known.
        report
            .comparisons
            .retain(|comparison| !comparison.values.is_empty());
        Ok(())
    }
}

/// What the agents are to offer.
fn demands(options: &BenchOptions, schemes: &Schemes) -> Demands {
    Demands {
        users: schemes.protections(),
        transports: options.transports.clone(),
        ..Demands::default()
    }
}

/// What is not known of agents that run already.
fn not_started_here(subjects: &[Subject]) -> Option<String> {
    let subject = subjects.iter().find(|subject| !subject.is_started_here())?;
    Some(format!(
        "not measured: {}: agent CPU, memory and start, and no core was chosen: its process was not started here",
        subject.name()
    ))
}

fn is_echo(result: &ConfigurationResult) -> bool {
    result.parameters.subject == ECHO
}

/// Ours first, so that ratios read "ours over theirs".
fn subjects(options: &BenchOptions) -> Result<Vec<Subject>, BenchError> {
    let names = |transport| options.transports.contains(&transport);
    if options.agent.is_none() && names(TransportKind::Tls) && names(TransportKind::LegacyTls) {
        return Err(BenchError::Options(
            "an agent speaks TLS 1.0 over all its sessions of TLS: name tls or legacy-tls among the transports".into(),
        ));
    }
    let first = match &options.agent {
        Some(target) => Subject::External(RunningAgent {
            credentials: Credentials {
                community: options.community.clone(),
                write_community: options.write_community.clone(),
                users: options.user.clone().map_or(Users::None, Users::One),
            },
            addresses: vec![AgentAddress {
                target: *target,
                accesses: options.accesses.clone().map(Box::new),
                first: Schemes::first(options, target.transport),
            }],
        }),
        None => Subject::Varbind {
            executable: options.varbind.clone(),
        },
    };
    let mut subjects = vec![first];
    for peer in &options.compare {
        subjects.push(match peer {
            Peer::NetSnmp => Subject::net_snmp().map_err(BenchError::Subject)?,
        });
    }
    Ok(subjects)
}

fn question(options: &BenchOptions, subjects: &[Subject], schemes: &Schemes) -> String {
    let mut versions: Vec<String> = schemes
        .over(options)
        .into_iter()
        .map(|(scheme, _)| scheme.version_name().into())
        .collect();
    versions.dedup();
    let names: Vec<String> = subjects.iter().map(Subject::name).collect();
    let join = |items: Vec<String>| items.join(", ");
    if options.soak.is_some() {
        return format!(
            "Does {} keep its memory while sessions over {} come and go?",
            names.join(" beside "),
            join(options.transports.iter().map(ToString::to_string).collect()),
        );
    }
    format!(
        "How long does {} take to answer {} over {} in SNMP {}, and what does it cost?",
        names.join(" beside "),
        join(options.requests.iter().map(ToString::to_string).collect()),
        join(options.transports.iter().map(ToString::to_string).collect()),
        join(versions),
    )
}
