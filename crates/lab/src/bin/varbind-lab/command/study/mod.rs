//! `varbind study`: the studies that were published, repeated.

mod compare;
mod external;
mod running;
mod show;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand};
use varbind::transport::TransportAddress;
use varbind_lab::bench::write_bench_summary;
use varbind_lab::process::CpuShare;
use varbind_lab::security::Scheme;
use varbind_lab::study::{
    AgentName, CommandWords, ExternalAgent, Interruption, Manifest, NetworkName, Notes, Plan,
    Publication, Results, RunOptions, Scope, Study, StudyError, SubjectName, find, is_of_bench,
    publish, read_own, study_names, with_overview, write_results,
};
use varbind_lab::subject::Subject;
use varbind_terminal::{Failure, print_message};

use crate::agent_arguments::AgentArguments;
use crate::programs;
use external::{SubjectChoice, UserProtocols};
pub(crate) use external::{agent_at, external_subject, try_agent};
pub(crate) use running::{NOTHING, has_values, run_until_signal};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// List the studies
    List,
    /// Show what a study measured, what is measured again and what it claims
    Show {
        /// Its name
        #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(study_names()))]
        name: String,
    },
    /// Run studies; an interrupted run continues
    Run(Box<RunArguments>),
    /// Repeat a run with its seed and options
    Replay {
        /// The directory of that run
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
        /// The directory for the results
        #[arg(long, value_name = "DIRECTORY")]
        out: PathBuf,
        /// Show each claim with its figures
        #[arg(long)]
        verbose: bool,
        #[command(flatten)]
        agent: Box<AgentArguments>,
    },
    /// Compare runs with the first one: medians, verdicts, options and environment
    Compare {
        /// The directories of the runs
        #[arg(value_name = "DIRECTORY", required = true, num_args = 2..)]
        directories: Vec<PathBuf>,
        /// Also show values that do not differ
        #[arg(long)]
        all: bool,
        /// Write JSON: an array with an object for each run after the first
        #[arg(long)]
        json: bool,
    },
    /// Write the manifest and the compressed observations of a run, and a page of results
    Publish {
        /// The directory of the run
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
        /// The directory for the published run
        #[arg(long, value_name = "DIRECTORY")]
        out: PathBuf,
        /// Write the results as Markdown
        #[arg(long, value_name = "FILE")]
        page: Option<PathBuf>,
        /// Also if the machine was not quiet; the page says so
        #[arg(long)]
        even_if_disturbed: bool,
    },
    /// Rebuild results and report from a run's notes
    Report {
        /// The directory of the run
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
        /// Show each claim with its figures
        #[arg(long)]
        verbose: bool,
    },
}

const AFTER_RUN: &str = "\
The report is index.html in the directory for the results. A run that is interrupted (exit codes 130, 143, 129) goes on when \
the same command is given again, and what failed is tried again. Exit code 77: nothing can be measured here; 1: the results \
cannot be kept.";

#[derive(Args, Debug)]
#[command(after_help = AFTER_RUN)]
struct RunArguments {
    /// The studies, or all; overview is what the report's first page shows, calibration the A/A test of the laboratory, bench: what varbind bench measures
    #[arg(
        value_name = "NAME",
        required_unless_present = "file",
        value_parser = PossibleValuesParser::new(std::iter::once(ALL).chain(study_names()))
    )]
    names: Vec<String>,
    /// Run the study in this file (docs/adding-a-study.md); may be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Few repetitions and shorter workloads: all studies take a quarter of an hour on two cores
    #[arg(long)]
    quick: bool,
    /// Which agents: varbind, net-snmp, both, or the addresses of one that runs already, as udp:192.0.2.1,tls:192.0.2.1; may be
    /// repeated [default: both where snmpd is installed]
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', value_parser = SubjectChoice::read)]
    subject: Vec<SubjectChoice>,
    /// How often each task is done, in place of what its study says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,
    /// End a comparison once its intervals reach no farther than this, and at least twelve repetitions are done
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    stop_at_precision: Option<f64>,
    /// Measure no longer than this; comparisons that are not precise share the time, so that cheap ones are repeated more often
    #[arg(long, value_name = "MINUTES", requires = "stop_at_precision", value_parser = clap::value_parser!(u32).range(1..))]
    within: Option<u32>,
    /// What is between manager and agent, where a task says nothing else
    #[arg(long, value_name = "NETWORK", default_value = LOOPBACK, value_parser = PossibleValuesParser::new(network_names()))]
    network: String,
    /// How much of a core agents have, as on a slower machine (by a control group)
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    slow: Option<u32>,
    /// What random order, losses and intervals are made from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The directory for the results
    #[arg(long, value_name = "DIRECTORY", default_value = "varbind-study")]
    out: PathBuf,
    /// Show each claim with its figures, and each reason why something was not measured
    #[arg(long)]
    verbose: bool,
    /// What the report calls the agent at these addresses [default: external]
    #[arg(long, value_name = "NAME", help_heading = "Agents that run already")]
    name: Option<AgentName>,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    protocols: UserProtocols,
}

