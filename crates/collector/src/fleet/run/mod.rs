//! Polls on schedule.

mod changes;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use self::record::Finished;
use super::board::Board;
use super::choice::Choices;
use super::device::{Device, Found};
use super::failure::PollFailure;
use super::plan::Plan;
use super::sharing::{Sharing, Tenure};
#[cfg(feature = "nats")]
use crate::cluster::Cluster;
use crate::output::Outputs;
use crate::schedule::{Ending, Scheduler, TargetId, TaskStart};

/// While nothing is due.
const LONG: Duration = Duration::from_secs(3600);

/// Polls targets, and gives what they respond to outputs and pages.
#[derive(Debug)]
pub struct Collector {
    scheduler: Scheduler,
    devices: HashMap<TargetId, Device>,
    names: HashMap<Box<str>, TargetId>,
    choices: Arc<Choices>,
    outputs: Arc<Mutex<Outputs>>,
    board: Arc<Board>,
    keeps_samples: bool,
    sharing: Sharing,
    clock: Clock,
    done: (mpsc::UnboundedSender<Done>, mpsc::UnboundedReceiver<Done>),
    commands: mpsc::UnboundedReceiver<Command>,
}

/// Controls a running collector, which ends when the last of these is dropped.
#[derive(Clone, Debug)]
pub struct Control(mpsc::UnboundedSender<Command>);

impl Control {
    /// Replaces the plan. Targets in both plans keep their state. With `renews` they get new credentials, and targets that did not respond
    /// are polled without their back-off. Limits, pages and outputs stay.
    pub fn replace(&self, plan: Plan, renews: bool) {
        // A collector that has ended needs no plan.
        let _ = self.0.send(Command { plan, renews });
    }
}

#[derive(Debug)]
struct Command {
    plan: Plan,
    renews: bool,
}

/// Time since 1970 that never goes back.
#[derive(Clone, Copy, Debug)]
struct Clock {
    begin: Instant,
    since_1970: Duration,
}

impl Clock {
    fn now(self) -> Duration {
        self.since_1970 + self.begin.elapsed()
    }

    fn instant(self, time: Duration) -> Instant {
        self.begin + time.saturating_sub(self.since_1970)
    }
}

/// A poll that ended.
#[derive(Debug)]
struct Done {
    start: TaskStart,
    began: Duration,
    lease: Option<u64>,
    result: Result<Found, PollFailure>,
}

impl Collector {
    /// A collector for a plan, in a runtime of tokio. With `keeps_samples`, the last values of all targets are kept for pages.
    #[must_use]
    pub fn new(plan: Plan, outputs: Arc<Mutex<Outputs>>, keeps_samples: bool) -> (Self, Control) {
        let (sender, commands) = mpsc::unbounded_channel();
        let clock = Clock {
            begin: Instant::now(),
            since_1970: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
        };
        let mut collector = Self {
            scheduler: Scheduler::new(plan.limits),
            devices: HashMap::new(),
            names: HashMap::new(),
            choices: Arc::default(),
            outputs,
            board: Arc::default(),
            keeps_samples,
            sharing: Sharing::default(),
            clock,
            done: mpsc::unbounded_channel(),
            commands,
        };
        collector.replace(plan, false);
        (collector, Control(sender))
    }

    /// Polls only the targets of the shards that this member of a cluster holds.
    #[cfg(feature = "nats")]
    pub fn share(&mut self, cluster: Cluster) {
        self.sharing.join(cluster);
        self.follow_leases();
    }

    pub(super) const fn board(&self) -> &Arc<Board> {
        &self.board
    }

    pub(super) const fn outputs(&self) -> &Arc<Mutex<Outputs>> {
        &self.outputs
    }

    /// Polls until there is no [`Control`] any more.
    pub async fn run(&mut self) {
        loop {
            let now = self.clock.now();
            for start in self.scheduler.poll(now) {
                self.begin(now, start);
            }
            {
                let mut board = self.board.lock();
                board.statistics = *self.scheduler.statistics();
                board.running = self.scheduler.running();
            }
            let wake = self.scheduler.next_wake().unwrap_or(now + LONG);
            let wake = sleep_until(self.clock.instant(wake.min(now + LONG)));
            tokio::select! {
                Some(done) = self.done.1.recv() => {
                    self.finish(done);
                    while let Ok(done) = self.done.1.try_recv() {
                        self.finish(done);
                    }
                }
                command = self.commands.recv() => match command {
                    Some(Command { plan, renews }) => self.replace(plan, renews),
                    None => return,
                },
                () = self.sharing.changed() => self.follow_leases(),
                () = wake => {}
            }
        }
    }

    fn begin(&mut self, now: Duration, start: TaskStart) {
        let Some(device) = self.devices.get_mut(&start.target) else {
            return self.scheduler.finished(now, start.task, Ending::Silent);
        };
        // The lease is over, and the change of shards is on its way.
        let Some(Tenure { lease }) = self.sharing.tenure(&device.planned.name.name) else {
            return self.scheduler.finished(now, start.task, Ending::Responded);
        };
        let sender = self.done.0.clone();
        let request = device.request(start.task);
        // A request that cannot be sent ends like a poll.
        tokio::spawn(async move {
            let result = match request {
                Ok(request) => request.run().await,
                Err(failure) => Err(failure),
            };
            // Nobody waits for it while the collector ends.
            let _ = sender.send(Done {
                start,
                began: now,
                lease,
                result,
            });
        });
    }

    fn finish(&mut self, done: Done) {
        let now = self.clock.now();
        let Done {
            start,
            began,
            lease,
            result,
        } = done;
        let ending = match &result {
            Ok(_) => Ending::Responded,
            Err(failure) => failure.ending,
        };
        self.scheduler.finished(now, start.task, ending);
        let Some(device) = self.devices.get_mut(&start.target) else {
            return;
        };
        let Some(job) = device.job(start.task).cloned() else {
            return;
        };
        let finished = Finished {
            slot: start.slot,
            began,
            lease,
            now,
            job,
        };
        if let Ok(Found::ObjectId(name)) = &result {
            self.choose(start.target, &finished, name);
        }
        self.record(start.target, &finished, result);
        let (failures, not_before) = self.scheduler.back_off(start.target);
        if let Some(device) = self.devices.get(&start.target)
            && let Some(status) = self
                .board
                .lock()
                .targets
                .get_mut(&*device.planned.name.name)
        {
            status.failures = failures;
            status.not_before = not_before;
        }
    }
}
