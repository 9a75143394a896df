use std::io::{self, Write};

use super::quantity::number;
use super::session_tables::session_tables;
use super::table::Table;
use super::tables::{figures, is_burst, side_by_side, tables};
use crate::measurement::{Environment, Placement, Report};

/// Writes the report as tables; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_terminal(report: &Report, colour: bool, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{}", report.question)?;
    let compared = [
        ("Figures (median and 95 % interval)", figures(report)),
        (
            "Side by side (median and 95 % interval)",
            side_by_side(report),
        ),
    ];
    let all = compared.into_iter().chain(tables(report));
    for (title, table) in all.chain(session_tables(report)) {
        if !table.is_empty() {
            writeln!(output)?;
            write_titled(title, &table, colour, output)?;
        }
    }
    writeln!(output)?;
    for note in &report.notes {
        writeln!(output, "note: {note}")?;
    }
    writeln!(output, "{}", environment_line(&report.environment))
}

/// A table below its title.
pub(crate) fn write_titled(
    title: &str,
    table: &Table,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    match colour {
        true => writeln!(output, "\x1b[1m{title}\x1b[0m")?,
        false => writeln!(output, "{title}")?,
    }
    table.write(output, colour)
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
        "{}; {} ({} cores), {}, load {} to {}, {} interfaces; {}{}{}; seed {}; {} s",
        environment.date,
        environment.processor,
        environment.cores,
        environment.kernel,
        environment.load_at_start,
        environment.load_at_end,
        environment.interfaces,
        subjects.join(", "),
        match environment.features.as_slice() {
            [] => String::new(),
            features => format!(", with {}", features.join(" and ")),
        },
        if environment.optimised {
            ""
        } else {
            "; NOT OPTIMISED: build with --release to measure"
        },
        environment.seed,
        number(environment.duration),
    )
}
