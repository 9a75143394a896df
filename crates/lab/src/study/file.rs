use std::ops::RangeInclusive;

use serde::Deserialize;

use super::arithmetic::{self, Arithmetic};
use super::{At, Claim, ClaimedRatio, Experiment, Judge, Scope, Study};

/// Why the file of a study cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum StudyFileError {
    /// It is not TOML, lacks a key or has one that no study has.
    #[error("the file of a study cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A claim cannot be judged.
    #[error("study {study}, claim {claim}: {fault}")]
    Claim {
        study: String,
        claim: String,
        fault: ClaimFault,
    },
}

/// What is wrong with a claim.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClaimFault {
    #[error("another claim has this id: rename one of them")]
    Duplicate,
    #[error("give either `ratios` with `because`, or `arithmetic`")]
    NoRule,
    #[error("no arithmetic has the name {0:?}: add it to the registry in study/arithmetic.rs")]
    UnknownArithmetic(String),
    #[error("no experiment {0:?}: `varbind study show` lists those of the study")]
    UnknownExperiment(String),
    #[error("experiment {experiment:?} has no cell of series {series:?} at {at}")]
    UnknownCell {
        experiment: String,
        series: String,
        at: At,
    },
    #[error("the range of {0:?} is empty or has no end: give `least`, `most`, or both in order")]
    Range(String),
}

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
    #[serde(default)]
    claims: Vec<ClaimEntry>,
    #[serde(default)]
    own_claims: Vec<ClaimEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimEntry {
    id: String,
    text: String,
    source: String,
    because: Option<String>,
    ratios: Option<Vec<RatioEntry>>,
    arithmetic: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RatioEntry {
    what: String,
    experiment: String,
    over: String,
    under: String,
    at: At,
    /// Where the divisor is, if not at the same place.
    under_at: Option<At>,
    least: Option<f64>,
    most: Option<f64>,
}

/// Reads the file of a study whose experiments are these. What it holds lives as long as the program.
pub(super) fn read_study(
    text: &str,
    experiments: fn(Scope) -> Vec<Experiment>,
) -> Result<Study, StudyFileError> {
    let file: StudyFile = toml::from_str(text)?;
    let measured = experiments(Scope::Full);
    let mut ids = Vec::new();
    let mut read = |entries: Vec<ClaimEntry>| -> Result<Vec<Claim>, StudyFileError> {
        let claims = entries.into_iter().map(|entry| {
            let claim = entry.id.clone();
            let is_duplicate = ids.contains(&claim);
            ids.push(claim.clone());
            let read = if is_duplicate {
                Err(ClaimFault::Duplicate)
            } else {
                read_claim(entry, &measured)
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
        experiments,
        claims: claims.leak(),
        own_claims: own_claims.leak(),
    })
}

fn read_claim(entry: ClaimEntry, experiments: &[Experiment]) -> Result<Claim, ClaimFault> {
    let judge = match (entry.because, entry.ratios, entry.arithmetic) {
        (Some(because), Some(ratios), None) if !ratios.is_empty() => {
            let ratios = ratios.into_iter().map(|ratio| ratio.read(experiments));
            Judge::Ratios {
                because: because.leak(),
                ratios: ratios.collect::<Result<Vec<_>, _>>()?.leak(),
            }
        }
        (None, None, Some(name)) => Judge::Arithmetic(find_arithmetic(name)?),
        _ => return Err(ClaimFault::NoRule),
    };
    Ok(Claim {
        id: entry.id.leak(),
        text: entry.text.leak(),
        source: entry.source.leak(),
        judge,
    })
}

fn find_arithmetic(name: String) -> Result<Arithmetic, ClaimFault> {
    arithmetic::find(&name).ok_or(ClaimFault::UnknownArithmetic(name))
}

impl RatioEntry {
    fn read(self, experiments: &[Experiment]) -> Result<ClaimedRatio, ClaimFault> {
        let claimed = range(self.least, self.most).ok_or(ClaimFault::Range(self.what.clone()))?;
        let of_id = experiments.iter().find(|one| one.id == self.experiment);
        let Some(experiment) = of_id else {
            return Err(ClaimFault::UnknownExperiment(self.experiment));
        };
        let known = |series: String, at: At| {
            let mut cells = experiment.cells.iter();
            if cells.any(|cell| cell.series == series && cell.at == at) {
                return Ok((series, at));
            }
            Err(ClaimFault::UnknownCell {
                experiment: experiment.id.to_owned(),
                series,
                at,
            })
        };
        let under_at = self.under_at.unwrap_or_else(|| self.at.clone());
        Ok(ClaimedRatio {
            what: self.what,
            over: known(self.over, self.at)?,
            under: known(self.under, under_at)?,
            experiment: self.experiment,
            claimed,
        })
    }
}

/// Ratios are not negative: without a least value they begin at 0.
fn range(least: Option<f64>, most: Option<f64>) -> Option<RangeInclusive<f64>> {
    let range = match (least, most) {
        (None, None) => return None,
        (least, most) => least.unwrap_or(0.0)..=most.unwrap_or(f64::INFINITY),
    };
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::super::hardaker2008;
    use super::*;

    const HEAD: &str = "name = 'some'\nauthors = 'a'\nyear = 2008\ntitle = 't'\nvenue = 'v'\nquestion = 'q'\nsystem = 's'\n";
    const RATIO: &str =
        "what = 'TCP / UDP', experiment = 'study-1', over = 'TCP', under = 'UDP 200 ms', at = 9.7";

    fn with_claim(rule: &str) -> Result<Study, StudyFileError> {
        let claim = format!("[[claims]]\nid = 'one'\ntext = 't'\nsource = 's'\n{rule}\n");
        read_study(&format!("{HEAD}{claim}"), hardaker2008::experiments)
    }

    #[test]
    fn hardaker2008_has_the_claims_of_its_slides_and_ours() {
        let study = hardaker2008::study();
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
        let ratios = study.all_claims().map(|claim| match claim.judge {
            Judge::Ratios { ratios, .. } => ratios.len(),
            Judge::Arithmetic(_) => 0,
        });
        assert_eq!(ratios.collect::<Vec<_>>(), [4, 4, 2, 4, 2, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn claim_has_its_ratios_and_their_range() {
        let rule = format!("because = 'b'\nratios = [{{ {RATIO}, most = 1.2 }}]");
        let study = with_claim(&rule).unwrap();
        let [claim] = study.claims else { panic!() };
        let Judge::Ratios { because, ratios } = claim.judge else {
            panic!()
        };
        let [ratio] = ratios else { panic!() };
        assert_eq!((because, ratio.claimed.clone()), ("b", 0.0..=1.2));
        assert_eq!(ratio.under, ("UDP 200 ms".to_owned(), At::Number(9.7)));
    }

    #[test]
    fn faulty_claims_are_refused_with_study_and_claim() {
        let ratio = |ratio: &str| format!("because = 'b'\nratios = [{{ {ratio} }}]");
        let replaced = |from, to| ratio(&format!("{}, most = 1", RATIO.replace(from, to)));
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
                ratio(&format!("{RATIO}, under_at = 'here', most = 1")),
                "experiment \"study-1\" has no cell of series \"UDP 200 ms\" at here",
            ),
            (ratio(RATIO), "the range of \"TCP / UDP\""),
            (
                ratio(&format!("{RATIO}, least = 2, most = 1")),
                "the range of \"TCP / UDP\"",
            ),
            (ratio(&format!("{RATIO}, least = nan")), "the range of"),
            (
                "arithmetic = 'guess'".into(),
                "no arithmetic has the name \"guess\"",
            ),
            ("because = 'b'\nratios = []".into(), "give either `ratios`"),
            ("because = 'b'".into(), "give either `ratios`"),
            (String::new(), "give either `ratios`"),
        ] {
            let error = with_claim(&rule).unwrap_err().to_string();
            let expected = format!("study some, claim one: {fault}");
            assert!(error.starts_with(&expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn two_claims_with_one_id_are_refused() {
        let rule = format!("because = 'b'\nratios = [{{ {RATIO}, most = 1.2 }}]");
        let again = format!("{rule}\n[[own_claims]]\nid = 'one'\ntext = 't'\nsource = 's'\n{rule}");
        let error = with_claim(&again).unwrap_err().to_string();
        assert!(
            error.contains("claim one: another claim has this id"),
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
