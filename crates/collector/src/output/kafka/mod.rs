//! Polls as records of Apache Kafka: one for each poll, with the target as its key, so that the polls of a target stay in order.

mod connection;
mod partition;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rskafka::chrono::{DateTime, Utc};
use rskafka::client::partition::Compression;
use rskafka::record::Record;
use serde::Deserialize;
use tokio::time::timeout;

use self::connection::{Broker, Connection, Produced};
use super::json_lines::JsonEncoder;
use super::poll::Poll;
use super::sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Size, Transmit};

/// Apache Kafka.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kafka {
    /// How brokers are reached.
    pub kafka: KafkaConfiguration,
    /// The topic, which is created if it does not exist.
    #[serde(default = "usual_topic")]
    pub topic: String,
    /// How many partitions a topic gets that is created; without it, as many as the broker gives topics.
    #[serde(default)]
    pub partitions: Option<u16>,
    /// How records are compressed.
    #[serde(default)]
    pub compression: RecordCompression,
}

/// How brokers are reached, and what lets the collector in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KafkaConfiguration {
    /// Some of the brokers, as in `kafka1:9092`.
    pub brokers: Vec<String>,
    /// Whether sessions are secured by TLS.
    #[serde(default)]
    pub tls: bool,
    /// A file with the certificates of authorities (PEM), in place of those of the system.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The user.
    #[serde(default)]
    pub username: Option<String>,
    /// A file with the user's password.
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// How the password is proved.
    #[serde(default)]
    pub mechanism: Mechanism,
}

impl KafkaConfiguration {
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let files = [&self.ca_file, &self.password_file];
        files.into_iter().flatten().cloned().collect()
    }
}

/// How a password is proved to a broker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// SCRAM with SHA-512 (RFC 5802): the password is not sent.
    #[default]
    #[serde(rename = "scram-sha-512")]
    ScramSha512,
    /// SCRAM with SHA-256 (RFC 7677).
    #[serde(rename = "scram-sha-256")]
    ScramSha256,
    /// The password itself (RFC 4616), over TLS alone.
    Plain,
}

/// How records are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordCompression {
    /// Snappy.
    #[default]
    Snappy,
    /// Not at all.
    None,
}

fn usual_topic() -> String {
    "varbind.polls".to_owned()
}

/// How long a delivery may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Octets of a request to a broker, unless a single record has more: less than brokers accept when nothing else is configured (`message.max.bytes`).
const LARGEST_REQUEST: usize = 900_000;

impl Kafka {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        Ok(Sink {
            format: "kafka",
            encoder: Box::new(RecordEncoder),
            transmitter: Box::new(Producer {
                broker: Broker::new(self)?,
                compression: match self.compression {
                    RecordCompression::Snappy => Compression::Snappy,
                    RecordCompression::None => Compression::NoCompression,
                },
                connection: None,
                unfinished: None,
            }),
        })
    }
}

/// Writes lines: time, key, identity and JSON, with tabs between them.
#[derive(Debug)]
struct RecordEncoder;

impl Encode for RecordEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        for poll in polls {
            let head = [&poll.target.name, &*poll.identity()].map(|text| {
                text.chars()
                    .map(|character| match character {
                        character if character.is_control() => ' ',
                        character => character,
                    })
                    .collect::<String>()
            });
            let [key, identity] = head;
            octets.extend_from_slice(format!("{}\t{key}\t{identity}\t", poll.time).as_bytes());
            JsonEncoder.encode(std::slice::from_ref(poll), octets);
        }
    }
}

/// The record of a line.
fn record(line: &[u8]) -> Option<Record> {
    let mut parts = line.splitn(4, |octet| *octet == b'\t');
    let time = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    let (key, identity, json) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Record {
        key: Some(key.to_vec()),
        value: Some(json.to_vec()),
        headers: [("id".to_owned(), identity.to_vec())].into(),
        timestamp: DateTime::<Utc>::from_timestamp_millis(time).unwrap_or_default(),
    })
}

