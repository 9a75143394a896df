//! Counters and gauges in the text formats of Prometheus (0.0.4) and OpenMetrics 1.0.

use std::io::Write;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use varbind_codec::smi::ValueRef;
use varbind_engine::applications::command_responder::ObjectReader;
use varbind_mib::{BaseType, dotted};

use crate::coding::quality;
use crate::schema::{Leaf, Schema};
use crate::value::write_value;

/// How metrics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text format 0.0.4, which every scraper reads.
    Prometheus,
    OpenMetrics,
}

impl Format {
    /// OpenMetrics if the client names it and wants nothing else more.
    pub(crate) fn wanted(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).iter();
        let items = accepted.flat_map(|value| value.to_str().unwrap_or("").split(','));
        let (mut prometheus, mut open_metrics) = (0, 0);
        for (name, quality) in items.map(quality) {
            match name {
                "application/openmetrics-text" => open_metrics = quality.max(open_metrics),
                "text/plain" => prometheus = quality.max(prometheus),
                _ => {}
            }
        }
        if open_metrics > 0 && open_metrics >= prometheus {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// A family of metrics, for the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricFamily {
    /// The name of its samples: counters end in `_total`.
    pub name: String,
    /// `counter` or `gauge`.
    pub kind: &'static str,
    /// The object that it shows, and its unit.
    pub help: String,
    /// Whether there is a sample for each interface.
    pub is_of_interfaces: bool,
}

/// The families of an agent that has objects below these names, besides `system_info`.
#[must_use]
pub fn metric_families(roots: &[Vec<u32>]) -> Vec<MetricFamily> {
    let schema = Schema::new(roots, &|_| false);
    let interfaces = schema.list("ifEntry").map_or(&[][..], |list| &list.columns);
    let scalars = schema.scalars().map(|leaf| (leaf, false));
    scalars
        .chain(interfaces.iter().map(|leaf| (leaf, true)))
        .filter_map(|(leaf, is_of_interfaces)| {
            let family = Family::new(leaf)?;
            let suffix = if family.is_counter { "_total" } else { "" };
            Some(MetricFamily {
                name: format!("{}{suffix}", leaf.name),
                kind: family.kind(),
                help: family.help(),
                is_of_interfaces,
            })
        })
        .collect()
}

/// Metrics as they are written.
struct Output<'o> {
    format: Format,
    octets: &'o mut Vec<u8>,
}

impl Output<'_> {
    /// Describes a family. The older format describes samples: a counter's have `_total` in their name, and it knows no info.
    fn describe(&mut self, name: &str, kind: &str, help: &str) {
        let (name, kind) = match (self.format, kind) {
            (Format::Prometheus, "counter") => (format!("{name}_total"), kind),
            (Format::Prometheus, "info") => (format!("{name}_info"), "gauge"),
            _ => (name.to_owned(), kind),
        };
        let _ = writeln!(self.octets, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }
}

/// Labels of an interface besides its index.
const LABELS: [&str; 3] = ["ifDescr", "ifName", "ifAlias"];
/// Labels of the system.
const SYSTEM: [&str; 4] = ["sysDescr", "sysName", "sysLocation", "sysContact"];

/// The usual name of this metric in other programs.
const CERTIFICATE_END: &str = "varbind_certificate_not_after_timestamp_seconds";

/// Writes the numbers of all readable scalars and of the interfaces, under the names of their objects.
pub(crate) fn write(
    reader: &mut ObjectReader<'_>,
    schema: &Schema,
    certificate_end: Option<i64>,
    format: Format,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let output = &mut Output {
        format,
        octets: &mut octets,
    };
    write_system(reader, schema, output);
    for leaf in schema.scalars() {
        let mut family = Family::new(leaf);
        if let Some(mut family) = family.take() {
            let name = instance(leaf.oid, &[0]);
            if let Ok(Some(number)) = reader.get(&name, number) {
                family.sample("", number, output);
            }
        }
    }
    if let Some(list) = schema.list("ifEntry") {
        let interfaces = interfaces(reader, &list.columns, list.key_columns.first());
        for leaf in &list.columns {
            write_column(reader, leaf, &interfaces, output);
        }
    }
    if let Some(end) = certificate_end {
        output.describe(
            CERTIFICATE_END,
            "gauge",
            "End of the agent's certificate, in seconds since 1970",
        );
        let _ = writeln!(output.octets, "{CERTIFICATE_END} {end}");
    }
    if format == Format::OpenMetrics {
        octets.extend_from_slice(b"# EOF\n");
    }
    octets
}

fn instance(oid: &[u32], index: &[u32]) -> Vec<u32> {
    [oid, index].concat()
}

