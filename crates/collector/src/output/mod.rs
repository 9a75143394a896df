//! Outputs: the destinations of polls. Each has a bounded queue, delivers batches, repeats failed deliveries, and counts what it loses.
//!
//! An output runs in a thread of its own, so that neither a slow disk nor a large batch delays polls.

mod configuration;
mod counters;
mod delivery;
#[cfg(test)]
mod fixtures;
mod http;
mod influx;
mod json_lines;
#[cfg(feature = "kafka")]
mod kafka;
mod labels;
#[cfg(feature = "nats")]
mod nats;
mod otlp;
#[cfg(feature = "parquet")]
mod parquet;
mod poll;
mod protobuf;
mod queue;
mod remote_write;
mod running;
mod sink;
mod spool;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use configuration::Misplaced;
pub use configuration::{
    DeliveryConfiguration, Destination, OutputConfiguration, SpoolConfiguration,
};
pub use counters::{Counters, Loss};
pub use http::HttpConfiguration;
pub(crate) use http::{secret, tls};
pub use influx::{Influx, Integers};
pub use json_lines::JsonLines;
#[cfg(feature = "kafka")]
pub use kafka::{Kafka, KafkaConfiguration, Mechanism, RecordCompression};
#[cfg(feature = "nats")]
pub use nats::Nats;
pub use otlp::Otlp;
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use poll::{Figure, Outcome, Poll, TargetName, milliseconds};
pub use remote_write::RemoteWrite;
pub use sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Size, Transmit};
pub use spool::SpoolError;

use running::{Origin, Prepared, Running};

/// Types of outputs that this build lacks, and the feature of each.
const MISSING: &[(&str, &str)] = &[
    #[cfg(not(feature = "kafka"))]
    ("kafka", "kafka"),
    #[cfg(not(feature = "nats"))]
    ("nats", "nats"),
    #[cfg(not(feature = "parquet"))]
    ("parquet", "parquet"),
];

/// The wait after the first failure of a delivery.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
/// How long a thread may take to end after its deadline.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// Why an output cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// Its spool cannot be used.
    #[error("output {name}: {source}")]
    Spool {
        /// The name of the output.
        name: String,
        /// Why.
        source: SpoolError,
    },
    /// A setting is wrong.
    #[error("output {name}: {message}")]
    Destination {
        /// The name of the output.
        name: String,
        /// What, and why.
        message: String,
    },
    /// The system has no thread for it.
    #[error("output {name}: cannot start a thread: {source}")]
    Thread {
        /// The name of the output.
        name: String,
        /// Why.
        source: io::Error,
    },
}

/// Running outputs.
#[derive(Debug, Default)]
pub struct Outputs {
    running: Vec<Running>,
    /// Removed outputs that still deliver their polls.
    ending: Vec<Running>,
}

/// The changes of outputs at a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputChanges {
    /// New outputs.
    pub started: Vec<String>,
    /// Outputs whose settings, or files that these name, changed.
    pub replaced: Vec<String>,
    /// Removed outputs.
    pub removed: Vec<String>,
}

impl Outputs {
    /// Starts outputs by their names.
    ///
    /// # Errors
    /// When one of them cannot be used. A receiver that does not respond is no error.
    pub fn start(outputs: &BTreeMap<String, OutputConfiguration>) -> Result<Self, OutputError> {
        let mut started = Self::none();
        for (name, output) in outputs {
            let prepared = Prepared::new(name, Origin::new(output), true)?;
            started.running.push(prepared.start(None, Duration::ZERO)?);
        }
        Ok(started)
    }

    /// No outputs.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Starts an output with any sink.
    ///
    /// # Errors
    /// When its spool cannot be used, or the system has no thread for it.
    pub fn add(
        &mut self,
        name: &str,
        sink: Sink,
        configuration: &DeliveryConfiguration,
    ) -> Result<(), OutputError> {
        let prepared = Prepared::of_sink(name, sink, configuration, true)?;
        self.running.push(prepared.start(None, Duration::ZERO)?);
        Ok(())
    }

