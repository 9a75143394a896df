use serde::Deserialize;

use super::arithmetic;
use super::description::{Description, DescriptionEntry, complete};
use super::rule::ClaimEntryRange;
use super::{
    At, Cell, Claim, Claimed, ClaimedFigure, ClaimedFigures, Experiment, Judge, Scope, Study,
    SubjectName, Unit,
};

/// Why the file of a study cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum StudyFileError {
    /// It is not TOML, lacks a key or has one that no study has.
    #[error("the file of a study cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    /// An experiment cannot be shown.
    #[error("study {study}, experiment {experiment}: {fault}")]
    Description {
        study: String,
        experiment: String,
        fault: DescriptionFault,
    },
    /// A claim cannot be judged.
    #[error("study {study}, claim {claim}: {fault}")]
    Claim {
        study: String,
        claim: String,
        fault: ClaimFault,
    },
}

/// What is wrong with the description of a table or a figure.
#[derive(Debug, thiserror::Error)]
pub(super) enum DescriptionFault {
    #[error("two describe it: delete one of them")]
    Duplicate,
    #[error("no cells are measured for it in src/study")]
    Unknown,
    #[error("its cells are measured, and `[[experiments]]` does not describe it")]
    Missing,
    #[error("series {0:?} has not as many values as places")]
    Places(String),
}

/// What is wrong with a claim.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClaimFault {
    #[error("another claim has this id: rename one of them")]
    Duplicate,
    #[error("give one of `figures` with `because`, `arithmetic`, and `not_testable`")]
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
    #[error("the range of {0:?} is empty: give its ends in order")]
    Range(String),
    #[error("{0:?} has no `claimed`: give what is claimed of it, or `counts = false`")]
    NoRange(String),
    #[error("figure {0} names no experiment")]
    NoExperiment(String),
    #[error("the arithmetic wants {wanted} ranges, not {found}")]
    Ranges { wanted: usize, found: usize },
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
    experiments: Vec<DescriptionEntry>,
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
    figures: Option<Vec<FigureEntry>>,
    /// Those in their place where one of them was not measured.
    otherwise: Option<OtherwiseEntry>,
    arithmetic: Option<String>,
    not_testable: Option<String>,
    /// Of all figures that name no other.
    experiment: Option<String>,
    claimed: Option<OneOrMany<ClaimEntryRange>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherwiseEntry {
    because: String,
    figures: Vec<FigureEntry>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn into_all(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

/// A cell, or the ratio of two; one for each place.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureEntry {
    what: Option<String>,
    experiment: Option<String>,
    over: OneOrMany<String>,
    over_agent: Option<SubjectName>,
    under: Option<String>,
    at: OneOrMany<At>,
    /// Where the divisor is, if not at the same place.
    under_at: Option<At>,
    claimed: Option<ClaimEntryRange>,
    /// Whether the verdict rests on it.
    #[serde(default = "yes")]
    counts: bool,
}

const fn yes() -> bool {
    true
}

/// Reads the file of a study whose experiments are these. What it holds lives as long as the program.
pub(super) fn read_study(
    text: &str,
    measured: fn(Scope) -> Vec<Experiment>,
) -> Result<Study, StudyFileError> {
    let file: StudyFile = toml::from_str(text)?;
    let mut experiments = measured(Scope::Full);
    let descriptions = read_descriptions(&file.name, file.experiments, &experiments)?;
    for experiment in &mut experiments {
        complete(experiment, &descriptions);
    }
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
        descriptions: descriptions.leak(),
        claims: claims.leak(),
        own_claims: own_claims.leak(),
    })
}

/// Each of those that are measured is described once, here or in the code.
fn read_descriptions(
    study: &str,
    entries: Vec<DescriptionEntry>,
    measured: &[Experiment],
) -> Result<Vec<Description>, StudyFileError> {
    let wrong = |experiment: &str, fault| StudyFileError::Description {
        study: study.to_owned(),
        experiment: experiment.to_owned(),
        fault,
    };
    let mut descriptions: Vec<Description> = Vec::new();
    for entry in entries {
        let read = entry.read();
        let description =
            read.map_err(|(id, series)| wrong(&id, DescriptionFault::Places(series)))?;
        let id = description.id;
        if descriptions.iter().any(|one| one.id == id) {
            return Err(wrong(id, DescriptionFault::Duplicate));
        }
        let mut described = measured.iter().filter(|one| one.is_described_there());
        if !described.any(|one| one.id == id) {
            return Err(wrong(id, DescriptionFault::Unknown));
        }
        descriptions.push(description);
    }
    let is_missing = |one: &&Experiment| {
        one.is_described_there() && !descriptions.iter().any(|other| other.id == one.id)
    };
    match measured.iter().find(is_missing) {
        Some(missing) => Err(wrong(missing.id, DescriptionFault::Missing)),
        None => Ok(descriptions),
    }
}

