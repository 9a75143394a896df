use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::patient_blocks;
use super::published::{PACKED, unpack};
use super::rule::rules;
use super::{Manifest, Planned, RESULTS_VERSION, Record, SmallBoards, StoreError};
use crate::process::{MachineState, UsualPace};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const OBSERVATIONS: &str = "observations.jsonl";

/// What the machine was like while a block was measured: a line of the notes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The block.
    pub block: u32,
    /// Which repetition it was.
    pub round: u32,
    /// The machine.
    pub machine: MachineState,
}

/// How such a line begins.
const OF_CONDITIONS: &[u8] = b"{\"block\"";

/// What a run was asked and has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    manifest: Manifest,
    records: Vec<Record>,
    /// Which of the records have no value.
    valueless: Vec<usize>,
    conditions: Vec<Conditions>,
}

impl Notes {
    /// Reads what a run has left, and changes nothing.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
    pub fn read(directory: &Path) -> Result<Self, StoreError> {
        let (mut notes, _) = Self::read_whole(directory)?;
        let packed = directory.join(PACKED);
        if packed.exists() {
            notes.add_lines(&packed, &unpack(&packed)?)?;
        }
        Ok(notes)
    }

    /// The same, and how many octets of the observations it is made of: a line that was cut by the end of the program, or by
    /// a full disk, is done again.
    pub(super) fn read_whole(directory: &Path) -> Result<(Self, u64), StoreError> {
        let path = directory.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(StoreError::NoRun {
                    directory: directory.to_owned(),
                });
            }
            Err(error) => return Err(StoreError::file(&path, error)),
        };
        let mut notes = Self::of_manifest(read_manifest(&path, &text)?);
        let whole = notes.read_records(&directory.join(OBSERVATIONS))?;
        Ok((notes, whole))
    }

    /// Adds what is known of small boards by now.
    pub(super) fn learn_of_small_boards(&mut self, boards: SmallBoards) {
        self.manifest.small_boards = Some(boards);
    }

    /// Those of a run that has found nothing yet.
    pub(super) const fn of_manifest(manifest: Manifest) -> Self {
        Self {
            manifest,
            records: Vec::new(),
            valueless: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn read_records(&mut self, path: &Path) -> Result<u64, StoreError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(StoreError::file(path, error)),
        };
        self.add_lines(path, &text)
    }

    /// Adds whole lines, and returns how many octets these are.
    fn add_lines(&mut self, path: &Path, text: &[u8]) -> Result<u64, StoreError> {
        let mut whole = 0;
        for (line, number) in text.split_inclusive(|octet| *octet == b'\n').zip(1..) {
            if !line.ends_with(b"\n") {
                break;
            }
            let damaged = |error: serde_json::Error| StoreError::DamagedLine {
                path: path.to_owned(),
                line: number,
                reason: reason_of(&error),
            };
            if line.starts_with(OF_CONDITIONS) {
                self.add_conditions(serde_json::from_slice(line).map_err(damaged)?);
            } else {
                self.add(serde_json::from_slice(line).map_err(damaged)?);
            }
            whole += line.len() as u64;
        }
        Ok(whole)
    }

    /// What the run was asked.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What it has found.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What the machine was like.
    #[must_use]
    pub fn conditions(&self) -> &[Conditions] {
        &self.conditions
    }

    /// Adds what the machine was like while a block was measured.
    pub(super) fn add_conditions(&mut self, conditions: Conditions) {
        self.conditions.push(conditions);
    }

    /// Measurements of blocks in which the machine had other things to do, or another pace than in most of them. Runs across links
    /// wait most of the time, so what disturbs others need not disturb them: they are disturbed where packets or answers were late.
    pub(super) fn disturbed(&self) -> impl Iterator<Item = &Conditions> {
        let paces = self.conditions.iter().filter_map(|one| one.machine.pace);
        let usual = UsualPace::of(&paces.collect::<Vec<_>>());
        let patient = patient_blocks(&self.manifest.tasks);
        let late = self.late();
        let is_disturbed = move |one: &&Conditions| match patient.contains(&one.block) {
            true => late.contains(&(one.block, one.round)),
            false => one.machine.is_disturbed(&usual),
        };
        self.conditions.iter().filter(is_disturbed)
    }

    /// Blocks and rounds in which packets or answers were late, though they were repeated.
    fn late(&self) -> BTreeSet<(u32, u32)> {
        let late = self.records.iter().filter(|one| one.observation.is_late());
        let of_blocks = late.flat_map(|record| {
            let tasks = self.manifest.tasks.iter();
            let tasks = tasks.filter(|one| one.is_of(record));
            tasks.map(|one| (one.block, record.round))
        });
        of_blocks.collect()
    }

    /// Rounds from this one on repeat blocks that were disturbed.
    pub(super) fn first_repeat(&self) -> u32 {
        let repetitions = self.manifest.tasks.iter().map(|one| one.repetitions);
        repetitions.max().unwrap_or_default()
    }

    /// The records that count: those of a disturbed repetition do not where enough quiet ones of the block are left for a verdict, or
    /// where it was repeated on a quiet machine. A task whose repetitions were all disturbed keeps them. Disturbed ones that count are
    /// marked.
    #[must_use]
    pub fn chosen(&self) -> Cow<'_, [Record]> {
        let disturbed: BTreeSet<(u32, u32)> =
            self.disturbed().map(|one| (one.block, one.round)).collect();
        if disturbed.is_empty() {
            return Cow::Borrowed(&self.records);
        }
        let left_out = self.left_out();
        let has_quiet = |one: &Planned| {
            let mut records = self.records.iter();
            records
                .any(|record| !left_out.contains(&(one.block, record.round)) && one.is_of(record))
        };
        let replaced = self.tasks_by_round(&left_out, has_quiet);
        let disturbed = self.tasks_by_round(&disturbed, |_| true);
        let is_in = |tasks: &BTreeMap<u32, Vec<&Planned>>, record: &Record| {
            let tasks = tasks.get(&record.round);
            tasks.is_some_and(|tasks| tasks.iter().any(|one| one.is_of(record)))
        };
        let counting = self
            .records
            .iter()
            .filter(|record| !is_in(&replaced, record));
        let marked = counting.cloned().map(|mut record| {
            record.observation.disturbed = is_in(&disturbed, &record);
            record
        });
        Cow::Owned(marked.collect())
    }

    /// The wanted tasks of these blocks in these rounds. Counted tasks are left out: a block's conditions describe its timed tasks.
    fn tasks_by_round(
        &self,
        measured: &BTreeSet<(u32, u32)>,
        is_wanted: impl Fn(&Planned) -> bool,
    ) -> BTreeMap<u32, Vec<&Planned>> {
        let blocks: BTreeSet<u32> = measured.iter().map(|(block, _)| *block).collect();
        let tasks = self.manifest.tasks.iter();
        let wanted = tasks
            .filter(|one| blocks.contains(&one.block) && !one.task.is_counted() && is_wanted(one));
        let wanted: Vec<&Planned> = wanted.collect();
        let mut rounds: BTreeMap<u32, Vec<&Planned>> = BTreeMap::new();
        for (block, round) in measured {
            let of_block = wanted.iter().copied().filter(|one| one.block == *block);
            rounds.entry(*round).or_default().extend(of_block);
        }
        rounds
    }

    /// In how many rounds all tasks of a block are done that are done often enough for a verdict.
    fn least_repetitions(&self, block: u32) -> u32 {
        let of_block = self.manifest.tasks.iter().filter(|one| one.block == block);
        let repetitions = of_block.map(|one| one.repetitions);
        let repetitions = repetitions.filter(|one| *one >= rules().repetitions);
        repetitions.min().unwrap_or_default()
    }

    /// Blocks and rounds that do not count: the machine decides it, never a value.
    pub(super) fn left_out(&self) -> BTreeSet<(u32, u32)> {
        // Whether each round was disturbed.
        let mut blocks: BTreeMap<u32, BTreeMap<u32, bool>> = BTreeMap::new();
        for one in &self.conditions {
            blocks
                .entry(one.block)
                .or_default()
                .insert(one.round, false);
        }
        for one in self.disturbed() {
            blocks.entry(one.block).or_default().insert(one.round, true);
        }
        let mut left_out = BTreeSet::new();
        for (block, rounds) in blocks {
            let rounds = self.left_out_of(block, rounds);
            left_out.extend(rounds.into_iter().map(|round| (block, round)));
        }
        left_out
    }

    fn left_out_of(&self, block: u32, rounds: BTreeMap<u32, bool>) -> Vec<u32> {
        let (first, least) = (self.first_repeat(), self.least_repetitions(block));
        let is_repeat = |round: &u32| *round >= first;
        let (disturbed, quiet): (Vec<_>, Vec<_>) =
            rounds.into_iter().partition(|(_, disturbed)| *disturbed);
        let quiet = quiet.iter().map(|(round, _)| round);
        let repeats = quiet.clone().filter(|round| is_repeat(round)).count();
        let counting = quiet.filter(|round| is_repeat(round) || **round < least);
        let replaced = match counting.count() >= rules().repetitions as usize {
            true => disturbed.len(),
            false => repeats,
        };
        let disturbed = disturbed.into_iter().map(|(round, _)| round);
        let (in_vain, planned): (Vec<u32>, Vec<u32>) = disturbed.partition(is_repeat);
        planned.into_iter().take(replaced).chain(in_vain).collect()
    }

    /// How many measurements there are in the end.
    #[must_use]
    pub fn total(&self) -> usize {
        let repetitions = self.manifest.tasks.iter().map(|one| one.repetitions);
        repetitions.map(|one| one as usize).sum()
    }

    /// Adds a record, in place of one of the same repetition without a value: what failed may be done again.
    pub(super) fn add(&mut self, record: Record) {
        let is_valueless = record.observation.measures.is_empty();
        if let Some((place, at)) = self.failed(&record) {
            if !is_valueless {
                self.valueless.swap_remove(place);
            }
            if let Some(former) = self.records.get_mut(at) {
                *former = record;
            }
            return;
        }
        if is_valueless {
            self.valueless.push(self.records.len());
        }
        self.records.push(record);
    }

    /// Whether the same repetition failed before for the same reason.
    pub(super) fn is_known_to_fail(&self, record: &Record) -> bool {
        let former = self
            .failed(record)
            .and_then(|(_, at)| self.records.get(at))
            .map(|former| &former.observation.trouble);
        record.observation.measures.is_empty() && former == Some(&record.observation.trouble)
    }

    fn failed(&self, record: &Record) -> Option<(usize, usize)> {
        let mut valueless = self.valueless.iter().copied().enumerate();
        valueless.find(|(_, at)| {
            let former = self.records.get(*at);
            former.is_some_and(|former| former.is_of_the_same(record))
        })
    }
}

