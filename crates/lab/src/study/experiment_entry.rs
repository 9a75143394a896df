//! Tables and figures as the file of a study has them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::file_error::ExperimentFault;
use super::grid::{Grid, read_cells, read_list};
use super::{At, Axis, Cell, Experiment, Form, LeftOut, Published, Scope, Unit};

/// An experiment as the file has it, for both scopes.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExperimentEntry {
    pub(super) id: String,
    title: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    setup: String,
    unit: Unit,
    form: FormEntry,
    /// Where the values of a series are, if it says nothing else.
    #[serde(default)]
    places: Vec<At>,
    #[serde(default)]
    theirs: Vec<SeriesEntry>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
    cells: Vec<Grid>,
    progress: Option<ProgressEntry>,
    /// The name of a list: the experiment is made once for each of its entries, whose `name` is `{name}` in the texts.
    each: Option<String>,
}

/// Values that were published of one series.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeriesEntry {
    series: String,
    at: Option<Vec<At>>,
    values: Vec<f64>,
}

/// Plots of single runs, one for each point of an experiment, which is `{at}` in their texts.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgressEntry {
    title: String,
    source: String,
    setup: String,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum FormEntry {
    Plain(PlainForm),
    Lines {
        x: String,
        y: String,
        #[serde(default)]
        logarithmic: Vec<AxisName>,
    },
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PlainForm {
    Bars,
    Column,
    Figure,
    Progress,
    Table,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AxisName {
    X,
    Y,
}

/// What the experiments of a file have in common.
pub(super) struct Shared {
    /// Entries of cells by their names.
    pub(super) lists: Table,
    /// Parts of setups, which name them in braces.
    pub(super) texts: BTreeMap<String, ScopedText>,
}

/// A text that depends on the scope.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScopedText {
    quick: String,
    full: String,
}

impl Shared {
    fn fill(&self, setup: &str, scope: Scope) -> String {
        let mut filled = setup.to_owned();
        for (name, text) in &self.texts {
            let text = match scope {
                Scope::Quick => &text.quick,
                Scope::Full => &text.full,
            };
            filled = filled.replace(&format!("{{{name}}}"), text);
        }
        filled
    }
}

impl FormEntry {
    fn read(&self) -> Form {
        match self {
            Self::Plain(PlainForm::Bars) => Form::Bars,
            Self::Plain(PlainForm::Column) => Form::Column,
            Self::Plain(PlainForm::Figure) => Form::Figure,
            Self::Plain(PlainForm::Progress) => Form::Progress {
                x: Axis::linear("seconds"),
                y: Axis::linear("gets that were answered"),
            },
            Self::Plain(PlainForm::Table) => Form::Table,
            Self::Lines { x, y, logarithmic } => {
                let axis = |label: &String, name| Axis {
                    label: label.clone(),
                    is_logarithmic: logarithmic.contains(&name),
                };
                Form::Lines {
                    x: axis(x, AxisName::X),
                    y: axis(y, AxisName::Y),
                }
            }
        }
    }
}

impl ExperimentEntry {
    /// The experiment, after the plots of its single runs; or one for each entry of a list.
    ///
    /// # Errors
    /// If the values of a series are not as many as their places, or a cell cannot be read.
    pub(super) fn read(
        &self,
        shared: &Shared,
        scope: Scope,
    ) -> Result<Vec<Experiment>, ExperimentFault> {
        let Some(list) = &self.each else {
            return self.read_one(shared, scope);
        };
        let mut experiments = Vec::new();
        for mut entry in read_list(list, &shared.lists, scope)? {
            let name = entry.remove("name");
            let name = name.as_ref().and_then(Value::as_str);
            let name = name.ok_or_else(|| ExperimentFault::NoName(list.clone()))?;
            let named = |text: &str| text.replace("{name}", name);
            let with_entry = |grid: &Grid| [grid.as_slice(), &[entry.clone().into()]].concat();
            let one = Self {
                id: named(&self.id),
                title: named(&self.title),
                setup: named(&self.setup),
                cells: self.cells.iter().map(with_entry).collect(),
                each: None,
                ..self.clone()
            };
            experiments.extend(one.read_one(shared, scope)?);
        }
        Ok(experiments)
    }

    fn read_one(&self, shared: &Shared, scope: Scope) -> Result<Vec<Experiment>, ExperimentFault> {
        let whole = Experiment {
            id: self.id.clone().leak(),
            title: self.title.clone().leak(),
            source: self.source.clone().leak(),
            setup: shared.fill(&self.setup, scope),
            unit: self.unit,
            form: self.form.read(),
            theirs: self.published()?,
            cells: read_cells(&self.cells, &shared.lists, scope)?,
            left_out: self.left_out.clone(),
        };
        let mut experiments = Vec::new();
        if let Some(progress) = &self.progress {
            let points = whole.cells.chunk_by(|one, next| one.at == next.at);
            let runs = points.filter_map(|cells| progress.read(&whole, cells, shared, scope));
            experiments.extend(runs);
        }
        experiments.push(whole);
        Ok(experiments)
    }

    fn published(&self) -> Result<Vec<Published>, ExperimentFault> {
        let mut theirs = Vec::new();
        for entry in &self.theirs {
            let places = entry.at.as_ref().unwrap_or(&self.places);
            let has_own = entry.at.is_some();
            if places.len() < entry.values.len() || has_own && places.len() > entry.values.len() {
                return Err(ExperimentFault::Places(entry.series.clone()));
            }
            let values = places.iter().zip(&entry.values);
            theirs.extend(values.map(|(at, &value)| Published {
                series: entry.series.clone(),
                at: at.clone(),
                value,
            }));
        }
        Ok(theirs)
    }
}

impl ProgressEntry {
    /// The runs of the cells of one point.
    fn read(
        &self,
        whole: &Experiment,
        cells: &[Cell],
        shared: &Shared,
        scope: Scope,
    ) -> Option<Experiment> {
        let point = cells.first()?.at.to_string();
        let at_point = |text: &str| text.replace("{at}", &point);
        Some(Experiment {
            id: format!("{}-at-{point}", whole.id).leak(),
            title: at_point(&self.title).leak(),
            source: self.source.clone().leak(),
            setup: shared.fill(&at_point(&self.setup), scope),
            unit: whole.unit,
            form: FormEntry::Plain(PlainForm::Progress).read(),
            theirs: Vec::new(),
            cells: cells.to_vec(),
            left_out: Vec::new(),
        })
    }
}
