//! Writes a report: as tables for a terminal, as JSON, as CSV, and as a page that needs no network.

mod csv;
mod html;
mod page;
mod quantity;
mod session_tables;
mod summary;
mod table;
mod tables;
mod terminal;

pub use csv::write_csv;
pub use html::write_html;
pub(crate) use page::{PlotPlace, escape, write_page};
pub(crate) use quantity::number;
pub use summary::{write_headline, write_summary};
pub(crate) use table::Table;
pub use terminal::write_terminal;
pub(crate) use terminal::{environment_line, write_titled};

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::bench::{BenchError, Outputs};
use crate::measurement::Report;

/// Writes the whole report (docs/bench.md describes the schema).
///
/// # Errors
/// If `output` takes no more.
pub fn write_json<R: Serialize>(report: &R, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, report)?;
    writeln!(output)
}

/// Writes every file that is asked for.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_outputs(report: &Report, outputs: &Outputs) -> Result<(), BenchError> {
    let files: [(_, Writer<Report>); 3] = [
        (&outputs.json, write_json),
        (&outputs.csv, write_csv),
        (&outputs.html, write_html),
    ];
    write_files(report, &files)
}

/// Writes one form of a report.
pub(crate) type Writer<R> = fn(&R, &mut dyn Write) -> io::Result<()>;

/// Writes the forms of a report for which there are files.
pub(crate) fn write_files<R>(
    report: &R,
    files: &[(&Option<PathBuf>, Writer<R>)],
) -> Result<(), BenchError> {
    for (path, write) in files {
        if let Some(path) = path {
            write_file(path, |output| write(report, output)).map_err(|error| {
                BenchError::Output {
                    path: path.clone(),
                    error,
                }
            })?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut output = BufWriter::new(File::create(path)?);
    write(&mut output)?;
    output.flush()
}