impl Arguments {
    pub(crate) fn run(&self, words: Vec<OsString>) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        match &self.command {
            StudyCommand::List => show::list(&mut output)?,
            StudyCommand::Show { name } => show::study(study(name)?, &mut output)?,
            StudyCommand::Run(arguments) => return arguments.run(words),
            StudyCommand::Replay {
                directory,
                out,
                verbose,
                agent,
            } => return replay(directory, out, *verbose, agent, words),
            StudyCommand::Compare {
                directories,
                all,
                json,
            } => return compare::runs(directories, *all, *json),
            StudyCommand::Publish {
                directory,
                out,
                page,
                even_if_disturbed,
            } => {
                let publication = Publication {
                    directory: out.clone(),
                    page: page.clone(),
                    even_if_disturbed: *even_if_disturbed,
                };
                let published = publish(&read(directory)?, &publication);
                return published.map_err(|error| failure(&StudyError::Store(error)));
            }
            StudyCommand::Report { directory, verbose } => {
                let notes = read(directory)?;
                print_foreign_tasks(notes.manifest());
                print_unfinished(&notes, directory);
                return finish(&Results::of_notes(&notes), directory, *verbose);
            }
        }
        Ok(())
    }
}

const ALL: &str = "all";
const BOTH: [SubjectName; 2] = [SubjectName::Varbind, SubjectName::NetSnmp];

/// Whether `all` has it.
fn is_among_all(name: &str) -> bool {
    with_overview().any(|study| study.name == name)
}

/// `3%` or `3`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent = number.parse().ok();
    let percent = percent.filter(|percent: &f64| *percent > 0.0 && *percent < 100.0);
    percent.ok_or_else(|| format!("{text} is not a precision: give per cent, as 3%"))
}

/// `25%` or `25`.
fn share(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent = number.parse().ok();
    let percent = percent.filter(|percent| (1..100).contains(percent));
    percent.ok_or_else(|| format!("{text} is not a share of a core: give per cent, from 1% to 99%"))
}

const LOOPBACK: &str = "loopback";

fn network_names() -> impl Iterator<Item = PossibleValue> {
    let emulated = NetworkName::ALL
        .map(|name| PossibleValue::new(name.as_str()).help(name.network().title.as_str()));
    std::iter::once(PossibleValue::new(LOOPBACK).help("none")).chain(emulated)
}

impl RunArguments {
    fn run(&self, words: Vec<OsString>) -> Result<(), Failure> {
        let is_selected = |study: &&str| {
            let mut names = self.names.iter();
            names.any(|name| name == study || name == ALL && is_among_all(study))
        };
        let external = self.external()?;
        if let Some(agent) = &external {
            try_agent(agent, &self.agent, Scheme::V2c)?;
        }
        let subjects = self.subjects(external.as_ref())?;
        if self.slow.is_some() {
            // Rather than a run in which nothing is slow.
            let made = self.slow.map(CpuShare::new).transpose();
            made.map_err(|reason| Failure::Skipped(format!("--slow: {reason}")))?;
        }
        let mut networks = NetworkName::ALL.into_iter();
        let network = networks.find(|name| name.as_str() == self.network);
        let options = RunOptions {
            studies: {
                // Each once, in the order of the catalog.
                let known = study_names().filter(is_selected).filter_map(find);
                let own = self.file.iter().map(|path| study_of_file(path));
                known.map(Ok).chain(own).collect::<Result<_, _>>()?
            },
            scope: if self.quick {
                Scope::Quick
            } else {
                Scope::Full
            },
            program: programs::site(&subjects)?,
            subjects,
            seed: self.seed,
            repetitions: self.repetitions,
            precision: self.stop_at_precision.map(|percent| percent / 100.0),
            within: self.within,
            network,
            slow: self.slow,
            external: external.map(|agent| (agent, CommandWords(words))),
            directory: self.out.clone(),
            is_kept: true,
            replay: None,
            interruption: Interruption::default(),
        };
        measure(&options, self.verbose)
    }