/// A batch of which some records may have been acknowledged.
#[derive(Debug)]
struct Unfinished {
    /// What is left, by partition, in requests that brokers accept.
    requests: Vec<(i32, Vec<Record>)>,
    /// Records that are too large for the topic.
    too_large: u32,
}

impl Unfinished {
    /// The request to send next. It stays here until it is answered: a delivery that is cut off in between sends it again.
    fn request(&self) -> Option<(i32, &[Record])> {
        let (partition, records) = self.requests.last()?;
        Some((*partition, records))
    }

    /// Takes note of the answer to the request.
    fn answered(&mut self, produced: Produced) {
        let Some((partition, mut records)) = self.requests.pop() else {
            return;
        };
        match produced {
            Produced::Acknowledged => {}
            Produced::TooLarge if records.len() > 1 => {
                let second = records.split_off(records.len() / 2);
                self.requests.push((partition, second));
                self.requests.push((partition, records));
            }
            Produced::TooLarge => self.too_large += 1,
        }
    }
}

#[derive(Debug)]
struct Producer {
    broker: Broker,
    compression: Compression,
    connection: Option<Connection>,
    /// What is left of a batch whose delivery failed. The next delivery is of the same batch: what was acknowledged is not sent again.
    unfinished: Option<Unfinished>,
}

impl Producer {
    async fn produce(&mut self, batch: &Batch) -> Result<Delivered, DeliveryError> {
        if self.connection.is_none() {
            self.connection = Some(self.broker.connect().await?);
        }
        let Some(connection) = &mut self.connection else {
            return Err(DeliveryError::temporary("there is no connection"));
        };
        let unfinished = self.unfinished.get_or_insert_with(|| Unfinished {
            requests: requests(&batch.octets, connection.partitions()),
            too_large: 0,
        });
        while let Some((partition, records)) = unfinished.request() {
            let produced = connection.produce(partition, records, self.compression);
            let produced = produced.await?;
            unfinished.answered(produced);
        }
        let refused = Size {
            polls: unfinished.too_large,
            samples: 0,
        };
        self.unfinished = None;
        let why =
            "a record exceeds max.message.bytes of the topic: raise it, or use smaller modules";
        Ok(Delivered {
            refused: (refused.polls > 0).then(|| (refused, why.to_owned())),
        })
    }
}

/// The records of a batch by partition, in requests of a bounded size; the first ones last.
fn requests(octets: &[u8], partitions: &[i32]) -> Vec<(i32, Vec<Record>)> {
    let mut open: Vec<(i32, usize, Vec<Record>)> = partitions
        .iter()
        .map(|number| (*number, 0, Vec::new()))
        .collect();
    let mut full = Vec::new();
    let records = octets.split(|octet| *octet == b'\n').filter_map(record);
    for record in records {
        let at = partition::of_key(record.key.as_deref().unwrap_or_default(), partitions.len());
        let Some((partition, octets, waiting)) = open.get_mut(at) else {
            continue;
        };
        let size = record.approximate_size();
        if *octets + size > LARGEST_REQUEST && !waiting.is_empty() {
            full.push((*partition, std::mem::take(waiting)));
            *octets = 0;
        }
        *octets += size;
        waiting.push(record);
    }
    let rest = open
        .into_iter()
        .map(|(partition, _, records)| (partition, records));
    full.extend(rest.filter(|(_, records)| !records.is_empty()));
    full.reverse();
    full
}

impl Transmit for Producer {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async move {
            let delivered = timeout(PATIENCE, self.produce(batch)).await;
            let delivered = delivered.unwrap_or_else(|_| {
                let why = format!("{}: no acknowledgement within {PATIENCE:?}", self.broker);
                Err(DeliveryError::temporary(why))
            });
            if delivered.is_err() {
                // Leaders and brokers are found anew.
                self.connection = None;
            }
            delivered
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixtures::poll;

    fn encoded(names: &[(&str, u64)]) -> Vec<u8> {
        let polls: Vec<_> = names.iter().map(|(name, slot)| poll(name, *slot)).collect();
        let mut octets = Vec::new();
        RecordEncoder.encode(&polls, &mut octets);
        octets
    }

