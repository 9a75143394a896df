use std::io::{self, Write};

use super::{figures, sections, session_figures};
use crate::measurement::Report;
use crate::report::plot::escape;
use crate::report::session_tables::{
    break_even, memory, session_phases, sessions, soak, soak_memory, wire,
};
use crate::report::tables::{costs, outcomes, phases, response_times, throughput};
use crate::report::terminal::throughput_title;

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
    session_figures::sessions(report, output)?;
    session_figures::soak(report, output)?;
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
        (throughput_title(report), throughput(report), false),
        (
            "Break-even: exchanges from which on a session costs less than one with the user-based security model",
            break_even(report),
            true,
        ),
        ("Whole sessions", sessions(report), true),
        (
            "Phases of whole sessions of one exchange, p50 / p99 in us",
            session_phases(report),
            false,
        ),
        ("Packets / octets of a session", wire(report), false),
        ("Memory (PSS) of open sessions", memory(report), true),
        ("Soak", soak(report), true),
        ("Memory (PSS) over the soak", soak_memory(report), true),
        ("What went wrong", outcomes(report), true),
    ] {
        sections::table(title, &table, open, output)?;
    }
    sections::notes(report, output)?;
    sections::environment(report, output)?;
    writeln!(output, "</main></body></html>")
}
