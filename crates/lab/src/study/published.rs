//! A run that travels with what is said of it: its raw observations, compressed, and the summary that is made of them.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::notes::MANIFEST;
use super::store::write_whole;
use super::{Notes, Results, StoreError, write_summary};

/// The observations of a published run.
pub(super) const PACKED: &str = "observations.jsonl.gz";

/// One disturbed block in so many is too much to publish.
const MOST_DISTURBED: usize = 5;

/// Writes the manifest, the observations and the summary (results.md) of a run into a directory. `varbind study report` and
/// `compare` read it as any other.
///
/// # Errors
/// Why it is not fit to be published, or if it cannot be written.
pub fn publish(notes: &Notes, directory: &Path) -> Result<(), StoreError> {
    let results = Results::of_notes(notes);
    if let Some(reason) = why_unfit(notes, &results) {
        return Err(StoreError::Unfit { reason });
    }
    write(notes, &results, directory)
}

fn why_unfit(notes: &Notes, results: &Results) -> Option<String> {
    let manifest = notes.manifest();
    let (done, total) = (notes.records().len(), notes.total());
    if done < total && manifest.precision.is_none() {
        return Some(format!("{done} of {total} measurements are there"));
    }
    if !manifest.environment.optimised {
        return Some("it was measured with a build without optimisation".to_owned());
    }
    let quietness = results.quietness;
    let is_quiet = quietness.disturbed * MOST_DISTURBED <= quietness.blocks;
    (!is_quiet).then(|| results.unquiet().unwrap_or_default())
}

fn write(notes: &Notes, results: &Results, directory: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(directory).map_err(|error| StoreError::NoDirectory {
        path: directory.to_owned(),
        error,
    })?;
    write_whole(&directory.join(MANIFEST), |file| {
        serde_json::to_writer(&mut *file, notes.manifest())?;
        writeln!(file)
    })?;
    write_whole(&directory.join(PACKED), |file| {
        let mut packed = GzEncoder::new(file, Compression::best());
        for record in notes.records() {
            serde_json::to_writer(&mut packed, record)?;
            writeln!(packed)?;
        }
        for conditions in notes.conditions() {
            serde_json::to_writer(&mut packed, conditions)?;
            writeln!(packed)?;
        }
        packed.finish().map(|_| ())
    })?;
    write_whole(&directory.join("results.md"), |file| {
        write_summary(results, file)
    })
}

/// The lines of packed observations.
pub(super) fn unpack(path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| GzDecoder::new(file).read_to_end(&mut text))
        .map_err(|error| StoreError::file(path, error))?;
    Ok(text)
}

/// Numbers in the tables of a Markdown text that are not in what a run found: what is said of it and is not so.
#[must_use]
pub fn unfounded_numbers(text: &str, summary: &str) -> Vec<String> {
    let known: BTreeSet<String> = numbers(summary).collect();
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let said = rows.flat_map(|row| numbers(row).collect::<Vec<_>>());
    said.filter(|number| !known.contains(number)).collect()
}

/// Numbers as they are written, thousands without the gap between.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let joined: Vec<char> = text.chars().collect();
    let mut plain = String::new();
    for (at, letter) in joined.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| joined.get(before));
        let is_digit = |place: Option<&char>| place.is_some_and(char::is_ascii_digit);
        let is_gap = matches!(letter, ' ' | '\u{a0}' | ',') && is_digit(before);
        if !(is_gap && (1..=3).all(|next| is_digit(joined.get(at + next)))) {
            plain.push(*letter);
        }
    }
    let words = plain
        .split(move |letter| !is_part(letter))
        .map(str::to_owned);
    let words: Vec<String> = words.collect();
    words.into_iter().filter_map(|word| {
        let number = word.trim_matches('.');
        number
            .starts_with(|first: char| first.is_ascii_digit())
            .then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::super::{
        Conditions, Manifest, Measure, Observation, Plan, RESULTS_VERSION, Record, Scope, Store,
        SubjectName, find,
    };
    use super::*;
    use crate::environment::environment;
    use crate::process::{Cores, MachineState};

    fn notes(is_quiet: bool, optimised: bool) -> Notes {
        let subjects = vec![SubjectName::Varbind];
        let mut tasks = Plan::of_studies(&[find("du2001").unwrap()], Scope::Quick, &subjects).tasks;
        tasks.truncate(1);
        let mut environment = environment(&Cores::available().unwrap(), 1);
        environment.optimised = optimised;
        let mut notes = Notes::of_manifest(Manifest {
            schema_version: RESULTS_VERSION,
            studies: vec!["du2001".into()],
            scope: Scope::Quick,
            seed: 1,
            environment,
            tasks: tasks.clone(),
            small_boards: None,
            precision: None,
            network: None,
            slow: None,
            subjects,
        });
        for round in 0..tasks[0].repetitions {
            let mut observation = Observation::default();
            observation.note(Measure::SessionTime, 1000.0 + f64::from(round));
            notes.add(Record {
                task: tasks[0].task.clone(),
                subject: tasks[0].subject,
                round,
                at: 1.0,
                observation,
            });
            notes.add_conditions(Conditions {
                block: tasks[0].block,
                round,
                machine: MachineState {
                    seconds: 1.0,
                    others: if is_quiet { 0.0 } else { 1.0 },
                    slowdown: 1.0,
                    ..MachineState::default()
                },
            });
        }
        notes
    }

    #[test]
    fn a_published_run_is_read_as_it_was_and_is_not_gone_on_with() {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes(true, true);
        publish(&notes, directory.path()).unwrap();
        let read = Notes::read(directory.path()).unwrap();
        assert_eq!(read, notes);
        let mut summary = Vec::new();
        write_summary(&Results::of_notes(&read), &mut summary).unwrap();
        let written = std::fs::read(directory.path().join("results.md")).unwrap();
        assert_eq!(written, summary);
        let error = Store::begin(directory.path(), notes.manifest()).unwrap_err();
        assert!(error.to_string().contains("published"), "{error}");
    }

    #[test]
    fn what_is_not_fit_is_not_published() {
        let directory = tempfile::tempdir().unwrap();
        for (notes, reason) in [
            (notes(false, true), "Not a quiet machine"),
            (notes(true, false), "without optimisation"),
        ] {
            let error = publish(&notes, directory.path()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn numbers_that_no_run_found_are_told() {
        let summary = "| TLS | 0.355 [0.349, 0.364] | 5 356 |\nin 2,310 s";
        let text = "In 77 words.\n\n| what | ms |\n| --- | --- |\n| TLS | 0.355 | 5356 octets, 2310 s |\n| DTLS | 0.36 |";
        assert_eq!(unfounded_numbers(text, summary), ["0.36"]);
    }
}
