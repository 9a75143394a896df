//! What a run found, in a terminal of 80 columns: the headline figures, or without them the latencies, and what is missing.

use std::io::{self, Write};

use super::quantity::{number, octets};
use super::session_tables::{kind, soak, soak_memory};
use super::table::Table;
use super::tables::latencies;
use super::terminal::environment_line;
use crate::measurement::{Comparison, Estimate, Report, SubjectValue};

/// Columns of a terminal.
const WIDTH: usize = 80;

/// Writes the summary; with `colour` in bold where it helps.
///
/// # Errors
/// If `output` takes no more.
pub fn write_summary(report: &Report, colour: bool, output: &mut dyn Write) -> io::Result<()> {
    let headline = headline(report);
    let tables = if headline.is_empty() {
        [responses(report), soak(report), soak_memory(report)]
    } else {
        [headline, sessions(report), memory(report)]
    };
    for table in tables.iter().filter(|table| !table.is_empty()) {
        table.write(output, colour)?;
        writeln!(output)?;
    }
    let failed = failed(report);
    if failed > 0 {
        let line = format!("{failed} requests failed; --verbose shows where.");
        write_wrapped(&line, output)?;
    }
    for note in &report.notes {
        write_wrapped(note, output)?;
    }
    write_wrapped(&environment_line(&report.environment), output)?;
    let line = "Medians. --verbose shows every table and the 95 % intervals; --html, --json and --csv write files.";
    write_wrapped(line, output)
}

/// The figures for a reader who does not know the report, in their words.
const IN_PLAIN_WORDS: [(&str, &str); 10] = [
    (
        "agent CPU per v2c get in bursts of 1 / echo's",
        "agent CPU per GET (v2c, UDP), relative to the echo's",
    ),
    (
        "agent CPU per object, GetBulk x50 of ifTable",
        "agent CPU per object (v2c, UDP, GetBulk of 50 from ifTable)",
    ),
    (
        "agent CPU per v3 authPriv SHA AES get",
        "agent CPU per GET (v3, SHA and AES, UDP)",
    ),
    ("one-shot get, process", "`get` as a whole process, v2c"),
    (
        "one-shot get, v3 authPriv SHA AES, process",
        "`get` as a whole process, v3, SHA and AES",
    ),
    (
        "one-shot get over TLS, process",
        "`get` as a whole process, over TLS",
    ),
    (
        "one-shot get over DTLS, process",
        "`get` as a whole process, over DTLS",
    ),
    (
        "one-shot get over SSH, process",
        "`get` as a whole process, over SSH",
    ),
    ("agent memory (PSS) at start", "agent memory at start (PSS)"),
    (
        "agent start to first answer",
        "agent start to first response",
    ),
];

/// Writes few headline figures in plain words as Markdown, with where and when they were measured.
///
/// # Errors
/// If `output` takes no more.
pub fn write_headline(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let subjects = subjects(report);
    let mut header = vec!["lower is better"];
    header.extend(&subjects);
    if subjects.len() > 1 {
        header.push("");
    }
    let mut table = Table::new(1, &header);
    for (what, words) in IN_PLAIN_WORDS {
        let mut comparisons = report.comparisons.iter();
        if let Some(comparison) = comparisons.find(|one| one.headline && one.what == what) {
            table.push(figures(words, comparison, &subjects));
        }
    }
    table.write_markdown(output)?;
    let ours = report.memory.iter();
    let sessions: Vec<_> = ours
        .filter(|result| subjects.first() == Some(&result.subject.as_str()))
        .map(|result| format!("{} ({})", octets(result.per_session), result.transport))
        .collect();
    let line = format!(
        "\nMedians. An open session takes {} of the memory of varbind's agent.",
        sessions.join(", ")
    );
    write_wrapped(&line, output)?;
    write_wrapped(&environment_line(&report.environment), output)
}

/// A row: what was measured, the values of the subjects, and their ratio in words.
fn figures(what: &str, comparison: &Comparison, subjects: &[&str]) -> Vec<String> {
    let value_of = |subject: &&str| {
        let mut values = comparison.values.iter();
        let value = values.find(|value| value.subject == **subject);
        value.map_or("-".into(), |value| measured(comparison, value))
    };
    let mut row = vec![what.to_owned()];
    row.extend(subjects.iter().map(value_of));
    if subjects.len() > 1 {
        row.push(comparison.ratio.as_ref().map_or("-".into(), times_less));
    }
    row
}

fn headline(report: &Report) -> Table {
    let subjects = subjects(report);
    let mut header = vec!["figure"];
    header.extend(&subjects);
    if subjects.len() > 1 {
        header.push("ratio");
    }
    let mut table = Table::new(1, &header);
    for comparison in report.comparisons.iter().filter(|one| one.headline) {
        table.push(figures(&comparison.what, comparison, &subjects));
    }
    table
}

fn subjects(report: &Report) -> Vec<&str> {
    let subjects = report.environment.subjects.iter();
    subjects.map(|subject| subject.name.as_str()).collect()
}

fn measured(comparison: &Comparison, value: &SubjectValue) -> String {
    format!("{} {}", number(value.value.value), comparison.unit)
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

/// Latencies of the steady state, or of whole sessions where there is none.
fn responses(report: &Report) -> Table {
    let header = ["request", "version", "over", "subject", "p50 us", "p99 us"];
    let mut table = Table::new(4, &header);
    for result in latencies(report) {
        let parameters = &result.parameters;
        let phases = &result.phases;
        let Some(steady) = phases.steady_state.or(phases.first_exchange) else {
            continue;
        };
        table.push(vec![
            parameters.request.clone(),
            parameters.version_and_security(),
            parameters.transport.to_string(),
            parameters.subject.clone(),
            number(steady.p50.value),
            number(steady.p99.value),
        ]);
    }
    table
}

/// Whole sessions of one exchange.
fn sessions(report: &Report) -> Table {
    let header = ["session of one get", "over", "subject", "us"];
    let mut table = Table::new(3, &header);
    for result in &report.sessions {
        let mut row = kind(result).to_vec();
        row.push(number(result.one_exchange.value));
        table.push(row);
    }
    table
}

/// What open sessions add to the memory of an agent.
fn memory(report: &Report) -> Table {
    let header = ["memory (PSS) of an open session", "subject", "each"];
    let mut table = Table::new(2, &header);
    for result in &report.memory {
        table.push(vec![
            result.transport.to_string(),
            result.subject.clone(),
            octets(result.per_session),
        ]);
    }
    table
}

fn failed(report: &Report) -> u64 {
    let configurations = report.configurations.iter();
    configurations.map(|result| result.outcome.failed()).sum()
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
