//! OpenTelemetry metrics: OTLP over HTTP, in Protocol Buffers.

use std::sync::Arc;

use serde::Deserialize;

use super::http::{HttpConfiguration, Server, content_type};
use super::poll::{Figure, Poll};
use super::protobuf::{Field, Fields, Message};
use super::sink::{Batch, Delivered, Delivering, Encode, Sink, Size, Transmit};
use crate::module::metric::FamilyKind;
use crate::scrape::{Number, SampleRef, Samples};

/// OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Otlp {
    /// Where requests go, as in `http://127.0.0.1:4318/v1/metrics`.
    pub url: String,
    /// How the server is reached.
    #[serde(default)]
    pub http: HttpConfiguration,
}

impl Otlp {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        let fixed = [content_type("application/x-protobuf")];
        Ok(Sink {
            format: "otlp",
            encoder: Box::new(OtlpEncoder),
            transmitter: Box::new(Receiver(Server::new(
                &self.url, &self.http, "Bearer", &fixed,
            )?)),
        })
    }
}

/// Fields of the messages, by the names of opentelemetry-proto.
mod field {
    pub(super) const EXPORT_RESOURCE_METRICS: u32 = 1;
    pub(super) const RESOURCE_METRICS_RESOURCE: u32 = 1;
    pub(super) const RESOURCE_METRICS_SCOPE_METRICS: u32 = 2;
    pub(super) const RESOURCE_ATTRIBUTES: u32 = 1;
    pub(super) const SCOPE_METRICS_SCOPE: u32 = 1;
    pub(super) const SCOPE_METRICS_METRICS: u32 = 2;
    pub(super) const SCOPE_NAME: u32 = 1;
    pub(super) const SCOPE_VERSION: u32 = 2;
    pub(super) const METRIC_NAME: u32 = 1;
    pub(super) const METRIC_DESCRIPTION: u32 = 2;
    pub(super) const METRIC_GAUGE: u32 = 5;
    pub(super) const METRIC_SUM: u32 = 7;
    pub(super) const DATA_POINTS: u32 = 1;
    pub(super) const SUM_AGGREGATION_TEMPORALITY: u32 = 2;
    pub(super) const SUM_IS_MONOTONIC: u32 = 3;
    pub(super) const POINT_TIME: u32 = 3;
    pub(super) const POINT_DOUBLE: u32 = 4;
    pub(super) const POINT_INTEGER: u32 = 6;
    pub(super) const POINT_ATTRIBUTES: u32 = 7;
    pub(super) const ATTRIBUTE_KEY: u32 = 1;
    pub(super) const ATTRIBUTE_VALUE: u32 = 2;
    pub(super) const ANY_STRING: u32 = 1;
    pub(super) const RESPONSE_PARTIAL_SUCCESS: u32 = 1;
    pub(super) const PARTIAL_REJECTED: u32 = 1;
    pub(super) const PARTIAL_MESSAGE: u32 = 2;
}

/// Sums count since the device started, not since the last export.
const CUMULATIVE: u64 = 2;

/// Writes requests: a resource for each poll, a metric for each family.
#[derive(Debug)]
pub(super) struct OtlpEncoder;

impl Encode for OtlpEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        let mut request = Message(octets);
        for poll in polls {
            request.message(field::EXPORT_RESOURCE_METRICS, |metrics| {
                metrics.message(field::RESOURCE_METRICS_RESOURCE, |of| resource(poll, of));
                metrics.message(field::RESOURCE_METRICS_SCOPE_METRICS, |of| scope(poll, of));
            });
        }
    }
}

fn attribute(field: u32, key: &str, value: &str, message: &mut Message<'_>) {
    message.message(field, |attribute| {
        attribute.octets(field::ATTRIBUTE_KEY, key);
        attribute.message(field::ATTRIBUTE_VALUE, |any| {
            any.octets(field::ANY_STRING, value);
        });
    });
}

/// The target. Receivers make the labels `job` and `instance` of its first two attributes.
fn resource(poll: &Poll, resource: &mut Message<'_>) {
    let mut add = |key, value| attribute(field::RESOURCE_ATTRIBUTES, key, value, resource);
    add("service.name", "varbind");
    add("service.instance.id", &poll.target.name);
    for (name, value) in &poll.target.labels {
        add(name, value);
    }
}

