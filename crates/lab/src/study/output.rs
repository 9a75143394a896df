use std::io::Write;
use std::path::Path;

use super::store::write_whole;
use super::{At, Results, StoreError, is_beyond, write_report, write_summary};

/// Writes results.json, results.csv, results.md and index.html into the directory of a run.
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
    write_whole(&directory.join("results.md"), |file| {
        write_summary(results, file)
    })?;
    write_whole(&directory.join("index.html"), |file| {
        write_report(results, file)
    })
}

const COLUMNS: &str = "study,experiment,subject,series,at,unit,value,low,high,repetitions,theirs";

/// A row for each value that was measured or published.
fn write_csv(results: &Results, file: &mut impl Write) -> std::io::Result<()> {
    writeln!(file, "{COLUMNS}")?;
    for study in &results.studies {
        for experiment in &study.experiments {
            let unit = experiment.unit;
            let start = |subject: &str, series: &str, at: &At| {
                let names = [
                    &study.name,
                    &experiment.id,
                    subject,
                    series,
                    &at.to_string(),
                ];
                names.map(quoted).join(",")
            };
            for ours in &experiment.ours {
                let mut published = experiment.theirs.iter();
                let published =
                    published.find(|theirs| theirs.series == ours.series && theirs.at == ours.at);
                let published = published.map_or_else(String::new, |one| one.value.to_string());
                writeln!(
                    file,
                    "{},{unit},{},{},{},{},{published}",
                    start(&ours.subject.to_string(), &ours.series, &ours.at),
                    csv_number(ours.estimate.value),
                    csv_number(ours.estimate.low),
                    csv_number(ours.estimate.high),
                    ours.values.len(),
                )?;
            }
            let measured = |series: &str, at: &At| {
                let mut ours = experiment.ours.iter();
                ours.any(|ours| ours.series == series && ours.at == *at)
            };
            for theirs in &experiment.theirs {
                if !measured(&theirs.series, &theirs.at) {
                    let start = start("", &theirs.series, &theirs.at);
                    writeln!(file, "{start},{unit},,,,,{}", theirs.value)?;
                }
            }
        }
    }
    Ok(())
}

/// What was not reached before runs were cut is `inf`, which readers of CSV take for a number.
fn csv_number(value: f64) -> f64 {
    match is_beyond(value) {
        true => f64::INFINITY,
        false => value,
    }
}

/// A field of CSV (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
