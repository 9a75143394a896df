use serde::Deserialize;

use super::arithmetic;
use super::file_error::ClaimFault;
use super::rule::ClaimEntryRange;
use super::{
    At, Cell, Claim, Claimed, ClaimedFigure, ClaimedFigures, Experiment, Judge, SubjectName, Unit,
};

/// A claim as the file of a study has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimEntry {
    pub(super) id: String,
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

/// The claim, if it can be judged by these experiments.
pub(super) fn read_claim(
    entry: ClaimEntry,
    experiments: &[Experiment],
) -> Result<Claim, ClaimFault> {
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
