use std::io::{self, Write};

use crate::measurement::{Comparison, Estimate, Report};
use crate::report::plot::escape;
use crate::report::quantity::{number, octets};
use crate::report::table::Table;

/// The subjects in their order, which decides their colours.
pub(super) fn subjects(report: &Report) -> Vec<String> {
    let subjects = report.environment.subjects.iter();
    subjects.map(|subject| subject.name.clone()).collect()
}

/// The class that gives a subject its colour.
pub(super) fn class(subjects: &[String], subject: &str) -> String {
    let at = subjects.iter().position(|name| name == subject);
    format!("s{}", at.unwrap_or(3).min(3))
}

/// The headline figures, and what else can be put side by side: folded away where there are headlines.
pub(super) fn comparisons(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let all = || report.comparisons.iter();
    let headlines: Vec<&Comparison> = all().filter(|one| one.headline).collect();
    let others: Vec<&Comparison> = all()
        .filter(|one| !one.headline && one.ratio.is_some())
        .collect();
    if !headlines.is_empty() {
        writeln!(output, "<h2>Figures</h2>")?;
        comparison_table(report, &headlines, output)?;
        writeln!(
            output,
            "<p class=\"soft\">Medians with 95 % bootstrap intervals. The ratio is the first subject over the last, run \
             by run in pairs; coloured where its whole interval is on one side of 1.</p>"
        )?;
    }
    if others.is_empty() {
        return Ok(());
    }
    let state = if headlines.is_empty() { " open" } else { "" };
    writeln!(output, "<details{state}><summary>Side by side</summary>")?;
    comparison_table(report, &others, output)?;
    writeln!(output, "</details>")
}

fn comparison_table(
    report: &Report,
    shown: &[&Comparison],
    output: &mut dyn Write,
) -> io::Result<()> {
    let subjects = subjects(report);
    write!(
        output,
        "<div class=\"scroll\"><table><tr><th class=\"left\">what</th><th class=\"left\">unit</th>"
    )?;
    for subject in &subjects {
        write!(output, "<th>{}</th>", escape(subject))?;
    }
    let ratio = subjects.len() > 1;
    if ratio {
        write!(output, "<th>ratio</th>")?;
    }
    writeln!(output, "</tr>")?;
    for comparison in shown {
        write!(
            output,
            "<tr><td class=\"left wide\">{}</td><td class=\"left\">{}</td>",
            escape(&comparison.what),
            escape(&comparison.unit)
        )?;
        for subject in &subjects {
            let value = comparison
                .values
                .iter()
                .find(|value| value.subject == *subject);
            estimate_cell(value.map(|value| &value.value), "", output)?;
        }
        if ratio {
            let verdict = verdict(comparison);
            estimate_cell(comparison.ratio.as_ref(), verdict, output)?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</table></div>")
}

/// Whether the whole interval of the ratio is on one side: of rates more is better, of all else less.
fn verdict(comparison: &Comparison) -> &'static str {
    let Some(ratio) = &comparison.ratio else {
        return "";
    };
    match (ratio.high < 1.0, ratio.low > 1.0, comparison.unit.as_str()) {
        (true, _, "1/s") | (_, true, "us" | "ms" | "MB" | "x") => "bad",
        (_, true, "1/s") | (true, _, _) => "good",
        _ => "",
    }
}

fn estimate_cell(
    estimate: Option<&Estimate>,
    class: &str,
    output: &mut dyn Write,
) -> io::Result<()> {
    match estimate {
        None => write!(output, "<td>-</td>"),
        Some(estimate) => write!(
            output,
            "<td><span class=\"{class}\">{}</span> <span class=\"ci\">[{}, {}]</span></td>",
            number(estimate.value),
            number(estimate.low),
            number(estimate.high)
        ),
    }
}

/// A table that can be folded away.
pub(super) fn table(
    title: &str,
    table: &Table,
    open: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    let state = if open { " open" } else { "" };
    write!(
        output,
        "<details{state}><summary>{}</summary><div class=\"scroll\"><table><tr>",
        escape(title)
    )?;
    let side = |column: usize| {
        if column < table.left_columns() {
            " class=\"left\""
        } else {
            ""
        }
    };
    for (column, cell) in table.header().iter().enumerate() {
        write!(output, "<th{}>{}</th>", side(column), escape(cell))?;
    }
    for row in table.rows() {
        write!(output, "</tr><tr>")?;
        for (column, cell) in row.iter().enumerate() {
            write!(output, "<td{}>{}</td>", side(column), escape(cell))?;
        }
    }
    writeln!(output, "</tr></table></div></details>")
}

/// What was left out and why.
pub(super) fn notes(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    for note in &report.notes {
        writeln!(output, "<p class=\"warning\">{}</p>", escape(note))?;
    }
    Ok(())
}

/// Where and with what it was measured.
pub(super) fn environment(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let environment = &report.environment;
    let mut rows = vec![
        ("date", environment.date.clone()),
        (
            "processor",
            format!("{}, {} cores", environment.processor, environment.cores),
        ),
        (
            "governor",
            environment
                .governor
                .clone()
                .unwrap_or_else(|| "not told by the kernel".into()),
        ),
        ("kernel", environment.kernel.clone()),
        ("memory", octets(environment.memory as f64)),
        (
            "load average",
            format!(
                "{} at the start, {} at the end",
                environment.load_at_start, environment.load_at_end
            ),
        ),
        ("interfaces", environment.interfaces.to_string()),
        (
            "laboratory",
            format!("varbind {}, {}", environment.varbind, environment.rustc),
        ),
        ("seed", environment.seed.to_string()),
    ];
    for subject in &environment.subjects {
        rows.push((
            "subject",
            format!("{} {} ({})", subject.name, subject.version, subject.origin),
        ));
    }
    for process in &report.processes {
        rows.push(("command", process.command.clone()));
    }
    write!(output, "<h2>Environment</h2><dl>")?;
    for (name, value) in rows {
        write!(
            output,
            "<dt>{}</dt><dd>{}</dd>",
            escape(name),
            escape(&value)
        )?;
    }
    writeln!(output, "</dl>")
}
