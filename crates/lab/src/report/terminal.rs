use std::io::{self, Write};

use super::quantity::number;
use super::session_tables::{
    break_even, memory, session_phases, sessions, soak, soak_memory, wire,
};
use super::table::Table;
use super::tables::{
    costs, figures, is_burst, outcomes, phases, response_times, side_by_side, throughput,
};
use crate::measurement::{Environment, Placement, Report};

/// Writes the report as tables; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_terminal(report: &Report, colour: bool, output: &mut dyn Write) -> io::Result<()> {
    let (bold, plain) = if colour {
        ("\x1b[1m", "\x1b[0m")
    } else {
        ("", "")
    };
    let section = |output: &mut dyn Write, title: &str, table: &Table| {
        if table.is_empty() {
            return Ok(());
        }
        writeln!(output, "\n{bold}{title}{plain}")?;
        table.write(output, colour)
    };
    writeln!(output, "{}", report.question)?;
    section(
        output,
        "Figures (median and 95 % interval)",
        &figures(report),
    )?;
    section(
        output,
        "Side by side (median and 95 % interval)",
        &side_by_side(report),
    )?;
    section(
        output,
        "Response time: whole session by its exchanges, and latency of the steady state, in us",
        &response_times(report),
    )?;
    section(output, "Phases, p50 / p99 in us", &phases(report))?;
    section(output, "Cost of an exchange", &costs(report))?;
    section(output, throughput_title(report), &throughput(report))?;
    for (title, table) in [
        (
            "Whole sessions: what they cost once, and for each exchange; packets and octets of one exchange",
            sessions(report),
        ),
        (
            "Phases of whole sessions of one exchange, p50 / p99 in us",
            session_phases(report),
        ),
        ("Packets / octets of a session", wire(report)),
        (
            "Break-even: from which exchange on a session costs less",
            break_even(report),
        ),
        ("Memory (PSS) of open sessions", memory(report)),
        ("Soak", soak(report)),
        ("Memory (PSS) over the soak", soak_memory(report)),
    ] {
        section(output, title, &table)?;
    }
    section(output, "What went wrong", &outcomes(report))?;
    writeln!(output)?;
    for note in &report.notes {
        writeln!(output, "note: {note}")?;
    }
    writeln!(output, "{}", environment_line(&report.environment))
}

/// Says where manager and agent ran, if that was chosen.
pub(super) fn throughput_title(report: &Report) -> &'static str {
    let mut bursts = report.configurations.iter().filter(|one| is_burst(one));
    if bursts.all(|one| one.parameters.placement == Placement::SameCore) {
        "Throughput: over UDP in bursts, manager and agent on one core"
    } else {
        "Throughput: over UDP in bursts"
    }
}

pub(crate) fn environment_line(environment: &Environment) -> String {
    let subjects: Vec<String> = environment
        .subjects
        .iter()
        .map(|subject| format!("{} {}", subject.name, subject.version))
        .collect();
    format!(
        "{}; {} ({} cores), {}, load {} to {}, {} interfaces; {}{}; seed {}; {} s",
        environment.date,
        environment.processor,
        environment.cores,
        environment.kernel,
        environment.load_at_start,
        environment.load_at_end,
        environment.interfaces,
        subjects.join(", "),
        if environment.optimised {
            ""
        } else {
            "; NOT OPTIMISED: build with --release to measure"
        },
        environment.seed,
        number(environment.duration),
    )
}