    /// Replaces the outputs by those of another configuration. Unchanged outputs go on. The others deliver their polls within `patience`
    /// while their successors wait. It blocks while files are read, without the lock.
    ///
    /// # Errors
    /// When one of them cannot be used: all outputs then stay as they were. When the system has no thread for one: those behind it are
    /// not replaced.
    pub fn replace(
        outputs: &Mutex<Self>,
        wanted: &BTreeMap<String, OutputConfiguration>,
        patience: Duration,
    ) -> Result<OutputChanges, OutputError> {
        // Nothing panics while it holds the lock.
        let lock = || outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut prepared = Vec::new();
        let mut inherited = BTreeSet::new();
        for (name, configuration) in wanted {
            let origin = Origin::new(configuration);
            let spool = configuration.delivery.spool.as_ref();
            let spool = spool.map(|spool| &spool.directory);
            let inherits = {
                let outputs = lock();
                let mut running = outputs.running.iter();
                if running.any(|output| output.name == *name && output.is_same(&origin)) {
                    continue;
                }
                let former = outputs.former(name, spool, wanted);
                let former = former.and_then(|at| outputs.running.get(at));
                let former = former.filter(|former| former.spool_directory.as_ref() == spool);
                spool.zip(former.map(|former| former.format))
            };
            let output = Prepared::new(name, origin, inherits.is_none())?;
            if let Some((directory, format)) = inherits {
                let refused = |source| OutputError::Spool {
                    name: name.clone(),
                    source,
                };
                if format != output.format() {
                    return Err(refused(SpoolError::Format {
                        path: directory.clone(),
                        found: format.to_owned(),
                        expected: output.format(),
                    }));
                }
                if !inherited.insert(directory) {
                    return Err(refused(SpoolError::InUse(directory.clone())));
                }
            }
            prepared.push(output);
        }
        lock().apply(prepared, wanted, patience)
    }

    /// The output that a new one replaces: of the same name, or a removed one with the same spool.
    fn former(
        &self,
        name: &str,
        spool: Option<&PathBuf>,
        wanted: &BTreeMap<String, OutputConfiguration>,
    ) -> Option<usize> {
        let position = |is: &dyn Fn(&Running) -> bool| self.running.iter().position(is);
        position(&|output| output.name == name).or_else(|| {
            let directory = Some(spool?);
            position(&|output| {
                output.spool_directory.as_ref() == directory && !wanted.contains_key(&output.name)
            })
        })
    }

    fn apply(
        &mut self,
        prepared: Vec<Prepared>,
        wanted: &BTreeMap<String, OutputConfiguration>,
        patience: Duration,
    ) -> Result<OutputChanges, OutputError> {
        let mut changes = OutputChanges::default();
        for output in prepared {
            let name = output.name.clone();
            let former = self.former(&name, output.spool_directory(), wanted);
            let former = former.map(|at| self.running.swap_remove(at));
            match &former {
                Some(former) if former.name == name => changes.replaced.push(name),
                former => {
                    changes
                        .removed
                        .extend(former.iter().map(|of| of.name.clone()));
                    changes.started.push(name);
                }
            }
            if let Some(former) = &former {
                former.queue.close();
            }
            self.running.push(output.start(former, patience)?);
        }
        let (kept, removed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.running)
            .into_iter()
            .partition(|output| !output.is_configured() || wanted.contains_key(&output.name));
        self.ending.retain(|output| !output.is_finished());
        for output in removed {
            output.close(Instant::now() + patience);
            changes.removed.push(output.name.clone());
            self.ending.push(output);
        }
        self.running = kept;
        self.running.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(changes)
    }

    /// Gives a poll to all outputs. It never waits.
    pub fn send(&self, poll: &Arc<Poll>) {
        for output in &self.running {
            output.queue.push(Arc::clone(poll));
        }
    }

    /// Running outputs, and removed ones that have not ended.
    fn all(&self) -> impl Iterator<Item = &Running> + Clone {
        let ending = self.ending.iter().filter(|output| !output.is_finished());
        self.running.iter().chain(ending)
    }

    /// The counters of all outputs.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> + Clone {
        self.all().map(|output| &*output.counters)
    }

    /// Appends the metrics of all outputs in the text format of Prometheus.
    pub fn write_metrics(&self, text: &mut String) {
        counters::write_metrics(&self.counters(), text);
    }

    /// Delivers waiting polls within `patience`, and ends. The rest stays in the spool, or is counted as lost. It blocks.
    pub fn stop(self, patience: Duration) {
        let all: Vec<_> = self.running.into_iter().chain(self.ending).collect();
        let deadline = Instant::now() + patience;
        all.iter().for_each(|output| output.close(deadline));
        for output in &all {
            output.wait(deadline + LAST_PATIENCE);
        }
    }
}
