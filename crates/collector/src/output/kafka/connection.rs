//! A connection with the brokers of a topic.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rskafka::BackoffConfig;
use rskafka::client::error::{Error, ProtocolError};
use rskafka::client::partition::{Compression, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder, Credentials, SaslConfig};
use rskafka::record::Record;
use rustls::ClientConfig;

use super::{Kafka, Mechanism};
use crate::output::http::{secret, tls};
use crate::output::sink::DeliveryError;

/// How long the client tries by itself before a delivery counts as failed.
const DEADLINE: Duration = Duration::from_secs(5);
/// How long a broker may take to create a topic, in milliseconds.
const CREATION: i32 = 5_000;
/// What leaves a number to the broker (KIP-464).
const USUAL: i32 = -1;

/// A configuration whose files have been read.
pub(super) struct Broker {
    settings: Kafka,
    tls: Option<Arc<ClientConfig>>,
    password: Option<SaslConfig>,
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Broker").field(&self.settings).finish()
    }
}

impl fmt::Display for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.settings.kafka.brokers.join(", "))
    }
}

impl Broker {
    pub(super) fn new(settings: &Kafka) -> Result<Self, String> {
        let kafka = &settings.kafka;
        if kafka.brokers.is_empty() {
            return Err("brokers: there is none: write [\"HOST:9092\"]".to_owned());
        }
        let has_port = |broker: &&String| {
            let port = broker.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
            port.is_some_and(|port| port.is_ok())
        };
        if let Some(broker) = kafka.brokers.iter().find(|broker| !has_port(broker)) {
            return Err(format!(
                "brokers: {broker:?} has no port: write it as in \"kafka1:9092\""
            ));
        }
        if settings.partitions == Some(0) {
            return Err("partitions must be at least 1".to_owned());
        }
        if kafka.mechanism == Mechanism::Plain && !kafka.tls && kafka.username.is_some() {
            let why = "mechanism \"plain\" would send the password in clear: set tls = true";
            return Err(why.to_owned());
        }
        if kafka.ca_file.is_some() && !kafka.tls {
            return Err("ca-file has no effect without TLS: set tls = true".to_owned());
        }
        let password = match (&kafka.username, &kafka.password_file) {
            (None, None) => None,
            (Some(username), Some(path)) => {
                let credentials = Credentials::new(username.clone(), secret(path)?);
                Some(match kafka.mechanism {
                    Mechanism::ScramSha512 => SaslConfig::ScramSha512(credentials),
                    Mechanism::ScramSha256 => SaslConfig::ScramSha256(credentials),
                    Mechanism::Plain => SaslConfig::Plain(credentials),
                })
            }
            _ => return Err("username and password-file belong together".to_owned()),
        };
        let tls = kafka.tls.then(|| tls(kafka.ca_file.as_deref(), true));
        Ok(Self {
            settings: settings.clone(),
            tls: tls.transpose()?.map(Arc::new),
            password,
        })
    }

    fn failed(&self, error: &dyn fmt::Display) -> DeliveryError {
        DeliveryError::temporary(format_args!("{self}: {error}"))
    }

    /// Connects, and sees to it that the topic exists.
    pub(super) async fn connect(&self) -> Result<Connection, DeliveryError> {
        let mut builder = ClientBuilder::new(self.settings.kafka.brokers.clone())
            .client_id("varbind")
            .backoff_config(BackoffConfig {
                max_backoff: Duration::from_secs(1),
                deadline: Some(DEADLINE),
                ..BackoffConfig::default()
            });
        if let Some(tls) = &self.tls {
            builder = builder.tls_config(Arc::clone(tls));
        }
        if let Some(password) = &self.password {
            builder = builder.sasl_config(password.clone());
        }
        let client = builder.build().await;
        let client = client.map_err(|error| self.failed(&error))?;
        let topic = self.settings.topic.clone();
        let mut partitions = self.partitions(&client).await?;
        if partitions.is_empty() {
            let wanted = self.settings.partitions.map_or(USUAL, i32::from);
            let controller = client.controller_client();
            let controller = controller.map_err(|error| self.failed(&error))?;
            let created = controller.create_topic(topic.clone(), wanted, -1, CREATION);
            match created.await {
                // Another collector was faster.
                Ok(()) => {}
                Err(error) if is(&error, &[ProtocolError::TopicAlreadyExists]) => {}
                Err(error) => {
                    let why = format_args!("{self}: topic {topic}: {error}");
                    return Err(DeliveryError::temporary(why));
                }
            }
            partitions = self.partitions(&client).await?;
        }
        if partitions.is_empty() {
            let why = format_args!("{self}: topic {topic} has no partitions yet");
            return Err(DeliveryError::temporary(why));
        }
        Ok(Connection {
            name: self.to_string(),
            topic,
            client,
            partitions,
            leaders: HashMap::new(),
        })
    }

