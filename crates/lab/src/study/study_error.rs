use std::io;
use std::path::PathBuf;

use super::StoreError;

/// Why a run has no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The results cannot be kept.
    #[error("{0}")]
    Store(StoreError),
    /// The figures of small boards cannot be read.
    #[error(
        "{0} (`scripts/small-board --output FILE` makes such a file; without the variable the run goes on)"
    )]
    SmallBoards(String),
    /// The machine cannot be read.
    #[error("cannot read the processor cores: {0} (the laboratory needs Linux with /proc)")]
    Machine(io::Error),
    /// It was ended before its time.
    #[error(
        "interrupted: {done} of {total} measurements are in {directory}, and the same command goes on from there"
    )]
    Interrupted {
        /// Where it continues when it is started again.
        directory: PathBuf,
        /// How many observations there are.
        done: usize,
        /// How many there are to be.
        total: usize,
    },
}
