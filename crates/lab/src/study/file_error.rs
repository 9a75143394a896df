use super::At;

/// Why the file of a study cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyFileError {
    /// It is not TOML, lacks a key or has one that no study has.
    #[error("the file of a study cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    /// An experiment cannot be measured or shown.
    #[error("study {study}, experiment {experiment}: {fault}")]
    Experiment {
        /// The study.
        study: String,
        /// The experiment.
        experiment: String,
        /// What is wrong.
        fault: ExperimentFault,
    },
    /// A claim cannot be judged.
    #[error("study {study}, claim {claim}: {fault}")]
    Claim {
        /// The study.
        study: String,
        /// The claim.
        claim: String,
        /// What is wrong.
        fault: ClaimFault,
    },
}

/// What is wrong with an experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentFault {
    #[error("two have this id: rename one of them")]
    Duplicate,
    #[error("series {0:?} has not as many values as places")]
    Places(String),
    #[error("each entry of list {0:?} needs a `name`, because the experiment has `each`")]
    NoName(String),
    #[error(transparent)]
    Cells(#[from] CellFault),
}

/// What is wrong with the cells of an experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellFault {
    #[error("no list {0:?} in `[lists]`: add it, or use one that is there")]
    UnknownList(String),
    #[error("{0} is neither an entry nor the name of a list")]
    NoEntry(String),
    #[error("{error}, in the cell with {entry}")]
    Entry {
        entry: String,
        error: Box<toml::de::Error>,
    },
    #[error("{field:?} is no field of the task {task}, or has its usual value: delete it")]
    UnknownField { field: String, task: String },
    #[error("percentile {0} is not measured: give 500, 900, 990, 999 or 1000, in thousandths")]
    Percentile(u32),
}

/// What is wrong with a claim.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimFault {
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
