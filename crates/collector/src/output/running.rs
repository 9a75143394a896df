//! An output in its thread: how it starts, perhaps in place of a former one, and how it ends.

use std::fs;
use std::future::pending;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::configuration::{DeliveryConfiguration, OutputConfiguration};
use super::counters::Counters;
use super::delivery::{self, Backoff};
use super::queue::{Limits, Queue};
use super::sink::Sink;
use super::spool::Spool;
use super::{FIRST_BACKOFF, LAST_PATIENCE, OutputError};

/// How often an output that waits for its predecessor checks its own deadline.
const LOOK: Duration = Duration::from_millis(50);

/// What an output is made of. An output of a different origin replaces it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Origin {
    configuration: OutputConfiguration,
    /// Inode, time of change and length of the files that the configuration names.
    files: Vec<(PathBuf, Option<[u64; 4]>)>,
}

impl Origin {
    /// Call it before the files are read, so that a change meanwhile makes the next reload replace the output.
    pub(super) fn new(configuration: &OutputConfiguration) -> Self {
        let stamp = |path: PathBuf| {
            let stamp = fs::metadata(&path).ok().map(|file| {
                let times = [file.mtime(), file.mtime_nsec()].map(i64::cast_unsigned);
                [file.ino(), times[0], times[1], file.len()]
            });
            (path, stamp)
        };
        let files = configuration.destination.files();
        Self {
            configuration: configuration.clone(),
            files: files.into_iter().map(stamp).collect(),
        }
    }
}

/// An output that is ready to start.
pub(super) struct Prepared {
    pub(super) name: String,
    sink: Sink,
    delivery: DeliveryConfiguration,
    spool: Option<Spool>,
    origin: Option<Origin>,
}

impl Prepared {
    /// An output of a configuration. Its spool is opened now, unless a former output may still use it.
    pub(super) fn new(name: &str, origin: Origin, opens_spool: bool) -> Result<Self, OutputError> {
        let configuration = &origin.configuration;
        let sink = configuration.destination.sink();
        let sink = sink.map_err(|message| OutputError::Destination {
            name: name.to_owned(),
            message,
        })?;
        let mut prepared = Self::of_sink(name, sink, &configuration.delivery, opens_spool)?;
        prepared.origin = Some(origin);
        Ok(prepared)
    }

    /// An output of any kind.
    pub(super) fn of_sink(
        name: &str,
        sink: Sink,
        delivery: &DeliveryConfiguration,
        opens_spool: bool,
    ) -> Result<Self, OutputError> {
        let mut prepared = Self {
            name: name.to_owned(),
            sink,
            delivery: delivery.clone(),
            spool: None,
            origin: None,
        };
        if opens_spool {
            prepared.open_spool()?;
        }
        Ok(prepared)
    }

