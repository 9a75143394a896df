//! What all outputs are made of: tables for a terminal and in Markdown, quantities, files, and a page that needs no network.

mod page;
mod quantity;
mod table;
mod terminal;

pub(crate) use page::{PlotPlace, escape, with_code, write_page};
pub(crate) use quantity::{number, octets, with_interval};
pub(crate) use table::Table;
pub(crate) use terminal::{environment_line, write_titled};

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::bench::BenchError;

/// Writes the whole report (docs/bench.md describes the schema).
///
/// # Errors
/// If `output` takes no more.
pub fn write_json<R: Serialize>(report: &R, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, report)?;
    writeln!(output)
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
