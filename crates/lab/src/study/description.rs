//! Tables and figures as the file of a study describes them.

use serde::Deserialize;

use super::file_error::{CellFault, DescriptionFault, StudyFileError};
use super::grid::{Grid, read_cells};
use super::{At, Axis, Cell, Experiment, Form, LeftOut, Published, Scope, Unit};

/// An experiment; without its cells where they are Rust.
#[derive(Clone, Debug)]
pub(super) struct Description {
    pub(super) id: &'static str,
    title: &'static str,
    source: &'static str,
    setup: String,
    unit: Unit,
    form: Form,
    theirs: Vec<Published>,
    left_out: Vec<LeftOut>,
    /// Those of quick and of full runs.
    cells: Option<[Vec<Cell>; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescriptionEntry {
    id: String,
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
    cells: Option<Vec<Grid>>,
}

/// Values that were published of one series.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeriesEntry {
    series: String,
    at: Option<Vec<At>>,
    values: Vec<f64>,
}

#[derive(Deserialize)]
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
    Table,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AxisName {
    X,
    Y,
}

impl FormEntry {
    fn read(self) -> Form {
        match self {
            Self::Plain(PlainForm::Bars) => Form::Bars,
            Self::Plain(PlainForm::Column) => Form::Column,
            Self::Plain(PlainForm::Table) => Form::Table,
            Self::Lines { x, y, logarithmic } => {
                let axis = |label, name| Axis {
                    label,
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

impl DescriptionEntry {
    /// Its cells in each scope, where it has them.
    ///
    /// # Errors
    /// What cannot be read.
    fn read_cells(&self, lists: &toml::Table) -> Result<Option<[Vec<Cell>; 2]>, CellFault> {
        let Some(grids) = &self.cells else {
            return Ok(None);
        };
        let cells = |scope| read_cells(grids, lists, scope);
        Ok(Some([cells(Scope::Quick)?, cells(Scope::Full)?]))
    }

    /// What it says, with cells of these lists.
    ///
    /// # Errors
    /// If the values of a series are not as many as their places, or a cell cannot be read.
    pub(super) fn read(
        self,
        study: &str,
        lists: &toml::Table,
    ) -> Result<Description, StudyFileError> {
        let cells = self
            .read_cells(lists)
            .map_err(|fault| StudyFileError::Cells {
                study: study.to_owned(),
                experiment: self.id.clone(),
                fault,
            })?;
        let mut theirs = Vec::new();
        for entry in self.theirs {
            let places = entry.at.as_ref().unwrap_or(&self.places);
            let has_own = entry.at.is_some();
            if places.len() < entry.values.len() || has_own && places.len() > entry.values.len() {
                return Err(StudyFileError::Description {
                    study: study.to_owned(),
                    experiment: self.id,
                    fault: DescriptionFault::Places(entry.series),
                });
            }
            theirs.extend(Published::row(&entry.series, places, &entry.values));
        }
        Ok(Description {
            id: self.id.leak(),
            title: self.title.leak(),
            source: self.source.leak(),
            setup: self.setup,
            unit: self.unit,
            form: self.form.read(),
            theirs,
            left_out: self.left_out,
            cells,
        })
    }
}

impl Description {
    /// Whether its cells are in the file.
    pub(super) const fn has_cells(&self) -> bool {
        self.cells.is_some()
    }

    /// The experiment, if its cells are in the file.
    pub(super) fn experiment(&self, scope: Scope) -> Option<Experiment> {
        let [quick, full] = self.cells.as_ref()?;
        let cells = match scope {
            Scope::Quick => quick,
            Scope::Full => full,
        };
        Some(Experiment::new(self.id, cells.iter().cloned()))
    }
}

/// All experiments of a study: those whose cells are Rust, and those whose cells are in its file.
pub(super) fn experiments(
    measured: fn(Scope) -> Vec<Experiment>,
    descriptions: &[Description],
    scope: Scope,
) -> Vec<Experiment> {
    let mut experiments = measured(scope);
    let in_file = descriptions.iter();
    experiments.extend(in_file.filter_map(|one| one.experiment(scope)));
    for experiment in &mut experiments {
        complete(experiment, descriptions);
    }
    experiments
}

/// Takes over what the file says of an experiment. What was published is computed for some.
fn complete(experiment: &mut Experiment, descriptions: &[Description]) {
    let mut all = descriptions.iter();
    let Some(found) = all.find(|one| one.id == experiment.id) else {
        return;
    };
    experiment.title = found.title;
    experiment.source = found.source;
    let note = std::mem::replace(&mut experiment.setup, found.setup.clone());
    if !note.is_empty() {
        experiment.setup += &format!(" {note}");
    }
    experiment.unit = found.unit;
    experiment.form = found.form.clone();
    experiment.left_out.clone_from(&found.left_out);
    if experiment.theirs.is_empty() {
        experiment.theirs.clone_from(&found.theirs);
    }
}
