//! Carries the schedule out.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use varbind::Oid;

use super::board::{Board, LastPoll, Status};
use super::choice::Choices;
use super::continuity::{Continuity, wraps};
use super::device::{Device, Found, Job};
use super::failure::PollFailure;
use super::plan::{Plan, Planned, PlannedJob, Work};
use super::sharing::{Sharing, Tenure};
#[cfg(feature = "nats")]
use crate::cluster::Cluster;
use crate::output::{Outcome, Outputs, Poll};
use crate::schedule::{Ending, Scheduler, Start, TargetId, TaskId};
use crate::scrape::Samples;

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

/// Tells a running collector what to do. It ends when all of these are gone.
#[derive(Clone, Debug)]
pub struct Control(mpsc::UnboundedSender<Command>);

impl Control {
    /// Polls what another plan says. Targets that are in both plans keep what is known of them; with `renews` they get new
    /// credentials, and those that did not respond are asked anew. Limits and pages stay, and outputs are replaced apart.
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
    start: Start,
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

    /// Leaves devices to others, and takes others over, as the leases say.
    fn follow_leases(&mut self) {
        let now = self.clock.now();
        let devices = self.devices.values();
        let lost =
            devices.filter(|device| self.sharing.tenure(&device.planned.name.name).is_none());
        for planned in lost.map(Device::plan).collect::<Vec<_>>() {
            self.remove(&planned.name.name);
            self.sharing.park(planned);
        }
        for planned in self.sharing.take_held() {
            self.add(now, planned);
        }
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

    fn begin(&mut self, now: Duration, start: Start) {
        let Some(device) = self.devices.get_mut(&start.target) else {
            return self.scheduler.finished(now, start.task, Ending::Silent);
        };
        // The lease is over, and the change of shards is on its way.
        let Some(Tenure { lease }) = self.sharing.tenure(&device.planned.name.name) else {
            return self.scheduler.finished(now, start.task, Ending::Responded);
        };
        let sender = self.done.0.clone();
        let request = device.request(start.task);
        // Those that cannot be asked end as the others do.
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
        match result {
            Ok(Found::ObjectId(name)) => {
                self.choose(start.target, &finished, &name);
                self.record(start.target, &finished, Ok(Found::ObjectId(name)));
            }
            Ok(found) => self.record(start.target, &finished, Ok(found)),
            Err(failure) => self.record(start.target, &finished, Err(failure)),
        }
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

    /// Gives a poll to outputs and the board.
    fn record(
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
            false => Arc::new(Poll {
                samples: None,
                ..finished.poll_of(&poll)
            }),
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

    /// Adds the modules for a kind of device, and removes those of another kind.
    fn choose(&mut self, target: TargetId, finished: &Finished, object_id: &Oid) {
        let modules = self.choices.modules(object_id);
        let note = modules.is_none().then(|| {
            format!(
                "no entry of [[choose]] has sysObjectID {object_id}: no further modules are polled"
            )
        });
        let wanted: Vec<_> = modules.unwrap_or_default().to_vec();
        let Some(device) = self.devices.get_mut(&target) else {
            return;
        };
        let name = &device.planned.name.name;
        if let Some(status) = self.board.lock().targets.get_mut(&**name) {
            if note.is_some() && note != status.note {
                log::warn!("{name}: {}", note.as_deref().unwrap_or_default());
            }
            status.note = note;
        }
        let is_wanted = |job: &Job| wanted.iter().any(|module| *module.name == *job.work.name());
        let (kept, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut device.jobs)
            .into_iter()
            .partition(|job| !job.is_chosen || is_wanted(job));
        device.jobs = kept;
        for job in gone {
            self.scheduler.remove_task(job.task);
        }
        for module in wanted {
            let work = Work::Module(module);
            let mut known = device.jobs.iter_mut();
            match known.find(|job| job.work.name() == work.name()) {
                // The module may have changed.
                Some(job) if job.is_chosen => job.work = work,
                Some(_) => {}
                None => {
                    let planned = PlannedJob {
                        work,
                        interval: finished.job.interval,
                        deadline: finished.job.deadline,
                    };
                    add_job(&mut self.scheduler, device, finished.now, planned, true);
                }
            }
        }
        forget_other_polls(&self.board, device);
    }

    fn replace(&mut self, plan: Plan, renews: bool) {
        let now = self.clock.now();
        self.choices = plan.choices;
        let wanted: HashSet<&str> = plan
            .devices
            .iter()
            .map(|device| &*device.name.name)
            .collect();
        let gone = self.names.keys().filter(|name| !wanted.contains(&***name));
        for name in gone.cloned().collect::<Vec<_>>() {
            self.remove(&name);
        }
        self.sharing.clear();
        for planned in plan.devices {
            if self.sharing.tenure(&planned.name.name).is_none() {
                self.remove(&planned.name.name);
                self.sharing.park(planned);
                continue;
            }
            let known = self.names.get(&planned.name.name).copied();
            // New credentials may be what it did not respond for: it is asked anew, without its back-off.
            let is_left_alone = known.is_some_and(|id| self.scheduler.back_off(id).0 > 0);
            let known = known.and_then(|id| self.devices.get_mut(&id));
            match known {
                Some(device) if device.planned.is_same(&planned) && !(renews && is_left_alone) => {
                    let jobs = device.plan_again(planned, renews);
                    update(&mut self.scheduler, device, now, jobs);
                    forget_other_polls(&self.board, device);
                }
                Some(_) => {
                    self.remove(&planned.name.name.clone());
                    self.add(now, planned);
                }
                None => self.add(now, planned),
            }
        }
        // Notifications come here whoever polls their senders.
        let devices = self.devices.values().map(|device| &device.planned);
        let devices = devices.chain(self.sharing.parked());
        let addresses = devices.filter_map(|planned| {
            let address = planned.host.address.host.parse().ok()?;
            Some((address, Arc::clone(&planned.name)))
        });
        self.board.lock().addresses = addresses.collect();
    }

    fn add(&mut self, now: Duration, mut planned: Planned) {
        let id = self.scheduler.add_target();
        let jobs = std::mem::take(&mut planned.jobs);
        let name = Arc::clone(&planned.name);
        let mut device = Device::new(id, planned);
        for job in jobs {
            add_job(&mut self.scheduler, &mut device, now, job, false);
        }
        self.names.insert(name.name.clone(), id);
        self.devices.insert(id, device);
        let status = Status::new(Arc::clone(&name));
        self.board.lock().targets.insert(name.name.clone(), status);
    }

    fn remove(&mut self, name: &str) {
        if let Some(id) = self.names.remove(name) {
            self.scheduler.remove_target(id);
            self.devices.remove(&id);
            self.board.lock().remove(name);
        }
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

/// A poll that ended, and what it was for.
struct Finished {
    slot: Duration,
    began: Duration,
    lease: Option<u64>,
    now: Duration,
    job: Job,
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

    /// The poll without its samples.
    fn poll_of(&self, poll: &Poll) -> Poll {
        Poll {
            target: Arc::clone(&poll.target),
            module: Arc::clone(&poll.module),
            outcome: poll.outcome.clone(),
            samples: None,
            ..*poll
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn add_job(
    scheduler: &mut Scheduler,
    device: &mut Device,
    now: Duration,
    planned: PlannedJob,
    is_chosen: bool,
) {
    let PlannedJob {
        work,
        interval,
        deadline,
    } = planned;
    let name = format!("{}/{}", device.planned.name.name, work.name());
    let task: TaskId = scheduler.add_task(now, device.id, &name, interval, deadline);
    device.jobs.push(Job {
        task,
        work,
        interval,
        deadline,
        is_chosen,
    });
}

/// Forgets polls of modules that the device is not polled for any more.
fn forget_other_polls(board: &Board, device: &Device) {
    let mut board = board.lock();
    if let Some(status) = board.targets.get_mut(&*device.planned.name.name) {
        let jobs = &device.jobs;
        let is_job = |last: &LastPoll| jobs.iter().any(|job| *job.work.name() == *last.poll.module);
        status.polls.retain(is_job);
    }
}

/// Polls a known device for other jobs. Jobs that stay keep their schedule.
fn update(scheduler: &mut Scheduler, device: &mut Device, now: Duration, wanted: Vec<PlannedJob>) {
    let mut kept = Vec::new();
    let mut former = std::mem::take(&mut device.jobs);
    let mut added = Vec::new();
    for planned in wanted {
        let place = former.iter().position(|job| {
            job.work.name() == planned.work.name()
                && (job.interval, job.deadline) == (planned.interval, planned.deadline)
        });
        match place {
            Some(place) => kept.push(Job {
                // The module may have changed.
                work: planned.work,
                ..former.swap_remove(place)
            }),
            None => added.push(planned),
        }
    }
    let chooses = kept.iter().any(|job| matches!(job.work, Work::Choose));
    for job in former {
        match job.is_chosen && chooses {
            true => kept.push(job),
            false => scheduler.remove_task(job.task),
        }
    }
    device.jobs = kept;
    for planned in added {
        add_job(scheduler, device, now, planned, false);
    }
}
