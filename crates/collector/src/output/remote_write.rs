//! Prometheus remote write 1.0, which VictoriaMetrics, Mimir, Thanos and others take too.

use std::collections::HashMap;
use std::sync::Arc;

use hyper::header::{CONTENT_ENCODING, HeaderName};
use serde::Deserialize;
use snap::raw::Encoder;

use super::http::{HttpConfiguration, Server, content_type};
use super::labels;
use super::poll::{Figure, Poll};
use super::protobuf::Message;
use super::sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Transmit};
use crate::module::Family;
use crate::module::metric::FamilyKind;
use crate::scrape::{SampleRef, Samples};

/// Prometheus remote write.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RemoteWrite {
    /// Where requests go, as in `http://127.0.0.1:9090/api/v1/write`.
    pub url: String,
    /// How the server is reached.
    #[serde(default)]
    pub http: HttpConfiguration,
}

const VERSION: HeaderName = HeaderName::from_static("x-prometheus-remote-write-version");

impl RemoteWrite {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        let fixed = [
            content_type("application/x-protobuf"),
            (CONTENT_ENCODING, "snappy"),
            (VERSION, "0.1.0"),
        ];
        Ok(Sink {
            format: "remote-write",
            encoder: Box::new(RemoteWriteEncoder::default()),
            transmitter: Box::new(Receiver(Server::new(
                &self.url, &self.http, "Bearer", &fixed,
            )?)),
        })
    }
}

/// Fields of the messages, by the names that Prometheus' `prompb` has for them.
mod field {
    pub(super) const WRITE_REQUEST_TIMESERIES: u32 = 1;
    pub(super) const WRITE_REQUEST_METADATA: u32 = 3;
    pub(super) const TIME_SERIES_LABELS: u32 = 1;
    pub(super) const TIME_SERIES_SAMPLES: u32 = 2;
    pub(super) const LABEL_NAME: u32 = 1;
    pub(super) const LABEL_VALUE: u32 = 2;
    pub(super) const SAMPLE_VALUE: u32 = 1;
    pub(super) const SAMPLE_TIMESTAMP: u32 = 2;
    pub(super) const METADATA_TYPE: u32 = 1;
    pub(super) const METADATA_FAMILY_NAME: u32 = 2;
    pub(super) const METADATA_HELP: u32 = 4;
}

const NAME: &str = "__name__";
/// Metadata of a family is sent again after so many milliseconds, as by Prometheus.
const METADATA_INTERVAL: u64 = 60_000;

/// Writes requests.
#[derive(Debug, Default)]
pub(super) struct RemoteWriteEncoder {
    /// When the metadata of each family was sent, in the time of polls.
    described: HashMap<Arc<str>, u64>,
    message: Vec<u8>,
    labels: RowLabels,
}

/// The labels of a row as fields of a series, before and behind the name of the metric.
#[derive(Debug, Default)]
struct RowLabels {
    before: Vec<u8>,
    behind: Vec<u8>,
}

impl RowLabels {
    fn set(&mut self, labels: &[(&str, &str)]) {
        self.before.clear();
        self.behind.clear();
        for (name, value) in labels {
            let place = if *name < NAME {
                &mut self.before
            } else {
                &mut self.behind
            };
            label(name, value, &mut Message(place));
        }
    }
}

fn label(name: &str, value: &str, series: &mut Message<'_>) {
    series.message(field::TIME_SERIES_LABELS, |label| {
        label.octets(field::LABEL_NAME, name);
        label.octets(field::LABEL_VALUE, value);
    });
}

impl Encode for RemoteWriteEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        self.message.clear();
        for poll in polls {
            self.poll(poll);
        }
        // It fails beyond 4 GiB alone.
        if let Ok(compressed) = Encoder::new().compress_vec(&self.message) {
            octets.extend_from_slice(&compressed);
        }
    }
}

impl RemoteWriteEncoder {
    fn poll(&mut self, poll: &Poll) {
        let samples = poll.samples.as_ref().map(Samples::by_row);
        let samples = samples.unwrap_or_default();
        for row in samples.chunk_by(SampleRef::is_same_row) {
            let Some(first) = row.first() else {
                continue;
            };
            self.labels.set(&labels::of_row(poll, first.labels));
            for sample in row {
                self.series(&sample.family.name, sample.value.wrapped(), poll.time);
                self.describe(sample.family, poll.time);
            }
        }
        self.labels.set(&labels::of_poll(poll));
        for figure in Figure::ALL {
            self.series(figure.name, (figure.value)(poll), poll.time);
        }
    }

    fn series(&mut self, name: &str, value: f64, time: u64) {
        let labels = &self.labels;
        Message(&mut self.message).message(field::WRITE_REQUEST_TIMESERIES, |series| {
            series.fields(&labels.before);
            label(NAME, name, series);
            series.fields(&labels.behind);
            series.message(field::TIME_SERIES_SAMPLES, |sample| {
                sample.double(field::SAMPLE_VALUE, value);
                sample.number(field::SAMPLE_TIMESTAMP, time);
            });
        });
    }

    fn describe(&mut self, family: &Family, now: u64) {
        match self.described.get_mut(&family.name) {
            Some(last) if now < *last + METADATA_INTERVAL => return,
            Some(last) => *last = now,
            None => {
                self.described.insert(Arc::clone(&family.name), now);
            }
        }
        let kind = match family.kind {
            FamilyKind::Counter => 1,
            FamilyKind::Gauge => 2,
        };
        Message(&mut self.message).message(field::WRITE_REQUEST_METADATA, |metadata| {
            metadata.number(field::METADATA_TYPE, kind);
            metadata.octets(field::METADATA_FAMILY_NAME, &*family.name);
            metadata.octets(field::METADATA_HELP, &family.help);
        });
    }
}

#[derive(Debug)]
struct Receiver(Server);

impl Transmit for Receiver {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            if batch.octets.is_empty() {
                return Err(DeliveryError::Refused("the batch is too large".to_owned()));
            }
            self.0.post(batch.octets.clone()).await?;
            Ok(Delivered::default())
        })
    }
}
