//! Moves polls from the queue of an output to its receiver, through the spool if there is one.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::counters::{Counters, Loss};
use super::poll::Poll;
use super::queue::Queue;
use super::sink::{Batch, DeliveryError, Encode, Sink, Size, Transmit};
use super::spool::{Spool, SpoolError};

/// The wait before a failed delivery is repeated. It doubles with each failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    pub(super) first: Duration,
    pub(super) most: Duration,
}

impl Backoff {
    /// The wait after so many failures, less a random part of up to a quarter.
    fn wait(&self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        let wait = self.first.saturating_mul(factor).min(self.most);
        let random = RandomState::new().build_hasher().finish() % 256;
        let part = u32::try_from(random).unwrap_or_default();
        wait.saturating_sub(wait / 1024 * part)
    }
}

/// Delivers all polls of a queue until it is closed and empty, or until `stop` is true. The rest is then lost, unless it is in a spool.
pub(super) async fn run(
    sink: Sink,
    queue: &Queue,
    spool: Option<Spool>,
    counters: &Counters,
    backoff: Backoff,
    mut stop: watch::Receiver<bool>,
) {
    let mut encoder = sink.encoder;
    let mut transmission = Transmission {
        transmitter: sink.transmitter,
        counters,
        backoff,
    };
    let stopped = async move {
        // Without its sender there is nothing to wait for.
        let _ = stop.wait_for(|stop| *stop).await;
    };
    match spool {
        None => tokio::select! {
            () = from_queue(&mut *encoder, queue, &mut transmission) => {}
            () = stopped => queue.abandon(),
        },
        Some(spool) => {
            let spooling = Spooling {
                spool: Mutex::new(spool),
                changed: Notify::new(),
                is_complete: AtomicBool::new(false),
                is_unplaced: AtomicBool::new(false),
                counters,
            };
            let delivered = async {
                tokio::select! {
                    () = spooling.drain(&mut transmission) => {}
                    () = stopped => {}
                }
            };
            // The queue is written to the disk even when there is no time left to deliver it.
            tokio::join!(spooling.fill(&mut *encoder, queue), delivered);
        }
    }
}

fn encode(encoder: &mut dyn Encode, polls: &[Arc<Poll>]) -> Batch {
    let mut octets = Vec::new();
    encoder.encode(polls, &mut octets);
    Batch {
        octets,
        size: polls.iter().map(|poll| Size::of(poll)).sum(),
    }
}

async fn from_queue(encoder: &mut dyn Encode, queue: &Queue, transmission: &mut Transmission<'_>) {
    while let Some(polls) = queue.take().await {
        let batch = encode(encoder, &polls);
        drop(polls);
        let unfinished = Unfinished {
            size: batch.size,
            counters: transmission.counters,
        };
        transmission.deliver(&batch).await;
        std::mem::forget(unfinished);
    }
}

/// A batch that exists in memory alone: it is lost if its delivery ends early.
struct Unfinished<'c> {
    size: Size,
    counters: &'c Counters,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let why = &"the collector stopped during its delivery";
        self.counters.lose(Loss::Stopped, self.size, why);
    }
}

struct Transmission<'c> {
    transmitter: Box<dyn Transmit>,
    counters: &'c Counters,
    backoff: Backoff,
}

impl Transmission<'_> {
    /// Delivers a batch, however long it takes.
    async fn deliver(&mut self, batch: &Batch) {
        let mut failures = 0;
        loop {
            let (message, retry_after) = match self.transmitter.deliver(batch).await {
                Ok(delivered) => return self.accepted(batch.size, delivered.refused),
                Err(DeliveryError::Refused(why)) => {
                    return self.counters.lose(Loss::Refused, batch.size, &why);
                }
                Err(DeliveryError::Temporary {
                    message,
                    retry_after,
                }) => (message, retry_after),
            };
            self.counters.retry(&message);
            let wait = self.backoff.wait(failures);
            sleep(retry_after.map_or(wait, |after| after.clamp(wait, self.backoff.most))).await;
            failures += 1;
        }
    }

    fn accepted(&self, size: Size, refused: Option<(Size, String)>) {
        let Some((refused, why)) = refused else {
            self.counters.deliver(size);
            return self.counters.end_loss(Loss::Refused);
        };
        self.counters.lose(Loss::Refused, refused, &why);
        self.counters.deliver(Size {
            polls: size.polls.saturating_sub(refused.polls),
            samples: size.samples.saturating_sub(refused.samples),
        });
    }
}

/// A spool between the queue and the receiver.
struct Spooling<'c> {
    spool: Mutex<Spool>,
    changed: Notify,
    /// Whether no further batches come.
    is_complete: AtomicBool,
    /// Whether the position of what is delivered cannot be kept.
    is_unplaced: AtomicBool,
    counters: &'c Counters,
}

impl Spooling<'_> {
    fn lock(&self) -> MutexGuard<'_, Spool> {
        // Nothing panics while it holds the lock.
        self.spool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From the queue to the disk.
    async fn fill(&self, encoder: &mut dyn Encode, queue: &Queue) {
        while let Some(polls) = queue.take().await {
            let batch = encode(encoder, &polls);
            let mut dropped = Size::default();
            let mut spool = self.lock();
            let appended = spool.append(&batch, &mut dropped);
            self.counters.set_spooled(spool.octets());
            drop(spool);
            if dropped != Size::default() {
                let why = &"it has reached max-bytes, and the oldest batches make room";
                self.counters.lose(Loss::SpoolFull, dropped, why);
            } else if appended.is_ok() {
                self.counters.end_loss(Loss::SpoolFull);
            }
            match appended {
                Ok(()) => self.counters.end_loss(Loss::SpoolError),
                Err(error) => self.counters.lose(Loss::SpoolError, batch.size, &error),
            }
            self.changed.notify_one();
        }
        self.is_complete.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Logs that the position cannot be stored, once and not for each batch.
    fn report_position(&self, stored: Result<(), SpoolError>) {
        let is_failing = stored.is_err();
        let was_failing = self.is_unplaced.swap(is_failing, Ordering::Relaxed);
        if let Err(error) = stored
            && !was_failing
        {
            log::warn!(
                "{error}: after a restart, batches that are delivered meanwhile are delivered again"
            );
        }
    }

    /// From the disk to the receiver.
    async fn drain(&self, transmission: &mut Transmission<'_>) {
        let mut failures = 0;
        loop {
            let mut unreadable = Size::default();
            let is_complete = self.is_complete.load(Ordering::Relaxed);
            let head = self.lock().head(&mut unreadable);
            if unreadable != Size::default() {
                let why = &"a segment is damaged";
                self.counters.lose(Loss::SpoolError, unreadable, why);
            }
            match head {
                Ok(Some(batch)) => {
                    transmission.deliver(&batch).await;
                    let mut spool = self.lock();
                    let advanced = spool.advance();
                    self.counters.set_spooled(spool.octets());
                    drop(spool);
                    self.report_position(advanced);
                    failures = 0;
                }
                Ok(None) if is_complete => return,
                Ok(None) => self.changed.notified().await,
                Err(error) => {
                    self.counters.retry(&error);
                    sleep(transmission.backoff.wait(failures)).await;
                    failures += 1;
                }
            }
        }
    }
}