    pub(super) const fn format(&self) -> &'static str {
        self.sink.format
    }

    pub(super) fn spool_directory(&self) -> Option<&PathBuf> {
        self.delivery.spool.as_ref().map(|spool| &spool.directory)
    }

    fn open_spool(&mut self) -> Result<(), OutputError> {
        if let (Some(spool), None) = (&self.delivery.spool, &self.spool) {
            let opened = Spool::open(&spool.directory, self.sink.format, spool.max_bytes);
            self.spool = Some(opened.map_err(|source| OutputError::Spool {
                name: self.name.clone(),
                source,
            })?);
        }
        Ok(())
    }

    /// Starts it. The former output first delivers its polls within `patience`.
    pub(super) fn start(
        mut self,
        former: Option<Running>,
        patience: Duration,
    ) -> Result<Running, OutputError> {
        let name = self.name.clone();
        let counters = match &former {
            // Its counters go on.
            Some(former) if former.name == name => Arc::clone(&former.counters),
            _ => Arc::new(Counters::new(&name)),
        };
        let limits = Limits {
            queue: self.delivery.queue_samples,
            batch: self.delivery.batch_samples,
            linger: self.delivery.linger,
        };
        let queue = Arc::new(Queue::new(limits, Arc::clone(&counters)));
        let failed = |source| OutputError::Thread {
            name: name.clone(),
            source,
        };
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let (deadline, closed) = watch::channel(None);
        let (ending, ended) = mpsc::channel::<()>();
        let origin = self.origin.take();
        let spool_directory = self.spool_directory().cloned();
        let format = self.format();
        let run = {
            let (queue, counters) = (Arc::clone(&queue), Arc::clone(&counters));
            move || {
                let _ending = ending;
                if let Some(former) = former {
                    former.end(patience, &closed);
                }
                if let Err(error) = self.open_spool() {
                    log::error!("{error}: the polls for this output are lost until it is changed");
                    queue.close();
                    return queue.abandon();
                }
                let backoff = Backoff {
                    first: FIRST_BACKOFF.min(self.delivery.max_backoff),
                    most: self.delivery.max_backoff,
                };
                let (stop, stopped) = watch::channel(false);
                let delivery =
                    delivery::run(self.sink, &queue, self.spool, &counters, backoff, stopped);
                runtime.block_on(async {
                    tokio::select! {
                        () = delivery => {}
                        () = stop_in_time(closed, &stop) => {}
                    }
                });
            }
        };
        let thread = thread::Builder::new()
            .name(format!("output {name}"))
            .spawn(run)
            .map_err(failed)?;
        Ok(Running {
            name,
            origin,
            spool_directory,
            format,
            queue,
            counters,
            thread,
            deadline,
            ended,
        })
    }
}

/// Stops a delivery at its deadline, once there is one. It does not end.
async fn stop_in_time(mut closed: watch::Receiver<Option<Instant>>, stop: &watch::Sender<bool>) {
    let deadline = closed.wait_for(Option::is_some).await;
    // Without its sender there is no deadline.
    if let Some(deadline) = deadline.ok().and_then(|deadline| *deadline) {
        sleep_until(deadline.into()).await;
        stop.send_replace(true);
    }
    pending::<()>().await;
}

/// An output that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) name: String,
    /// None for an output that is in no configuration.
    origin: Option<Origin>,
    pub(super) spool_directory: Option<PathBuf>,
    /// The format of the batches in its spool.
    pub(super) format: &'static str,
    pub(super) queue: Arc<Queue>,
    pub(super) counters: Arc<Counters>,
    thread: JoinHandle<()>,
    /// When it is to stop, even if it has not delivered all.
    deadline: watch::Sender<Option<Instant>>,
    /// Disconnected once the thread has ended.
    ended: mpsc::Receiver<()>,
}

impl Running {
    /// Whether it comes from a configuration.
    pub(super) const fn is_configured(&self) -> bool {
        self.origin.is_some()
    }

    /// Whether an output of this origin would be the same. No configuration replaces an output that has no origin.
    pub(super) fn is_same(&self, origin: &Origin) -> bool {
        self.origin.as_ref().is_none_or(|own| own == origin)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Takes no more polls, and ends when all are delivered or at the deadline.
    pub(super) fn close(&self, deadline: Instant) {
        self.queue.close();
        self.deadline.send_replace(Some(deadline));
    }

    /// Waits until it has ended, and warns if it has not in time. It blocks.
    pub(super) fn wait(&self, deadline: Instant) {
        let patience = deadline.saturating_duration_since(Instant::now());
        if !self.has_ended(patience) {
            let name = &self.name;
            log::warn!("output {name}: does not end in time: what it has is lost");
        }
    }

    fn has_ended(&self, patience: Duration) -> bool {
        self.ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Disconnected)
    }

    /// Lets it deliver its polls within `patience`, and until the deadline of its successor at most. It blocks.
    fn end(self, patience: Duration, successor: &watch::Receiver<Option<Instant>>) {
        let last = Instant::now() + patience;
        loop {
            let deadline = successor
                .borrow()
                .map_or(last, |deadline| deadline.min(last));
            self.close(deadline);
            if self.has_ended(LOOK) {
                return;
            }
            if Instant::now() >= deadline {
                return self.wait(deadline + LAST_PATIENCE);
            }
        }
    }
}