fn read_manifest(path: &Path, text: &[u8]) -> Result<Manifest, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::DamagedManifest {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let value: serde_json::Value = serde_json::from_slice(text).map_err(damaged)?;
    let version = value
        .get("schema_version")
        .and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(RESULTS_VERSION)) {
        return Err(StoreError::OtherVersion {
            path: path.to_owned(),
            version,
        });
    }
    // Not from the value, which does not know lines.
    let manifest: Manifest = serde_json::from_slice(text).map_err(damaged)?;
    match manifest.studies() {
        Ok(_) => Ok(manifest),
        Err(fault) => Err(StoreError::DamagedManifest {
            path: path.to_owned(),
            reason: fault.to_string(),
        }),
    }
}

/// Without the line, which is always the first one here.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason} (column {})", error.column()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Measure, Observation, Plan, Scope, SubjectName, Task, find};
    use super::*;
    use crate::environment::environment;
    use crate::process::{Cores, Pace};

    fn state(others: f64) -> MachineState {
        MachineState {
            seconds: 1.0,
            others,
            pace: Some(Pace::LoopTime(50.0)),
            ..MachineState::default()
        }
    }

    /// Some tasks, with these blocks and repetitions.
    fn tasks<const N: usize>(wanted: [(u32, u32); N]) -> Vec<Planned> {
        let studies = [find("du2001").unwrap()];
        let tasks = Plan::of_studies(&studies, Scope::Quick, &[SubjectName::Varbind]).tasks;
        let tasks = tasks.into_iter().zip(wanted);
        let tasks = tasks.map(|(one, (block, repetitions))| Planned {
            block,
            repetitions,
            ..one
        });
        tasks.collect()
    }

    fn notes(tasks: &[Planned]) -> Notes {
        let (studies, subjects) = ([find("du2001").unwrap()], [SubjectName::Varbind]);
        let environment = environment(&Cores::available().unwrap(), 1);
        Notes::of_manifest(Manifest {
            tasks: tasks.to_vec(),
            ..Manifest::of_studies(&studies, Scope::Quick, &subjects, environment)
        })
    }

    fn record(planned: &Planned, round: u32) -> Record {
        let mut observation = Observation::default();
        observation.note(Measure::SessionTime, f64::from(round));
        Record {
            task: planned.task.clone(),
            subject: planned.subject,
            round,
            at: 0.0,
            observation,
        }
    }

    #[test]
    fn a_disturbed_repetition_gives_way_to_a_quiet_one_and_counts_where_there_is_none() {
        let tasks = tasks([(0, 6), (1, 6), (2, 6)]);
        let mut notes = notes(&tasks);
        let mut block = |block: u32, round, others| {
            notes.add(record(&tasks[block as usize], round));
            notes.add_conditions(Conditions {
                block,
                round,
                machine: state(others),
            });
        };
        for round in 0..6 {
            block(0, round, if round < 2 { 0.5 } else { 0.0 });
            block(1, round, if round == 3 { 0.5 } else { 0.0 });
            block(2, round, if round < 2 { 0.5 } else { 0.0 });
        }
        // The first block is repeated on a quiet machine, the second on one that still is not, the third often enough for a verdict.
        block(0, 6, 0.0);
        block(1, 6, 0.5);
        block(2, 6, 0.0);
        block(2, 7, 0.0);
        let chosen = notes.chosen();
        let rounds = |place: usize| -> Vec<(u32, bool)> {
            let records = chosen.iter().filter(|record| tasks[place].is_of(record));
            records
                .map(|one| (one.round, one.observation.disturbed))
                .collect()
        };
        let quiet = |round| (round, false);
        assert_eq!(
            rounds(0),
            [vec![(1, true)], (2..7).map(quiet).collect()].concat()
        );
        assert_eq!(
            rounds(1),
            [
                (0, false),
                (1, false),
                (2, false),
                (3, true),
                (4, false),
                (5, false)
            ]
        );
        assert_eq!(rounds(2), (2..8).map(quiet).collect::<Vec<_>>());
    }

    #[test]
    fn a_disturbed_repetition_does_not_count_where_enough_quiet_ones_are_left() {
        let left_out = |repetitions, disturbed: &[u32]| {
            let mut notes = notes(&tasks([(0, 8), (0, repetitions)]));
            for round in 0..8 {
                notes.add_conditions(Conditions {
                    block: 0,
                    round,
                    machine: state(if disturbed.contains(&round) { 0.5 } else { 0.0 }),
                });
            }
            let left_out = notes.left_out().into_iter();
            left_out.map(|(_, round)| round).collect::<Vec<u32>>()
        };
        assert_eq!(left_out(8, &[1, 5]), [1, 5]);
        assert!(left_out(8, &[1, 5, 6]).is_empty());
        // One task of the block has six repetitions, and would have five.
        assert!(left_out(6, &[1]).is_empty());
        assert_eq!(left_out(6, &[7]), [7]);
        // Of what is done once there is no verdict anyway.
        assert_eq!(left_out(1, &[0, 5]), [0, 5]);
    }

    #[test]
    fn counted_packets_are_kept_when_timed_tasks_were_disturbed() {
        let mut tasks = tasks([(0, 6), (0, 6)]);
        let Task::Sessions(session) = tasks[0].task.clone() else {
            panic!("{:?}", tasks[0].task);
        };
        tasks[1].task = Task::Packets(session);
        let mut notes = notes(&tasks);
        for round in 0..7 {
            notes.add(record(&tasks[0], round));
            notes.add_conditions(Conditions {
                block: 0,
                round,
                machine: state(if round == 2 { 0.5 } else { 0.0 }),
            });
        }
        for round in 0..6 {
            notes.add(record(&tasks[1], round));
        }
        let chosen = notes.chosen();
        let rounds = |place: usize| -> Vec<u32> {
            let records = chosen.iter().filter(|record| tasks[place].is_of(record));
            records.map(|one| one.round).collect()
        };
        assert_eq!(rounds(0), [0, 1, 3, 4, 5, 6]);
        assert_eq!(rounds(1), [0, 1, 2, 3, 4, 5]);
        assert!(chosen.iter().all(|one| !one.observation.disturbed));
    }

    /// One moment of a faster processor is no measure for the rest.
    #[test]
    fn the_usual_pace_is_that_of_most_of_the_run() {
        let mut notes = notes(&tasks([(0, 20)]));
        for round in 0..20 {
            let machine = MachineState {
                pace: Some(Pace::LoopTime(if round < 2 { 50.0 } else { 60.0 })),
                ..state(0.0)
            };
            notes.add_conditions(Conditions {
                block: 0,
                round,
                machine,
            });
        }
        let disturbed: Vec<u32> = notes.disturbed().map(|one| one.round).collect();
        assert_eq!(disturbed, [0, 1]);
    }

    #[test]
    fn a_run_that_a_former_version_began_has_a_usual_pace_in_each_unit() {
        let line = |round: u32, pace: &str| {
            let line = format!(
                r#"{{"block":0,"round":{round},"machine":{{"seconds":1.0,"stolen":0.0,"others":0.0,{pace}}}}}"#
            );
            serde_json::from_str::<Conditions>(&line).unwrap()
        };
        let mut notes = notes(&tasks([(0, 20)]));
        for round in 0..20 {
            let pace = match round {
                3 => r#""slowdown":1.4"#,
                ..10 => r#""slowdown":1.0"#,
                17 => r#""loop_time":70.0"#,
                _ => r#""loop_time":52.5"#,
            };
            let conditions = line(round, pace);
            assert!(
                serde_json::to_string(&conditions).unwrap().contains(pace),
                "{pace}"
            );
            notes.add_conditions(conditions);
        }
        let disturbed: Vec<u32> = notes.disturbed().map(|one| one.round).collect();
        assert_eq!(disturbed, [3, 17]);
    }

    #[test]
    fn what_is_done_once_counts_though_it_was_disturbed() {
        let tasks = tasks([(0, 8), (0, 1)]);
        let mut notes = notes(&tasks);
        for round in 0..8 {
            for one in tasks.iter().filter(|one| round < one.repetitions) {
                notes.add(record(one, round));
            }
            notes.add_conditions(Conditions {
                block: 0,
                round,
                machine: state(if round == 0 { 0.5 } else { 0.0 }),
            });
        }
        let chosen = notes.chosen();
        let counts = |one: &Planned| chosen.iter().filter(|record| one.is_of(record)).count();
        assert_eq!([7, 1], [counts(&tasks[0]), counts(&tasks[1])]);
    }

    #[test]
    fn runs_across_links_are_disturbed_where_packets_or_answers_were_late() {
        let studies = [find("hardaker2008").unwrap()];
        let across = Plan::of_studies(&studies, Scope::Quick, &[SubjectName::Varbind]).tasks;
        let across = across
            .into_iter()
            .find(|one| one.task.is_patient())
            .unwrap();
        let alone = tasks([(0, 4)])[0].clone();
        let tasks = [alone, Planned { block: 1, ..across }];
        let mut notes = notes(&tasks);
        let late = [
            (Measure::Lateness, 900.0),
            (Measure::Lateness, 1100.0),
            (Measure::AnswerLateness, 9_000.0),
            (Measure::AnswerLateness, 11_000.0),
        ];
        for (round, (measure, late)) in (0..).zip(late) {
            for one in &tasks {
                let mut record = record(one, round);
                record.observation.note(measure, late);
                notes.add(record);
                notes.add_conditions(Conditions {
                    block: one.block,
                    round,
                    machine: state(if round == 0 { 0.5 } else { 0.0 }),
                });
            }
        }
        let disturbed = notes.disturbed().map(|one| (one.block, one.round));
        assert_eq!(disturbed.collect::<Vec<_>>(), [(0, 0), (1, 1), (1, 3)]);
    }
}