fn scope(poll: &Poll, scope: &mut Message<'_>) {
    scope.message(field::SCOPE_METRICS_SCOPE, |scope| {
        scope.octets(field::SCOPE_NAME, "varbind");
        scope.octets(field::SCOPE_VERSION, env!("CARGO_PKG_VERSION"));
    });
    let mut samples: Vec<_> = poll.samples.iter().flat_map(Samples::iter).collect();
    samples.sort_by_key(|sample| std::ptr::from_ref(sample.family).addr());
    for family in samples.chunk_by(|a, b| std::ptr::eq(a.family, b.family)) {
        scope.message(field::SCOPE_METRICS_METRICS, |of| metric(poll, family, of));
    }
    for figure in Figure::ALL {
        scope.message(field::SCOPE_METRICS_METRICS, |metric| {
            metric.octets(field::METRIC_NAME, figure.name);
            metric.octets(field::METRIC_DESCRIPTION, figure.help);
            let value = Number::Float((figure.value)(poll));
            metric.message(field::METRIC_GAUGE, |data| {
                point(poll, value, [("module", &*poll.module)].into_iter(), data);
            });
        });
    }
}

fn metric(poll: &Poll, samples: &[SampleRef<'_>], metric: &mut Message<'_>) {
    let Some(family) = samples.first().map(|sample| sample.family) else {
        return;
    };
    metric.octets(field::METRIC_NAME, &*family.name);
    metric.octets(field::METRIC_DESCRIPTION, &family.help);
    let points = |data: &mut Message<'_>| {
        for sample in samples {
            point(poll, sample.value, sample.labels.iter(), data);
        }
    };
    match family.kind {
        FamilyKind::Gauge => metric.message(field::METRIC_GAUGE, points),
        FamilyKind::Counter => metric.message(field::METRIC_SUM, |data| {
            points(data);
            data.number(field::SUM_AGGREGATION_TEMPORALITY, CUMULATIVE);
            data.number(field::SUM_IS_MONOTONIC, 1);
        }),
    }
}

fn point<'l>(
    poll: &Poll,
    value: Number,
    labels: impl Iterator<Item = (&'l str, &'l str)>,
    data: &mut Message<'_>,
) {
    data.message(field::DATA_POINTS, |point| {
        point.fixed(field::POINT_TIME, poll.nanoseconds());
        match value {
            Number::Signed(number) => point.fixed(field::POINT_INTEGER, number.cast_unsigned()),
            // Larger ones have no exact form.
            Number::Unsigned(number) if i64::try_from(number).is_ok() => {
                point.fixed(field::POINT_INTEGER, number);
            }
            _ => point.double(field::POINT_DOUBLE, value.as_f64()),
        }
        for (name, value) in labels {
            attribute(field::POINT_ATTRIBUTES, name, value, point);
        }
    });
}

#[derive(Debug)]
struct Receiver(Server);

impl Transmit for Receiver {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            let response = self.0.post(batch.octets.clone()).await?;
            Ok(Delivered {
                refused: rejected(&response),
            })
        })
    }
}

/// Data points that the receiver rejected, and why.
fn rejected(response: &[u8]) -> Option<(Size, String)> {
    let partial = Fields(response).find_map(|field| match field {
        (field::RESPONSE_PARTIAL_SUCCESS, Field::Octets(partial)) => Some(partial),
        _ => None,
    })?;
    let (mut count, mut message) = (0, String::new());
    for field in Fields(partial) {
        match field {
            (field::PARTIAL_REJECTED, Field::Number(number)) => count = number,
            (field::PARTIAL_MESSAGE, Field::Octets(text)) => {
                message = String::from_utf8_lossy(text).into_owned();
            }
            _ => {}
        }
    }
    let samples = u32::try_from(count).unwrap_or(u32::MAX);
    (samples > 0).then_some((Size { polls: 0, samples }, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_success_is_read() {
        assert_eq!(rejected(&[]), None);
        let mut octets = Vec::new();
        Message(&mut octets).message(field::RESPONSE_PARTIAL_SUCCESS, |partial| {
            partial.number(field::PARTIAL_REJECTED, 300);
            partial.octets(field::PARTIAL_MESSAGE, "too old");
        });
        assert_eq!(
            rejected(&octets),
            Some((
                Size {
                    polls: 0,
                    samples: 300
                },
                "too old".to_owned()
            ))
        );
    }
}
