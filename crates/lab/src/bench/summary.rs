//! What a run found, in a terminal of 80 columns and as Markdown: figures, or without them latencies, and what is missing.

use std::io::{self, Write};

use crate::measurement::{Environment, Estimate};
use crate::report::{Table, environment_line, number, octets, with_interval, write_titled};
use crate::study::{
    At, ExperimentResult, Form, MeasuredValue, Results, SubjectName, Unit, reasons,
};

/// Columns of a terminal.
const WIDTH: usize = 80;

/// Writes the summary; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_bench_summary(
    results: &Results,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let figures = figures(results, value);
    let tables = match figures.is_empty() {
        true => vec![latencies(results), sessions(results)],
        false => vec![figures, sessions(results)],
    };
    for table in tables.iter().filter(|table| !table.is_empty()) {
        table.write(output, colour)?;
        writeln!(output)?;
    }
    write_failed(results, output)?;
    write_missing(results, output)?;
    write_wrapped(&circumstances(results), output)?;
    let line = "Medians. --verbose shows every table and the 95 % intervals; --html, --json and --csv write files.";
    write_wrapped(line, output)
}

/// Writes every table, with intervals.
///
/// # Errors
/// If `output` takes no more.
pub fn write_bench_tables(
    results: &Results,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let figures = figures(results, with_interval);
    if !figures.is_empty() {
        write_titled("Figures", &figures, colour, output)?;
        writeln!(output)?;
    }
    let others = experiments(results).filter(|one| one.form != Form::Figure);
    for experiment in others.filter(|one| !one.ours.is_empty()) {
        let unit = experiment.unit.to_string();
        let title = match unit.as_str() {
            "" => experiment.title.clone(),
            unit => format!("{}, {unit}", experiment.title),
        };
        write_titled(&title, &table(experiment), colour, output)?;
        writeln!(output)?;
    }
    write_failed(results, output)?;
    write_missing(results, output)?;
    writeln!(output, "{}", circumstances(results))
}

/// Writes the figures as Markdown, with where and when they were measured.
///
/// # Errors
/// If `output` takes no more.
pub fn write_headline(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    figures(results, value).write_markdown(output)?;
    let first = results.manifest.subjects.first();
    let memory = experiment(results, "memory").map_or(&[][..], |one| &one.ours);
    let held = memory.iter().filter(|one| Some(&one.subject) == first);
    let held = held.map(|one| format!("{} ({})", octets(one.estimate.value), one.series));
    let line = format!(
        "\nMedians. An open session takes {} of the memory of varbind's agent.",
        held.collect::<Vec<_>>().join(", ")
    );
    write_wrapped(&line, output)?;
    write_wrapped(&circumstances(results), output)
}

fn experiments(results: &Results) -> impl Iterator<Item = &ExperimentResult> {
    results.studies.iter().flat_map(|study| &study.experiments)
}

fn experiment<'a>(results: &'a Results, id: &str) -> Option<&'a ExperimentResult> {
    experiments(results).find(|one| one.id == id)
}

fn circumstances(results: &Results) -> String {
    environment_line(&Environment {
        duration: results.duration,
        ..results.manifest.environment.clone()
    })
}

fn value(estimate: &Estimate) -> String {
    number(estimate.value)
}

/// The figures, a row each, with their ratio in words where there are several subjects.
fn figures(results: &Results, show: fn(&Estimate) -> String) -> Table {
    let subjects = &results.manifest.subjects;
    let names: Vec<String> = subjects.iter().map(ToString::to_string).collect();
    let mut header = vec!["lower is better"];
    header.extend(names.iter().map(String::as_str));
    if subjects.len() > 1 {
        header.push("");
    }
    let mut table = Table::new(1, &header);
    for one in experiments(results).filter(|one| one.form == Form::Figure) {
        for figure in one.figures(subjects) {
            let shown = |value: &MeasuredValue| format!("{} {}", show(&value.estimate), one.unit);
            let mut row = vec![figure.name];
            let values = figure.values.into_iter();
            row.extend(values.map(|value| value.map_or_else(absent, shown)));
            if subjects.len() > 1 {
                row.push(figure.ratio.as_ref().map_or_else(absent, times_less));
            }
            table.push(row);
        }
    }
    table
}

fn absent() -> String {
    "-".to_owned()
}

/// A ratio of two costs in words: `3.2x less`.
fn times_less(ratio: &Estimate) -> String {
    if ratio.low <= 1.0 && 1.0 <= ratio.high {
        "same".into()
    } else if ratio.value < 1.0 {
        format!("{}x less", number(1.0 / ratio.value))
    } else {
        format!("{}x more", number(ratio.value))
    }
}

