use serde::Deserialize;

use super::claim_entry::{ClaimEntry, read_claim};
use super::description::{self, Description, DescriptionEntry};
use super::file_error::{ClaimFault, DescriptionFault, StudyFileError};
use super::{Claim, Experiment, Scope, Study};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    name: String,
    authors: String,
    year: u16,
    title: String,
    venue: String,
    question: String,
    system: String,
    /// Entries of cells that several experiments have.
    #[serde(default)]
    lists: toml::Table,
    #[serde(default)]
    experiments: Vec<DescriptionEntry>,
    #[serde(default)]
    claims: Vec<ClaimEntry>,
    #[serde(default)]
    own_claims: Vec<ClaimEntry>,
}

/// Reads the file of a study whose experiments are these. What it holds lives as long as the program.
pub(super) fn read_study(
    text: &str,
    measured: fn(Scope) -> Vec<Experiment>,
) -> Result<Study, StudyFileError> {
    let file: StudyFile = toml::from_str(text)?;
    let described = read_descriptions(&file.name, file.experiments, &file.lists)?;
    check_descriptions(&file.name, &described, &measured(Scope::Full))?;
    let experiments = description::experiments(measured, &described, Scope::Full);
    let mut ids = Vec::new();
    let mut read = |entries: Vec<ClaimEntry>| -> Result<Vec<Claim>, StudyFileError> {
        let claims = entries.into_iter().map(|entry| {
            let claim = entry.id.clone();
            let is_duplicate = ids.contains(&claim);
            ids.push(claim.clone());
            let read = if is_duplicate {
                Err(ClaimFault::Duplicate)
            } else {
                read_claim(entry, &experiments)
            };
            read.map_err(|fault| StudyFileError::Claim {
                study: file.name.clone(),
                claim,
                fault,
            })
        });
        claims.collect()
    };
    let (claims, own_claims) = (read(file.claims)?, read(file.own_claims)?);
    Ok(Study {
        name: file.name.leak(),
        authors: file.authors.leak(),
        year: file.year,
        title: file.title.leak(),
        venue: file.venue.leak(),
        question: file.question.leak(),
        system: file.system.leak(),
        measured,
        descriptions: described.leak(),
        claims: claims.leak(),
        own_claims: own_claims.leak(),
    })
}

fn read_descriptions(
    study: &str,
    entries: Vec<DescriptionEntry>,
    lists: &toml::Table,
) -> Result<Vec<Description>, StudyFileError> {
    let entries = entries.into_iter();
    entries.map(|entry| entry.read(study, lists)).collect()
}

