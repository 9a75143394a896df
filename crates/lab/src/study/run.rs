use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::difference::of_environments;
use super::order::Order;
use super::plan::ordered;
use super::precision::precise_blocks;
use super::site::Site;
use super::{
    Conditions, Interruption, Manifest, NetworkName, Observation, Planned, Record, Results, Scope,
    Setting, SiteProgram, SmallBoards, Store, StoreError, Study, SubjectName, Task, rules,
};
use crate::environment::environment;
use crate::measurement::Environment;
use crate::process::{Cores, MachineWatch};
use crate::progress::Progress;
use crate::statistics::mix;
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
    /// How narrow intervals are to be for a comparison to end before all its repetitions: a part of the value.
    pub precision: Option<f64>,
    /// The network between manager and agent; loopback if nothing is said.
    pub network: Option<NetworkName>,
    /// Of a core, in hundredths, for each agent.
    pub slow: Option<u32>,
    /// The directory of the results.
    pub directory: PathBuf,
    /// How to start sites.
    pub program: SiteProgram,
    /// What to do instead of what the studies need: what another run did.
    pub replay: Option<Manifest>,
    /// How it is ended before its time.
    pub interruption: Interruption,
}

/// Does what is asked and not done yet, and returns all that was found.
///
/// # Errors
/// If the results cannot be written, those of another run are in their place, or it is interrupted. What a subject or a network
/// cannot do is in the results.
pub fn run(options: &RunOptions) -> Result<Results, StudyError> {
    let manifest = manifest(options)?;
    let store = Store::begin(&options.directory, &manifest).map_err(StudyError::Store)?;
    let mut run = Run {
        total: store.notes().total(),
        environment: manifest.environment,
        options,
        sites: BTreeMap::new(),
        denied: BTreeMap::new(),
        failures: BTreeSet::new(),
        done_before: store.records().last().map_or(0.0, |record| record.at),
        begun: Instant::now(),
        progress: Progress::new(Instant::now()),
        machine: MachineWatch::default(),
        measured: 0,
        store,
    };
    let done = run.rounds();
    run.progress.finish();
    done?;
    run.tell_failures();
    Ok(Results::of_notes(run.store.notes()))
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
    let (scope, names) = (options.scope, &options.subjects);
    let mut manifest = Manifest::of_studies(&options.studies, scope, names, environment);
    if let Some(replayed) = &options.replay {
        manifest.tasks.clone_from(&replayed.tasks);
    }
    for planned in &mut manifest.tasks {
        planned.repetitions = options.repetitions.unwrap_or(planned.repetitions);
    }
    let small_boards = small_boards(options, &manifest.tasks).map_err(StudyError::SmallBoards)?;
    Ok(Manifest {
        precision: options.precision,
        network: options.network.map(|name| name.network().clone()),
        slow: options.slow,
        small_boards,
        ..manifest
    })
}

/// What is known of small boards, if a task asks for it: what a run that is repeated knew, or what the environment names.
fn small_boards(options: &RunOptions, tasks: &[Planned]) -> Result<Option<SmallBoards>, String> {
    let is_asked = |one: &Planned| matches!(one.task, Task::SmallBoard(_));
    if !tasks.iter().any(is_asked) {
        return Ok(None);
    }
    let replayed = options.replay.as_ref();
    match replayed.and_then(|manifest| manifest.small_boards.clone()) {
        Some(known) => Ok(Some(known)),
        None => SmallBoards::of_environment(),
    }
}

/// One repetition in so many may be made again on a quieter machine.
const REPEATED_PART: u32 = 4;

/// The most reasons that are printed during a run. All are in the results.
const MOST_FAILURES: usize = 8;

/// A run in progress.
struct Run<'a> {
    options: &'a RunOptions,
    /// Of this machine, now.
    environment: Environment,
    /// How many observations there are in the end.
    total: usize,
    store: Store,
    sites: BTreeMap<Setting, Site>,
    /// Why there is no site for a setting.
    denied: BTreeMap<Setting, String>,
    /// The reported reasons why something was not measured.
    failures: BTreeSet<String>,
    done_before: f64,
    begun: Instant,
    progress: Progress,
    machine: MachineWatch,
    /// Observations with a value, of this process.
    measured: usize,
}

