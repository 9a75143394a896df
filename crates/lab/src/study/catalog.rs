use std::sync::LazyLock;

use super::file::read_study;
use super::{Study, StudyFileError};

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../studies/", $name, ".toml"))
    };
}

/// The name of a study, its file, and what is in it, with the files of others whose lists its cells name.
macro_rules! study {
    ($name:literal $(, $other:literal)*) => {
        ($name, text!($name), LazyLock::new(|| read(text!($name), &[$(text!($other)),*])))
    };
}

/// What the report's first page shows, the studies in the order of their years, the A/A test, and what `varbind bench` measures. A file
/// is read when it is needed.
static ALL: [(&str, &str, LazyLock<Study>); 8] = [
    study!("overview", "hardaker2008", "pras2004"),
    study!("du2001"),
    study!("pras2004"),
    study!("marinov2006"),
    study!("hardaker2008"),
    study!("gamess2021"),
    study!("calibration"),
    study!("bench"),
];

/// What `varbind bench` measures: its options fill the lists of this file.
pub(crate) const BENCH: &str = "bench";

/// Studies that are not among all: they are about the laboratory, or one of its other commands.
const NOT_AMONG_ALL: [&str; 2] = ["calibration", BENCH];

#[allow(
    clippy::expect_used,
    reason = "the tests read the file, which is part of the program"
)]
fn read(text: &str, others: &[&str]) -> Study {
    read_study(text, others).expect("the file of a study is right")
}

/// The names of all that can be run.
pub fn study_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, ..)| *name)
}

/// The study of that name, or what is made as studies are: `overview`, which is the report's first page, and `calibration`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Study> {
    let mut all = ALL.iter();
    all.find(|(known, ..)| *known == name)
        .map(|(.., study)| &**study)
}

/// The file of the study of that name.
#[must_use]
pub(crate) fn file(name: &str) -> Option<&'static str> {
    let mut all = ALL.iter();
    all.find(|(known, ..)| *known == name)
        .map(|(_, text, _)| *text)
}

/// Reads a study from a file of its own. Its cells may name lists of all studies here, as `overview/ways`. What it holds lives as long as
/// the program.
///
/// # Errors
/// What is wrong with the file.
pub fn read_own(text: &str) -> Result<&'static Study, StudyFileError> {
    let others: Vec<&str> = ALL.iter().map(|(_, text, _)| *text).collect();
    let study = read_study(text, &others)?;
    let file = Some(&*text.to_owned().leak());
    Ok(Box::leak(Box::new(Study { file, ..study })))
}

/// All that can be run, also what is not a part of a run of all studies.
pub fn every_study() -> impl Iterator<Item = &'static Study> {
    study_names().filter_map(find)
}

/// What the report's first page shows, and all studies.
pub fn with_overview() -> impl Iterator<Item = &'static Study> {
    study_names()
        .filter(|name| !NOT_AMONG_ALL.contains(name))
        .filter_map(find)
}

/// All studies, in the order of their years.
pub fn studies() -> impl Iterator<Item = &'static Study> {
    with_overview().filter(|study| study.name != "overview")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Scope;
    use super::*;

    #[test]
    fn studies_are_found_by_the_names_in_their_files() {
        for name in study_names() {
            assert_eq!(find(name).map(|study| study.name), Some(name));
        }
    }

    #[test]
    fn no_two_experiments_or_claims_of_a_study_have_the_same_name() {
        for study in every_study() {
            let experiments = study.experiments(Scope::Full);
            let names: BTreeSet<&str> = experiments.iter().map(|one| one.id).collect();
            assert_eq!(names.len(), experiments.len(), "{}", study.name);
            let names: BTreeSet<&str> = study.all_claims().map(|claim| claim.id).collect();
            assert_eq!(names.len(), study.all_claims().count(), "{}", study.name);
        }
    }

    #[test]
    fn both_scopes_have_the_same_experiments() {
        for study in every_study() {
            let names = |scope| -> Vec<&str> {
                let experiments = study.experiments(scope);
                experiments.iter().map(|one| one.id).collect()
            };
            assert_eq!(names(Scope::Quick), names(Scope::Full), "{}", study.name);
        }
    }

    /// A claim is judged before anything is measured, too: it is then not testable, and nothing breaks.
    #[test]
    fn no_claim_needs_what_was_not_measured() {
        use super::super::{Evidence, Outcome, SubjectName};
        for study in every_study() {
            let experiments = study.experiments(Scope::Quick);
            for subject in [SubjectName::Varbind, SubjectName::NetSnmp] {
                let evidence = Evidence::new(&experiments, &[], subject, 1);
                for claim in study.all_claims() {
                    let verdict = claim.judge(&evidence);
                    assert_eq!(verdict.outcome, Outcome::NotTestable, "{}", claim.id);
                    assert!(!verdict.because.is_empty());
                }
            }
        }
    }
}
