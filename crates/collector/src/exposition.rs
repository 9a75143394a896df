//! Series in the text format of Prometheus (0.0.4).

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use crate::module::Family;
use crate::scrape::{LabelSet, Number, SampleRef, Samples};

/// The content type of the text format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Samples that are written, with labels that all of them get besides their own.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    /// Labels of the agent.
    pub labels: &'p [(String, String)],
    /// The samples.
    pub samples: &'p Samples,
    /// When they were taken, in milliseconds since 1970; without it they are of now.
    pub timestamp: Option<i64>,
}

/// How whole numbers are written that double precision does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LargeCounters {
    /// They wrap at 2^53.
    #[default]
    Wrap,
    /// They are written as they are.
    Keep,
}

/// The samples of one family in one part.
struct Group<'p> {
    part: usize,
    samples: Vec<SampleRef<'p>>,
}

/// Writes all series, by family; a series that occurs twice is written once. Returns how many were left out.
pub fn write(parts: &[Part<'_>], counters: LargeCounters, output: &mut String) -> u64 {
    let mut families: BTreeMap<&str, (&Family, Vec<Group<'_>>)> = BTreeMap::new();
    for (part, Part { samples, .. }) in parts.iter().enumerate() {
        for sample in samples.iter() {
            let (_, groups) = families
                .entry(&sample.family.name)
                .or_insert_with(|| (sample.family, Vec::new()));
            match groups.last_mut().filter(|group| group.part == part) {
                Some(group) => group.samples.push(sample),
                None => groups.push(Group {
                    part,
                    samples: vec![sample],
                }),
            }
        }
    }
    let mut labels = Labels::default();
    let mut left_out = 0;
    for (name, (family, groups)) in families {
        describe(name, family.kind.as_str(), &family.help, output);
        // Within one part no series occurs twice.
        let mut known = (groups.len() > 1).then(HashSet::new);
        for Group { part, samples } in groups {
            let Some(part) = parts.get(part) else {
                continue;
            };
            for sample in samples {
                let text = labels.text(part, sample.labels);
                if let Some(known) = &mut known
                    && !known.insert(text.to_owned())
                {
                    left_out += 1;
                    continue;
                }
                output.push_str(name);
                output.push_str(text);
                output.push(' ');
                write_number(sample.value, counters, output);
                if let Some(timestamp) = part.timestamp {
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

/// Writes what a family is.
pub(crate) fn describe(name: &str, kind: &str, help: &str, output: &mut String) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    let _ = writeln!(output, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Texts of label sets, kept as long as the same set follows.
#[derive(Default)]
struct Labels {
    text: String,
    known: std::collections::HashMap<(usize, usize), Range<usize>>,
}

impl Labels {
    fn text(&mut self, part: &Part<'_>, labels: &LabelSet) -> &str {
        // Both stay where they are while they are written.
        let key = (
            std::ptr::from_ref(part).addr(),
            std::ptr::from_ref(labels).addr(),
        );
        let range = match self.known.get(&key) {
            Some(range) => range.clone(),
            None => {
                let start = self.text.len();
                write_labels(part.labels, labels, &mut self.text);
                let range = start..self.text.len();
                self.known.insert(key, range.clone());
                range
            }
        };
        self.text.get(range).unwrap_or_default()
    }
}

fn write_labels(more: &[(String, String)], labels: &LabelSet, output: &mut String) {
    let more = more.iter().map(|(name, value)| (&**name, &**value));
    // Labels of the agent do not displace those of its objects.
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

/// Writes the value of a label.
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
