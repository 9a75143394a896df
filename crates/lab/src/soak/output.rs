//! The outputs of a [`SoakReport`]: tables, JSON and CSV.

use std::io::{self, Write};

use super::SoakReport;
use crate::bench::{BenchError, Outputs};
use crate::report::{
    Table, Writer, environment_line, number, octets, write_files, write_json, write_titled,
};

/// Writes the files that are asked for; there is no page.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_soak_outputs(report: &SoakReport, outputs: &Outputs) -> Result<(), BenchError> {
    let files: [(_, Writer<SoakReport>); 2] =
        [(&outputs.json, write_json), (&outputs.csv, write_csv)];
    write_files(report, &files)
}

/// A row for each sample.
fn write_csv(report: &SoakReport, output: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(output);
    rows.write_record(["at_s", "cpu_s", "pss", "sessions", "completed"])?;
    for one in &report.samples {
        rows.write_record([
            format!("{:.3}", one.at),
            format!("{:.3}", one.cpu),
            one.pss.to_string(),
            one.sessions.to_string(),
            one.completed.to_string(),
        ])?;
    }
    rows.flush()
}

/// Writes the report as tables; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_soak_terminal(
    report: &SoakReport,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let header = [
        "over",
        "version",
        "sessions",
        "abandoned",
        "exchanges",
        "failed",
    ];
    let mut done = Table::new(2, &header);
    for one in &report.transports {
        let mut row = vec![one.transport.to_string(), one.version.clone()];
        let counts = [one.sessions, one.abandoned, one.completed, one.failed];
        row.extend(counts.map(|count| number(count as f64)));
        done.push(row);
    }
    write_titled("Sessions that came and went", &done, colour, output)?;
    writeln!(output)?;
    write_titled("Memory (PSS) of the agent", &memory(report), colour, output)?;
    writeln!(output, "\n{}", environment_line(&report.environment))
}

fn memory(report: &SoakReport) -> Table {
    let header = [
        "CPU time s",
        "at a tenth",
        "at half",
        "at the end",
        "growth per hour of CPU time",
    ];
    let mut table = Table::new(0, &header);
    let samples = &report.samples;
    let at = |share: f64| {
        let sample = samples.get((samples.len().saturating_sub(1) as f64 * share) as usize);
        sample.map_or_else(|| "-".to_owned(), |sample| octets(sample.pss as f64))
    };
    table.push(vec![
        samples
            .last()
            .map_or_else(|| "-".to_owned(), |last| number(last.cpu)),
        at(0.1),
        at(0.5),
        at(1.0),
        octets(report.growth_per_hour),
    ]);
    table
}
