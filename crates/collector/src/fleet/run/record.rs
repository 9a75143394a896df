//! The result of a poll, for outputs and the board.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::Collector;
use crate::fleet::board::{LastPoll, Status};
use crate::fleet::continuity::{Continuity, wraps};
use crate::fleet::device::{Device, Found, Job};
use crate::fleet::failure::PollFailure;
use crate::output::{Outcome, Poll};
use crate::schedule::TargetId;
use crate::scrape::Samples;

/// A poll that ended, and what it was for.
pub(super) struct Finished {
    pub(super) slot: Duration,
    pub(super) began: Duration,
    pub(super) lease: Option<u64>,
    pub(super) now: Duration,
    pub(super) job: Job,
}

impl Finished {
    fn poll(&self, device: &Device, outcome: Outcome, samples: Option<Samples>) -> Arc<Poll> {
        Arc::new(Poll {
            target: Arc::clone(&device.planned.name),
            module: self.job.work.name().into(),
            slot: milliseconds(self.slot),
            time: milliseconds(self.now),
            duration: self.now.saturating_sub(self.began),
            outcome,
            samples,
            lease: self.lease,
        })
    }
}

/// The poll without its samples, which are not cloned.
fn without_samples(poll: &Poll) -> Poll {
    Poll {
        target: Arc::clone(&poll.target),
        module: Arc::clone(&poll.module),
        outcome: poll.outcome.clone(),
        samples: None,
        ..*poll
    }
}

impl Collector {
    /// Gives a poll to outputs and the board.
    pub(super) fn record(
        &mut self,
        target: TargetId,
        finished: &Finished,
        result: Result<Found, PollFailure>,
    ) {
        let Some(device) = self.devices.get_mut(&target) else {
            return;
        };
        let mut guard = self.board.lock();
        let board = &mut *guard;
        let Some(status) = board.targets.get_mut(&*device.planned.name.name) else {
            return;
        };
        let (mut objects_found, mut has_restarted) = (0, false);
        let (outcome, samples) = match result {
            Ok(Found::Samples {
                samples,
                objects,
                up_time,
                boots,
                messages,
                retries,
            }) => {
                objects_found = objects;
                status.messages += messages;
                status.retries += retries;
                let continuity = device.up_time.observe(finished.now, up_time, boots);
                let before = status.poll(finished.job.work.name());
                let before = before.and_then(|last| last.poll.samples.as_ref());
                status.compare(continuity, before.map(|before| wraps(before, &samples)));
                has_restarted = continuity == Continuity::Restarted;
                (Outcome::Success, Some(samples))
            }
            Ok(Found::ObjectId(_)) => (Outcome::Success, None),
            Err(failure) => {
                let level = match status.fails_for(finished.job.work.name(), failure.reason) {
                    true => log::Level::Debug,
                    false => log::Level::Info,
                };
                log::log!(level, "{}: {}", finished.job.work.name(), failure.message);
                (failure.outcome(), None)
            }
        };
        let poll = finished.poll(device, outcome, samples);
        let shown = match self.keeps_samples {
            true => Arc::clone(&poll),
            false => Arc::new(without_samples(&poll)),
        };
        status.set(LastPoll {
            poll: shown,
            interval: finished.job.interval,
            objects: objects_found,
        });
        if let Some(samples) = poll.samples.as_ref().filter(|_| self.keeps_samples) {
            let name = &*device.planned.name.name;
            board.observe_traffic(name, finished.now, samples, has_restarted);
        }
        drop(guard);
        // Nothing panics while it holds the lock.
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.send(&poll);
    }
}

impl Status {
    fn compare(&mut self, continuity: Continuity, wraps: Option<u64>) {
        let name = &self.name.name;
        match (continuity, wraps) {
            (Continuity::Restarted, _) => {
                log::info!("{name}: the agent restarted, its counters began anew");
                self.restarts += 1;
            }
            (_, Some(wraps)) if wraps > 0 => {
                log::debug!("{name}: {wraps} counters began anew");
                self.wraps += wraps;
            }
            _ => {}
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
