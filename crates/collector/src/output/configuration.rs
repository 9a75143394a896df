//! The settings of an output, as a table of TOML.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};
use varbind_inventory::did_you_mean;

use super::http::HttpConfiguration;
use super::influx::Influx;
use super::json_lines::JsonLines;
#[cfg(feature = "kafka")]
use super::kafka::Kafka;
#[cfg(feature = "nats")]
use super::nats::Nats;
use super::otlp::Otlp;
#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::remote_write::RemoteWrite;
use super::sink::Sink;
use crate::module::duration;

/// An output: where polls go, and how.
///
/// ```
/// use varbind_collector::output::{Destination, OutputConfiguration};
///
/// let output: OutputConfiguration = toml::from_str("type = \"json-lines\"\npath = \"polls.jsonl\"\nbatch-samples = 500")?;
/// assert_eq!(output.delivery.batch_samples, 500);
/// assert!(matches!(output.destination, Destination::JsonLines(_)));
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Table")]
pub struct OutputConfiguration {
    /// How polls are queued and delivered.
    pub delivery: DeliveryConfiguration,
    /// Where they go.
    pub destination: Destination,
}

/// How polls are queued and delivered, whatever the type of the output.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DeliveryConfiguration {
    /// Samples that wait in memory at most; then the oldest polls are dropped.
    pub queue_samples: usize,
    /// Samples in a batch at most, unless a single poll has more.
    pub batch_samples: usize,
    /// How long a batch waits for more samples.
    #[serde(deserialize_with = "duration::deserialize")]
    pub linger: Duration,
    /// The longest wait between two attempts to deliver a batch.
    #[serde(deserialize_with = "duration::deserialize")]
    pub max_backoff: Duration,
    /// Where batches wait on disk; without it they wait in memory alone.
    pub spool: Option<SpoolConfiguration>,
}

impl Default for DeliveryConfiguration {
    fn default() -> Self {
        Self {
            queue_samples: 1_000_000,
            batch_samples: 5_000,
            linger: Duration::from_secs(1),
            max_backoff: Duration::from_secs(30),
            spool: None,
        }
    }
}

/// A spool on disk.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpoolConfiguration {
    /// Its directory, which is created if it is missing and belongs to this output alone.
    pub directory: PathBuf,
    /// Its largest size in octets; then the oldest batches are dropped.
    #[serde(default = "gibibyte")]
    pub max_bytes: u64,
}

const fn gibibyte() -> u64 {
    1 << 30
}

/// Where polls go. The key `type` of the table chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Destination {
    /// Lines of JSON to a file or to standard output.
    JsonLines(JsonLines),
    /// Influx line protocol over HTTP.
    Influx(Influx),
    /// Prometheus remote write.
    RemoteWrite(RemoteWrite),
    /// OTLP over HTTP.
    Otlp(Otlp),
    /// Apache Kafka.
    #[cfg(feature = "kafka")]
    Kafka(Kafka),
    /// NATS JetStream.
    #[cfg(feature = "nats")]
    Nats(Nats),
    /// Files of Parquet.
    #[cfg(feature = "parquet")]
    Parquet(Parquet),
}

impl Destination {
    /// The settings of a type of output.
    fn read<'d, D: Deserializer<'d>>(kind: &str, settings: D) -> Result<Self, D::Error> {
        match kind {
            "json-lines" => JsonLines::deserialize(settings).map(Self::JsonLines),
            "influx" => Influx::deserialize(settings).map(Self::Influx),
            "remote-write" => RemoteWrite::deserialize(settings).map(Self::RemoteWrite),
            "otlp" => Otlp::deserialize(settings).map(Self::Otlp),
            #[cfg(feature = "kafka")]
            "kafka" => Kafka::deserialize(settings).map(Self::Kafka),
            #[cfg(feature = "nats")]
            "nats" => Nats::deserialize(settings).map(Self::Nats),
            #[cfg(feature = "parquet")]
            "parquet" => Parquet::deserialize(settings).map(Self::Parquet),
            kind => Err(D::Error::custom(unknown(kind))),
        }
    }

    pub(super) fn sink(&self) -> Result<Sink, String> {
        match self {
            Self::JsonLines(output) => output.sink(),
            Self::Influx(output) => output.sink(),
            Self::RemoteWrite(output) => output.sink(),
            Self::Otlp(output) => output.sink(),
            #[cfg(feature = "kafka")]
            Self::Kafka(output) => output.sink(),
            #[cfg(feature = "nats")]
            Self::Nats(output) => output.sink(),
            #[cfg(feature = "parquet")]
            Self::Parquet(output) => output.sink(),
        }
    }

