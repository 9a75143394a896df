//! Changes of the targets and of their jobs: by another plan, by leases, and by the kind of a device.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use varbind::Oid;

use super::Collector;
use super::record::Finished;
use crate::fleet::board::{Board, LastPoll, Status};
use crate::fleet::device::{Device, Job};
use crate::fleet::plan::{Plan, Planned, PlannedJob, Work};
use crate::schedule::{Scheduler, TargetId, TaskId};

impl Collector {
    /// Gives up devices whose leases are lost, and takes over devices whose leases are held.
    pub(super) fn follow_leases(&mut self) {
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

    /// Adds the modules for a kind of device, and removes those of another kind.
    pub(super) fn choose(&mut self, target: TargetId, finished: &Finished, object_id: &Oid) {
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

    pub(super) fn replace(&mut self, plan: Plan, renews: bool) {
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
            // It may have been silent because of its old credentials: it is polled without its back-off.
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
        // Notifications arrive here whichever collector polls their senders.
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