    /// The partitions of the topic, in order; none if it does not exist.
    async fn partitions(&self, client: &Client) -> Result<Vec<i32>, DeliveryError> {
        let topics = client.list_topics().await;
        let mut topics = topics.map_err(|error| self.failed(&error))?.into_iter();
        let found = topics.find(|topic| topic.name == self.settings.topic);
        Ok(found.map_or_else(Vec::new, |topic| topic.partitions.into_iter().collect()))
    }
}

/// What became of records.
#[derive(Clone, Copy, Debug)]
pub(super) enum Produced {
    Acknowledged,
    /// Together they exceed what the topic allows.
    TooLarge,
}

#[derive(Debug)]
pub(super) struct Connection {
    name: String,
    topic: String,
    client: Client,
    partitions: Vec<i32>,
    leaders: HashMap<i32, PartitionClient>,
}

impl Connection {
    /// The partitions of the topic, in order.
    pub(super) fn partitions(&self) -> &[i32] {
        &self.partitions
    }

    /// Sends records to a partition until all replicas in sync have them.
    pub(super) async fn produce(
        &mut self,
        partition: i32,
        records: &[Record],
        compression: Compression,
    ) -> Result<Produced, DeliveryError> {
        let failed = |error: &Error| {
            let (name, topic) = (&self.name, &self.topic);
            DeliveryError::temporary(format_args!("{name}: topic {topic}: {error}"))
        };
        let leader = match self.leaders.entry(partition) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let found = self.client.partition_client(
                    self.topic.clone(),
                    partition,
                    UnknownTopicHandling::Retry,
                );
                place.insert(found.await.map_err(|error| failed(&error))?)
            }
        };
        match leader.produce(records.to_vec(), compression).await {
            Ok(_) => Ok(Produced::Acknowledged),
            Err(error)
                if is(
                    &error,
                    &[
                        ProtocolError::MessageTooLarge,
                        ProtocolError::RecordListTooLarge,
                    ],
                ) =>
            {
                Ok(Produced::TooLarge)
            }
            Err(error) => Err(failed(&error)),
        }
    }
}

/// Whether a broker answered with one of these errors.
fn is(error: &Error, expected: &[ProtocolError]) -> bool {
    matches!(error, Error::ServerError { protocol_error, .. } if expected.contains(protocol_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(settings: &str) -> String {
        let settings: Kafka = toml::from_str(settings).unwrap();
        Broker::new(&settings).unwrap_err()
    }

    #[test]
    fn unsafe_and_incomplete_settings_are_refused() {
        for (settings, part) in [
            ("kafka = {brokers = []}", "write [\"HOST:9092\"]"),
            ("kafka = {brokers = [\"kafka1\"]}", "has no port"),
            (
                "partitions = 0\nkafka = {brokers = [\"a:1\"]}",
                "at least 1",
            ),
            (
                "kafka = {brokers = [\"a:1\"], ca-file = \"ca.pem\"}",
                "tls = true",
            ),
            (
                "kafka = {brokers = [\"a:1\"], username = \"u\"}",
                "belong together",
            ),
            (
                "kafka = {brokers = [\"a:1\"], username = \"u\", password-file = \"p\", mechanism = \"plain\"}",
                "in clear",
            ),
        ] {
            assert!(refused(settings).contains(part), "{settings}");
        }
    }
}
