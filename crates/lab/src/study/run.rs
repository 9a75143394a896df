use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::site::{Order, Site};
use super::{
    Manifest, Observation, Plan, Planned, RESULTS_VERSION, Record, Results, Scope, Setting,
    SiteProgram, Store, StoreError, Study, SubjectName, Task,
};
use crate::environment::environment;
use crate::process::Cores;
use crate::progress::Progress;
use crate::statistics::{Random, mix};
use crate::subject::Subject;

/// What is run, and where its results go.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The studies.
    pub studies: Vec<&'static Study>,
    /// How much is done.
    pub scope: Scope,
    /// Whose agents.
    pub subjects: Vec<SubjectName>,
    /// From which number all randomness comes.
    pub seed: u64,
    /// How often each task is done, in place of what its study says.
    pub repetitions: Option<u32>,
    /// The directory of the results.
    pub directory: PathBuf,
    /// How to start sites.
    pub program: SiteProgram,
    /// What to do instead of what the studies need: what another run did.
    pub replay: Option<Manifest>,
}

/// Does what is asked and not done yet, and returns all that was found.
///
/// # Errors
/// If the results cannot be written, or those of another run are in their place. What a subject or a network cannot do is
/// in the results.
pub fn run(options: &RunOptions) -> Result<Results, StudyError> {
    let manifest = manifest(options)?;
    let store = Store::begin(&options.directory, &manifest).map_err(StudyError::Store)?;
    let mut run = Run {
        options,
        sites: BTreeMap::new(),
        denied: BTreeMap::new(),
        done_before: store.records().last().map_or(0.0, |record| record.at),
        begun: Instant::now(),
        progress: Progress::new(Instant::now()),
        store,
    };
    run.rounds()?;
    run.progress.finish();
    Ok(Results::of_store(&run.store))
}

fn manifest(options: &RunOptions) -> Result<Manifest, StudyError> {
    let cores = Cores::available().map_err(StudyError::Machine)?;
    let mut environment = environment(&cores, options.seed);
    let subjects = options.subjects.iter().filter_map(|name| match name {
        SubjectName::Varbind => Some(Subject::Varbind {
            executable: options.program.varbind.clone(),
        }),
        SubjectName::NetSnmp => Subject::net_snmp().ok(),
    });
    environment.subjects = subjects.map(|subject| subject.describe()).collect();
    let plan = match &options.replay {
        Some(manifest) => Plan::of_manifest(manifest),
        None => Plan::of_studies(&options.studies, options.scope, &options.subjects),
    };
    let mut tasks = plan.tasks;
    if let Some(repetitions) = options.repetitions {
        for planned in &mut tasks {
            planned.repetitions = repetitions;
        }
    }
    let names = options.studies.iter().map(|study| study.name.to_owned());
    Ok(Manifest {
        schema_version: RESULTS_VERSION,
        studies: names.collect(),
        scope: options.scope,
        subjects: options.subjects.clone(),
        seed: options.seed,
        environment,
        tasks,
    })
}

/// A run that goes on.
struct Run<'a> {
    options: &'a RunOptions,
    store: Store,
    sites: BTreeMap<Setting, Site>,
    /// Why there is no site for a setting.
    denied: BTreeMap<Setting, String>,
    done_before: f64,
    begun: Instant,
    progress: Progress,
}

