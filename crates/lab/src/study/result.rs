use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    At, Cell, Claim, Conditions, Doubt, Evidence, Experiment, ExternalAgent, Form, LeftOut,
    Manifest, Measure, Notes, Outcome, Phase, Published, Record, Study, SubjectName, Task, Unit,
    Verdict, is_beyond,
};
use crate::measurement::Estimate;
use crate::statistics::{holm, median_interval, ratio_of_pairs};

/// The version of the schema of manifests, observations and results. It rises when a field changes its meaning or goes
/// away.
pub const RESULTS_VERSION: u32 = 3;

/// All that a run found, beside what the papers published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`RESULTS_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// What was asked, and where.
    pub manifest: Manifest,
    /// How long it took, in seconds, interruptions left out.
    pub duration: f64,
    /// Whether the machine had other things to do.
    #[serde(default)]
    pub quietness: Quietness,
    /// One entry for each study.
    pub studies: Vec<StudyResult>,
}

/// Whether the machine had other things to do during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quietness {
    /// How often blocks were measured.
    pub blocks: usize,
    /// How often the machine had other things to do meanwhile.
    pub disturbed: usize,
    /// How often blocks were measured again for that reason.
    pub repeated: usize,
    /// How many of the disturbed measurements do not count: replaced, or enough quiet ones of the block are left.
    #[serde(default)]
    pub left_out: usize,
    /// How many cores other processes used, on average.
    pub others: f64,
    /// How many cores the host took.
    pub stolen: f64,
}

impl Quietness {
    fn of(notes: &Notes) -> Self {
        let all = notes.conditions();
        let sum = |pick: fn(&Conditions) -> f64| all.iter().map(pick).sum::<f64>();
        let seconds = sum(|one| one.machine.seconds).max(1e-9);
        let repeats = all.iter().filter(|one| one.round >= notes.first_repeat());
        Self {
            blocks: all.len(),
            disturbed: notes.disturbed().count(),
            repeated: repeats.count(),
            left_out: notes.left_out().len(),
            others: sum(|one| one.machine.others) / seconds,
            stolen: sum(|one| one.machine.stolen) / seconds,
        }
    }
}

/// What was found for a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// Its name in commands.
    pub name: String,
    /// Who wrote it, when, under which title, and where it appeared.
    pub authors: String,
    /// The year.
    pub year: u16,
    /// The title.
    pub title: String,
    /// Where it appeared.
    pub venue: String,
    /// Its digital object identifier, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// What it asked.
    pub question: String,
    /// What was built and measured there.
    pub system: String,
    /// Its tables and figures.
    pub experiments: Vec<ExperimentResult>,
    /// Its claims.
    pub claims: Vec<ClaimResult>,
    /// Ours.
    pub own_claims: Vec<ClaimResult>,
}

/// A table or figure: theirs and ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentResult {
    /// Its name within the study.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where the paper has it.
    pub source: String,
    /// What was done here, and how it differs.
    pub setup: String,
    /// The unit of all values.
    pub unit: Unit,
    /// How it is drawn.
    pub form: Form,
    /// What the paper published.
    pub theirs: Vec<Published>,
    /// What was measured.
    pub ours: Vec<MeasuredValue>,
    /// What is not measured here.
    pub left_out: Vec<LeftOut>,
    /// What could not be measured.
    pub missing: Vec<MissingValue>,
    /// How single runs went, where that is of interest.
    pub traces: Vec<TraceResult>,
}

/// A value that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredValue {
    /// Whose agent.
    pub subject: SubjectName,
    /// Whose value it is within the experiment.
    pub series: String,
    /// Where.
    pub at: At,
    /// The median of the repetitions with its 95 % interval, in the unit of the experiment.
    pub estimate: Estimate,
    /// Each repetition by itself; [`BEYOND`](super::BEYOND) for one that was cut.
    pub values: Vec<f64>,
    /// The round of each repetition, in the same order.
    #[serde(default)]
    pub rounds: Vec<u32>,
    /// The rounds in which the machine had other things to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<u32>,
}