    /// The agent that runs already, if addresses are among the subjects.
    fn external(&self) -> Result<Option<ExternalAgent>, Failure> {
        let addresses: Vec<&TransportAddress> = self
            .subject
            .iter()
            .filter_map(|one| match one {
                SubjectChoice::Address(address) => Some(address),
                _ => None,
            })
            .collect();
        let protocols = (self.protocols.authentication, self.protocols.privacy);
        let agent = agent_at(&addresses, &self.agent, protocols, self.name, "--subject")?;
        let others = [
            ("--network", self.network != LOOPBACK),
            ("--slow", self.slow.is_some()),
        ];
        let mut others = others.into_iter().filter(|(_, is_given)| *is_given);
        match (&agent, others.next()) {
            (Some(agent), Some((option, _))) => Err(Failure::Usage(format!(
                "{option} is for agents that the laboratory starts, and {} runs already: leave {option} out",
                agent.addresses.join(", ")
            ))),
            _ => Ok(agent),
        }
    }

    fn subjects(&self, external: Option<&ExternalAgent>) -> Result<Vec<SubjectName>, Failure> {
        let chooses = |choice| self.subject.contains(&choice);
        let mut subjects = match (
            chooses(SubjectChoice::Varbind),
            chooses(SubjectChoice::NetSnmp),
            self.subject.is_empty() || chooses(SubjectChoice::Both),
        ) {
            (_, _, true) | (true, true, _) => both(),
            (true, false, _) => vec![SubjectName::Varbind],
            (false, true, _) => {
                let found = Subject::net_snmp();
                found.map_err(|missing| Failure::Skipped(format!("net-snmp: {missing}")))?;
                vec![SubjectName::NetSnmp]
            }
            (false, false, _) => Vec::new(),
        };
        subjects.extend(external.map(|agent| SubjectName::External(agent.name)));
        Ok(subjects)
    }
}

/// Ours, and Net-SNMP's where it is installed.
fn both() -> Vec<SubjectName> {
    match Subject::net_snmp() {
        Ok(_) => BOTH.to_vec(),
        Err(missing) => {
            print_message(format_args!(
                "skipped: net-snmp: {missing}; varbind is measured alone"
            ));
            vec![SubjectName::Varbind]
        }
    }
}

/// Runs until a signal arrives, and reports the results.
fn measure(options: &RunOptions, verbose: bool) -> Result<(), Failure> {
    let results = run_until_signal(options)?;
    finish(&results, &options.directory, verbose)?;
    match has_values(&results) {
        true => Ok(()),
        false => Err(Failure::Skipped(NOTHING.to_owned())),
    }
}

fn replay(
    directory: &Path,
    out: &Path,
    verbose: bool,
    agent: &AgentArguments,
    words: Vec<OsString>,
) -> Result<(), Failure> {
    let notes = read(directory)?;
    if is_same(directory, out) {
        return Err(Failure::Usage(format!(
            "{} is the run to repeat: choose another directory with --out",
            out.display()
        )));
    }
    let manifest = notes.manifest().clone();
    if manifest.subjects.contains(&SubjectName::NetSnmp)
        && let Err(missing) = Subject::net_snmp()
    {
        if manifest.subjects == [SubjectName::NetSnmp] {
            return Err(Failure::Skipped(format!("net-snmp: {missing}")));
        }
        print_message(format_args!(
            "skipped: net-snmp: {missing}; its values will be missing"
        ));
    }
    if let Some(external) = &manifest.external {
        try_agent(external, agent, Scheme::V2c)?;
    }
    print_foreign_tasks(&manifest);
    let options = RunOptions {
        studies: studies(&manifest)?,
        scope: manifest.scope,
        subjects: manifest.subjects.clone(),
        seed: manifest.seed,
        repetitions: None,
        precision: manifest.precision,
        within: manifest.within,
        network: manifest.network.as_ref().map(|network| network.name),
        slow: manifest.slow,
        external: manifest
            .external
            .clone()
            .map(|agent| (agent, CommandWords(words))),
        directory: out.to_owned(),
        is_kept: true,
        program: programs::site(&manifest.subjects)?,
        replay: Some(manifest),
        interruption: Interruption::default(),
    };
    measure(&options, verbose)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(one).is_some_and(|one| Some(one) == canonical(other))
}