/// What sessions cost: the first exchange, each further one, and the memory of an open one.
fn sessions(results: &Results) -> Table {
    let columns = [
        ("session", "first ms"),
        ("exchange", "further us"),
        ("memory", "memory"),
    ];
    let columns = columns.map(|(id, head)| (experiment(results, id), head));
    let mut header = vec!["a session", "agent"];
    header.extend(columns.map(|(_, head)| head));
    let mut table = Table::new(2, &header);
    let first = columns.first().and_then(|(one, _)| *one);
    for value in first.map_or(&[][..], |one| &one.ours) {
        let mut row = vec![value.series.clone(), value.subject.to_string()];
        row.extend(columns.map(|(one, _)| {
            let mut values = one.map_or(&[][..], |one| &one.ours).iter();
            let same = |other: &&MeasuredValue| {
                other.series == value.series && other.subject == value.subject
            };
            values.find(same).map_or_else(absent, |found| {
                match one.is_some_and(|one| one.unit == Unit::Octets) {
                    true => octets(found.estimate.value),
                    false => number(found.estimate.value),
                }
            })
        }));
        table.push(row);
    }
    table
}

/// The median and the 99th percentile of each request.
fn latencies(results: &Results) -> Table {
    let mut table = Table::new(3, &["request", "over", "agent", "p50 us", "p99 us"]);
    for one in experiments(results).filter(|one| one.form == Form::Bars) {
        let (p50, p99) = (At::from("p50"), At::from("p99"));
        for value in one.ours.iter().filter(|value| value.at == p50) {
            let mut others = one.ours.iter();
            let slow = others.find(|other| {
                other.at == p99 && other.series == value.series && other.subject == value.subject
            });
            table.push(vec![
                one.id.clone(),
                value.series.clone(),
                value.subject.to_string(),
                number(value.estimate.value),
                slow.map_or_else(absent, |slow| number(slow.estimate.value)),
            ]);
        }
    }
    table
}

/// All values of an experiment: a row for each series and subject, a column for each place.
fn table(experiment: &ExperimentResult) -> Table {
    let mut places: Vec<&At> = Vec::new();
    for value in &experiment.ours {
        if !places.contains(&&value.at) {
            places.push(&value.at);
        }
    }
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    let mut header = vec!["", "agent"];
    header.extend(names.iter().map(String::as_str));
    let mut table = Table::new(2, &header);
    for series in experiment.series() {
        let of_series = experiment.ours.iter().filter(|one| one.series == series);
        let mut subjects: Vec<SubjectName> = of_series.map(|one| one.subject).collect();
        subjects.sort_unstable();
        subjects.dedup();
        for subject in subjects {
            let mut row = vec![series.to_owned(), subject.to_string()];
            row.extend(places.iter().map(|place| {
                let mut values = experiment.ours.iter();
                let found = values.find(|one| {
                    one.series == series && one.subject == subject && one.at == **place
                });
                found.map_or_else(absent, |one| with_interval(&one.estimate))
            }));
            table.push(row);
        }
    }
    table
}

/// How many requests failed, if any.
fn write_failed(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let counts = experiments(results).flat_map(|one| &one.ours);
    let failed = counts.filter(|value| value.at == At::from("failed"));
    let failed: f64 = failed.flat_map(|value| &value.values).sum();
    if failed > 0.0 {
        let line = format!("{failed:.0} requests failed; --verbose shows where.");
        write_wrapped(&line, output)?;
    }
    Ok(())
}

/// What was not measured and why, each reason once, and whether the machine had other things to do.
fn write_missing(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    if let Some(unquiet) = results.unquiet() {
        write_wrapped(&unquiet, output)?;
    }
    let missing = experiments(results).flat_map(|one| &one.missing);
    for (reason, count) in reasons(missing) {
        let values = if count == 1 { "value" } else { "values" };
        write_wrapped(&format!("{count} {values} not measured: {reason}"), output)?;
    }
    Ok(())
}

/// Writes words in lines of at most 80 columns; the further lines are indented.
fn write_wrapped(text: &str, output: &mut dyn Write) -> io::Result<()> {
    const INDENT: &str = "  ";
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(output, "{line}")?;
            line = format!("{INDENT}{word}");
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    writeln!(output, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_reported_in_words() {
        let ratio = |low, value, high| times_less(&Estimate { value, low, high });
        assert_eq!(ratio(0.355, 0.361, 0.368), "2.77x less");
        assert_eq!(ratio(1.9, 2.0, 2.1), "2.00x more");
        assert_eq!(ratio(0.98, 1.01, 1.04), "same");
    }

    #[test]
    fn long_lines_are_wrapped_between_words() {
        let mut output = Vec::new();
        write_wrapped(&["word"; 40].join(" "), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.split_whitespace().count(), 40);
        assert_eq!(text.lines().count(), 3);
    }
}
