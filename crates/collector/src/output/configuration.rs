//! The settings of an output, as a table of TOML.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::influx::Influx;
use super::json_lines::JsonLines;
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
    #[serde(deserialize_with = "duration_text")]
    pub linger: Duration,
    /// The longest wait between two attempts to deliver a batch.
    #[serde(deserialize_with = "duration_text")]
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
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
    /// NATS JetStream.
    #[cfg(feature = "nats")]
    Nats(Nats),
    /// Files of Parquet.
    #[cfg(feature = "parquet")]
    Parquet(Parquet),
}

impl Destination {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        match self {
            Self::JsonLines(output) => output.sink(),
            Self::Influx(output) => output.sink(),
            Self::RemoteWrite(output) => output.sink(),
            Self::Otlp(output) => output.sink(),
            #[cfg(feature = "nats")]
            Self::Nats(output) => output.sink(),
            #[cfg(feature = "parquet")]
            Self::Parquet(output) => output.sink(),
        }
    }
}

/// Keys of [`DeliveryConfiguration`].
const DELIVERY: [&str; 5] = [
    "queue-samples",
    "batch-samples",
    "linger",
    "max-backoff",
    "spool",
];

impl TryFrom<Table> for OutputConfiguration {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let (delivery, destination): (Table, Table) = table
            .into_iter()
            .partition(|(key, _)| DELIVERY.contains(&&**key));
        let delivery: DeliveryConfiguration = delivery.try_into().map_err(message)?;
        if delivery.queue_samples == 0 || delivery.batch_samples == 0 {
            return Err("queue-samples and batch-samples must be at least 1".to_owned());
        }
        if let Some(Value::String(kind)) = destination.get("type")
            && let Some((_, feature)) = super::MISSING.iter().find(|(missing, _)| missing == kind)
        {
            return Err(format!(
                "this build has no output {kind}: build varbind with the feature {feature}"
            ));
        }
        let destination = destination.try_into().map_err(message)?;
        Ok(Self {
            delivery,
            destination,
        })
    }
}

/// The message without the position, which is one in a part of the table.
#[allow(clippy::needless_pass_by_value, reason = "the argument of map_err")]
fn message(error: toml::de::Error) -> String {
    error.message().to_owned()
}

/// Reads a duration such as `10s`.
pub(crate) fn duration_text<'d, D: Deserializer<'d>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration::parse(&text)
        .filter(|_| text.parse::<u64>().is_err())
        .ok_or_else(|| {
            serde::de::Error::custom(format!(
                "{text:?} is no duration: write a number and a unit, as in \"10s\""
            ))
        })
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

    #[test]
    fn wrong_settings_are_refused() {
        for (text, part) in [
            ("", "type"),
            ("type = \"telegraph\"", "json-lines"),
            ("type = \"json-lines\"\npaht = \"x\"", "`paht`, expected"),
            (
                "type = \"json-lines\"\nspool = {size = 1}",
                "`size`, expected",
            ),
            (
                "type = \"json-lines\"\nlinger = \"soon\"",
                "\"soon\" is no duration",
            ),
            (
                "type = \"json-lines\"\nlinger = \"10\"",
                "\"10\" is no duration",
            ),
            ("type = \"json-lines\"\nbatch-samples = 0", "at least 1"),
        ] {
            assert!(error(text).contains(part), "{text}: {}", error(text));
        }
    }
}
