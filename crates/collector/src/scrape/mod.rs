//! Turns the objects of an agent into series, without input and output.

mod display_hint;
mod labels;
mod number;
mod objects;
mod rows;
mod samples;
mod text;
mod time;

use std::sync::Arc;

use regex::Captures;
use varbind::Value;

use crate::module::Module;
use crate::module::metric::{Extract, Kind, Metric};
use crate::module::syntax::Syntax;
use labels::LabelWriter;
pub use number::Number;
pub use objects::Objects;
use rows::Rows;
use samples::Collision;
pub use samples::{Fault, FaultReason, LabelSet, Sample, SampleRef, Samples};
pub(crate) use text::filter_text;

/// The series of a module from these objects.
#[must_use]
pub fn samples(module: &Arc<Module>, objects: &Objects) -> Samples {
    let mut scrape = Scrape {
        objects,
        samples: Samples::new(Arc::clone(module), objects.len()),
        writer: LabelWriter::default(),
        rows: vec![Rows::default(); module.groups],
        collision: Collision::default(),
    };
    // Objects come column by column, so that most have the metric of the one before.
    let mut last: Option<&Metric> = None;
    for object in objects.iter() {
        let name = object.name.arcs();
        last = last
            .filter(|metric| metric.oid.is_prefix_of(name))
            .or_else(|| module.metric(name));
        if let Some(metric) = last {
            let index = name.get(metric.oid.arcs().len()..);
            scrape.add(metric, index.unwrap_or_default(), &object.value);
        }
    }
    scrape.samples
}

/// A scrape in progress.
struct Scrape<'o> {
    objects: &'o Objects,
    samples: Samples,
    writer: LabelWriter,
    /// By the group of metrics whose labels are made in the same way.
    rows: Vec<Rows<'o>>,
    collision: Collision,
}

impl<'o> Scrape<'o> {
    fn add(&mut self, metric: &Metric, index: &'o [u32], value: &Value) {
        match &metric.kind {
            Kind::Gauge | Kind::Counter => {
                let number = Number::of(value).scaled(metric.scale, metric.offset);
                self.push_row(metric, index, 0, number);
            }
            Kind::DateAndTime => self.push_time(metric, index, time::date_and_time(value)),
            Kind::NtpTimeStamp => self.push_time(metric, index, time::ntp_time_stamp(value)),
            Kind::ParseDateAndTime(pattern) => {
                let text = text::of_value(value, Syntax::DisplayString, None);
                self.push_time(metric, index, pattern.parse(&text));
            }
            Kind::EnumAsInfo => {
                let state = enumerated(metric, Number::of(value).as_i64());
                // Without its own label the metric is an index, and the row already has its value.
                if metric.own_label.is_some() {
                    self.push_own(metric, index, state, Number::Unsigned(1));
                }
            }
            Kind::EnumAsStateSet => self.add_state_set(metric, index, Number::of(value).as_i64()),
            Kind::Bits => self.add_bits(metric, index, value),
            Kind::Text(syntax) => {
                let one = Number::Unsigned(1).scaled(metric.scale, metric.offset);
                match metric.own_label {
                    None => self.push_row(metric, index, 0, one),
                    Some(_) => {
                        let text = self.text(metric, *syntax, index, value);
                        self.push_own(metric, index, text.into(), one);
                    }
                }
            }
            Kind::Extracts(syntax, extracts) => {
                let text = self.text(metric, *syntax, index, value);
                for (at, extracts) in extracts.iter().enumerate() {
                    if let Some(number) = extracts
                        .iter()
                        .find_map(|extract| extracted(extract, &text))
                    {
                        let number = Number::Float(number).scaled(metric.scale, metric.offset);
                        self.push_row(metric, index, at, number);
                    }
                }
            }
        }
    }

    fn push_time(&mut self, metric: &Metric, index: &'o [u32], seconds: Option<i64>) {
        match seconds {
            None => self.samples.fault(metric, index, FaultReason::NoTime),
            Some(seconds) => {
                let number = Number::Signed(seconds).scaled(metric.scale, metric.offset);
                self.push_row(metric, index, 0, number);
            }
        }
    }