impl MeasuredValue {
    /// How many times as much it is as another: the median of the ratios of repetitions in the same round.
    #[must_use]
    pub fn ratio_to(&self, other: &Self) -> Option<Estimate> {
        let values = other.rounds.iter().zip(&other.values);
        let values: BTreeMap<u32, f64> = values.map(|(round, value)| (*round, *value)).collect();
        let pairs = self.rounds.iter().zip(&self.values);
        let pairs = pairs.filter_map(|(round, own)| Some((*own, *values.get(round)?)));
        // Of two runs that were both cut, neither is known to be the longer one.
        let known = pairs.filter(|(own, other)| !(is_beyond(*own) && is_beyond(*other)));
        let (own, others): (Vec<f64>, Vec<f64>) = known.unzip();
        ratio_of_pairs(&own, &others)
    }

    /// How many repetitions were cut.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.values
            .iter()
            .filter(|value| is_beyond(**value))
            .count()
    }

    /// How many repetitions were cut, as `2 of 6 cut`; `None` if none was.
    #[must_use]
    pub fn cut_in_words(&self) -> Option<String> {
        match self.cut() {
            0 => None,
            cut => Some(format!("{cut} of {} cut", self.values.len())),
        }
    }
}

/// A value that could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissingValue {
    /// Whose agent.
    pub subject: SubjectName,
    /// Whose value it would be.
    pub series: String,
    /// Where.
    pub at: At,
    /// Why.
    pub reason: String,
}

/// How one run went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceResult {
    /// Whose agent.
    pub subject: SubjectName,
    /// Whose run it is.
    pub series: String,
    /// Where.
    pub at: At,
    /// Which repetition.
    pub round: u32,
    /// Pairs of a time in seconds and a count.
    pub points: Vec<(f64, f64)>,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// Its name within the study.
    pub id: String,
    /// The claim.
    pub claim: String,
    /// Where the paper makes it.
    pub source: String,
    /// One verdict for each agent.
    pub verdicts: Vec<VerdictResult>,
}

/// What became of a claim with one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictResult {
    /// Whose agent.
    pub subject: SubjectName,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl ClaimResult {
    fn of(claim: &Claim, evidence: &Evidence<'_>, subjects: &[SubjectName]) -> Self {
        let verdicts = subjects.iter().map(|&subject| VerdictResult {
            subject,
            verdict: claim.judge(&evidence.of(subject)),
        });
        Self {
            id: claim.id.into(),
            claim: claim.text.into(),
            source: claim.source.into(),
            verdicts: verdicts.collect(),
        }
    }

    /// The verdict for an agent.
    #[must_use]
    pub fn outcome(&self, subject: SubjectName) -> Option<Outcome> {
        let mut verdicts = self.verdicts.iter();
        let of_subject = verdicts.find(|one| one.subject == subject)?;
        Some(of_subject.verdict.outcome)
    }

    /// Whether it is decided for several agents, and not alike.
    #[must_use]
    pub fn divides_agents(&self) -> bool {
        let outcomes = self.verdicts.iter().map(|one| one.verdict.outcome);
        let mut decided = outcomes.filter(|outcome| outcome.is_decided());
        let first = decided.next();
        decided.any(|outcome| Some(outcome) != first)
    }
}

/// How many of these claims came to this with an agent.
#[must_use]
pub fn count(claims: &[ClaimResult], subject: SubjectName, outcome: Outcome) -> usize {
    let outcomes = claims.iter().map(|claim| claim.outcome(subject));
    outcomes.filter(|one| *one == Some(outcome)).count()
}

impl Results {
    /// That the machine was not quiet, and what came of it; `None` of a quiet one.
    #[must_use]
    pub fn unquiet(&self) -> Option<String> {
        let Quietness {
            blocks,
            disturbed,
            repeated,
            left_out,
            others,
            stolen,
        } = self.quietness;
        let verdicts = self.studies.iter().flat_map(StudyResult::all_claims);
        let verdicts: Vec<&VerdictResult> = verdicts.flat_map(|claim| &claim.verdicts).collect();
        let is_busy = |one: &&&VerdictResult| one.verdict.doubt == Some(Doubt::BusyMachine);
        let head = match verdicts.iter().filter(is_busy).count() {
            0 if verdicts.is_empty() => "Not a quiet machine".to_owned(),
            0 => "Not always a quiet machine: no verdict is undecided for that reason".to_owned(),
            busy => format!("Not a quiet machine: {busy} verdicts undecided for that reason"),
        };
        (disturbed > 0).then(|| {
            format!(
                "{head}. {disturbed} of {blocks} measurements of blocks were \
                 disturbed, {repeated} were made again, and {left_out} do not count, as enough quiet ones do; other processes \
                 used {others:.2} cores on average, the host took {stolen:.2}."
            )
        })
    }

