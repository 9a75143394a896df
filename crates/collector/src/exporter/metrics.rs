//! Metrics of the exporter itself, with the names of snmp_exporter.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::exposition::{describe, escape};

/// Upper bounds of the histogram buckets, in seconds: the defaults of the Prometheus client libraries.
const BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

#[derive(Debug)]
pub(super) struct Metrics {
    wrong_requests: AtomicU64,
    messages: AtomicU64,
    retries: AtomicU64,
    in_flight: AtomicU64,
    durations: Mutex<BTreeMap<String, Histogram>>,
}

/// A histogram of durations.
#[derive(Clone, Debug, Default)]
struct Histogram {
    /// One count per bucket; the last bucket has no upper bound.
    counts: [u64; BUCKETS.len() + 1],
    sum: f64,
}

/// A scrape in progress.
pub(super) struct InFlight<'m>(&'m AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(super) const fn new() -> Self {
        Self {
            wrong_requests: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            durations: Mutex::new(BTreeMap::new()),
        }
    }

    pub(super) fn count_wrong_request(&self) {
        self.wrong_requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count(&self, messages: u64, retries: u64) {
        self.messages.fetch_add(messages, Ordering::Relaxed);
        self.retries.fetch_add(retries, Ordering::Relaxed);
    }

    pub(super) fn in_flight(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    pub(super) fn observe(&self, module: &str, duration: Duration) {
        let mut durations = self
            .durations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let histogram = match durations.get_mut(module) {
            Some(histogram) => histogram,
            None => durations.entry(module.to_owned()).or_default(),
        };
        let seconds = duration.as_secs_f64();
        let bucket = BUCKETS.partition_point(|bound| *bound < seconds);
        if let Some(count) = histogram.counts.get_mut(bucket) {
            *count += 1;
        }
        histogram.sum += seconds;
    }

    /// All metrics in the text format.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let single = [
            (
                "snmp_packet_retries_total",
                "counter",
                "Packets that were sent again.",
                &self.retries,
            ),
            (
                "snmp_packets_total",
                "counter",
                "Packets sent, those that were sent again included.",
                &self.messages,
            ),
            (
                "snmp_request_errors_total",
                "counter",
                "Requests to the exporter that had wrong parameters.",
                &self.wrong_requests,
            ),
            (
                "snmp_request_in_flight",
                "gauge",
                "Modules that are being polled.",
                &self.in_flight,
            ),
        ];
        let name = "snmp_collection_duration_seconds";
        let help = "How long it took to ask an agent for a module.";
        describe(name, "histogram", help, &mut text);
        let durations = self
            .durations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (module, histogram) in &*durations {
            histogram.write(name, module, &mut text);
        }
        drop(durations);
        for (name, kind, help, value) in single {
            describe(name, kind, help, &mut text);
            let _ = writeln!(text, "{name} {}", value.load(Ordering::Relaxed));
        }
        describe("varbind_build_info", "gauge", "The version.", &mut text);
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(text, "varbind_build_info{{version=\"{version}\"}} 1");
        text
    }
}

impl Histogram {
    fn write(&self, name: &str, module: &str, text: &mut String) {
        let mut label = String::new();
        escape(module, &mut label);
        let bounds = BUCKETS.iter().map(f64::to_string);
        let bounds = bounds.chain(["+Inf".to_owned()]);
        let mut total = 0;
        for (bound, count) in bounds.zip(self.counts) {
            total += count;
            let _ = writeln!(
                text,
                "{name}_bucket{{module=\"{label}\",le=\"{bound}\"}} {total}"
            );
        }
        let _ = writeln!(text, "{name}_sum{{module=\"{label}\"}} {}", self.sum);
        let _ = writeln!(text, "{name}_count{{module=\"{label}\"}} {total}");
    }
}
