//! What a poll of a target found: the unit that outputs deliver.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::scrape::Samples;

/// A device that is polled, by the name under which its series are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetName {
    /// The name, which is the label `instance` of its series.
    pub name: Box<str>,
    /// Further labels of all its series, as in `("site", "berlin")`.
    pub labels: Vec<(String, String)>,
}

impl TargetName {
    /// A target without further labels.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            labels: Vec::new(),
        }
    }
}

/// How a poll ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The target responded to all of it.
    Success,
    /// It did not.
    Failure {
        /// A short reason for statistics, as in `timeout`.
        reason: &'static str,
        /// The error message.
        message: String,
    },
}

impl Outcome {
    /// Whether the target responded.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success)
    }
}

/// One poll of one module of one target.
#[derive(Clone, Debug)]
pub struct Poll {
    /// The device.
    pub target: Arc<TargetName>,
    /// The name of the module.
    pub module: Arc<str>,
    /// The scheduled time in milliseconds since 1970. Collectors that poll the same target agree on it, since it is the start of an interval:
    /// target, module and slot identify a poll.
    pub slot: u64,
    /// When the samples were taken, in milliseconds since 1970.
    pub time: u64,
    /// How long it took.
    pub duration: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// The series; `None` if the poll failed.
    pub samples: Option<Samples>,
    /// The revision of the lease on the target's shard, where several collectors share a fleet. Of two polls with one identity, the
    /// one with the larger revision counts.
    pub lease: Option<u64>,
}

impl Poll {
    /// The identity of the poll, as in `router1/if_mib/1764097200000`.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{}/{}/{}", self.target.name, self.module, self.slot)
    }

    /// How many samples it has, those about the poll itself included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.as_ref().map_or(0, Samples::len) + Figure::ALL.len()
    }

    /// Never: there are always samples about the poll itself.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The time of the samples, in nanoseconds since 1970.
    #[must_use]
    pub const fn nanoseconds(&self) -> u64 {
        self.time.saturating_mul(1_000_000)
    }
}

/// A series about the poll itself.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The name that snmp_exporter and Prometheus have for it.
    pub name: &'static str,
    /// What it is about.
    pub help: &'static str,
    /// The value.
    pub value: fn(&Poll) -> f64,
}

impl Figure {
    /// All of them. Their labels are those of the target, and `module`.
    pub const ALL: [Self; 3] = [
        Self {
            name: "up",
            help: "1 if the target responded, 0 if it did not.",
            value: |poll| f64::from(u8::from(poll.outcome.is_success())),
        },
        Self {
            name: "snmp_scrape_duration_seconds",
            help: "Duration of the poll.",
            value: |poll| poll.duration.as_secs_f64(),
        },
        Self {
            name: "snmp_scrape_pdus_returned",
            help: "Objects that the target returned.",
            value: |poll| {
                let objects = poll.samples.as_ref().map_or(0, Samples::objects);
                u32::try_from(objects).map_or(f64::INFINITY, f64::from)
            },
        },
    ];
}

/// A time in milliseconds since 1970.
#[must_use]
pub fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
