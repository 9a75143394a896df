//! A run that travels with what is said of it: its raw observations, compressed, and the page that is made of them.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::notes::MANIFEST;
use super::store::write_whole;
use super::{Notes, Results, StoreError, write_results_page};

/// The observations of a published run.
pub(super) const PACKED: &str = "observations.jsonl.gz";

/// One disturbed block in so many is too much to publish.
const MOST_DISTURBED: usize = 5;

/// Where and how a run is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The directory for the manifest and the observations.
    pub directory: PathBuf,
    /// The page that is made of them, if one is wanted.
    pub page: Option<PathBuf>,
    /// Whether it may have been measured on a machine that was not quiet: the page says so.
    pub even_if_disturbed: bool,
}

/// Writes the manifest and the observations of a run into a directory, which `varbind study report` and `compare` read as any
/// other, and the page that is made of them.
///
/// # Errors
/// Why it is not fit to be published, or if it cannot be written.
pub fn publish(notes: &Notes, publication: &Publication) -> Result<(), StoreError> {
    let results = Results::of_notes(notes);
    if let Some(reason) = why_unfit(notes, &results, publication.even_if_disturbed) {
        return Err(StoreError::Unfit { reason });
    }
    write_observations(notes, &publication.directory)?;
    match &publication.page {
        Some(page) => write_whole(page, |file| {
            write_results_page(&results, &publication.directory, file)
        }),
        None => Ok(()),
    }
}

fn why_unfit(notes: &Notes, results: &Results, even_if_disturbed: bool) -> Option<String> {
    let manifest = notes.manifest();
    let (done, total) = (notes.records().len(), notes.total());
    if done < total && manifest.precision.is_none() {
        return Some(format!("{done} of {total} measurements are there"));
    }
    if !manifest.environment.optimised {
        return Some("it was measured with a build without optimisation".to_owned());
    }
    let quietness = results.quietness;
    let counting = |blocks: usize| blocks.saturating_sub(quietness.left_out);
    let is_quiet = counting(quietness.disturbed) * MOST_DISTURBED <= counting(quietness.blocks);
    let reason = || {
        let unquiet = results.unquiet().unwrap_or_default();
        format!(
            "{unquiet} Measure again when the machine has nothing else to do, or give --even-if-disturbed"
        )
    };
    (!is_quiet && !even_if_disturbed).then(reason)
}

fn write_observations(notes: &Notes, directory: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(directory).map_err(|error| StoreError::NoDirectory {
        path: directory.to_owned(),
        error,
    })?;
    write_whole(&directory.join(MANIFEST), |file| {
        let mut manifest = notes.manifest().clone();
        for subject in &mut manifest.environment.subjects {
            subject.origin = relative(&subject.origin);
        }
        serde_json::to_writer(&mut *file, &manifest)?;
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
    })
}

/// A path below the working directory, relative to it: a published run does not tell where that directory is.
fn relative(origin: &str) -> String {
    let below = std::env::current_dir().ok();
    let below = below.and_then(|here| Path::new(origin).strip_prefix(here).ok());
    below.map_or_else(|| origin.to_owned(), |path| path.display().to_string())
}

/// The lines of packed observations.
pub(super) fn unpack(path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| GzDecoder::new(file).read_to_end(&mut text))
        .map_err(|error| StoreError::file(path, error))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::{
        Conditions, Manifest, Measure, Observation, Plan, Record, Scope, Store, SubjectName, find,
    };
    use super::*;
    use crate::environment::environment;
    use crate::process::{Cores, MachineState};

    fn notes(is_quiet: bool, optimised: bool) -> Notes {
        let (studies, subjects) = ([find("du2001").unwrap()], [SubjectName::Varbind]);
        let mut tasks = Plan::of_studies(&studies, Scope::Quick, &subjects).tasks;
        tasks.truncate(1);
        let mut environment = environment(&Cores::available().unwrap(), 1);
        environment.optimised = optimised;
        let mut notes = Notes::of_manifest(Manifest {
            tasks: tasks.clone(),
            ..Manifest::of_studies(&studies, Scope::Quick, &subjects, environment)
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
                    ..MachineState::default()
                },
            });
        }
        notes
    }

    fn into(directory: &Path, even_if_disturbed: bool) -> Publication {
        Publication {
            directory: directory.to_owned(),
            page: Some(directory.join("page.md")),
            even_if_disturbed,
        }
    }

    #[test]
    fn a_published_run_is_read_as_it_was_and_is_not_gone_on_with() {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes(true, true);
        publish(&notes, &into(directory.path(), false)).unwrap();
        let read = Notes::read(directory.path()).unwrap();
        assert_eq!(read, notes);
        let mut page = Vec::new();
        write_results_page(&Results::of_notes(&read), directory.path(), &mut page).unwrap();
        let written = std::fs::read(directory.path().join("page.md")).unwrap();
        assert_eq!(written, page);
        let error = Store::begin(directory.path(), notes.manifest()).unwrap_err();
        assert!(error.to_string().contains("published"), "{error}");
    }

    #[test]
    fn a_published_run_does_not_tell_where_its_directory_was() {
        let here = std::env::current_dir().unwrap();
        let program = here.join("target/release/varbind");
        let below = relative(program.to_str().unwrap());
        assert_eq!(below, "target/release/varbind");
        assert_eq!(relative("/usr/sbin/snmpd"), "/usr/sbin/snmpd");
    }

    #[test]
    fn what_is_not_fit_is_not_published() {
        let directory = tempfile::tempdir().unwrap();
        for (notes, reason) in [
            (notes(false, true), "quiet machine"),
            (notes(true, false), "without optimisation"),
        ] {
            let publication = into(directory.path(), false);
            let error = publish(&notes, &publication).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        publish(&notes(false, true), &into(directory.path(), true)).unwrap();
        let page = std::fs::read_to_string(directory.path().join("page.md")).unwrap();
        assert!(page.contains("quiet machine"), "{page}");
    }
}
