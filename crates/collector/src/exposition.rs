//! Series in the text format of Prometheus (0.0.4).

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use crate::module::Family;
use crate::scrape::{LabelSet, Number, Sample, Samples};

/// The content type of the text format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Samples, with additional labels for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    /// Labels of the agent.
    pub labels: &'p [(String, String)],
    /// The samples.
    pub samples: &'p Samples,
    /// When they were taken, in milliseconds since 1970; `None` lets Prometheus use the time of the scrape.
    pub timestamp: Option<i64>,
}

/// How to write integers that double precision cannot represent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LargeCounters {
    /// Wrap them at 2^53.
    #[default]
    Wrap,
    /// Write them unchanged.
    Keep,
}

/// Samples of one family in one part.
struct Run<'p> {
    part: usize,
    samples: &'p [Sample],
}

/// Writes all series, by family. A duplicate series is written once; returns the number of duplicates.
pub fn write(parts: &[Part<'_>], counters: LargeCounters, output: &mut String) -> u64 {
    let mut families: BTreeMap<&str, (&Family, Vec<Run<'_>>)> = BTreeMap::new();
    for (part, Part { samples, .. }) in parts.iter().enumerate() {
        for (family, samples) in samples.by_family() {
            let (_, runs) = families
                .entry(&family.name)
                .or_insert_with(|| (family, Vec::new()));
            runs.push(Run { part, samples });
        }
    }
    let parts: Vec<_> = parts
        .iter()
        .map(|part| (part.timestamp, LabelTexts::new(part)))
        .collect();
    let mut left_out = 0;
    for (name, (family, runs)) in families {
        describe(name, family.kind.as_str(), &family.help, output);
        // Within one part no series occurs twice.
        let first = runs.first().map(|run| run.part);
        let has_several_parts = runs.last().map(|run| run.part) != first;
        let mut known = has_several_parts.then(HashSet::new);
        for Run { part, samples } in runs {
            let Some((timestamp, texts)) = parts.get(part) else {
                continue;
            };
            for sample in samples {
                let labels = texts.get(sample);
                if let Some(known) = &mut known
                    && !known.insert(labels)
                {
                    left_out += 1;
                    continue;
                }
                output.push_str(name);
                output.push_str(labels);
                output.push(' ');
                write_number(sample.value, counters, output);
                if let Some(timestamp) = timestamp {
                    let _ = write!(output, " {timestamp}");
                }
                output.push('\n');
            }
        }
    }
    left_out
}

fn write_number(number: Number, counters: LargeCounters, output: &mut String) {
    let _ = match (number, counters) {
        (Number::Unsigned(number), LargeCounters::Wrap) => write!(output, "{}", number % (1 << 53)),
        (number, _) => write!(output, "{number}"),
    };
}

/// Writes the help and type of a family.
pub(crate) fn describe(name: &str, kind: &str, help: &str, output: &mut String) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    let _ = writeln!(output, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// The label sets of a part as text, each written once for all samples that share it.
struct LabelTexts {
    text: String,
    ranges: Vec<Range<usize>>,
}

impl LabelTexts {
    fn new(part: &Part<'_>) -> Self {
        let mut text = String::new();
        let label_sets = part.samples.label_sets().iter();
        let ranges = label_sets.map(|labels| {
            let start = text.len();
            write_labels(part.labels, labels, &mut text);
            start..text.len()
        });
        Self {
            ranges: ranges.collect(),
            text,
        }
    }

    fn get(&self, sample: &Sample) -> &str {
        let range = self.ranges.get(sample.labels as usize);
        range
            .and_then(|range| self.text.get(range.clone()))
            .unwrap_or_default()
    }
}

fn write_labels(more: &[(String, String)], labels: &LabelSet, output: &mut String) {
    let more = more.iter().map(|(name, value)| (&**name, &**value));
    // The objects' own labels win over those of the agent.
    let more = more.filter(|(name, _)| labels.iter().all(|(known, _)| known != *name));
    let mut separator = '{';
    for (name, value) in more.chain(labels.iter()) {
        output.push(separator);
        output.push_str(name);
        output.push_str("=\"");
        escape(value, output);
        output.push('"');
        separator = ',';
    }
    if separator == ',' {
        output.push('}');
    }
}

/// Writes a label value with its escapes.
pub(crate) fn escape(value: &str, output: &mut String) {
    let mut rest = value;
    while let Some(at) = rest.find(['\\', '"', '\n']) {
        let (before, behind) = rest.split_at(at);
        output.push_str(before);
        let mut behind = behind.chars();
        match behind.next() {
            Some('\n') => output.push_str("\\n"),
            Some(mark) => output.extend(['\\', mark]),
            None => {}
        }
        rest = behind.as_str();
    }
    output.push_str(rest);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varbind::{Value, VarBind};

    use super::*;
    use crate::module::Configuration;
    use crate::scrape::{Objects, samples};

    fn taken(metric: &str, objects: &[(&str, Value)]) -> Samples {
        let text = format!("modules: {{m: {{metrics: [{metric}]}}}}");
        let module = Arc::clone(&Configuration::parse(&text).unwrap().modules["m"]);
        let objects = objects
            .iter()
            .map(|(name, value)| VarBind::new(name.parse().unwrap(), value.clone()));
        samples(&module, &Objects::new(objects.collect()))
    }

    #[test]
    fn series_are_written_by_family() {
        let samples = taken(
            "{name: b, oid: 1.2, type: counter, help: \"a\\\\b\\nc\"}, {name: a, oid: 1.3, type: DisplayString, \
             indexes: [{labelname: i, type: gauge}]}",
            &[
                ("1.2.0", Value::Counter64((1 << 53) + 7)),
                ("1.3.1", Value::OctetString(b"x\"\\\ny".to_vec())),
                ("1.3.2", Value::OctetString(Vec::new())),
            ],
        );
        let part = |labels, timestamp| Part {
            labels,
            samples: &samples,
            timestamp,
        };
        let mut output = String::new();
        assert_eq!(
            write(&[part(&[], None)], LargeCounters::Wrap, &mut output),
            0
        );
        let expected = "# HELP a \n# TYPE a gauge\na{a=\"x\\\"\\\\\\ny\",i=\"1\"} 1\na{a=\"\",i=\"2\"} 1\n\
                        # HELP b a\\\\b\\nc\n# TYPE b counter\nb 7\n";
        assert_eq!(output, expected);
        let labels = [
            ("i".to_owned(), "z".to_owned()),
            ("site".to_owned(), "here".to_owned()),
        ];
        output.clear();
        write(&[part(&labels, Some(12))], LargeCounters::Keep, &mut output);
        assert!(
            output.contains("a{site=\"here\",a=\"\",i=\"2\"} 1 12\n"),
            "{output}"
        );
        assert!(
            output.contains("b{i=\"z\",site=\"here\"} 9007199254740999 12\n"),
            "{output}"
        );
    }

    #[test]
    fn a_series_of_two_modules_is_written_once() {
        let samples = taken(
            "{name: a, oid: 1.2, type: gauge}",
            &[("1.2.0", Value::Integer(1))],
        );
        let part = Part {
            labels: &[],
            samples: &samples,
            timestamp: None,
        };
        let mut output = String::new();
        assert_eq!(write(&[part, part], LargeCounters::Wrap, &mut output), 1);
        assert_eq!(output.matches("\na 1\n").count(), 1);
    }
}