    fn add_state_set(&mut self, metric: &Metric, index: &'o [u32], value: i64) {
        if metric.own_label.is_none() {
            return self.samples.fault(metric, index, FaultReason::LabelTwice);
        }
        let state = enumerated(metric, value);
        self.push_own(metric, index, state, Number::Unsigned(1));
        for (_, name) in metric
            .enum_values
            .iter()
            .filter(|(number, _)| **number != value)
        {
            self.push_own(metric, index, Arc::clone(name), Number::Unsigned(0));
        }
    }

    fn add_bits(&mut self, metric: &Metric, index: &'o [u32], value: &Value) {
        let Value::OctetString(octets) = value else {
            return self.samples.fault(metric, index, FaultReason::NoBits);
        };
        if metric.own_label.is_none() {
            return self.samples.fault(metric, index, FaultReason::LabelTwice);
        }
        for (bit, name) in &metric.enum_values {
            // RFC 2578 section 7.1.4: bit 0 is the first bit of the first octet.
            let octet = usize::try_from(bit / 8).ok().and_then(|at| octets.get(at));
            let is_set = *bit >= 0 && octet.is_some_and(|octet| octet & (0x80 >> (bit % 8)) != 0);
            let number = Number::Unsigned(is_set.into());
            self.push_own(metric, index, Arc::clone(name), number);
        }
    }

    /// The text of a value. The object before it may determine the syntax.
    fn text(&self, metric: &Metric, syntax: Syntax, index: &[u32], value: &Value) -> String {
        let mut syntax = syntax;
        if syntax.has_discriminator() {
            let before = self.objects.before(&metric.oid, index);
            let found = before.map(|value| Number::of(value).as_i64());
            syntax = found
                .and_then(|value| syntax.of_discriminator(value))
                .unwrap_or(Syntax::OctetString);
        }
        text::of_value(value, syntax, metric.display_hint.as_deref())
    }

    /// Adds a sample with the labels of its row.
    fn push_row(&mut self, metric: &Metric, index: &'o [u32], family: usize, value: Number) {
        let labels = self.row(metric, index);
        let family = metric.first_family + family;
        if metric.rows.may_collide && !self.collision.is_new(family, labels, &self.samples) {
            return self.samples.fault(metric, index, FaultReason::Duplicate);
        }
        self.samples.push(family, labels, value);
    }

    /// Adds a sample with the metric's own label besides those of its row.
    fn push_own(&mut self, metric: &Metric, index: &'o [u32], text: Arc<str>, value: Number) {
        let Some(own) = &metric.own_label else {
            return;
        };
        let row = self.row(metric, index);
        let values = self.samples.label_set(row).values();
        let (before, behind) = values.split_at_checked(own.at).unwrap_or((values, &[]));
        let values = [before, &[text], behind].concat();
        let labels = self
            .samples
            .add_label_set(LabelSet::new(Arc::clone(&own.names), values));
        let family = metric.first_family;
        if metric.rows.may_collide && !self.collision.is_new(family, labels, &self.samples) {
            return self.samples.fault(metric, index, FaultReason::Duplicate);
        }
        self.samples.push(family, labels, value);
    }

    /// The labels of a row, which its columns share.
    fn row(&mut self, metric: &Metric, index: &'o [u32]) -> u32 {
        let rows = self.rows.get_mut(metric.group);
        if let Some(labels) = rows.and_then(|rows| rows.labels(index)) {
            return labels;
        }
        let values = self.writer.values(&metric.rows, index, self.objects);
        let names = Arc::clone(&metric.rows.names);
        let labels = self.samples.add_label_set(LabelSet::new(names, values));
        if let Some(rows) = self.rows.get_mut(metric.group) {
            rows.insert(index, labels);
        }
        labels
    }
}

/// The name of a value, or its number.
fn enumerated(metric: &Metric, value: i64) -> Arc<str> {
    match metric.enum_values.get(&value) {
        Some(name) => Arc::clone(name),
        None => value.to_string().into(),
    }
}

/// The number that a regular expression extracts from a text.
fn extracted(extract: &Extract, text: &str) -> Option<f64> {
    let captures: Captures<'_> = extract.regex.captures(text)?;
    let mut found = String::new();
    captures.expand(&extract.value, &mut found);
    number::parse_float(&found)
}

#[cfg(test)]
mod tests;
