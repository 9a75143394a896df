//! `varbind bench`: a study without a paper. Its options fill the lists of the file of the study, and what a run found is shown as
//! figures.

mod baseline;
mod error;
mod options;
mod plan;
mod summary;
mod ways;

pub use baseline::{BaselineComparison, WorseFigure, read_baseline};
pub use error::BenchError;
pub use options::{BenchOptions, Outputs, Peer, RequestKind};
pub use plan::bench_study;
pub use summary::{write_bench_summary, write_bench_tables, write_headline};

use crate::report::{Writer, write_files, write_json};
use crate::study::{Results, write_repetitions, write_report};

/// Writes every file that is asked for.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_bench_outputs(results: &Results, outputs: &Outputs) -> Result<(), BenchError> {
    let files: [(_, Writer<Results>); 3] = [
        (&outputs.json, write_json),
        (&outputs.csv, write_repetitions),
        (&outputs.html, write_report),
    ];
    write_files(results, &files)
}