    /// Files of secrets and certificates that it reads when it starts.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let of_http = |http: &HttpConfiguration| {
            let files = [&http.password_file, &http.token_file, &http.ca_file];
            files.into_iter().flatten().cloned().collect()
        };
        match self {
            Self::Influx(output) => of_http(&output.http),
            Self::RemoteWrite(output) => of_http(&output.http),
            Self::Otlp(output) => of_http(&output.http),
            #[cfg(feature = "kafka")]
            Self::Kafka(output) => output.kafka.files(),
            #[cfg(feature = "nats")]
            Self::Nats(output) => output.nats.files(),
            _ => Vec::new(),
        }
    }
}

/// Why there is no type of output with a name.
fn unknown(kind: &str) -> String {
    let missing = super::MISSING.iter().find(|(missing, _)| *missing == kind);
    match missing {
        Some((_, feature)) => {
            format!("this build has no output {kind}: build varbind with the feature {feature}")
        }
        None => format!(
            "there is no type of output {kind:?}: use one of {}",
            TYPES.join(", ")
        ),
    }
}

/// The types of outputs, also those that builds may not have.
const TYPES: [&str; 7] = [
    "influx",
    "json-lines",
    "kafka",
    "nats",
    "otlp",
    "parquet",
    "remote-write",
];

/// Keys of [`DeliveryConfiguration`].
const DELIVERY: [&str; 5] = [
    "queue-samples",
    "batch-samples",
    "linger",
    "max-backoff",
    "spool",
];

const TYPE: &str = "type";
const NO_TYPE: &str = "missing field `type`";

impl DeliveryConfiguration {
    fn check(self) -> Result<Self, String> {
        if self.queue_samples == 0 || self.batch_samples == 0 {
            return Err("queue-samples and batch-samples must be at least 1".to_owned());
        }
        Ok(self)
    }
}

/// What is wrong with the settings of an output, and where in the text.
#[derive(Debug)]
pub(crate) struct Misplaced {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

impl Misplaced {
    /// An error of the reader of TOML; `whole` is where it is unless the reader knows better.
    pub(crate) fn of_toml(error: &toml::de::Error, whole: Range<usize>) -> Self {
        Self {
            span: error.span().unwrap_or(whole),
            message: message(error),
        }
    }
}

impl OutputConfiguration {
    /// Reads the table of an output in a text, of which errors name the place.
    pub(crate) fn read(table: Spanned<DeValue<'_>>) -> Result<Self, Misplaced> {
        let whole = table.span();
        let misplaced = |message: String| Misplaced {
            span: whole.clone(),
            message,
        };
        let in_text = |error: toml::de::Error| Misplaced::of_toml(&error, whole.clone());
        let DeValue::Table(entries) = table.into_inner() else {
            return Err(misplaced(
                "an output is a table: write [output.NAME]".to_owned(),
            ));
        };
        let mut kind = None;
        let (mut delivery, mut destination) = (DeTable::new(), DeTable::new());
        for (key, value) in entries {
            let name: &str = key.get_ref();
            if name == TYPE {
                kind = Some(value);
            } else if DELIVERY.contains(&name) {
                delivery.insert(key, value);
            } else {
                destination.insert(key, value);
            }
        }
        let kind = kind.ok_or_else(|| misplaced(NO_TYPE.to_owned()))?;
        let of_kind = |message: String| Misplaced {
            span: kind.span(),
            message,
        };
        let name = kind.get_ref().as_str();
        let name =
            name.ok_or_else(|| of_kind("type is a text, as in \"json-lines\"".to_owned()))?;
        if !TYPES.contains(&name) || super::MISSING.iter().any(|(missing, _)| *missing == name) {
            return Err(of_kind(unknown(name)));
        }
        let within = |table| toml::Deserializer::from(Spanned::new(whole.clone(), table));
        let delivery = DeliveryConfiguration::deserialize(within(delivery)).map_err(in_text)?;
        Ok(Self {
            delivery: delivery.check().map_err(misplaced)?,
            destination: Destination::read(name, within(destination)).map_err(in_text)?,
        })
    }
}

impl TryFrom<Table> for OutputConfiguration {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let (delivery, mut destination): (Table, Table) = table
            .into_iter()
            .partition(|(key, _)| DELIVERY.contains(&&**key));
        let delivery: DeliveryConfiguration =
            delivery.try_into().map_err(|error| message(&error))?;
        let kind = destination.remove(TYPE);
        let kind = kind.as_ref().and_then(Value::as_str).ok_or(NO_TYPE)?;
        Ok(Self {
            delivery: delivery.check()?,
            destination: Destination::read(kind, destination).map_err(|error| message(&error))?,
        })
    }
}

