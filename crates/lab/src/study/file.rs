use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::claim_entry::{ClaimEntry, read_claim};
use super::experiment_entry::{ExperimentEntry, ScopedText, Shared};
use super::file_error::{ClaimFault, ExperimentFault, StudyFileError};
use super::{Claim, Experiment, Scope, Study};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    name: String,
    authors: String,
    year: u16,
    title: String,
    venue: String,
    #[serde(default)]
    doi: Option<String>,
    question: String,
    system: String,
    /// Entries of cells that several experiments have.
    #[serde(default)]
    lists: Table,
    /// Parts of setups that several experiments have.
    #[serde(default)]
    texts: BTreeMap<String, ScopedText>,
    #[serde(default)]
    experiments: Vec<ExperimentEntry>,
    #[serde(default)]
    claims: Vec<ClaimEntry>,
    #[serde(default)]
    own_claims: Vec<ClaimEntry>,
}

/// What of the file of a study others can name.
#[derive(Deserialize)]
struct OtherFile {
    name: String,
    #[serde(default)]
    lists: Table,
}

/// Reads the file of a study, whose cells may name lists in these files of others. What it holds lives as long as the program.
pub(super) fn read_study(text: &str, others: &[&str]) -> Result<Study, StudyFileError> {
    let file: StudyFile = toml::from_str(text)?;
    let mut lists = file.lists;
    for other in others {
        let other: OtherFile = toml::from_str(other)?;
        lists.insert(other.name, Value::Table(other.lists));
    }
    let texts = file.texts;
    let shared = Shared { lists, texts };
    let in_scope = |scope| read_experiments(&file.name, &file.experiments, &shared, scope);
    let (quick, full) = (in_scope(Scope::Quick)?, in_scope(Scope::Full)?);
    let mut ids = Vec::new();
    let mut read = |entries: Vec<ClaimEntry>| -> Result<Vec<Claim>, StudyFileError> {
        let claims = entries.into_iter().map(|entry| {
            let claim = entry.id.clone();
            let is_duplicate = ids.contains(&claim);
            ids.push(claim.clone());
            let read = if is_duplicate {
                Err(ClaimFault::Duplicate)
            } else {
                read_claim(entry, &full)
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
        doi: file.doi.map(|doi| -> &'static str { doi.leak() }),
        question: file.question.leak(),
        system: file.system.leak(),
        quick: quick.leak(),
        full: full.leak(),
        claims: claims.leak(),
        own_claims: own_claims.leak(),
        file: None,
    })
}

fn read_experiments(
    study: &str,
    entries: &[ExperimentEntry],
    shared: &Shared,
    scope: Scope,
) -> Result<Vec<Experiment>, StudyFileError> {
    let mut experiments: Vec<Experiment> = Vec::new();
    for entry in entries {
        let wrong = |fault| StudyFileError::Experiment {
            study: study.to_owned(),
            experiment: entry.id.clone(),
            fault,
        };
        for one in entry.read(shared, scope).map_err(wrong)? {
            if experiments.iter().any(|other| other.id == one.id) {
                return Err(wrong(ExperimentFault::Duplicate));
            }
            experiments.push(one);
        }
    }
    Ok(experiments)
}

#[cfg(test)]
mod tests {
    use super::super::{At, Claimed, Judge, Unit, find};
    use super::*;

    const HEAD: &str = "name = 'some'\nauthors = 'a'\nyear = 2008\ntitle = 't'\nvenue = 'v'\nquestion = 'q'\nsystem = 's'\n";
    const RATIO: &str = "experiment = 'study-1', over = 'TCP', under = 'UDP 200 ms', at = 9.7";

    const EXPERIMENT: &str = "
        [[experiments]]
        id = 'study-1'
        title = 't'
        unit = 'milliseconds'
        form = 'bars'
        setup = 'Here. {more}'
        cells = [[
            { measure = 'session-time', scheme = 'v1', request = { get = { names = ['1.3.6'] } } },
            [{ series = 'TCP', transport = 'tcp' }, { series = 'UDP 200 ms', transport = 'udp' }],
            { at = [0.0, 9.7] },
        ]]
        ";
    const TEXTS: &str = "[texts]\nmore = { quick = 'Few.', full = 'Many.' }\n";

    fn with_claim(rule: &str) -> Result<Study, StudyFileError> {
        let claim = format!("[[claims]]\nid = 'one'\ntext = 't'\nsource = 's'\n{rule}\n");
        read_study(&format!("{HEAD}{claim}{TEXTS}{EXPERIMENT}"), &[])
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
            "priority-helps",
        ];
        assert_eq!((study.name, study.year), ("hardaker2008", 2008));
        assert_eq!(ids(study.claims), of_the_slides);
        assert_eq!(ids(study.own_claims), ours);
        let figures = study.all_claims().map(|claim| match claim.judge {
            Judge::Figures { first, .. } => first.figures.len(),
            _ => 0,
        });
        assert_eq!(
            figures.collect::<Vec<_>>(),
            [4, 4, 2, 4, 2, 0, 0, 0, 0, 0, 3]
        );
    }

    #[test]
    fn a_study_may_have_a_doi() {
        let doi = |head: &str| read_study(head, &[]).unwrap().doi;
        assert_eq!(doi(HEAD), None);
        let with_doi = format!("{HEAD}doi = '10.1000/182'\n");
        assert_eq!(doi(&with_doi), Some("10.1000/182"));
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
    fn setups_have_the_text_of_their_scope() {
        let study = with_claim("not_testable = 'b'").unwrap();
        let setups = [Scope::Quick, Scope::Full].map(|scope| {
            let mut experiments = study.experiments(scope);
            experiments.swap_remove(0).setup
        });
        assert_eq!(setups, ["Here. Few.", "Here. Many."]);
    }

    #[test]
    fn runs_of_each_point_come_before_the_experiment() {
        let cells = "cells = [['some/ways', { at = [9.7, 51.0] }]]";
        let progress = "progress = { title = 'Runs at {at} %', source = 's', setup = '{at}' }";
        let (first, _) = EXPERIMENT.split_once("cells").unwrap();
        let other = "name = 'some'\n[lists]\nways = { series = 'TCP', measure = 'session-time', scheme = 'v1', transport = 'tcp', request = { get = { names = ['1.3.6'] } } }";
        let text = format!("{HEAD}{TEXTS}{first}{cells}\n{progress}\n");
        let study = read_study(&text, &[other]).unwrap();
        let experiments = study.experiments(Scope::Full);
        let told = experiments
            .iter()
            .map(|one| (one.id, one.title, one.cells.len()));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("study-1-at-9.7", "Runs at 9.7 %", 1),
                ("study-1-at-51", "Runs at 51 %", 1),
                ("study-1", "t", 2),
            ]
        );
        assert!(
            read_study(&text, &[])
                .unwrap_err()
                .to_string()
                .contains("some/ways")
        );
    }

    #[test]
    fn experiments_have_a_name_of_their_own_and_as_many_values_as_places() {
        let other = "[[experiments]]\nid = 'x'\ntitle = 't'\nunit = 'count'\nform = 'bars'\n";
        let places =
            format!("{other}cells = []\ntheirs = [{{ series = 'a', at = [1], values = [1, 2] }}]");
        for (text, told) in [
            (other, "missing field `cells`"),
            (EXPERIMENT, "experiment study-1: two"),
            (places.as_str(), "experiment x: series \"a\""),
        ] {
            let text = format!("{HEAD}{TEXTS}{EXPERIMENT}{text}");
            let error = read_study(&text, &[]).unwrap_err();
            assert!(error.to_string().contains(told), "{told}: {error}");
        }
    }

    #[test]
    fn unknown_keys_and_damaged_files_are_refused() {
        for text in ["", "name = 1", "name = 'cut", "\0", "[[claims]]"] {
            let error = read_study(text, &[]).unwrap_err();
            assert!(matches!(error, StudyFileError::Syntax(_)), "{error}");
        }
        let error = with_claim("because = 'b'\nthreshold = 3").unwrap_err();
        assert!(error.to_string().contains("threshold"), "{error}");
    }
}
