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

/// The figures side by side.
pub(super) fn headline(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let subjects = subjects(report);
    let shown: Vec<&Comparison> = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.headline)
        .collect();
    if shown.is_empty() {
        return Ok(());
    }
    write!(
        output,
        "<h2>Figures</h2><div class=\"scroll\"><table><tr><th class=\"left\">what</th><th class=\"left\">unit</th>"
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
            let verdict = match &comparison.ratio {
                Some(ratio) if ratio.high < 1.0 => "good",
                Some(ratio) if ratio.low > 1.0 => "bad",
                _ => "",
            };
            estimate_cell(comparison.ratio.as_ref(), verdict, output)?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(
        output,
        "</table></div><p class=\"soft\">Medians with 95 % bootstrap intervals. The ratio is the first subject over the \
         last, run by run in pairs; coloured where its whole interval is on one side of 1.</p>"
    )
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
