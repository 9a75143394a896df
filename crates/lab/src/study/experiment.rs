use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Measure, SubjectName, Task, Unit, external};

/// A table or a figure of a paper, measured again.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name within the study, as `table-2`.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where the paper has it, as `Table 2`.
    pub source: &'static str,
    /// What is done here, and how that differs from what was done there.
    pub setup: String,
    /// The unit of all values.
    pub unit: Unit,
    /// How it is drawn.
    pub form: Form,
    /// What the paper published.
    pub theirs: Vec<Published>,
    /// What is measured.
    pub cells: Vec<Cell>,
    /// What the paper has and cannot be measured here, and why.
    pub left_out: Vec<LeftOut>,
}

/// What of a paper is not measured here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Which series.
    pub series: String,
    /// Why.
    pub reason: String,
}

/// How an experiment is drawn. Each value belongs to a series, and is at a place on the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Form {
    /// A column of the table on the first page: series are rows.
    Column,
    /// Rows of the table of figures on the first page, whose columns are agents: series are rows.
    Figure,
    /// A table only: series are rows, places are columns.
    Table,
    /// Bars beside each other, one group for each place.
    Bars,
    /// A line for each series over places that are numbers.
    Lines {
        /// The axis of places.
        x: Axis,
        /// The axis of values.
        y: Axis,
    },
    /// A line for each trace: how a count grew over time in one run.
    Progress {
        /// The axis of time, in seconds.
        x: Axis,
        /// The axis of what is counted.
        y: Axis,
    },
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// What is on it, with its unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub is_logarithmic: bool,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            is_logarithmic: false,
        }
    }
}

/// A place on the axis of an experiment.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum At {
    /// A number, such as that of exchanges.
    Number(f64),
    /// A name, such as that of a level.
    Label(String),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Label(label) => label.fmt(f),
        }
    }
}

impl From<f64> for At {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for At {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for At {
    fn from(label: &str) -> Self {
        Self::Label(label.to_owned())
    }
}

/// A value that the paper published, in the unit of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Whose value it is, as `v2c/UDP`.
    pub series: String,
    /// Where.
    pub at: At,
    /// The value.
    pub value: f64,
}

/// A value that is measured, of each subject that can do the task.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Whose value it is; the same as in [`Published`] where the paper has it.
    pub series: String,
    /// Where.
    pub at: At,
    /// What is done.
    pub task: Task,
    /// What of it is the value.
    pub measure: Measure,
    /// What the value is divided by, repetition by repetition, where it is a ratio.
    pub over: Option<(Task, Measure)>,
    /// What is taken from the value, repetition by repetition, where it is a difference.
    pub less: Option<(Task, Measure)>,
    /// How often it is done, where that differs from what is usual in the scope.
    pub repetitions: Option<u32>,
    /// With whose agent alone it is measured; with each that can do it where nothing is said.
    pub subject: Option<SubjectName>,
}

impl Cell {
    /// A value, repeated as often as usual.
    pub fn new(series: &str, at: impl Into<At>, task: impl Into<Task>, measure: Measure) -> Self {
        Self {
            series: series.to_owned(),
            at: at.into(),
            task: task.into(),
            measure,
            over: None,
            less: None,
            repetitions: None,
            subject: None,
        }
    }

    /// Whether it is measured with this subject's agent, if that can do it.
    #[must_use]
    pub fn is_about(&self, subject: SubjectName) -> bool {
        self.subject.is_none_or(|only| only == subject)
    }

    /// Whether a subject can do what it takes.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        self.tasks()
            .try_for_each(|task| task.is_possible(subject))?;
        if !subject.is_external() {
            return Ok(());
        }
        let others = self.over.iter().chain(&self.less);
        let others = others.map(|(_, measure)| *measure);
        std::iter::once(self.measure)
            .chain(others)
            .try_for_each(|measure| external::can_show(subject, measure))
    }

    /// What has to be done for it.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        let others = self.over.iter().chain(&self.less).map(|(task, _)| task);
        std::iter::once(&self.task).chain(others)
    }
}
