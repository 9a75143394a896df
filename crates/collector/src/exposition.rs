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
    let parts: Vec<_> = parts.iter().map(Texts::new).collect();
    let runs = families
        .iter()
        .flat_map(|(name, (_, runs))| runs.iter().map(move |run| (name, run)));
    let lengths =
        runs.filter_map(|(name, run)| Some(parts.get(run.part)?.length(name, run.samples)));
    output.reserve(lengths.sum());
    let mut left_out = 0;
    for (name, (family, runs)) in families {
        describe(name, family.kind.as_str(), &family.help, output);
        // Within one part no series occurs twice.
        let first = runs.first().map(|run| run.part);
        let has_several_parts = runs.last().map(|run| run.part) != first;
        let mut known = has_several_parts.then(HashSet::new);
        for Run { part, samples } in runs {
            let Some(texts) = parts.get(part) else {
                continue;
            };
            for sample in samples {
                let labels = texts.labels(sample);
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
                output.push_str(&texts.end);
            }
        }
    }
    left_out
}

fn write_number(number: Number, counters: LargeCounters, output: &mut String) {
    let mut digits = itoa::Buffer::new();
    match (number, counters) {
        (Number::Unsigned(number), LargeCounters::Wrap) => {
            output.push_str(digits.format(number % (1 << 53)));
        }
        (Number::Unsigned(number), LargeCounters::Keep) => output.push_str(digits.format(number)),
        (Number::Signed(number), _) => output.push_str(digits.format(number)),
        (Number::Float(_), _) => {
            let _ = write!(output, "{number}");
        }
    }
}

/// Writes the help and type of a family.
pub(crate) fn describe(name: &str, kind: &str, help: &str, output: &mut String) {
    let _ = write!(output, "# HELP {name} ");
    escape_octets(help, |octet| matches!(octet, b'\\' | b'\n'), output);
    let _ = writeln!(output, "\n# TYPE {name} {kind}");
}

/// The texts that lines of a part share, each written once.
struct Texts {
    /// All label sets, one behind the other.
    labels: String,
    ranges: Vec<Range<usize>>,
    /// The timestamp, if there is one, and the end of the line.
    end: String,
}

/// The most octets of an integer, and of the space before it.
const INTEGER: usize = 21;

impl Texts {
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
            labels: text,
            end: match part.timestamp {
                Some(timestamp) => format!(" {timestamp}\n"),
                None => "\n".to_owned(),
            },
        }
    }

    fn labels(&self, sample: &Sample) -> &str {
        let range = self.ranges.get(sample.labels as usize);
        range
            .and_then(|range| self.labels.get(range.clone()))
            .unwrap_or_default()
    }

    /// Octets that the lines of samples take, if their values are integers.
    fn length(&self, name: &str, samples: &[Sample]) -> usize {
        let labels = samples.iter().map(|sample| self.labels(sample).len());
        labels.sum::<usize>() + samples.len() * (name.len() + INTEGER + self.end.len())
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
    escape_octets(value, |octet| matches!(octet, b'\\' | b'"' | b'\n'), output);
}

/// Writes a text with a backslash before some octets, which are ASCII.
fn escape_octets(text: &str, is_special: impl Fn(u8) -> bool, output: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(&is_special) {
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
    use crate::module::ModuleConfiguration;
    use crate::scrape::{Objects, samples};

    fn taken(metric: &str, objects: &[(&str, Value)]) -> Samples {
        let text = format!("modules: {{m: {{metrics: [{metric}]}}}}");
        let module = Arc::clone(&ModuleConfiguration::parse(&text).unwrap().modules["m"]);
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
    fn numbers_are_written_in_full() {
        for (number, wrapped, kept) in [
            (Number::Unsigned(0), "0", "0"),
            (
                Number::Unsigned(u64::MAX),
                "9007199254740991",
                "18446744073709551615",
            ),
            (Number::Signed(-7), "-7", "-7"),
            (
                Number::Signed(i64::MIN),
                "-9223372036854775808",
                "-9223372036854775808",
            ),
            (Number::Float(-12.5), "-12.5", "-12.5"),
            (
                Number::Float(1e21),
                "1000000000000000000000",
                "1000000000000000000000",
            ),
            (Number::Float(f64::NEG_INFINITY), "-Inf", "-Inf"),
        ] {
            for (counters, text) in [(LargeCounters::Wrap, wrapped), (LargeCounters::Keep, kept)] {
                let mut output = String::new();
                write_number(number, counters, &mut output);
                assert_eq!(output, text);
            }
        }
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
