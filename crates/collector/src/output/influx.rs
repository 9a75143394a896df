//! Influx line protocol: to InfluxDB, VictoriaMetrics and what else takes it over HTTP, or to a file.

use std::fmt::Write;
use std::sync::Arc;

use serde::Deserialize;

use super::http::{HttpConfiguration, Server, content_type};
use super::labels;
use super::poll::{Figure, Poll};
use super::sink::{Batch, Delivered, Delivering, Encode, Sink, Transmit};
use crate::scrape::{Number, SampleRef, Samples};

/// Influx line protocol over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Influx {
    /// Where lines are written, with its parameters, as in `http://127.0.0.1:8086/write?db=snmp`.
    pub url: String,
    /// How whole numbers are written.
    #[serde(default)]
    pub integers: Integers,
    /// How the server is reached.
    #[serde(default)]
    pub http: HttpConfiguration,
}

/// How whole numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integers {
    /// As integers of 64 bits with a sign. Counters begin anew at 2^63.
    #[default]
    Signed,
    /// Numbers without a sign as such, which InfluxDB 2 has. Counters are exact.
    Unsigned,
    /// In double precision. Counters beyond 2^53 are rounded.
    Float,
}

impl Influx {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        let fixed = [content_type("text/plain; charset=utf-8")];
        let server = Server::new(&self.url, &self.http, "Token", &fixed)?;
        Ok(Sink {
            format: "influx",
            encoder: Box::new(InfluxEncoder {
                integers: self.integers,
            }),
            transmitter: Box::new(InfluxServer(server)),
        })
    }
}

/// Writes lines: a measurement for each module, a line for each row, a field for each of its samples.
#[derive(Debug)]
pub(super) struct InfluxEncoder {
    pub(super) integers: Integers,
}

/// The measurement of series about the polls themselves.
const POLLS: &str = "snmp_poll";

impl Encode for InfluxEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        let mut text = String::new();
        for poll in polls {
            self.poll(poll, &mut text);
        }
        octets.extend_from_slice(text.as_bytes());
    }
}

impl InfluxEncoder {
    fn poll(&self, poll: &Poll, text: &mut String) {
        let samples = poll.samples.as_ref().map(Samples::by_row);
        let samples = samples.unwrap_or_default();
        for row in samples.chunk_by(SampleRef::is_same_row) {
            let Some(first) = row.first() else {
                continue;
            };
            let fields = row
                .iter()
                .map(|sample| (&*sample.family.name, sample.value));
            self.line(
                &poll.module,
                &labels::of_row(poll, first.labels),
                fields,
                poll,
                text,
            );
        }
        let figures = Figure::ALL.iter();
        let fields = figures.map(|figure| (figure.name, Number::Float((figure.value)(poll))));
        self.line(POLLS, &labels::of_poll(poll), fields, poll, text);
    }

    /// Writes a line, unless none of its fields has a value that can be expressed.
    fn line<'f>(
        &self,
        measurement: &str,
        tags: &[(&str, &str)],
        fields: impl Iterator<Item = (&'f str, Number)>,
        poll: &Poll,
        text: &mut String,
    ) {
        let start = text.len();
        escape(measurement, &[',', ' '], text);
        for (name, value) in tags {
            text.push(',');
            escape(name, &[',', ' ', '='], text);
            text.push('=');
            escape(value, &[',', ' ', '='], text);
        }
        let mut separator = ' ';
        for (name, value) in fields {
            separator = self.field(separator, name, value, text);
        }
        if separator == ' ' {
            return text.truncate(start);
        }
        let _ = writeln!(text, " {}", poll.nanoseconds());
    }