/// Each of those that are measured is described once, in the file or in the code.
fn check_descriptions(
    study: &str,
    descriptions: &[Description],
    measured: &[Experiment],
) -> Result<(), StudyFileError> {
    let wrong = |experiment: &str, fault| StudyFileError::Description {
        study: study.to_owned(),
        experiment: experiment.to_owned(),
        fault,
    };
    let mut ids = Vec::new();
    for description in descriptions {
        let id = description.id;
        if ids.contains(&id) {
            return Err(wrong(id, DescriptionFault::Duplicate));
        }
        ids.push(id);
        let mut in_code = measured.iter().filter(|one| one.is_described_there());
        let is_in_code = in_code.any(|one| one.id == id);
        match (is_in_code, description.has_cells()) {
            (false, false) => return Err(wrong(id, DescriptionFault::Unknown)),
            (true, true) => return Err(wrong(id, DescriptionFault::MeasuredTwice)),
            _ => {}
        }
    }
    let is_missing = |one: &&Experiment| one.is_described_there() && !ids.contains(&one.id);
    match measured.iter().find(is_missing) {
        Some(missing) => Err(wrong(missing.id, DescriptionFault::Missing)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{At, Claimed, Judge, Unit, find, hardaker2008};
    use super::*;

    const HEAD: &str = "name = 'some'\nauthors = 'a'\nyear = 2008\ntitle = 't'\nvenue = 'v'\nquestion = 'q'\nsystem = 's'\n";
    const RATIO: &str = "experiment = 'study-1', over = 'TCP', under = 'UDP 200 ms', at = 9.7";

    fn with_claim(rule: &str) -> Result<Study, StudyFileError> {
        let claim = format!("[[claims]]\nid = 'one'\ntext = 't'\nsource = 's'\n{rule}\n");
        let whole = include_str!("../../studies/hardaker2008.toml");
        let described = whole.split_once("\n[[experiments]]").unwrap().1;
        let text = format!("{HEAD}{claim}\n[[experiments]]{described}");
        read_study(&text, hardaker2008::experiments)
    }

    #[test]
    fn hardaker2008_has_the_claims_of_its_slides_and_ours() {
        let study = find("hardaker2008").unwrap();
        let ids = |claims: &[Claim]| claims.iter().map(|claim| claim.id).collect::<Vec<_>>();
        let of_the_slides = [
            "tcp-is-great",
            "timeout-decides",
            "no-one-sets-them-up",
            "do-not-fragment",
        ];
        let ours = [
            "tcp-is-not-great-beyond",
            "tcp-varies",
            "ours-near-the-bound",
            "ours-ahead",
            "link-as-told",
            "restart-is-got-over",
        ];
        assert_eq!((study.name, study.year), ("hardaker2008", 2008));
        assert_eq!(ids(study.claims), of_the_slides);
        assert_eq!(ids(study.own_claims), ours);
        let figures = study.all_claims().map(|claim| match claim.judge {
            Judge::Figures { first, .. } => first.figures.len(),
            _ => 0,
        });
        assert_eq!(figures.collect::<Vec<_>>(), [4, 4, 2, 4, 2, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn claim_has_its_figures_and_their_range() {
        let rule = format!("because = 'b'\nclaimed = {{ most = 1.2 }}\nfigures = [{{ {RATIO} }}]");
        let study = with_claim(&rule).unwrap();
        let [claim] = study.claims else { panic!() };
        let Judge::Figures { first, otherwise } = claim.judge else {
            panic!()
        };
        let [figure] = first.figures else { panic!() };
        assert_eq!((first.because, otherwise.is_none()), ("b", true));
        assert_eq!(figure.claimed, Some(Claimed::most(1.2)));
        assert_eq!(figure.what, "TCP / UDP 200 ms, 9.7");
        let under = ("UDP 200 ms".to_owned(), At::Number(9.7));
        assert_eq!((figure.unit, &figure.under), (Unit::Ratio, &Some(under)));
    }

    #[test]
    fn figures_of_several_places_are_several_and_may_be_cells() {
        let cell = "experiment = 'study-1', over = 'TCP', at = [0.0, 9.7], claimed = { least = 1 }";
        let ratio =
            "experiment = 'study-1', over = 'TCP', at = 9.7, under_at = 0.0, counts = false";
        let study = with_claim(&format!(
            "because = 'b'\nfigures = [{{ {cell} }}, {{ {ratio} }}]"
        ));
        let study = study.unwrap();
        let Judge::Figures { first, .. } = study.claims[0].judge else {
            panic!()
        };
        let names = first
            .figures
            .iter()
            .map(|one| (one.what.as_str(), one.unit));
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                ("TCP, 0", Unit::Milliseconds),
                ("TCP, 9.7", Unit::Milliseconds),
                ("TCP: 9.7 / 0", Unit::Ratio),
            ]
        );
        assert_eq!(first.figures[2].claimed, None);
    }

    #[test]
    fn faulty_claims_are_refused_with_study_and_claim() {
        let figure = |figure: &str| format!("because = 'b'\nfigures = [{{ {figure} }}]");
        let most = "claimed = { most = 1 }";
        let replaced = |from, to| figure(&format!("{}, {most}", RATIO.replace(from, to)));
        for (rule, fault) in [
            (replaced("study-1", "study-9"), "no experiment \"study-9\""),
            (
                replaced("over = 'TCP'", "over = 'QUIC'"),
                "experiment \"study-1\" has no cell of series \"QUIC\" at 9.7",
            ),
            (
                replaced("at = 9.7", "at = 9.8"),
                "experiment \"study-1\" has no cell of series \"TCP\" at 9.8",
            ),
            (
                figure(&format!("{RATIO}, under_at = 'here', {most}")),
                "experiment \"study-1\" has no cell of series \"UDP 200 ms\" at here",
            ),
            (figure(RATIO), "\"TCP / UDP 200 ms, 9.7\" has no `claimed`"),
            (
                figure(&format!("{RATIO}, claimed = {{ sizes = [2, 1] }}")),
                "the range of \"TCP / UDP 200 ms, 9.7\" is empty",
            ),
            (
                figure(&format!("{RATIO}, claimed = {{ least = nan }}")),
                "the range of",
            ),
            (
                figure("over = 'TCP', at = 9.7, counts = false"),
                "figure TCP, 9.7 names no experiment",
            ),
            (
                "arithmetic = 'guess'".into(),
                "no arithmetic has the name \"guess\"",
            ),
            (
                "arithmetic = 'hardaker2008/ahead'\nclaimed = ['more', 'less', 'alike']".into(),
                "the arithmetic wants 2 ranges, not 3",
            ),
            (
                "because = 'b'\nfigures = []".into(),
                "give one of `figures`",
            ),
            ("because = 'b'".into(), "give one of `figures`"),
            (String::new(), "give one of `figures`"),
        ] {
            let error = with_claim(&rule).unwrap_err().to_string();
            let expected = format!("study some, claim one: {fault}");
            assert!(error.starts_with(&expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn two_claims_with_one_id_are_refused() {
        let rule = format!("because = 'b'\nclaimed = 'less'\nfigures = [{{ {RATIO} }}]");
        let again = format!("{rule}\n[[own_claims]]\nid = 'one'\ntext = 't'\nsource = 's'\n{rule}");
        let error = with_claim(&again).unwrap_err().to_string();
        assert!(
            error.contains("claim one: another claim has this id"),
            "{error}"
        );
    }

    #[test]
    fn what_is_measured_is_described_once_and_with_as_many_values_as_places() {
        let whole = include_str!("../../studies/hardaker2008.toml");
        let other = "[[experiments]]\nid = 'x'\ntitle = 't'\nunit = 'count'\nform = 'bars'\n";
        let again = other.replace("'x'", "'delays'");
        let places = format!("{again}theirs = [{{ series = 'a', at = [1], values = [1, 2] }}]");
        for (text, told) in [
            (format!("{whole}{other}"), "experiment x: it has no `cells`"),
            (format!("{whole}{again}"), "experiment delays: two"),
            (
                format!("{whole}{places}"),
                "experiment delays: series \"a\"",
            ),
            (whole.replace("id = \"delays\"", "id = \"study-1\""), "two"),
            (
                whole.replacen(
                    "[[experiments]]\nid = \"delays\"",
                    "[[own_claims]]\nid = \"delays\"",
                    1,
                ),
                "cannot be read",
            ),
        ] {
            let error = read_study(&text, hardaker2008::experiments).unwrap_err();
            assert!(error.to_string().contains(told), "{told}: {error}");
        }
        let without = whole.split_once("\n[[experiments]]").unwrap().0;
        let error = read_study(without, hardaker2008::experiments).unwrap_err();
        assert!(
            error.to_string().contains("does not describe it"),
            "{error}"
        );
    }

    #[test]
    fn unknown_keys_and_damaged_files_are_refused() {
        for text in ["", "name = 1", "name = 'cut", "\0", "[[claims]]"] {
            let error = read_study(text, hardaker2008::experiments).unwrap_err();
            assert!(matches!(error, StudyFileError::Syntax(_)), "{error}");
        }
        let error = with_claim("because = 'b'\nthreshold = 3").unwrap_err();
        assert!(error.to_string().contains("threshold"), "{error}");
    }
}
