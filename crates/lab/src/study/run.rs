use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::course::{Course, FIRST_ROUNDS, ROUNDS_AT_ONCE};
use super::difference::of_environments;
use super::neighbours::Neighbours;
use super::plan::{ordered, patient_blocks};
use super::precision::{LEAST_ROUNDS, Precision};
use super::remaining::Remaining;
use super::run_options::manifest;
use super::site::Question;
use super::sites::Sites;
use super::{
    Conditions, Observation, Planned, Record, Results, RunOptions, Setting, Store, StoreError,
    StudyError, Task, rules,
};
use crate::measurement::Environment;
use crate::process::{MachineState, MachineWatch};
use crate::progress::Progress;
use crate::statistics::mix;

/// Does what is asked and not done yet, and returns all that was found.
///
/// # Errors
/// If the results cannot be written, those of another run are in their place, or it is interrupted. What a subject or a network
/// cannot do is in the results.
pub fn run(options: &RunOptions) -> Result<Results, StudyError> {
    let manifest = manifest(options)?;
    let store = Store::begin(&options.directory, &manifest).map_err(StudyError::Store)?;
    let precision = options.precision;
    let precision = precision.map(|part| Precision::new(&options.studies, &manifest, part));
    let block = |record: &Record| {
        let mut tasks = manifest.tasks.iter();
        Some(tasks.find(|one| one.is_of(record))?.block)
    };
    let planned = &store.manifest().tasks;
    let patient_done = store.records().iter().filter(|one| one.task.is_patient());
    let patient_done = patient_done.count();
    let mut run = Run {
        neighbours: Neighbours::of_studies(&options.studies, manifest.scope, planned),
        total: store.notes().total(),
        precision,
        blocks: store.records().iter().map(block).collect(),
        environment: manifest.environment,
        options,
        sites: Sites::new(options, store.manifest().clone()),
        failures: BTreeSet::new(),
        done_before: store.records().last().map_or(0.0, |record| record.at),
        begun: Instant::now(),
        progress: Progress::new(Instant::now()),
        remaining: Remaining::new(planned, patient_done),
        machine: MachineWatch::beside(options.processes_of_external()),
        measured: 0,
        store,
    };
    let done = run.rounds();
    run.progress.finish();
    done?;
    run.print_failures();
    Ok(Results::of_notes(run.store.notes()))
}

/// One repetition in so many may be made again on a quieter machine.
const REPEATED_PART: u32 = 4;

/// The most reasons that are printed during a run. All are in the results.
const MOST_FAILURES: usize = 8;

/// Tasks that run at the same time, by setting and round.
type Together<'p> = BTreeMap<Setting, BTreeMap<u32, Vec<&'p Planned>>>;

/// A run in progress.
struct Run<'a> {
    options: &'a RunOptions,
    /// Of this machine, now.
    environment: Environment,
    /// How many observations there are in the end.
    total: usize,
    store: Store,
    sites: Sites<'a>,
    /// The reported reasons why something was not measured.
    failures: BTreeSet<String>,
    done_before: f64,
    begun: Instant,
    progress: Progress,
    remaining: Remaining,
    machine: MachineWatch,
    /// Observations with a value, of this process.
    measured: usize,
    /// How narrow intervals are to be, if that was asked for.
    precision: Option<Precision>,
    /// The block of each record.
    blocks: Vec<Option<u32>>,
    /// Which tasks are done one directly behind the other.
    neighbours: Neighbours,
}

