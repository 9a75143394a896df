use std::io::Write;
use std::path::Path;

use super::store::write_whole;
use super::{At, MeasuredValue, Results, StoreError, is_beyond, write_report, write_summary};

/// Writes results.json, results.csv, repetitions.csv, results.md and index.html into the directory of a run.
///
/// # Errors
/// If they cannot be written. Each file appears whole or not at all.
pub fn write_results(results: &Results, directory: &Path) -> Result<(), StoreError> {
    write_whole(&directory.join("results.json"), |file| {
        serde_json::to_writer(&mut *file, results)?;
        writeln!(file)
    })?;
    write_whole(&directory.join("results.csv"), |file| {
        write_csv(results, file)
    })?;
    write_whole(&directory.join("repetitions.csv"), |file| {
        write_repetitions(results, file)
    })?;
    write_whole(&directory.join("results.md"), |file| {
        write_summary(results, file)
    })?;
    write_whole(&directory.join("index.html"), |file| {
        write_report(results, file)
    })
}

const COLUMNS: [&str; 11] = [
    "study",
    "experiment",
    "subject",
    "series",
    "at",
    "unit",
    "value",
    "low",
    "high",
    "repetitions",
    "theirs",
];

/// A row for each value that was measured or published.
fn write_csv(results: &Results, file: &mut impl Write) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(file);
    rows.write_record(COLUMNS)?;
    for study in &results.studies {
        for experiment in &study.experiments {
            let unit = experiment.unit.to_string();
            let row = |subject: &str, series: &str, at: &At, measured: [String; 4], theirs| {
                let [study, id] = [study.name.clone(), experiment.id.clone()];
                let names = [
                    study,
                    id,
                    subject.to_owned(),
                    series.to_owned(),
                    at.to_string(),
                ];
                let theirs: String = theirs;
                let all = names.into_iter().chain([unit.clone()]).chain(measured);
                all.chain([theirs]).collect::<Vec<String>>()
            };
            for ours in &experiment.ours {
                let mut published = experiment.theirs.iter();
                let published =
                    published.find(|theirs| theirs.series == ours.series && theirs.at == ours.at);
                let published = published.map_or_else(String::new, |one| one.value.to_string());
                let estimate = &ours.estimate;
                let [value, low, high] = [estimate.value, estimate.low, estimate.high]
                    .map(|value| csv_number(value).to_string());
                let measured = [value, low, high, ours.values.len().to_string()];
                let subject = ours.subject.to_string();
                rows.write_record(row(&subject, &ours.series, &ours.at, measured, published))?;
            }
            let measured = |series: &str, at: &At| {
                let mut ours = experiment.ours.iter();
                ours.any(|ours| ours.series == series && ours.at == *at)
            };
            for theirs in &experiment.theirs {
                if !measured(&theirs.series, &theirs.at) {
                    let (none, value) = (Default::default(), theirs.value.to_string());
                    rows.write_record(row("", &theirs.series, &theirs.at, none, value))?;
                }
            }
        }
    }
    rows.flush()
}

const REPETITION_COLUMNS: [&str; 10] = [
    "study",
    "experiment",
    "subject",
    "series",
    "at",
    "unit",
    "round",
    "value",
    "cut",
    "disturbed",
];

/// Writes a row for each repetition of each value that was measured.
///
/// # Errors
/// If `file` takes no more.
pub fn write_repetitions(results: &Results, file: &mut dyn Write) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(file);
    rows.write_record(REPETITION_COLUMNS)?;
    for study in &results.studies {
        for experiment in &study.experiments {
            let unit = experiment.unit.to_string();
            for value in &experiment.ours {
                let names = [
                    study.name.clone(),
                    experiment.id.clone(),
                    value.subject.to_string(),
                    value.series.clone(),
                    value.at.to_string(),
                    unit.clone(),
                ];
                for repetition in repetitions(value) {
                    rows.write_record(names.iter().chain(&repetition))?;
                }
            }
        }
    }
    rows.flush()
}

/// Of each repetition its round, its value, and whether it was cut or disturbed.
fn repetitions(measured: &MeasuredValue) -> impl Iterator<Item = [String; 4]> {
    let values = measured.rounds.iter().zip(&measured.values);
    values.map(|(round, value)| {
        [
            round.to_string(),
            csv_number(*value).to_string(),
            is_beyond(*value).to_string(),
            measured.disturbed.contains(round).to_string(),
        ]
    })
}

/// What was not reached before runs were cut is `inf`, which readers of CSV take for a number.
fn csv_number(value: f64) -> f64 {
    match is_beyond(value) {
        true => f64::INFINITY,
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BEYOND, SubjectName};
    use super::*;
    use crate::measurement::Estimate;

    #[test]
    fn a_repetition_says_whether_it_was_cut_or_disturbed() {
        let measured = MeasuredValue {
            subject: SubjectName::Varbind,
            series: "TCP".into(),
            at: At::from(9.7),
            estimate: Estimate {
                value: 1.5,
                low: 1.5,
                high: BEYOND,
            },
            values: vec![1.5, BEYOND],
            rounds: vec![0, 2],
            disturbed: vec![2],
        };
        let rows: Vec<_> = repetitions(&measured).collect();
        let expected = [["0", "1.5", "false", "false"], ["2", "inf", "true", "true"]];
        assert_eq!(rows, expected);
    }
}
