use std::io::{self, Write};

use super::{figures, sections};
use crate::measurement::Report;
use crate::report::plot::escape;
use crate::report::tables::{costs, outcomes, phases, response_times, throughput};

const STYLE: &str = include_str!("style.css");

/// Writes the report as one page: the summary first, then plots, then tables, the environment at the end.
///
/// # Errors
/// If `output` takes no more.
pub fn write_html(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let names = sections::subjects(report);
    let title = format!("SNMP bench: {}", names.join(" beside "));
    write!(
        output,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{STYLE}</style></head><body><main>",
        escape(&title)
    )?;
    writeln!(
        output,
        "<h1>{}</h1><p class=\"soft\">{} {} in {:.0} s.</p>",
        escape(&title),
        escape(&report.question),
        escape(&report.environment.date),
        report.environment.duration
    )?;
    if !report.environment.optimised {
        writeln!(
            output,
            "<p class=\"warning\">Measured with a build without optimisation: good for trying out, not for figures.</p>"
        )?;
    }
    sections::comparisons(report, output)?;
    figures::costs(report, output)?;
    figures::requests(report, output)?;
    writeln!(output, "<h2>Tables</h2>")?;
    for (title, table, open) in [
        (
            "Response time, and latency of the steady state, in us",
            response_times(report),
            true,
        ),
        (
            "Phases of a session, p50 / p99 in us",
            phases(report),
            false,
        ),
        ("Cost of an exchange", costs(report), false),
        (
            "Throughput in bursts, manager and agent on one core",
            throughput(report),
            false,
        ),
        ("What went wrong", outcomes(report), true),
    ] {
        sections::table(title, &table, open, output)?;
    }
    sections::notes(report, output)?;
    sections::environment(report, output)?;
    writeln!(output, "</main></body></html>")
}