    #[test]
    fn a_poll_is_a_record_with_its_target_as_key() {
        let octets = encoded(&[("core 1\t.example", 5)]);
        let [(partition, records)] = &requests(&octets, &[3])[..] else {
            panic!("one request");
        };
        assert_eq!((*partition, records.len()), (3, 1));
        assert_eq!(records[0].key.as_deref(), Some(&b"core 1 .example"[..]));
        assert_eq!(records[0].headers["id"], b"core 1 .example/if_mib/5");
        let value = records[0].value.as_deref().unwrap();
        let value: serde_json::Value = serde_json::from_slice(value).unwrap();
        assert_eq!(value["target"], "core 1\t.example");
        assert_eq!(
            Some(records[0].timestamp.timestamp_millis()),
            value["time"].as_i64()
        );
    }

    #[test]
    fn records_of_a_target_stay_in_order_in_one_partition() {
        let names: Vec<_> = (0..100)
            .map(|number| format!("router{}", number % 10))
            .collect();
        let polls: Vec<_> = names
            .iter()
            .zip(0..)
            .map(|(name, slot)| (&**name, slot))
            .collect();
        let partitions = [0, 1, 2, 5];
        let mut sent = requests(&encoded(&polls), &partitions);
        sent.reverse();
        assert_eq!(
            sent.iter().map(|(_, records)| records.len()).sum::<usize>(),
            100
        );
        let mut last = std::collections::BTreeMap::new();
        for (partition, records) in &sent {
            assert!(partitions.contains(partition));
            for record in records {
                let value: serde_json::Value =
                    serde_json::from_slice(record.value.as_deref().unwrap()).unwrap();
                let slot = value["slot"].as_u64();
                let before = last.insert(record.key.clone(), (*partition, slot));
                assert!(before.is_none_or(|before| before < (*partition, slot)));
                assert!(before.is_none_or(|before| before.0 == *partition));
            }
        }
        assert_eq!(last.len(), 10);
    }

    #[test]
    fn request_stays_until_it_is_answered() {
        let polls: Vec<_> = (0..4).map(|slot| ("r", slot)).collect();
        let mut unfinished = Unfinished {
            requests: requests(&encoded(&polls), &[0]),
            too_large: 0,
        };
        let identities = |unfinished: &Unfinished| {
            let (_, records) = unfinished.request()?;
            let identity =
                |record: &Record| String::from_utf8_lossy(&record.headers["id"]).into_owned();
            Some(records.iter().map(identity).collect::<Vec<_>>())
        };
        let names = |slots: std::ops::Range<u32>| {
            Some(slots.map(|slot| format!("r/if_mib/{slot}")).collect())
        };
        // Nothing was answered: the same request comes again.
        assert_eq!(identities(&unfinished), names(0..4));
        assert_eq!(identities(&unfinished), names(0..4));
        unfinished.answered(Produced::TooLarge);
        assert_eq!(identities(&unfinished), names(0..2));
        unfinished.answered(Produced::Acknowledged);
        assert_eq!(identities(&unfinished), names(2..4));
        unfinished.answered(Produced::TooLarge);
        unfinished.answered(Produced::TooLarge);
        assert_eq!(identities(&unfinished), names(3..4));
        unfinished.answered(Produced::Acknowledged);
        assert_eq!((identities(&unfinished), unfinished.too_large), (None, 1));
    }

    #[test]
    fn requests_have_a_bounded_size() {
        let octets = encoded(&[("r", 1)]);
        let many: Vec<u8> = std::iter::repeat_n(octets, 3000).flatten().collect();
        let sent = requests(&many, &[0]);
        assert!(sent.len() > 1);
        for (_, records) in &sent {
            let size: usize = records.iter().map(Record::approximate_size).sum();
            assert!(size <= LARGEST_REQUEST);
        }
        assert_eq!(
            sent.iter().map(|(_, records)| records.len()).sum::<usize>(),
            3000
        );
    }
}