/// The message without the position, which is one in a part of the table, and with the key that was meant.
fn message(error: &toml::de::Error) -> String {
    let message = error.message();
    let Some(names) = message.strip_prefix("unknown field ") else {
        return message.to_owned();
    };
    let mut names = names.split('`').skip(1).step_by(2);
    let written = names.next().unwrap_or_default();
    let known: Vec<_> = names.collect();
    match did_you_mean(written, known.iter().copied()) {
        near if near.is_empty() => format!(
            "unknown key {written}: the keys here are {}",
            known.join(", ")
        ),
        near => format!("unknown key {written}{near}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let error = toml::from_str::<OutputConfiguration>(text).unwrap_err();
        error.message().to_owned()
    }

    #[test]
    fn settings_have_defaults() {
        let text =
            "type = \"json-lines\"\nlinger = \"250ms\"\nspool = {directory = \"/var/spool/x\"}";
        let output: OutputConfiguration = toml::from_str(text).unwrap();
        assert_eq!(output.delivery.linger, Duration::from_millis(250));
        assert_eq!(output.delivery.queue_samples, 1_000_000);
        assert_eq!(output.delivery.spool.unwrap().max_bytes, 1 << 30);
    }

    /// The line of the error of a fleet's file, and its message.
    fn misplaced(text: &str) -> (usize, String) {
        let table = DeTable::parse(text).unwrap().into_inner();
        let (_, table) = table.into_iter().next().unwrap();
        let error = OutputConfiguration::read(table).unwrap_err();
        let before = &text[..error.span.start];
        (before.matches('\n').count() + 1, error.message)
    }

    #[test]
    fn errors_name_their_line() {
        for (text, line, part) in [
            ("\n[a]\nlinger = \"1s\"\n", 2, "type"),
            (
                "[a]\nlinger = \"1s\"\ntype = \"telegraph\"\n",
                3,
                "json-lines",
            ),
            (
                "[a]\ntype = \"json-lines\"\n\npaht = \"x\"\n",
                4,
                "unknown key paht; did you mean path?",
            ),
            ("[a]\ntype = \"json-lines\"\npath = 5\n", 3, "string"),
            (
                "[a]\ntype = \"json-lines\"\nlinger = \"soon\"\n",
                3,
                "is no duration",
            ),
            (
                "[a]\ntype = \"json-lines\"\nlinger = 10\n",
                3,
                "10 is no duration: write \"10s\"",
            ),
            (
                "[a]\ntype = \"json-lines\"\n[a.spool]\nsize = 1\n",
                4,
                "unknown key size: the keys here are directory, max-bytes",
            ),
            (
                "[a]\ntype = \"influx\"\nurl = \"x\"\n[a.http]\n\nuser = \"u\"\n",
                6,
                "unknown key user: the keys here are username, password-file",
            ),
            ("[a]\ntype = \"influx\"\n", 1, "`url`"),
        ] {
            let (found, message) = misplaced(text);
            assert!(message.contains(part), "{text}: {message}");
            assert_eq!(found, line, "{text}: {message}");
        }
    }

    #[test]
    fn wrong_settings_are_refused() {
        for (text, part) in [
            ("", "type"),
            ("type = \"telegraph\"", "json-lines"),
            (
                "type = \"json-lines\"\npaht = \"x\"",
                "unknown key paht; did you mean path?",
            ),
            (
                "type = \"json-lines\"\nspool = {size = 1}",
                "unknown key size",
            ),
            (
                "type = \"json-lines\"\nlinger = \"soon\"",
                "\"soon\" is no duration",
            ),
            (
                "type = \"json-lines\"\nlinger = \"10\"",
                "10 is no duration: write \"10s\"",
            ),
            ("type = \"json-lines\"\nbatch-samples = 0", "at least 1"),
        ] {
            assert!(error(text).contains(part), "{text}: {}", error(text));
        }
    }
}