fn read_claim(entry: ClaimEntry, experiments: &[Experiment]) -> Result<Claim, ClaimFault> {
    let claimed = entry.claimed.map_or_else(Vec::new, OneOrMany::into_all);
    let usual = Usual {
        experiments,
        experiment: entry.experiment,
        claimed: claimed.first().cloned(),
    };
    let figures = |entries: Vec<FigureEntry>, because: String| -> Result<_, ClaimFault> {
        Ok(ClaimedFigures {
            because: because.leak(),
            figures: usual.read_all(entries)?.leak(),
        })
    };
    let judge = match (entry.because, entry.arithmetic, entry.not_testable) {
        (Some(because), None, None) => {
            let first = entry.figures.filter(|figures| !figures.is_empty());
            let otherwise = entry.otherwise;
            let otherwise = otherwise.map(|others| figures(others.figures, others.because));
            Judge::Figures {
                first: figures(first.ok_or(ClaimFault::NoRule)?, because)?,
                otherwise: otherwise.transpose()?,
            }
        }
        (None, Some(name), None) if entry.figures.is_none() => read_arithmetic(name, &claimed)?,
        (None, None, Some(because)) => {
            let shown = figures(entry.figures.unwrap_or_default(), because)?;
            Judge::NotTestable {
                because: shown.because,
                figures: shown.figures,
            }
        }
        _ => return Err(ClaimFault::NoRule),
    };
    Ok(Claim {
        id: entry.id.leak(),
        text: entry.text.leak(),
        source: entry.source.leak(),
        judge,
    })
}

fn read_arithmetic(name: String, claimed: &[ClaimEntryRange]) -> Result<Judge, ClaimFault> {
    let Some((judge, wanted)) = arithmetic::find(&name) else {
        return Err(ClaimFault::UnknownArithmetic(name));
    };
    if claimed.len() != wanted {
        let found = claimed.len();
        return Err(ClaimFault::Ranges { wanted, found });
    }
    let claimed = claimed.iter().map(|one| read_range(one, &name));
    Ok(Judge::Arithmetic {
        judge,
        claimed: claimed.collect::<Result<Vec<_>, _>>()?.leak(),
    })
}

fn read_range(entry: &ClaimEntryRange, what: &str) -> Result<Claimed, ClaimFault> {
    Claimed::read(entry).ok_or_else(|| ClaimFault::Range(what.to_owned()))
}

/// What holds for the figures of a claim that say nothing else.
struct Usual<'a> {
    experiments: &'a [Experiment],
    experiment: Option<String>,
    claimed: Option<ClaimEntryRange>,
}

impl<'a> Usual<'a> {
    fn read_all(&self, entries: Vec<FigureEntry>) -> Result<Vec<ClaimedFigure>, ClaimFault> {
        let mut figures = Vec::new();
        for entry in entries {
            let places = entry.at.clone().into_all();
            for at in places {
                for over in entry.over.clone().into_all() {
                    figures.push(self.read(&entry, over, at.clone())?);
                }
            }
        }
        Ok(figures)
    }

    fn read(&self, entry: &FigureEntry, over: String, at: At) -> Result<ClaimedFigure, ClaimFault> {
        let under = match (&entry.under, &entry.under_at) {
            (None, None) => None,
            (series, place) => Some((
                series.clone().unwrap_or_else(|| over.clone()),
                place.clone().unwrap_or_else(|| at.clone()),
            )),
        };
        let what = entry.what.clone();
        let what = what.unwrap_or_else(|| name_of(&over, &at, under.as_ref()));
        let claimed = entry.claimed.as_ref().or(self.claimed.as_ref());
        let claimed = match (entry.counts, claimed) {
            (false, _) => None,
            (true, Some(claimed)) => Some(read_range(claimed, &what)?),
            (true, None) => return Err(ClaimFault::NoRange(what)),
        };
        let named = entry.experiment.as_ref().or(self.experiment.as_ref());
        let named = named.ok_or_else(|| ClaimFault::NoExperiment(what.clone()))?;
        let experiment = self.find(named)?;
        let cell = known(experiment, &over, &at)?;
        let unit = match (&under, &cell.over) {
            (Some(_), _) | (None, Some(_)) => Unit::Ratio,
            (None, None) => experiment.unit,
        };
        if let Some((series, at)) = &under {
            known(experiment, series, at)?;
        }
        Ok(ClaimedFigure {
            what,
            experiment: named.clone(),
            over: (over, at),
            over_agent: entry.over_agent,
            under,
            unit,
            claimed,
        })
    }

    fn find(&self, id: &str) -> Result<&'a Experiment, ClaimFault> {
        let mut all = self.experiments.iter();
        let found = all.find(|one| one.id == id);
        found.ok_or_else(|| ClaimFault::UnknownExperiment(id.to_owned()))
    }
}

fn known<'a>(experiment: &'a Experiment, series: &str, at: &At) -> Result<&'a Cell, ClaimFault> {
    let mut cells = experiment.cells.iter();
    let found = cells.find(|cell| cell.series == series && cell.at == *at);
    found.ok_or_else(|| ClaimFault::UnknownCell {
        experiment: experiment.id.to_owned(),
        series: series.to_owned(),
        at: at.clone(),
    })
}

fn name_of(over: &str, at: &At, under: Option<&(String, At)>) -> String {
    match under {
        None => format!("{over}, {at}"),
        Some((series, place)) if place == at => format!("{over} / {series}, {at}"),
        Some((series, place)) if series == over => format!("{over}: {at} / {place}"),
        Some((series, place)) => format!("{over}, {at} / {series}, {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hardaker2008;
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
            (format!("{whole}{other}"), "experiment x: no cells"),
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
