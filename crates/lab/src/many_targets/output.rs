//! The outputs of a [`ManyTargetsReport`]: tables, JSON and CSV.

use std::io::{self, Write};

use super::{Load, LoadResult, ManyTargetsReport, TargetsResult};
use crate::bench::{BenchError, Outputs};
use crate::measurement::Estimate;
use crate::report::{
    Table, Writer, environment_line, number, write_files, write_json, write_titled,
};
use crate::statistics::median;

const HEADER: [&str; 9] = [
    "targets",
    "load",
    "gets",
    "cpu_s",
    "repeated",
    "failed",
    "dead_messages",
    "memory_octets",
    "p99_us",
];

/// Writes the files that are asked for; there is no page.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_many_targets_outputs(
    report: &ManyTargetsReport,
    outputs: &Outputs,
) -> Result<(), BenchError> {
    let files: [(_, Writer<ManyTargetsReport>); 2] =
        [(&outputs.json, write_json), (&outputs.csv, write_csv)];
    write_files(report, &files)
}

/// One row for each run; its p99 is the median of its windows.
fn write_csv(report: &ManyTargetsReport, output: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(output);
    rows.write_record(HEADER)?;
    for run in report.results.iter().flat_map(|result| &result.runs) {
        let optional = |value: Option<f64>| value.map(|value| format!("{value:.1}"));
        rows.write_record([
            run.targets.to_string(),
            name(run.load).to_owned(),
            run.gets.to_string(),
            format!("{:.6}", run.cpu),
            run.repeated.to_string(),
            run.failed.to_string(),
            run.dead_messages.to_string(),
            optional(run.memory).unwrap_or_default(),
            optional(median(&run.p99)).unwrap_or_default(),
        ])?;
    }
    rows.flush()
}

/// Writes the report as tables; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_many_targets_terminal(
    report: &ManyTargetsReport,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    for result in &report.results {
        let header = [
            "load", "CPU/Get", "memory", "p99", "Gets", "repeated", "failed",
        ];
        let mut table = Table::new(1, &header);
        for load in &result.loads {
            table.push(row(load));
        }
        let title = format!("A client with {} targets", result.targets);
        write_titled(&title, &table, colour, output)?;
        for line in ratios(result) {
            writeln!(output, "{line}")?;
        }
        writeln!(output)?;
    }
    writeln!(
        output,
        "CPU in us, memory of a further target in octets: medians of {} s runs",
        report.run_seconds
    )?;
    writeln!(
        output,
        "p99 in us: medians of {} s windows, with and without dead targets by turns",
        report.run_seconds / 4.0
    )?;
    writeln!(output, "{}", environment_line(&report.environment))
}

fn row(result: &LoadResult) -> Vec<String> {
    let value = |estimate: &Option<Estimate>| {
        estimate
            .as_ref()
            .map_or_else(|| "-".to_owned(), |estimate| number(estimate.value))
    };
    vec![
        name(result.load).to_owned(),
        value(&result.cpu_per_get),
        value(&result.memory),
        value(&result.p99),
        result.gets.to_string(),
        result.repeated.to_string(),
        result.failed.to_string(),
    ]
}

fn ratios(result: &TargetsResult) -> impl Iterator<Item = String> {
    let named = [
        (
            "CPU/Get of the client over the bare loop",
            &result.v2c_over_bare,
        ),
        (
            "CPU/Get with 256 tasks over the bare loop",
            &result.pool_over_bare,
        ),
        ("CPU/Get with a user over SNMPv2c", &result.user_over_v2c),
        (
            "p99 beside dead targets over p99 without",
            &result.dead_over_alive,
        ),
    ];
    named.into_iter().filter_map(|(name, ratio)| {
        let Estimate { value, low, high } = ratio.as_ref()?;
        Some(format!("{name}: {value:.2} [{low:.2}, {high:.2}]"))
    })
}

const fn name(load: Load) -> &'static str {
    match load {
        Load::Bare => "bare loop",
        Load::V2c => "SNMPv2c",
        Load::V2cPool => "SNMPv2c, 256 tasks",
        Load::User => "user, SHA-1 and AES-128",
        Load::Paced => "paced",
        Load::PacedBesideDead => "paced, a tenth dead",
    }
}
