//! What an output delivered, holds and lost.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::sink::Size;
use crate::exposition::{describe, escape};

/// Why polls were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The queue in memory was full.
    QueueFull,
    /// The spool was full.
    SpoolFull,
    /// The spool could not be written or read.
    SpoolError,
    /// The receiver refused them for good.
    Refused,
    /// The collector stopped before they could be delivered.
    Stopped,
}

impl Loss {
    /// All reasons.
    pub const ALL: [Self; 5] = [
        Self::QueueFull,
        Self::SpoolFull,
        Self::SpoolError,
        Self::Refused,
        Self::Stopped,
    ];

    /// The label of the reason.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::SpoolFull => "spool_full",
            Self::SpoolError => "spool_error",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
        }
    }
}

/// Polls and samples that were counted.
#[derive(Debug, Default)]
struct Count {
    polls: AtomicU64,
    samples: AtomicU64,
}

impl Count {
    fn add(&self, size: Size) {
        self.polls.fetch_add(size.polls.into(), Ordering::Relaxed);
        self.samples
            .fetch_add(size.samples.into(), Ordering::Relaxed);
    }
}

/// Losses for one reason.
#[derive(Debug, Default)]
struct LossCount {
    count: Count,
    /// Whether they are going on.
    ongoing: AtomicBool,
}

/// The counters of an output.
#[derive(Debug)]
pub struct Counters {
    name: String,
    accepted: Count,
    delivered: Count,
    lost: [LossCount; Loss::ALL.len()],
    retries: AtomicU64,
    failing: AtomicBool,
    spooled: AtomicU64,
}

impl Counters {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            accepted: Count::default(),
            delivered: Count::default(),
            lost: Default::default(),
            retries: AtomicU64::new(0),
            failing: AtomicBool::new(false),
            spooled: AtomicU64::new(0),
        }
    }

    pub(super) fn accept(&self, size: Size) {
        self.accepted.add(size);
    }

    /// Polls arrived.
    pub(super) fn deliver(&self, size: Size) {
        self.delivered.add(size);
        if self.failing.swap(false, Ordering::Relaxed) {
            log::info!("output {}: delivering again", self.name);
        }
    }

    /// A delivery failed and will be repeated.
    pub(super) fn retry(&self, why: &dyn std::fmt::Display) {
        self.retries.fetch_add(1, Ordering::Relaxed);
        if self.failing.swap(true, Ordering::Relaxed) {
            log::debug!("output {}: {why}", self.name);
        } else {
            log::warn!("output {}: not delivering: {why}", self.name);
        }
    }

    /// Polls are lost. The first of them is logged, with the reason.
    pub(super) fn lose(&self, loss: Loss, size: Size, why: &dyn std::fmt::Display) {
        let Some(lost) = self.lost.get(loss as usize) else {
            return;
        };
        lost.count.add(size);
        if !lost.ongoing.swap(true, Ordering::Relaxed) {
            let (polls, samples) = (size.polls, size.samples);
            log::warn!(
                "output {}: dropping polls ({}): {why}; lost now: {polls} polls with {samples} samples",
                self.name,
                loss.as_str()
            );
        }
    }

    /// There is room again, or the receiver accepts again: losses for a reason have ended.
    pub(super) fn end_loss(&self, loss: Loss) {
        let lost = self.lost.get(loss as usize);
        if let Some(lost) = lost.filter(|lost| lost.ongoing.swap(false, Ordering::Relaxed)) {
            let polls = lost.count.polls.load(Ordering::Relaxed);
            let reason = loss.as_str();
            log::warn!(
                "output {}: no longer dropping polls ({reason}); dropped since the start: {polls}",
                self.name,
            );
        }
    }

    pub(super) fn set_spooled(&self, octets: u64) {
        self.spooled.store(octets, Ordering::Relaxed);
    }

    /// Polls that were lost so far.
    #[must_use]
    pub fn lost_polls(&self, loss: Loss) -> u64 {
        let lost = self.lost.get(loss as usize);
        lost.map_or(0, |lost| lost.count.polls.load(Ordering::Relaxed))
    }

    /// Polls that the receiver has.
    #[must_use]
    pub fn delivered_polls(&self) -> u64 {
        self.delivered.polls.load(Ordering::Relaxed)
    }

    /// Whether the last delivery failed.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }
}

/// A metric of outputs: name, kind, help, and the values of an output with further labels.
type Metric = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Counters) -> Vec<(String, u64)>,
);

fn single(value: &AtomicU64) -> Vec<(String, u64)> {
    vec![(String::new(), value.load(Ordering::Relaxed))]
}

fn losses(counters: &Counters, value: fn(&Count) -> &AtomicU64) -> Vec<(String, u64)> {
    let losses = Loss::ALL.iter().zip(&counters.lost);
    losses
        .map(|(loss, lost)| {
            let label = format!(",reason=\"{}\"", loss.as_str());
            (label, value(&lost.count).load(Ordering::Relaxed))
        })
        .collect()
}

const METRICS: [Metric; 9] = [
    (
        "varbind_output_polls_total",
        "counter",
        "Polls given to the output.",
        |counters| single(&counters.accepted.polls),
    ),
    (
        "varbind_output_samples_total",
        "counter",
        "Samples given to the output.",
        |counters| single(&counters.accepted.samples),
    ),
    (
        "varbind_output_delivered_polls_total",
        "counter",
        "Polls that the receiver accepted.",
        |counters| single(&counters.delivered.polls),
    ),
    (
        "varbind_output_delivered_samples_total",
        "counter",
        "Samples that the receiver accepted.",
        |counters| single(&counters.delivered.samples),
    ),
    (
        "varbind_output_lost_polls_total",
        "counter",
        "Polls that were lost, by reason.",
        |counters| losses(counters, |count| &count.polls),
    ),
    (
        "varbind_output_lost_samples_total",
        "counter",
        "Samples that were lost, by reason.",
        |counters| losses(counters, |count| &count.samples),
    ),
    (
        "varbind_output_retries_total",
        "counter",
        "Deliveries that failed and were repeated.",
        |counters| single(&counters.retries),
    ),
    (
        "varbind_output_failing",
        "gauge",
        "1 while deliveries fail.",
        |counters| vec![(String::new(), counters.is_failing().into())],
    ),
    (
        "varbind_output_spool_bytes",
        "gauge",
        "Size of the spool that is not delivered yet.",
        |counters| single(&counters.spooled),
    ),
];

/// Writes the metrics of outputs in the text format of Prometheus.
pub(super) fn write_metrics<'c>(
    outputs: &(impl Iterator<Item = &'c Counters> + Clone),
    text: &mut String,
) {
    for (name, kind, help, values) in METRICS {
        describe(name, kind, help, text);
        for counters in outputs.clone() {
            let mut label = String::new();
            escape(&counters.name, &mut label);
            for (more, value) in values(counters) {
                let _ = writeln!(text, "{name}{{output=\"{label}\"{more}}} {value}");
            }
        }
    }
}
