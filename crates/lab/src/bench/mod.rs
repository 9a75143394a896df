//! `varbind bench`: plans configurations, runs them interleaved, and gathers the report.

mod comparison;
mod error;
mod gather;
mod options;
mod plan;
mod processes;
mod progress;
mod run;
mod schemes;
mod sessions;
mod throughput;

pub use error::BenchError;
pub use options::{BenchOptions, Outputs, Peer, RequestKind};

use std::time::Instant;

use varbind_codec::pdu::PduType;

use crate::environment::{environment, load_average};
use crate::measurement::{ConfigurationResult, Report, SCHEMA_VERSION};
use crate::process::Cores;
use crate::subject::{Agent, Credentials, Demands, Subject, SubjectError, Users};
use progress::Progress;
use schemes::Schemes;

/// A subject that runs.
struct Running {
    name: String,
    agent: Agent,
    answered_by: PduType,
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

    let demands = Demands {
        users: schemes.protections(),
        transports: options.transports.clone(),
        sessions: None,
    };
    let mut agents = start(&subjects, &demands)?;
    let mut configurations = bench.exchanges("response times, round", &plan, &agents)?;
    let mut echoes = Vec::new();
    let mut processes = Vec::new();
    let mut comparisons = Vec::new();
    let mut sessions = Vec::new();
    if options.figures {
        let throughput = bench.throughput(&subjects, &mut agents)?;
        comparisons.extend(comparison::of_throughput(&throughput, options.seed));
        echoes = throughput::echoes(&throughput);
        configurations.extend(throughput.into_iter().filter(|result| !is_echo(result)));
        sessions = bench.sessions(&subjects, &agents)?;
        processes = bench.processes(&subjects, &agents);
        comparisons.extend(comparison::of_processes(
            &processes,
            environment.interfaces,
            options.seed,
        ));
    }
    comparisons.extend(comparison::of_configurations(&configurations, options.seed));
    bench.progress.finish();

    environment.load_at_end = load_average();
    environment.duration = begun.elapsed().as_secs_f64();
    let processes = processes
        .into_iter()
        .map(|process| process.result)
        .collect();
    Ok(Report {
        schema_version: SCHEMA_VERSION,
        question: question(options, &subjects, &schemes),
        environment,
        configurations,
        echoes,
        processes,
        sessions,
        memory: Vec::new(),
        soak: None,
        comparisons,
        notes: bench.notes,
    })
}

fn is_echo(result: &ConfigurationResult) -> bool {
    result.parameters.subject == ECHO
}

/// Ours first, so that ratios read "ours over theirs".
fn subjects(options: &BenchOptions) -> Result<Vec<Subject>, BenchError> {
    let first = match &options.agent {
        Some(target) => Subject::External {
            target: *target,
            credentials: Credentials {
                community: options.community.clone(),
                write_community: options.write_community.clone(),
                users: options.user.clone().map_or(Users::None, Users::One),
            },
            first: Schemes::first(options),
        },
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

fn start(subjects: &[Subject], demands: &Demands) -> Result<Vec<Running>, BenchError> {
    let start = |subject: &Subject| -> Result<Running, SubjectError> {
        Ok(Running {
            name: subject.name(),
            agent: subject.start(demands)?,
            answered_by: PduType::Response,
        })
    };
    subjects
        .iter()
        .map(|subject| start(subject).map_err(BenchError::Subject))
        .collect()
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
    format!(
        "How long does {} take to answer {} over {} in SNMP {}, and what does it cost?",
        names.join(" beside "),
        join(options.requests.iter().map(ToString::to_string).collect()),
        join(options.transports.iter().map(ToString::to_string).collect()),
        join(versions),
    )
}
