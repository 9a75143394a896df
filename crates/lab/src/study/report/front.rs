use std::io::{self, Write};

use super::super::{ExperimentResult, Form, Outcome, Results, StudyResult, SubjectName};
use super::{chapter, escape, with_interval};

/// The study that is not in a paper but on the first page.
const OVERVIEW: &str = "overview";

/// Repetitions from which on a bootstrap interval says something.
const LEAST: u32 = 5;

/// Whether a study's place is on the first page.
pub(super) fn is_of(study: &StudyResult) -> bool {
    study.name == OVERVIEW
}

/// The first page: the answer in a table and plots, and what became of the claims.
pub(super) fn write(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let overview = results.studies.iter().find(|study| is_of(study));
    let title = overview.map_or("SNMP studies, repeated", |study| &study.question);
    let environment = &results.manifest.environment;
    writeln!(
        output,
        "<section><h1>{}</h1><p class=\"soft\">{}, {} run of {:.0} s on {} ({} cores).</p>",
        escape(title),
        escape(&environment.date),
        results.manifest.scope,
        results.duration,
        escape(&environment.processor),
        environment.cores
    )?;
    if !environment.optimised {
        writeln!(
            output,
            "<p class=\"warning\">Measured with a build without optimisation: good for trying out, not for figures.</p>"
        )?;
    }
    if results
        .manifest
        .tasks
        .iter()
        .all(|one| one.repetitions < LEAST)
    {
        writeln!(
            output,
            "<p class=\"warning\">So few repetitions give no intervals: the verdicts are those of single measurements.</p>"
        )?;
    }
    if let Some(overview) = overview {
        columns(overview, output)?;
        answers(overview, output)?;
        writeln!(output, "<div class=\"pair three\">")?;
        for experiment in &overview.experiments {
            if experiment.form != Form::Column {
                chapter::figure(overview, experiment, "ours", output)?;
            }
        }
        writeln!(output, "</div>")?;
    }
    claims(results, output)?;
    writeln!(output, "</section>")
}

/// Experiments that are columns, side by side.
fn columns(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<&ExperimentResult> = overview
        .experiments
        .iter()
        .filter(|experiment| experiment.form == Form::Column)
        .collect();
    let mut rows: Vec<(&str, SubjectName)> = Vec::new();
    for value in columns.iter().flat_map(|column| &column.ours) {
        let row = (value.series.as_str(), value.subject);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|(_, subject)| *subject);
    writeln!(
        output,
        "<div class=\"scroll\"><table><thead><tr><th class=\"left\">SNMP</th><th class=\"left\">agent</th>"
    )?;
    for column in &columns {
        writeln!(
            output,
            "<th>{}<br><span class=\"ci\">{}</span></th>",
            escape(&column.title),
            column.unit
        )?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    for (series, subject) in rows {
        writeln!(
            output,
            "<tr><td class=\"left\">{}</td><td class=\"left\">{subject}</td>",
            escape(series)
        )?;
        for column in &columns {
            let mut values = column.ours.iter();
            let value = values.find(|value| value.series == series && value.subject == subject);
            let text = value.map_or_else(String::new, |value| with_interval(&value.estimate));
            writeln!(output, "<td>{text}</td>")?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</tbody></table></div>")
}

fn answers(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "<ul class=\"answers\">")?;
    for answer in &overview.verdicts {
        writeln!(output, "<li>")?;
        chapter::verdict(answer, output)?;
        writeln!(output, "</li>")?;
    }
    writeln!(output, "</ul>")
}

/// How many claims of each study hold.
fn claims(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    writeln!(
        output,
        "<h2>What became of the claims</h2><div class=\"scroll\"><table><thead><tr><th class=\"left\">study</th>"
    )?;
    for outcome in Outcome::ALL {
        writeln!(output, "<th>{outcome}</th>")?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    for study in results.studies.iter().filter(|study| !is_of(study)) {
        writeln!(
            output,
            "<tr><td class=\"left\"><a href=\"#{0}\">{1} ({2})</a></td>",
            study.name,
            escape(&study.authors),
            study.year
        )?;
        for outcome in Outcome::ALL {
            writeln!(output, "<td>{}</td>", study.verdicts_of(outcome))?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</tbody></table></div>")
}