impl Run<'_> {
    /// Each round does every task once, block by block, with agents that are started for it; patient tasks of some rounds are done
    /// all at once, before these rounds. Then blocks that were disturbed are repeated. Where the time is limited, the first rounds are
    /// followed by more of those blocks that need them.
    fn rounds(&mut self) -> Result<(), StudyError> {
        let planned = self.store.manifest().tasks.clone();
        let done = self.done(&planned);
        let first_repeat = self.store.notes().first_repeat();
        let rounds = match self.options.within {
            Some(_) => FIRST_ROUNDS.min(first_repeat),
            None => first_repeat,
        };
        for round in 0..rounds {
            let precise = self.precise_blocks(&planned, round);
            let is_wanted = |place: usize, one: &Planned, round: u32| {
                round < one.repetitions
                    && !done.contains(&(place, round))
                    && !precise.contains(&one.block)
            };
            if round % ROUNDS_AT_ONCE == 0 {
                let together = round..rounds.min(round + ROUNDS_AT_ONCE);
                self.patient_rounds(&planned, together, is_wanted)?;
            }
            self.round(&planned, round, is_wanted)?;
        }
        if self.options.within.is_some() {
            self.share_time(&planned, &done)?;
        }
        // Without verdicts it makes no difference.
        let repeats = match first_repeat < rules().repetitions {
            true => 0,
            false => first_repeat.div_ceil(REPEATED_PART),
        };
        for repeat in 0..repeats {
            let round = first_repeat + repeat;
            let mut disturbed = self.disturbed_blocks(&planned, repeat);
            disturbed.retain(|block| !self.is_precise(&planned, *block));
            self.round(&planned, round, |place, one, round| {
                disturbed.contains(&one.block)
                    && !one.task.is_counted()
                    && !done.contains(&(place, round))
            })?;
        }
        Ok(())
    }

    /// Shares out the rest of the time among the blocks that are not precise.
    fn share_time(
        &mut self,
        planned: &[Planned],
        done: &BTreeSet<(usize, u32)>,
    ) -> Result<(), StudyError> {
        let mut begun = BTreeMap::new();
        for (record, block) in self.store.records().iter().zip(&self.blocks) {
            let last: &mut u32 = begun.entry(block.unwrap_or_default()).or_default();
            *last = record.round.max(*last);
        }
        let mut course = Course::new(planned, self.store.notes().conditions(), &begun);
        while !self.is_over()
            && let Some(group) = course.next()
        {
            let mut blocks = group.blocks.iter();
            if blocks.all(|block| self.is_precise(planned, *block)) {
                group.close();
                continue;
            }
            if !self.has_time_for(group.expected_seconds()) {
                group.close();
                continue;
            }
            let (rounds, measured, begun) = (group.rounds(), self.measured, Instant::now());
            let is_wanted = |place: usize, one: &Planned, round: u32| {
                group.blocks.contains(&one.block)
                    && round < one.repetitions
                    && !done.contains(&(place, round))
            };
            let mut wanted = self.patient_rounds(planned, rounds.clone(), is_wanted)?;
            for round in rounds {
                wanted += self.round(planned, round, is_wanted)?;
            }
            group.advance(begun.elapsed().as_secs_f64());
            if wanted > 0 && self.measured == measured {
                group.close();
            }
        }
        Ok(())
    }

    /// Whether the time that the run may take is over.
    fn is_over(&self) -> bool {
        !self.has_time_for(0.0)
    }

    fn has_time_for(&self, seconds: f64) -> bool {
        let limit = self.options.within.map(|minutes| f64::from(minutes) * 60.0);
        limit.is_none_or(|limit| self.elapsed() + seconds < limit)
    }

    /// Seconds that the run has taken, its interruptions left out.
    fn elapsed(&self) -> f64 {
        self.done_before + self.begun.elapsed().as_secs_f64()
    }

    /// The wanted tasks of a round, in the order of the round.
    fn wanted<'a>(
        &self,
        planned: &'a [Planned],
        round: u32,
        is_wanted: impl Fn(usize, &Planned) -> bool,
    ) -> Result<Vec<&'a Planned>, StudyError> {
        let wanted = ordered(planned, &self.neighbours, self.options.seed, round).into_iter();
        let wanted = wanted.filter(|(place, one)| is_wanted(*place, one));
        let wanted: Vec<&Planned> = wanted.map(|(_, one)| one).collect();
        if !wanted.is_empty() {
            self.refuse_other_environment()?;
        }
        Ok(wanted)
    }

    /// Does the wanted tasks of a round, except the patient ones. Returns how many there are.
    fn round(
        &mut self,
        planned: &[Planned],
        round: u32,
        is_wanted: impl Fn(usize, &Planned, u32) -> bool,
    ) -> Result<usize, StudyError> {
        let wanted = self.wanted(planned, round, |place, one| {
            !one.task.is_patient() && is_wanted(place, one, round)
        })?;
        if round >= self.store.notes().first_repeat() {
            self.total = self.store.records().len() + wanted.len();
        }
        let count = wanted.len();
        let (counted, timed): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|one| one.task.is_counted());
        for block in timed.chunk_by(|one, next| one.block == next.block) {
            if self.is_over() {
                return Ok(count);
            }
            let before = self.begin();
            for one in block {
                let alone = self.together([(round, *one)]);
                self.observe(&alone)?;
            }
            let machine = self.machine.end();
            self.note_conditions(block, round, before, machine)?;
        }
        self.counted(&counted, &timed, round)?;
        Ok(count)
    }

    /// Counts packets in all settings at the same time, then reads memory. Memory waits, because a late response causes an extra
    /// acknowledgement. Both come at the end of a round, when all agents run: processes share the pages of their program.
    /// `timed` has the other tasks of the round.
    fn counted(
        &mut self,
        wanted: &[&Planned],
        timed: &[&Planned],
        round: u32,
    ) -> Result<(), StudyError> {
        let (memory, packets): (Vec<&Planned>, _) = wanted
            .iter()
            .partition(|one| matches!(one.task, Task::Memory(_)));
        for together in [packets, memory] {
            if together.is_empty() || self.is_over() {
                continue;
            }
            let before = self.begin();
            let tasks = self.together(together.iter().map(|one| (round, *one)));
            self.observe(&tasks)?;
            let machine = self.machine.end().of_each(1);
            // The conditions of a block with timed tasks are noted already.
            let is_untimed = |one: &&Planned| timed.iter().all(|timed| timed.block != one.block);
            let untimed: Vec<&Planned> = together.into_iter().filter(is_untimed).collect();
            self.note_conditions(&untimed, round, before, machine)?;
        }
        Ok(())
    }

    /// Does the wanted patient tasks of these rounds at the same time. Returns how many there are.
    fn patient_rounds(
        &mut self,
        planned: &[Planned],
        rounds: Range<u32>,
        is_wanted: impl Fn(usize, &Planned, u32) -> bool,
    ) -> Result<usize, StudyError> {
        let mut all = Vec::new();
        for round in rounds {
            let wanted = self.wanted(planned, round, |place, one| {
                one.task.is_patient() && is_wanted(place, one, round)
            })?;
            all.extend(wanted.into_iter().map(|one| (round, one)));
        }
        let count = all.len();
        for (setting, rounds) in self.together(all) {
            if self.is_over() {
                break;
            }
            let runs: usize = rounds.values().map(Vec::len).sum();
            self.progress.print(&format!(
                "{runs} runs across links wait at the same time: this takes some minutes"
            ));
            let before = self.begin();
            self.observe(&BTreeMap::from([(setting, rounds.clone())]))?;
            let machine = self.machine.end().of_each(rounds.len());
            for (round, together) in &rounds {
                self.note_conditions(together, *round, before, machine)?;
            }
        }
        Ok(count)
    }

    /// Groups tasks by setting and round.
    fn together<'p>(&self, tasks: impl IntoIterator<Item = (u32, &'p Planned)>) -> Together<'p> {
        let mut together = Together::new();
        for (round, one) in tasks {
            let rounds = together.entry(self.sites.setting(one)).or_default();
            rounds.entry(round).or_default().push(one);
        }
        together
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
        machine: MachineState,
    ) -> Result<(), StudyError> {
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
        let notes = self.store.notes();
        let mut disturbed: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for one in notes.disturbed() {
            if one.round < notes.first_repeat() {
                disturbed.entry(one.block).or_default().insert(one.round);
            }
        }
        let mut blocks = BTreeSet::new();
        for one in planned {
            let rounds = disturbed.get(&one.block).map_or(0, BTreeSet::len) as u32;
            if repeat < rounds.min(one.repetitions.div_ceil(REPEATED_PART)) {
                blocks.insert(one.block);
            }
        }
        blocks
            .difference(&patient_blocks(planned))
            .copied()
            .collect()
    }

    /// Blocks whose figures are known as precisely as is asked for.
    fn precise_blocks(&self, planned: &[Planned], round: u32) -> BTreeSet<u32> {
        if self.precision.is_none() || round < LEAST_ROUNDS {
            return BTreeSet::new();
        }
        let blocks: BTreeSet<u32> = planned.iter().map(|one| one.block).collect();
        let blocks = blocks.into_iter();
        blocks
            .filter(|block| self.is_precise(planned, *block))
            .collect()
    }

    fn is_precise(&self, planned: &[Planned], block: u32) -> bool {
        let Some(precision) = &self.precision else {
            return false;
        };
        let of_block: Vec<&Planned> = planned.iter().filter(|one| one.block == block).collect();
        let records = self.store.records().iter().zip(&self.blocks);
        let records = records.filter(|(_, of)| **of == Some(block));
        let records: Vec<Record> = records.map(|(record, _)| record.clone()).collect();
        precision.is_reached(&of_block, &records)
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

    /// Does tasks of rounds once, in all settings at the same time, and notes what was found.
    fn observe(&mut self, together: &Together<'_>) -> Result<(), StudyError> {
        let seed = self.options.seed;
        let question = |(round, planned): (&u32, &Vec<&Planned>)| Question {
            tasks: planned
                .iter()
                .map(|one| (one.task.clone(), one.subject))
                .collect(),
            // All tasks of a round have one seed, so that what is compared meets the same losses.
            seed: mix(seed ^ mix(u64::from(*round))),
            round: *round,
        };
        let questions = together
            .iter()
            .map(|(setting, rounds)| (*setting, rounds.iter().map(question).collect()));
        let begun = Instant::now();
        let mut answers = self.sites.ask(&questions.collect());
        if self.options.interruption.is_asked() {
            return Err(self.interrupted());
        }
        let mut done = Vec::new();
        for (setting, rounds) in together {
            let answer = answers.remove(setting).unwrap_or_else(|| Ok(Vec::new()));
            let observations = answer.unwrap_or_else(|reason| {
                let failed = Observation::failed(reason);
                let each = |planned: &Vec<_>| vec![failed.clone(); planned.len()];
                rounds.values().map(each).collect()
            });
            for ((round, planned), observations) in rounds.iter().zip(observations) {
                for (one, observation) in planned.iter().zip(observations) {
                    self.note(one, *round, observation)?;
                    done.push(*one);
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        self.remaining.note(&done, seconds);
        self.report_progress();
        Ok(())
    }

    fn note(
        &mut self,
        planned: &Planned,
        round: u32,
        observation: Observation,
    ) -> Result<(), StudyError> {
        self.print_failure(&observation);
        self.measured += usize::from(!observation.measures.is_empty());
        let record = Record {
            task: planned.task.clone(),
            subject: planned.subject,
            round,
            at: self.elapsed(),
            observation,
        };
        self.store.note(record).map_err(StudyError::Store)?;
        // What failed before is replaced in its place.
        if self.blocks.len() < self.store.records().len() {
            self.blocks.push(Some(planned.block));
        }
        Ok(())
    }

    fn report_progress(&mut self) {
        match self.options.within {
            Some(minutes) => {
                let seconds = minutes as usize * 60;
                let elapsed = seconds.min(self.elapsed() as usize);
                let left = Duration::from_secs((seconds - elapsed) as u64);
                let of_total = (elapsed, seconds);
                self.progress.report_left("second", of_total, Some(left));
            }
            None => {
                let done = self.store.records().len();
                let left = self.remaining.time(self.total.saturating_sub(done));
                let of_total = (done, self.total);
                self.progress.report_left("measurement", of_total, left);
            }
        }
    }

    /// How many measurements there are in the end; of a run whose time is limited, how many there are.
    fn total(&self) -> usize {
        match self.options.within {
            Some(_) => self.store.records().len(),
            None => self.total,
        }
    }

    /// Prints each reason once, as soon as it is known.
    fn print_failure(&mut self, observation: &Observation) {
        if !observation.measures.is_empty() || self.failures.len() >= MOST_FAILURES {
            return;
        }
        if let Some(reason) = &observation.trouble
            && self.failures.insert(reason.clone())
        {
            self.progress.print(&format!("not measured: {reason}"));
        }
    }

    fn print_failures(&self) {
        let records = self.store.records().iter();
        let failed = records.filter(|record| record.observation.measures.is_empty());
        let (failed, total) = (failed.count(), self.total());
        if failed > 0 {
            let again = match self.options.is_kept {
                true => ": the same command tries them again",
                false => "",
            };
            self.progress
                .print(&format!("{failed} of {total} measurements failed{again}"));
        }
    }

    fn interrupted(&self) -> StudyError {
        StudyError::Interrupted {
            directory: self.options.directory.clone(),
            done: self.store.records().len(),
            total: self.total(),
        }
    }
}
