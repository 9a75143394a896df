//! Tables and figures as the file of a study describes them.

use serde::Deserialize;

use super::{At, Axis, Experiment, Form, LeftOut, Published, Unit};

/// An experiment without its cells.
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
    /// What it says; the series of which values have no places, or places no values, where there is one.
    pub(super) fn read(self) -> Result<Description, (String, String)> {
        let mut theirs = Vec::new();
        for entry in self.theirs {
            let places = entry.at.as_ref().unwrap_or(&self.places);
            let has_own = entry.at.is_some();
            if places.len() < entry.values.len() || has_own && places.len() > entry.values.len() {
                return Err((self.id, entry.series));
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
        })
    }
}

/// Takes over what the file says of an experiment. What was published is computed for some.
pub(super) fn complete(experiment: &mut Experiment, descriptions: &[Description]) {
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