impl Run<'_> {
    /// Each round does every task once, block by block, with agents that are started for it; patient tasks of a site all at
    /// once, at its end. Then blocks that were disturbed are repeated.
    fn rounds(&mut self) -> Result<(), StudyError> {
        let planned = self.store.manifest().tasks.clone();
        let done = self.done(&planned);
        let first_repeat = self.store.notes().first_repeat();
        for round in 0..first_repeat {
            let is_wanted = |place: usize, one: &Planned| {
                round < one.repetitions && !done.contains(&(place, round))
            };
            self.round(&planned, round, is_wanted)?;
        }
        // Without verdicts it makes no difference.
        let repeats = match first_repeat < rules().repetitions {
            true => 0,
            false => first_repeat.div_ceil(REPEATED_PART),
        };
        for repeat in 0..repeats {
            let round = first_repeat + repeat;
            let disturbed = self.disturbed_blocks(&planned, repeat);
            let is_wanted = |place: usize, one: &Planned| {
                disturbed.contains(&one.block) && !done.contains(&(place, round))
            };
            self.round(&planned, round, is_wanted)?;
        }
        Ok(())
    }

    fn round(
        &mut self,
        planned: &[Planned],
        round: u32,
        is_wanted: impl Fn(usize, &Planned) -> bool,
    ) -> Result<(), StudyError> {
        let precise = self.precise_blocks(planned, round);
        let wanted = ordered(planned, self.options.seed, round).into_iter();
        let wanted = wanted.filter(|(place, one)| is_wanted(*place, one));
        let wanted: Vec<&Planned> = wanted.map(|(_, one)| one).collect();
        let wanted: Vec<&Planned> = wanted
            .into_iter()
            .filter(|one| !precise.contains(&one.block))
            .collect();
        if !wanted.is_empty() {
            self.refuse_other_environment()?;
        }
        if round >= self.store.notes().first_repeat() {
            self.total = self.store.records().len() + wanted.len();
        }
        let (patient, alone): (Vec<&Planned>, Vec<&Planned>) =
            wanted.into_iter().partition(|one| one.task.is_patient());
        for block in alone.chunk_by(|one, next| one.block == next.block) {
            let before = self.begin();
            for one in block {
                self.observe(self.setting(one), &[one], round)?;
            }
            self.note_conditions(block, round, before)?;
        }
        let settings: BTreeSet<Setting> = patient.iter().map(|one| self.setting(one)).collect();
        for setting in settings {
            let together = patient.iter().filter(|one| self.setting(one) == setting);
            let together: Vec<&Planned> = together.copied().collect();
            let before = self.begin();
            self.observe(setting, &together, round)?;
            self.note_conditions(&together, round, before)?;
        }
        Ok(())
    }

    /// Begins a block, and says how much was measured before.
    fn begin(&mut self) -> usize {
        self.machine.begin();
        self.measured
    }

    /// Notes what the machine was like while these were measured, if they were.
    fn note_conditions(
        &mut self,
        measured: &[&Planned],
        round: u32,
        before: usize,
    ) -> Result<(), StudyError> {
        let machine = self.machine.end();
        if self.measured == before {
            return Ok(());
        }
        let blocks: BTreeSet<u32> = measured.iter().map(|one| one.block).collect();
        for block in blocks {
            let conditions = Conditions {
                block,
                round,
                machine,
            };
            let noted = self.store.note_conditions(conditions);
            noted.map_err(StudyError::Store)?;
        }
        Ok(())
    }

    /// Blocks that were disturbed more often than they were repeated so far, and may be repeated once more. Runs across links
    /// look after that themselves.
    fn disturbed_blocks(&self, planned: &[Planned], repeat: u32) -> BTreeSet<u32> {
        let first_repeat = self.store.notes().first_repeat();
        let mut disturbed: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for one in self.store.notes().conditions() {
            if one.round < first_repeat && one.machine.is_disturbed() {
                disturbed.entry(one.block).or_default().insert(one.round);
            }
        }
        let mut blocks = BTreeSet::new();
        let mut patient = BTreeSet::new();
        for one in planned {
            if one.task.is_patient() {
                patient.insert(one.block);
            }
            let rounds = disturbed.get(&one.block).map_or(0, BTreeSet::len) as u32;
            if repeat < rounds.min(one.repetitions.div_ceil(REPEATED_PART)) {
                blocks.insert(one.block);
            }
        }
        blocks.difference(&patient).copied().collect()
    }

    /// Blocks whose figures are known as precisely as is asked for.
    fn precise_blocks(&self, planned: &[Planned], round: u32) -> BTreeSet<u32> {
        match self.options.precision {
            Some(precision) if round >= rules().repetitions => {
                let studies = &self.options.studies;
                precise_blocks(studies, self.store.notes(), planned, precision)
            }
            _ => BTreeSet::new(),
        }
    }

    /// What was done before this run went on: places in `planned`, with rounds. What failed is not done.
    fn done(&self, planned: &[Planned]) -> BTreeSet<(usize, u32)> {
        let place = |record: &Record| planned.iter().position(|one| one.is_of(record));
        let records = self.store.records().iter();
        let records = records.filter(|record| !record.observation.measures.is_empty());
        let done = records.filter_map(|record| Some((place(record)?, record.round)));
        done.collect()
    }

    /// Values of one run are compared with each other: they have to be of one machine and of the same programs.
    fn refuse_other_environment(&self) -> Result<(), StudyError> {
        let then = &self.store.manifest().environment;
        let differences = of_environments(then, &self.environment);
        if differences.is_empty() {
            return Ok(());
        }
        Err(StudyError::Store(StoreError::OtherEnvironment {
            directory: self.options.directory.clone(),
            differences,
        }))
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
        let observations = match self.attempt(setting, &tasks, seed, round) {
            Ok(observations) => observations,
            // One that ended is restarted; its end may have nothing to do with this task.
            Err(_) if !self.options.interruption.is_asked() => {
                let again = self.attempt(setting, &tasks, seed, round);
                again.unwrap_or_else(|reason| vec![Observation::failed(reason); tasks.len()])
            }
            Err(_) => Vec::new(),
        };
        if self.options.interruption.is_asked() {
            return Err(self.interrupted());
        }
        let at = self.done_before + self.begun.elapsed().as_secs_f64();
        for ((task, subject), observation) in tasks.into_iter().zip(observations) {
            self.tell_failure(&observation);
            self.measured += usize::from(!observation.measures.is_empty());
            let record = Record {
                task,
                subject,
                round,
                at,
                observation,
            };
            self.store.note(record).map_err(StudyError::Store)?;
        }
        let done = self.store.records().len();
        self.progress.tell("measurement", done, self.total);
        Ok(())
    }

    /// Tells each reason once, as soon as it is known.
    fn tell_failure(&mut self, observation: &Observation) {
        if !observation.measures.is_empty() || self.failures.len() >= MOST_FAILURES {
            return;
        }
        if let Some(reason) = &observation.trouble
            && self.failures.insert(reason.clone())
        {
            self.progress.say(&format!("not measured: {reason}"));
        }
    }

    fn tell_failures(&self) {
        let records = self.store.records().iter();
        let failed = records.filter(|record| record.observation.measures.is_empty());
        let (failed, total) = (failed.count(), self.total);
        if failed > 0 {
            self.progress.say(&format!(
                "{failed} of {total} measurements failed: the same command tries them again"
            ));
        }
    }

    /// Has tasks done; the reason if that cannot be, or the process in which they are done has ended.
    fn attempt(
        &mut self,
        setting: Setting,
        tasks: &[(Task, SubjectName)],
        seed: u64,
        round: u32,
    ) -> Result<Vec<Observation>, String> {
        let observed = self.site(setting)?.observe(tasks, seed, round);
        if observed.is_err() {
            self.sites.remove(&setting);
        }
        observed
    }

    /// Where a task is done: across the network that was asked for, if it asks anything of an agent.
    fn setting(&self, planned: &Planned) -> Setting {
        let setting = planned.task.setting();
        match self.options.network {
            Some(network) if planned.task.asks_an_agent() => setting.across(network),
            _ => setting,
        }
    }

    fn interrupted(&self) -> StudyError {
        StudyError::Interrupted {
            directory: self.options.directory.clone(),
            done: self.store.records().len(),
            total: self.total,
        }
    }

    fn site(&mut self, setting: Setting) -> Result<&mut Site, String> {
        if let Some(reason) = self.denied.get(&setting) {
            return Err(reason.clone());
        }
        if !self.sites.contains_key(&setting) {
            let tasks = self.store.manifest().tasks.iter();
            let tasks = tasks.filter(|one| self.setting(one) == setting);
            let order = Order {
                setting,
                program: self.options.program.clone(),
                tasks: tasks.map(|one| (one.task.clone(), one.subject)).collect(),
                share: self.options.slow,
                seed: self.options.seed,
                small_boards: self.store.manifest().small_boards.clone(),
            };
            match Site::open(&order, &self.options.interruption) {
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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The results cannot be kept.
    #[error("{0}")]
    Store(StoreError),
    /// The figures of small boards cannot be read.
    #[error(
        "{0} (`scripts/small-board --output FILE` makes such a file; without the variable the run goes on)"
    )]
    SmallBoards(String),
    /// The machine cannot be read.
    #[error("cannot read the processor cores: {0} (the laboratory needs Linux with /proc)")]
    Machine(io::Error),
    /// It was ended before its time.
    #[error(
        "interrupted: {done} of {total} measurements are in {directory}, and the same command goes on from there"
    )]
    Interrupted {
        /// Where it continues when it is started again.
        directory: PathBuf,
        /// How many observations there are.
        done: usize,
        /// How many there are to be.
        total: usize,
    },
}
