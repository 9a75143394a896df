//! Outputs: where polls go. Each has a bounded queue, delivers batches, repeats failed deliveries, and counts what it loses.
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
mod sink;
mod spool;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::watch;

#[cfg(feature = "nats")]
pub(crate) use configuration::duration_text;
pub use configuration::{
    DeliveryConfiguration, Destination, OutputConfiguration, SpoolConfiguration,
};
pub use counters::{Counters, Loss};
pub use http::HttpConfiguration;
pub(crate) use http::{secret, tls};
pub use influx::{Influx, Integers};
pub use json_lines::JsonLines;
#[cfg(feature = "nats")]
pub use nats::Nats;
pub use otlp::Otlp;
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use poll::{Figure, Outcome, Poll, TargetName, milliseconds};
pub use remote_write::RemoteWrite;
pub use sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Size, Transmit};
pub use spool::SpoolError;

use delivery::Backoff;
use queue::{Limits, Queue};
use spool::Spool;

/// Types of outputs that this build does not have, and the feature for each.
const MISSING: &[(&str, &str)] = &[
    #[cfg(not(feature = "nats"))]
    ("nats", "nats"),
    #[cfg(not(feature = "parquet"))]
    ("parquet", "parquet"),
];

/// The wait after the first failure of a delivery.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
/// How long a thread may take to end once it has been told to.
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
    /// Its settings name something that does not work.
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
#[derive(Debug)]
pub struct Outputs {
    running: Vec<Running>,
    stop: watch::Sender<bool>,
    /// Disconnected once all threads have ended.
    ended: mpsc::Receiver<()>,
    ending: mpsc::Sender<()>,
}

#[derive(Debug)]
struct Running {
    queue: Arc<Queue>,
    counters: Arc<Counters>,
    thread: JoinHandle<()>,
}

impl Outputs {
    /// Starts outputs by their names.
    ///
    /// # Errors
    /// When one of them cannot be used. A receiver that does not respond is no error.
    pub fn start(outputs: &BTreeMap<String, OutputConfiguration>) -> Result<Self, OutputError> {
        let mut started = Self::none();
        for (name, output) in outputs {
            let sink = output
                .destination
                .sink()
                .map_err(|message| OutputError::Destination {
                    name: name.clone(),
                    message,
                })?;
            started.add(name, sink, &output.delivery)?;
        }
        Ok(started)
    }

    /// No outputs.
    #[must_use]
    pub fn none() -> Self {
        let (ending, ended) = mpsc::channel();
        Self {
            running: Vec::new(),
            stop: watch::Sender::new(false),
            ended,
            ending,
        }
    }

    /// Starts an output, which may be of a kind of its own.
    ///
    /// # Errors
    /// When its spool cannot be used, or the system has no thread for it.
    pub fn add(
        &mut self,
        name: &str,
        sink: Sink,
        configuration: &DeliveryConfiguration,
    ) -> Result<(), OutputError> {
        let spool = configuration
            .spool
            .as_ref()
            .map(|spool| Spool::open(&spool.directory, sink.format, spool.max_bytes));
        let spool = spool.transpose().map_err(|source| OutputError::Spool {
            name: name.to_owned(),
            source,
        })?;
        let counters = Arc::new(Counters::new(name));
        let limits = Limits {
            queue: configuration.queue_samples,
            batch: configuration.batch_samples,
            linger: configuration.linger,
        };
        let queue = Arc::new(Queue::new(limits, Arc::clone(&counters)));
        let backoff = Backoff {
            first: FIRST_BACKOFF.min(configuration.max_backoff),
            most: configuration.max_backoff,
        };
        let failed = |source| OutputError::Thread {
            name: name.to_owned(),
            source,
        };
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let (stop, ending) = (self.stop.subscribe(), self.ending.clone());
        let thread = thread::Builder::new()
            .name(format!("output {name}"))
            .spawn({
                let (queue, counters) = (Arc::clone(&queue), Arc::clone(&counters));
                move || {
                    let _ending = ending;
                    runtime.block_on(delivery::run(sink, &queue, spool, &counters, backoff, stop));
                }
            });
        self.running.push(Running {
            queue,
            counters,
            thread: thread.map_err(failed)?,
        });
        Ok(())
    }

    /// Gives a poll to all outputs. It never waits.
    pub fn send(&self, poll: &Arc<Poll>) {
        for output in &self.running {
            output.queue.push(Arc::clone(poll));
        }
    }

    /// The counters of all outputs.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> + Clone {
        self.running.iter().map(|output| &*output.counters)
    }

    /// Appends the metrics of all outputs in the text format of Prometheus.
    pub fn write_metrics(&self, text: &mut String) {
        counters::write_metrics(&self.counters(), text);
    }

    /// Delivers what is waiting, for so long at most, and ends. What is left stays in the spool, or is counted as lost. It blocks.
    pub fn stop(self, patience: Duration) {
        let Self {
            running,
            stop,
            ended,
            ending,
        } = self;
        drop(ending);
        for output in &running {
            output.queue.close();
        }
        let wait =
            |patience| ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Disconnected);
        if wait(patience) {
            return;
        }
        stop.send_replace(true);
        let begun = Instant::now();
        if !wait(LAST_PATIENCE) {
            for output in running.iter().filter(|output| !output.thread.is_finished()) {
                let name = output.thread.thread().name().unwrap_or_default().to_owned();
                log::warn!(
                    "{name}: does not end within {:?}: what it has is lost",
                    begun.elapsed()
                );
            }
        }
    }
}