fn number(value: ValueRef<'_>) -> Option<i128> {
    match value {
        ValueRef::Integer(number) => Some(i128::from(number)),
        ValueRef::Counter32(number) | ValueRef::Gauge32(number) | ValueRef::TimeTicks(number) => {
            Some(i128::from(number))
        }
        ValueRef::Counter64(number) => Some(i128::from(number)),
        _ => None,
    }
}

/// One metric family: its description is written with its first sample.
struct Family<'l> {
    leaf: &'l Leaf,
    is_counter: bool,
    is_described: bool,
}

impl<'l> Family<'l> {
    /// The family of an object; none if it is not a number.
    fn new(leaf: &'l Leaf) -> Option<Self> {
        let is_counter = match leaf.syntax.base() {
            BaseType::Counter32 | BaseType::Counter64 => true,
            BaseType::Integer32
            | BaseType::Unsigned32
            | BaseType::Gauge32
            | BaseType::TimeTicks => false,
            _ => return None,
        };
        Some(Self {
            leaf,
            is_counter,
            is_described: false,
        })
    }

    const fn kind(&self) -> &'static str {
        if self.is_counter { "counter" } else { "gauge" }
    }

    /// The object, and its unit.
    fn help(&self) -> String {
        let Leaf { module, name, .. } = self.leaf;
        match (self.leaf.units, self.leaf.syntax.base()) {
            (Some(unit), _) => format!("{module}::{name}, in {unit}"),
            (None, BaseType::TimeTicks) => format!("{module}::{name}, in hundredths of a second"),
            (None, _) => format!("{module}::{name}"),
        }
    }

    fn sample(&mut self, labels: &str, number: i128, output: &mut Output<'_>) {
        let name = self.leaf.name;
        if !self.is_described {
            self.is_described = true;
            output.describe(name, self.kind(), &self.help());
        }
        let suffix = if self.is_counter { "_total" } else { "" };
        let _ = writeln!(output.octets, "{name}{suffix}{labels} {number}");
    }
}

fn write_system(reader: &mut ObjectReader<'_>, schema: &Schema, output: &mut Output<'_>) {
    let mut labels = Vec::new();
    for leaf in schema.scalars().filter(|leaf| SYSTEM.contains(&leaf.name)) {
        append_label(reader, leaf, &[0], &mut labels);
    }
    if !labels.is_empty() {
        output.describe("system", "info", "SNMPv2-MIB::system");
        let _ = writeln!(output.octets, "system_info{{{}}} 1", labels.join(","));
    }
}

/// Adds the value of an object as a label, unless it is empty.
fn append_label(
    reader: &mut ObjectReader<'_>,
    leaf: &Leaf,
    index: &[u32],
    labels: &mut Vec<String>,
) {
    let mut text = String::new();
    let read = reader.get(&instance(leaf.oid, index), |value| {
        write_value(&leaf.syntax, &value, &mut text);
    });
    if read.is_ok() && !text.is_empty() {
        labels.push(format!("{}=\"{}\"", leaf.name, escaped(&text)));
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// The interfaces with their labels, by index.
fn interfaces(
    reader: &mut ObjectReader<'_>,
    columns: &[Leaf],
    key_column: Option<&Leaf>,
) -> Vec<(Vec<u32>, String)> {
    let mut found: Vec<(Vec<u32>, String)> = Vec::new();
    // Any visible column lists the interfaces.
    for leaf in key_column.into_iter().chain(columns) {
        let mut name = leaf.oid.to_vec();
        while let Ok(Some((next, index))) = reader.get_next(leaf.oid, &name, |next, _| {
            let index = next.get(leaf.oid.len()..).unwrap_or(&[]);
            (next.to_vec(), index.to_vec())
        }) {
            name = next;
            found.push((index, String::new()));
        }
        if !found.is_empty() {
            break;
        }
    }
    for (index, labels) in &mut found {
        let mut all = vec![format!("ifIndex=\"{}\"", dotted(index))];
        for leaf in columns.iter().filter(|leaf| LABELS.contains(&leaf.name)) {
            append_label(reader, leaf, index, &mut all);
        }
        *labels = format!("{{{}}}", all.join(","));
    }
    found
}

fn write_column(
    reader: &mut ObjectReader<'_>,
    leaf: &Leaf,
    interfaces: &[(Vec<u32>, String)],
    output: &mut Output<'_>,
) {
    let Some(mut family) = Family::new(leaf) else {
        return;
    };
    for (index, labels) in interfaces {
        if let Ok(Some(number)) = reader.get(&instance(leaf.oid, index), number) {
            family.sample(labels, number, output);
        }
    }
}