    /// What the notes of a run say.
    #[must_use]
    pub fn of_notes(notes: &Notes) -> Self {
        let manifest = notes.manifest().clone();
        // Of a run that can be read its files can.
        let studies = manifest.studies().unwrap_or_default();
        let records = notes.chosen();
        let studies = studies
            .into_iter()
            .map(|study| StudyResult::of(study, &manifest, &records));
        let mut studies: Vec<StudyResult> = studies.collect();
        correct(&mut studies);
        Self {
            schema_version: RESULTS_VERSION,
            duration: notes.records().last().map_or(0.0, |record| record.at),
            studies,
            quietness: Quietness::of(notes),
            manifest,
        }
    }
}

/// Holds all verdicts of a run against the levels that so many claims ask for (Holm's correction).
fn correct(studies: &mut [StudyResult]) {
    let verdicts = studies.iter_mut().flat_map(|study| {
        let claims = study.claims.iter_mut().chain(&mut study.own_claims);
        claims.flat_map(|claim| &mut claim.verdicts)
    });
    let verdicts = verdicts.map(|one| &mut one.verdict);
    let mut testable: Vec<&mut Verdict> = verdicts.filter(|one| one.is_testable()).collect();
    let p_values: Vec<f64> = testable.iter().map(|one| one.p_value()).collect();
    let (levels, last) = holm(&p_values);
    for (verdict, level) in testable.iter_mut().zip(levels) {
        verdict.judge_at(level.unwrap_or(last));
    }
}

impl StudyResult {
    fn of(study: &Study, manifest: &Manifest, records: &[Record]) -> Self {
        let experiments = study.experiments(manifest.scope);
        let evidence = Evidence::new(&experiments, records, SubjectName::Varbind, manifest.seed);
        let judged = |claims: &[Claim]| {
            let judged = claims
                .iter()
                .map(|claim| ClaimResult::of(claim, &evidence, &manifest.subjects));
            judged.collect()
        };
        let results = experiments
            .iter()
            .map(|experiment| ExperimentResult::of(experiment, &evidence, manifest));
        Self {
            name: study.name.into(),
            authors: study.authors.into(),
            year: study.year,
            title: study.title.into(),
            venue: study.venue.into(),
            doi: study.doi.map(str::to_owned),
            question: study.question.into(),
            system: study.system.into(),
            experiments: results.collect(),
            claims: judged(study.claims),
            own_claims: judged(study.own_claims),
        }
    }

    /// Its claims, and then ours.
    pub fn all_claims(&self) -> impl Iterator<Item = &ClaimResult> {
        self.claims.iter().chain(&self.own_claims)
    }
}

/// Lines of runs that a figure has about, of each subject; at least one of each cell.
const TRACES: usize = 8;

/// A row of a table of figures.
pub(crate) struct FigureRow<'a> {
    /// What it is.
    pub(crate) name: String,
    /// The value of each agent.
    pub(crate) values: Vec<Option<&'a MeasuredValue>>,
    /// How many times as much the value of the first agent is as that of the last; `None` without one of them, or with one agent.
    pub(crate) ratio: Option<Estimate>,
}

impl ExperimentResult {
    /// Each series of which there is a value, in the order of the experiment.
    pub(crate) fn series(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for value in &self.ours {
            if !all.contains(&value.series.as_str()) {
                all.push(&value.series);
            }
        }
        all
    }

