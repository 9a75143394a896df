//! `varbind study`: the studies that were published, repeated.

mod show;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use varbind_lab::study::{
    Results, RunOptions, STUDIES, Scope, SiteProgram, Store, Study, StudyError, SubjectName, find,
    run, with_overview, write_results,
};

use super::{hold, study_site};
use crate::failure::{Failure, tell};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Tell which studies there are
    List,
    /// Tell what a study did, what is measured again and what it claims
    Show {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run studies; one that was interrupted goes on from where it was
    Run(RunArguments),
    /// Run again what a run did
    Replay {
        /// The directory of that run
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
        /// The directory for the results
        #[arg(long, value_name = "DIRECTORY")]
        out: PathBuf,
    },
    /// Put runs beside each other: each by the first
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
    /// Make results and report anew of what a run found
    Report {
        /// The directory of the run
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
}

#[derive(Args, Debug)]
struct RunArguments {
    /// The studies, by name, or all
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Few repetitions, and the longest workloads scaled down: all studies in ten minutes
    #[arg(long)]
    quick: bool,
    /// Whose agents: varbind, net-snmp or both [default: both where snmpd is installed]
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<String>,
    /// How often each task is done, in place of what its study says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,
    /// What random order, losses and intervals are made from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The directory for the results
    #[arg(long, value_name = "DIRECTORY", default_value = "varbind-study")]
    out: PathBuf,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        match &self.command {
            StudyCommand::List => show::list(&mut output)?,
            StudyCommand::Show { name } => show::study(study(name)?, &mut output)?,
            StudyCommand::Run(arguments) => return arguments.run(),
            StudyCommand::Replay { directory, out } => return replay(directory, out),
            StudyCommand::Compare {
                directories,
                all,
                json,
            } => return compare(directories, *all, *json),
            StudyCommand::Report { directory } => {
                let store = Store::open(directory).map_err(StudyError::Store)?;
                return finish(&Results::of_store(&store), directory);
            }
        }
        Ok(())
    }
}

impl RunArguments {
    fn run(&self) -> Result<(), Failure> {
        let studies = if self.names.iter().any(|name| name == "all") {
            with_overview().collect()
        } else {
            let studies = self.names.iter().map(|name| study(name));
            studies.collect::<Result<_, _>>()?
        };
        let options = RunOptions {
            studies,
            scope: if self.quick {
                Scope::Quick
            } else {
                Scope::Full
            },
            subjects: self.subjects()?,
            seed: self.seed,
            repetitions: self.repetitions,
            directory: self.out.clone(),
            program: program()?,
            replay: None,
        };
        finish(&run(&options)?, &self.out)
    }

    fn subjects(&self) -> Result<Vec<SubjectName>, Failure> {
        let is_there = varbind_lab::subject::find_executable("snmpd").is_some();
        match self.subject.as_deref() {
            Some("both") => Ok(vec![SubjectName::Varbind, SubjectName::NetSnmp]),
            Some(name) => Ok(vec![name.parse().map_err(Failure::Usage)?]),
            None if is_there => Ok(vec![SubjectName::Varbind, SubjectName::NetSnmp]),
            None => {
                tell(format_args!(
                    "skipped: net-snmp: there is no snmpd (package snmpd)"
                ));
                Ok(vec![SubjectName::Varbind])
            }
        }
    }
}

fn replay(directory: &Path, out: &Path) -> Result<(), Failure> {
    let store = Store::open(directory).map_err(StudyError::Store)?;
    let manifest = store.manifest().clone();
    let studies = manifest.studies.iter().map(|name| study(name));
    let options = RunOptions {
        studies: studies.collect::<Result<_, _>>()?,
        scope: manifest.scope,
        subjects: manifest.subjects.clone(),
        seed: manifest.seed,
        repetitions: None,
        directory: out.to_owned(),
        program: program()?,
        replay: Some(manifest),
    };
    finish(&run(&options)?, out)
}

fn compare(directories: &[PathBuf], all: bool, json: bool) -> Result<(), Failure> {
    let results = |directory: &PathBuf| -> Result<Results, Failure> {
        let store = Store::open(directory).map_err(StudyError::Store)?;
        Ok(Results::of_store(&store))
    };
    let [first, others @ ..] = directories else {
        return Ok(());
    };
    let baseline = results(first)?;
    let mut comparisons = Vec::new();
    for other in others {
        comparisons.push(varbind_lab::study::compare(&baseline, &results(other)?));
    }
    let mut output = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut output, &comparisons).map_err(io::Error::from)?;
        writeln!(output)?;
        return Ok(());
    }
    for (comparison, other) in comparisons.iter().zip(others) {
        writeln!(output, "{} by {}", other.display(), first.display())?;
        show::comparison(comparison, all, &mut output)?;
    }
    Ok(())
}

fn program() -> Result<SiteProgram, Failure> {
    let varbind = std::env::current_exe().map_err(|error| {
        Failure::Usage(format!("the program cannot find its own file: {error}"))
    })?;
    Ok(SiteProgram {
        varbind,
        site: vec![study_site::NAME.to_owned()],
        holder: vec![hold::NAME.to_owned()],
    })
}

fn study(name: &str) -> Result<&'static Study, Failure> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        Failure::Usage(format!(
            "there is no study {name}: the studies are {}",
            names.join(", ")
        ))
    })
}

/// Writes the files of a run and shows its verdicts.
fn finish(results: &Results, directory: &Path) -> Result<(), Failure> {
    write_results(results, directory).map_err(StudyError::Store)?;
    let mut output = io::stdout().lock();
    show::verdicts(results, &mut output)?;
    writeln!(
        output,
        "report: {0}/index.html; results: {0}/results.json, {0}/results.csv",
        directory.display()
    )?;
    Ok(())
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        Self::Usage(error.to_string())
    }
}