/// What is not there yet is missing in what is made of it.
fn print_unfinished(notes: &Notes, directory: &Path) {
    let (done, total) = (notes.records().len(), notes.total());
    // One that ends at a precision need not have all repetitions.
    if done < total && notes.manifest().precision.is_none() {
        let manifest = notes.manifest();
        let again = match manifest.files.is_empty() {
            true => format!("{} --out {}", manifest.command(), directory.display()),
            false => "the same command".to_owned(),
        };
        print_message(format_args!(
            "{} is not finished: {done} of {total} measurements are there; {again} goes on",
            directory.display()
        ));
    }
}

/// Studies change: what a manifest of another version has measured may be nothing that this one shows.
fn print_foreign_tasks(manifest: &Manifest) {
    let Ok(studies) = manifest.studies() else {
        return;
    };
    let plan = Plan::of_studies(&studies, manifest.scope, &manifest.subjects);
    let is_known = |task| plan.tasks.iter().any(|planned| planned.task == task);
    let foreign = manifest
        .tasks
        .iter()
        .filter(|one| !is_known(one.task.clone()));
    let count = foreign.count();
    if count > 0 {
        print_message(format_args!(
            "{count} of {} tasks are not in the studies of this version ({}): they are not shown; the run was made with {}",
            manifest.tasks.len(),
            env!("CARGO_PKG_VERSION"),
            manifest.environment.varbind
        ));
    }
}

fn study_of_file(path: &Path) -> Result<&'static Study, Failure> {
    let told =
        |reason: &dyn std::fmt::Display| Failure::Usage(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    let study = read_own(&text).map_err(|error| told(&error))?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if find(study.name).is_some() {
        return Err(told(
            &"a study of the program has this name: give it another one",
        ));
    }
    if study.name.is_empty() || !study.name.chars().all(is_plain) {
        return Err(told(&"its name may have letters, digits and - alone"));
    }
    Ok(study)
}

/// The studies of a run, all of which have to be known.
fn studies(manifest: &Manifest) -> Result<Vec<&'static Study>, Failure> {
    let studies = manifest.studies();
    let studies = studies.map_err(|error| Failure::Usage(error.to_string()))?;
    let is_missing = |name: &&String| !studies.iter().any(|study| study.name == **name);
    match manifest.studies.iter().find(is_missing) {
        None => Ok(studies),
        Some(name) => study(name).map(|_| studies),
    }
}

fn study(name: &str) -> Result<&'static Study, Failure> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = study_names().collect();
        Failure::Usage(format!(
            "there is no study {name}: the studies are {}",
            names.join(", ")
        ))
    })
}

/// Writes the files of a run and shows its verdicts.
fn finish(results: &Results, directory: &Path, verbose: bool) -> Result<(), Failure> {
    write_results(results, directory).map_err(|error| failure(&StudyError::Store(error)))?;
    let mut output = io::stdout().lock();
    match is_of_bench(results) {
        true => write_bench_summary(results, false, &mut output)?,
        false => show::verdicts(results, verbose, &mut output)?,
    }
    writeln!(
        output,
        "report: {0}/index.html; results: {0}/results.json, {0}/results.csv, {0}/repetitions.csv",
        directory.display()
    )?;
    Ok(())
}

fn failure(error: &StudyError) -> Failure {
    Failure::Usage(error.to_string())
}

fn read(directory: &Path) -> Result<Notes, Failure> {
    Notes::read(directory).map_err(|error| failure(&StudyError::Store(error)))
}