    /// Writes a field unless its value cannot be expressed. Returns what separates it from the next.
    fn field(&self, separator: char, name: &str, value: Number, text: &mut String) -> char {
        if matches!(value, Number::Float(number) if !number.is_finite()) {
            return separator;
        }
        text.push(separator);
        escape(name, &[',', ' ', '='], text);
        text.push('=');
        let mut buffer = itoa::Buffer::new();
        let (digits, kind) = match (value, self.integers) {
            (Number::Float(_), _) | (_, Integers::Float) => {
                let _ = write!(text, "{}", value.as_f64());
                return ',';
            }
            (Number::Unsigned(number), Integers::Signed) => {
                (buffer.format(number & (u64::MAX >> 1)), 'i')
            }
            (Number::Unsigned(number), Integers::Unsigned) => (buffer.format(number), 'u'),
            (Number::Signed(number), _) => (buffer.format(number), 'i'),
        };
        text.push_str(digits);
        text.push(kind);
        ','
    }
}

/// Writes a name or the value of a tag. Line feeds cannot be expressed, nor can a backslash at the end: it would escape what follows.
fn escape(value: &str, special: &[char], text: &mut String) {
    let is_special =
        |character: char| matches!(character, '\n' | '\r' | '\t') || special.contains(&character);
    let mut rest = value;
    while let Some(at) = rest.find(is_special) {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        let mut behind = behind.chars();
        match behind.next() {
            Some('\n' | '\r' | '\t') => text.push_str("\\ "),
            Some(character) => text.extend(['\\', character]),
            None => {}
        }
        rest = behind.as_str();
    }
    text.push_str(rest);
    if value.ends_with('\\') {
        text.push_str("\\ ");
    }
}

#[derive(Debug)]
struct InfluxServer(Server);

impl Transmit for InfluxServer {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            self.0.post(batch.octets.clone()).await?;
            Ok(Delivered::default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixtures::{failure, poll};

    fn lines(poll: Arc<Poll>, integers: Integers) -> String {
        let mut octets = Vec::new();
        InfluxEncoder { integers }.encode(&[poll], &mut octets);
        String::from_utf8(octets).unwrap()
    }

    #[test]
    fn a_row_is_a_line() {
        let text = lines(poll("r 1", 1000), Integers::Signed);
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "if_mib,ifDescr=eth1,ifIndex=2,instance=r\\ 1,site=north\\ hall ifHCInOctets=17i,ifSpeedFactor=500 1250000000",
                "if_mib,ifDescr=eth\\ 0\\,\"\\=\\x,ifIndex=1,instance=r\\ 1,site=north\\ hall \
                 ifHCInOctets=9223372036854775806i,ifSpeedFactor=12.5 1250000000",
                "if_mib,instance=r\\ 1,site=north\\ hall sysUpTime=4711i 1250000000",
                "snmp_poll,instance=r\\ 1,module=if_mib,site=north\\ hall \
                 up=1,snmp_scrape_duration_seconds=0.125,snmp_scrape_pdus_returned=7 1250000000",
            ]
        );
    }

    #[test]
    fn characters_with_a_meaning_are_escaped() {
        for (value, escaped) in [
            ("", ""),
            ("gr\u{fc}n", "gr\u{fc}n"),
            ("\u{fc}, =", "\u{fc}\\,\\ \\="),
            ("a\r\nb\tc", "a\\ \\ b\\ c"),
            ("a\\b\\", "a\\b\\\\ "),
        ] {
            let mut text = String::new();
            escape(value, &[',', ' ', '='], &mut text);
            assert_eq!(text, escaped);
        }
    }

    #[test]
    fn whole_numbers_are_written_as_configured() {
        let text = lines(poll("r", 1000), Integers::Unsigned);
        assert!(
            text.contains("ifHCInOctets=18446744073709551614u,"),
            "{text}"
        );
        let text = lines(poll("r", 1000), Integers::Float);
        assert!(
            text.contains("ifHCInOctets=18446744073709552000,"),
            "{text}"
        );
    }

    #[test]
    fn a_failed_poll_has_a_line() {
        let text = lines(failure("r", 1000), Integers::Signed);
        assert_eq!(text.lines().count(), 1);
        assert!(text.contains(" up=0,"), "{text}");
    }
}