impl Run<'_> {
    /// Each round does every task once, in random order; patient tasks of a site all at once, at its end.
    fn rounds(&mut self) -> Result<(), StudyError> {
        let planned = self.store.manifest().tasks.clone();
        let rounds = planned.iter().map(|one| one.repetitions).max();
        let total: usize = planned.iter().map(|one| one.repetitions as usize).sum();
        let done = self.done(&planned);
        for round in 0..rounds.unwrap_or_default() {
            let is_wanted = |(index, one): &(usize, &Planned)| {
                round < one.repetitions && !done.contains(&(*index, round))
            };
            let wanted = planned.iter().enumerate().filter(is_wanted);
            let mut wanted: Vec<&Planned> = wanted.map(|(_, one)| one).collect();
            let mut random = Random::new(mix(self.options.seed) ^ u64::from(round));
            random.shuffle(&mut wanted);
            let (patient, alone): (Vec<&Planned>, _) =
                wanted.into_iter().partition(|one| one.task.is_patient());
            for one in alone {
                self.observe(one.task.setting(), &[one], round)?;
                let done = self.store.records().len();
                self.progress.tell("measurement", done, total);
            }
            let settings: BTreeSet<Setting> =
                patient.iter().map(|one| one.task.setting()).collect();
            for setting in settings {
                let together = patient.iter().filter(|one| one.task.setting() == setting);
                let together: Vec<&Planned> = together.copied().collect();
                self.observe(setting, &together, round)?;
                let done = self.store.records().len();
                self.progress.tell("measurement", done, total);
            }
        }
        Ok(())
    }

    /// What was done before this run went on: places in `planned`, with rounds.
    fn done(&self, planned: &[Planned]) -> BTreeSet<(usize, u32)> {
        let place = |record: &Record| {
            let is_it = |one: &Planned| one.subject == record.subject && one.task == record.task;
            planned.iter().position(is_it)
        };
        let records = self.store.records().iter();
        let done = records.filter_map(|record| Some((place(record)?, record.round)));
        done.collect()
    }

    fn observe(
        &mut self,
        setting: Setting,
        planned: &[&Planned],
        round: u32,
    ) -> Result<(), StudyError> {
        let tasks: Vec<(Task, SubjectName)> = planned
            .iter()
            .map(|one| (one.task.clone(), one.subject))
            .collect();
        // The same for all tasks of a round: what is compared meets the same losses.
        let seed = mix(self.options.seed ^ mix(u64::from(round)));
        let observed = self
            .site(setting)
            .and_then(|site| site.observe(&tasks, seed));
        let observations = observed.unwrap_or_else(|reason| {
            // One that ended is started anew for the next task.
            self.sites.remove(&setting);
            vec![Observation::failed(reason); tasks.len()]
        });
        let at = self.done_before + self.begun.elapsed().as_secs_f64();
        for ((task, subject), observation) in tasks.into_iter().zip(observations) {
            let record = Record {
                task,
                subject,
                round,
                at,
                observation,
            };
            self.store.note(record).map_err(StudyError::Store)?;
        }
        Ok(())
    }

    fn site(&mut self, setting: Setting) -> Result<&mut Site, String> {
        if let Some(reason) = self.denied.get(&setting) {
            return Err(reason.clone());
        }
        if !self.sites.contains_key(&setting) {
            let of_setting = |one: &&Planned| one.task.setting() == setting;
            let tasks = self.store.manifest().tasks.iter().filter(of_setting);
            let order = Order {
                setting,
                program: self.options.program.clone(),
                tasks: tasks.map(|one| (one.task.clone(), one.subject)).collect(),
            };
            match Site::open(&order) {
                Ok(site) => {
                    self.sites.insert(setting, site);
                }
                Err(reason) => {
                    let reason = format!("{setting} cannot be had: {reason}");
                    self.denied.insert(setting, reason.clone());
                    return Err(reason);
                }
            }
        }
        self.sites
            .get_mut(&setting)
            .ok_or_else(|| "the site is gone".to_owned())
    }
}

/// Why a run has no results.
#[derive(Debug)]
#[non_exhaustive]
pub enum StudyError {
    /// The results cannot be kept.
    Store(StoreError),
    /// The machine cannot be read.
    Machine(io::Error),
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Machine(error) => write!(
                f,
                "cannot read the processor cores: {error} (the laboratory needs Linux with /proc)"
            ),
        }
    }
}

impl std::error::Error for StudyError {}