    /// The rows of a table of figures, whose columns are these agents: one for each series.
    pub(crate) fn figures(&self, subjects: &[SubjectName]) -> Vec<FigureRow<'_>> {
        let row = |series: &str| {
            let values = subjects.iter().map(|subject| {
                let mut values = self.ours.iter();
                values.find(|value| value.series == series && value.subject == *subject)
            });
            let values: Vec<Option<&MeasuredValue>> = values.collect();
            let ratio = match values.as_slice() {
                [Some(first), .., Some(last)] => first.ratio_to(last),
                _ => None,
            };
            let name = match series {
                "" => self.title.clone(),
                series => format!("{}, {series}", self.title),
            };
            FigureRow {
                name,
                values,
                ratio,
            }
        };
        self.series().into_iter().map(row).collect()
    }

    fn of(experiment: &Experiment, evidence: &Evidence<'_>, manifest: &Manifest) -> Self {
        let mut result = Self {
            id: experiment.id.into(),
            title: experiment.title.into(),
            source: experiment.source.into(),
            setup: experiment.setup.clone(),
            unit: experiment.unit,
            form: experiment.form.clone(),
            theirs: experiment.theirs.clone(),
            ours: Vec::new(),
            left_out: experiment.left_out.clone(),
            missing: Vec::new(),
            traces: Vec::new(),
        };
        let cells = experiment.cells.len();
        for cell in &experiment.cells {
            let subjects = manifest.subjects.iter();
            for &subject in subjects.filter(|subject| cell.is_about(**subject)) {
                let external = manifest.external.as_ref();
                let external = external.filter(|_| subject.is_external());
                result.add(cell, cells, evidence.of(subject), external);
            }
        }
        result
    }

    fn add(
        &mut self,
        cell: &Cell,
        cells: usize,
        evidence: Evidence<'_>,
        external: Option<&ExternalAgent>,
    ) {
        let subject = evidence.subject();
        let (series, at) = (cell.series.clone(), cell.at.clone());
        let factor = self.unit.factor();
        let values = evidence.of_cell(cell).into_iter();
        let (rounds, values): (Vec<u32>, Vec<f64>) =
            values.map(|(round, value)| (round, value * factor)).unzip();
        let mut disturbed = evidence.disturbed_rounds(cell);
        disturbed.retain(|round| rounds.contains(round));
        match median_interval(&values) {
            Some(estimate) => self.ours.push(MeasuredValue {
                subject,
                series: series.clone(),
                at: at.clone(),
                estimate,
                values,
                rounds,
                disturbed: disturbed.into_iter().collect(),
            }),
            None if has_no_such(cell, evidence) => {}
            None => self.missing.push(MissingValue {
                subject,
                series: series.clone(),
                at: at.clone(),
                reason: why_missing(cell, evidence, external),
            }),
        }
        if matches!(self.form, Form::Progress { .. }) {
            let records = evidence.of_task(&cell.task);
            let with_trace = records.filter(|record| !record.observation.trace.is_empty());
            let with_trace = with_trace.take((TRACES / cells).max(1));
            self.traces.extend(with_trace.map(|record| TraceResult {
                subject,
                series: series.clone(),
                at: at.clone(),
                round: record.round,
                points: record.observation.trace.clone(),
            }));
        }
    }
}

/// Not every session has every phase, few exchanges have no high percentiles, and SNMPv1 has not every request.
fn has_no_such(cell: &Cell, evidence: Evidence<'_>) -> bool {
    if let Task::Sessions(task) = &cell.task
        && task.is_of_version().is_err()
    {
        return true;
    }
    let mut records = evidence.of_task(&cell.task);
    // Whatever a session does, it has been opened.
    let opened = Measure::Phase(Phase::Open);
    let is_measured = |record: &Record| record.observation.measures.contains_key(&opened);
    matches!(cell.measure, Measure::Phase(_) | Measure::Percentile(_)) && records.any(is_measured)
}

fn why_missing(cell: &Cell, evidence: Evidence<'_>, external: Option<&ExternalAgent>) -> String {
    let refused = || {
        let agent = external?;
        cell.tasks().find_map(|task| agent.refuses(task))
    };
    let impossible = cell.is_possible(evidence.subject()).err();
    let impossible = impossible.or_else(refused);
    let records = cell.tasks().flat_map(|task| evidence.of_task(task));
    let mut troubles = records.filter_map(|record| record.observation.trouble.clone());
    impossible
        .or_else(|| troubles.next())
        .unwrap_or_else(|| "not measured yet".to_owned())
}
