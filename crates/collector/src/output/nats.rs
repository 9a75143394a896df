//! Polls as messages of NATS JetStream: one for each poll, with its identity as the message id, so that the stream drops repetitions.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::context::{ContextBuilder, PublishAckFuture, PublishErrorKind};
use async_nats::jetstream::{Context, stream};
use serde::Deserialize;

use super::json_lines::JsonEncoder;
use super::poll::Poll;
use super::sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Size, Transmit};
use crate::nats::{NatsConfiguration, Server};

/// NATS JetStream.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Nats {
    /// How the server is reached.
    pub nats: NatsConfiguration,
    /// The stream, which is created if it does not exist.
    #[serde(default = "usual_stream")]
    pub stream: String,
    /// The beginning of the subjects; the module and the target follow.
    #[serde(default = "usual_subject")]
    pub subject: String,
}

fn usual_stream() -> String {
    "varbind".to_owned()
}

fn usual_subject() -> String {
    "varbind.polls".to_owned()
}

/// How long a message may stay without an acknowledgement.
const PATIENCE: Duration = Duration::from_secs(10);

impl Nats {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        Ok(Sink {
            format: "nats",
            encoder: Box::new(MessageEncoder {
                prefix: self.subject.clone(),
            }),
            transmitter: Box::new(Publisher {
                server: Server::new(&self.nats)?,
                settings: self.clone(),
                context: None,
            }),
        })
    }
}

/// Writes lines: subject, identity and JSON, with tabs between them.
#[derive(Debug)]
struct MessageEncoder {
    prefix: String,
}

impl Encode for MessageEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        let mut head = String::new();
        for poll in polls {
            head.clear();
            let (module, target) = (token(&poll.module), token(&poll.target.name));
            let _ = write!(head, "{}.{module}.{target}\t", self.prefix);
            head.extend(poll.identity().chars().map(|character| match character {
                character if character.is_control() => ' ',
                character => character,
            }));
            octets.extend_from_slice(head.as_bytes());
            octets.push(b'\t');
            JsonEncoder.encode(std::slice::from_ref(poll), octets);
        }
    }
}

/// A token of a subject. Characters that subjects cannot have become underscores: the message has the name itself.
fn token(name: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "-_:@".contains(character);
    name.chars()
        .map(|character| if allowed(character) { character } else { '_' })
        .collect()
}

#[derive(Debug)]
struct Publisher {
    server: Server,
    settings: Nats,
    context: Option<Context>,
}

impl Publisher {
    /// Connects at the first delivery, and sees to it that the stream exists.
    async fn context(&mut self) -> Result<Context, DeliveryError> {
        if let Some(context) = &self.context {
            return Ok(context.clone());
        }
        let client = self.server.connect("varbind output").await;
        let client = client.map_err(DeliveryError::temporary)?;
        let context = ContextBuilder::new()
            .timeout(PATIENCE)
            .ack_timeout(PATIENCE)
            .build(client);
        let configuration = stream::Config {
            name: self.settings.stream.clone(),
            subjects: vec![format!("{}.>", self.settings.subject)],
            num_replicas: self.settings.nats.replicas,
            ..stream::Config::default()
        };
        let created = context.get_or_create_stream(configuration).await;
        created.map_err(|error| {
            DeliveryError::temporary(format_args!("stream {}: {error}", self.settings.stream))
        })?;
        self.context = Some(context.clone());
        Ok(context)
    }

    async fn publish(&mut self, batch: &Batch) -> Result<Delivered, DeliveryError> {
        let context = self.context().await?;
        let failed = |error: &dyn std::fmt::Display| DeliveryError::temporary(error);
        let mut waiting: Vec<PublishAckFuture> = Vec::new();
        let mut too_large = 0;
        for line in batch.octets.split(|octet| *octet == b'\n') {
            let Some((subject, identity, message)) = parts(line) else {
                continue;
            };
            let mut headers = HeaderMap::new();
            headers.insert(NATS_MESSAGE_ID, identity);
            let published =
                context.publish_with_headers(subject.to_owned(), headers, message.to_vec().into());
            match published.await {
                Ok(acknowledgement) => waiting.push(acknowledgement),
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    too_large += 1;
                }
                Err(error) => return Err(failed(&error)),
            }
        }
        for acknowledgement in waiting {
            acknowledgement.await.map_err(|error| failed(&error))?;
        }
        let refused = Size {
            polls: too_large,
            samples: 0,
        };
        Ok(Delivered {
            refused: (too_large > 0).then(|| {
                (
                    refused,
                    "a message exceeds max_payload of the server: raise it, or use smaller modules"
                        .to_owned(),
                )
            }),
        })
    }
}

fn parts(line: &[u8]) -> Option<(&str, &str, &[u8])> {
    let mut parts = line.splitn(3, |octet| *octet == b'\t');
    let subject = str::from_utf8(parts.next()?).ok()?;
    let identity = str::from_utf8(parts.next()?).ok()?;
    Some((subject, identity, parts.next()?))
}

impl Transmit for Publisher {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(self.publish(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixtures::poll;

    #[test]
    fn a_poll_is_a_message() {
        let mut encoder = MessageEncoder {
            prefix: "a.b".to_owned(),
        };
        let mut octets = Vec::new();
        encoder.encode(&[poll("core 1.example\t.>", 5), poll("r", 6)], &mut octets);
        let lines: Vec<_> = octets
            .split(|octet| *octet == b'\n')
            .filter_map(parts)
            .collect();
        let [first, second] = lines[..] else {
            panic!("{lines:?}");
        };
        assert_eq!(first.0, "a.b.if_mib.core_1_example___");
        assert_eq!(first.1, "core 1.example .>/if_mib/5");
        assert_eq!((second.0, second.1), ("a.b.if_mib.r", "r/if_mib/6"));
        let message: serde_json::Value = serde_json::from_slice(first.2).unwrap();
        assert_eq!(message["target"], "core 1.example\t.>");
    }
}
