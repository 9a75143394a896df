use std::sync::LazyLock;

use super::file::read_study;
use super::{Experiment, Scope, Study, calibration, hardaker2008, marinov2006, overview, pras2004};

/// All studies, in the order of their years.
pub static STUDIES: LazyLock<Vec<Study>> = LazyLock::new(|| {
    vec![
        of_file(include_str!("../../studies/du2001.toml")),
        read(
            include_str!("../../studies/pras2004.toml"),
            pras2004::experiments,
        ),
        read(
            include_str!("../../studies/marinov2006.toml"),
            marinov2006::experiments,
        ),
        read(
            include_str!("../../studies/hardaker2008.toml"),
            hardaker2008::experiments,
        ),
        of_file(include_str!("../../studies/gamess2021.toml")),
    ]
});

/// A study whose cells are in its file.
fn of_file(text: &str) -> Study {
    read(text, |_| Vec::new())
}

/// A study with cells that are measured by this function.
#[allow(
    clippy::expect_used,
    reason = "the tests read the file, which is part of the program"
)]
fn read(text: &str, measured: fn(Scope) -> Vec<Experiment>) -> Study {
    read_study(text, measured).expect("the file of a study is right")
}

static OVERVIEW: LazyLock<Study> = LazyLock::new(|| {
    read(
        include_str!("../../studies/overview.toml"),
        overview::experiments,
    )
});

static CALIBRATION: LazyLock<Study> = LazyLock::new(calibration::study);

/// The study of that name, or what is made as studies are: `overview`, which is the report's first page, and `calibration`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Study> {
    with_calibration().find(|study| study.name == name)
}

/// All that can be run, also what is not a part of a run of all studies.
pub fn with_calibration() -> impl Iterator<Item = &'static Study> {
    with_overview().chain(std::iter::once(&*CALIBRATION))
}

/// What the report's first page shows, and all studies.
pub fn with_overview() -> impl Iterator<Item = &'static Study> {
    std::iter::once(&*OVERVIEW).chain(STUDIES.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_experiments_or_claims_of_a_study_have_the_same_name() {
        for study in with_calibration() {
            let experiments = study.experiments(Scope::Full);
            let names: BTreeSet<&str> = experiments.iter().map(|one| one.id).collect();
            assert_eq!(names.len(), experiments.len(), "{}", study.name);
            let names: BTreeSet<&str> = study.all_claims().map(|claim| claim.id).collect();
            assert_eq!(names.len(), study.all_claims().count(), "{}", study.name);
        }
    }

    #[test]
    fn both_scopes_have_the_same_experiments() {
        for study in with_calibration() {
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
        for study in with_calibration() {
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
