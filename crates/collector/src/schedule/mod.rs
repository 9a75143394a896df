//! When which module of which target is polled. Without input and output: the caller says what time it is, starts what it is told to
//! start, and says how that ended.
//!
//! Each task has its own phase within its interval, made of the names of target and module, so that load is even and slots are the same
//! after a restart. A target has one running task at a time. Targets that did not respond or were slow use places of their own (see
//! [`ConcurrencyLimits`]), so that they never delay others.

mod lane;
mod slots;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use lane::Lane;
use slots::Slots;

/// How many tasks run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConcurrencyLimits {
    /// Tasks of targets that responded in time before; at least 1.
    pub usual: usize,
    /// Tasks of targets that did not, and tasks that run for longer than `patience`; at least 1.
    pub slow: usize,
    /// A task that runs for longer than this is slow.
    pub patience: Duration,
    /// The longest wait between two attempts at a target that does not respond; never less than the interval of a task.
    pub longest_back_off: Duration,
}

impl Default for ConcurrencyLimits {
    fn default() -> Self {
        Self {
            usual: 2_000,
            slow: 6_000,
            patience: Duration::from_secs(2),
            longest_back_off: Duration::from_secs(300),
        }
    }
}

/// A target of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId(u32);

/// A task of the scheduler. No other task ever has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId {
    place: u32,
    generation: u32,
}

/// A task that begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskStart {
    /// The task.
    pub task: TaskId,
    /// Its target.
    pub target: TargetId,
    /// When it was due, since 1970.
    pub slot: Duration,
    /// How long it may take.
    pub deadline: Duration,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The target responded, possibly with an error.
    Responded,
    /// It did not, or cannot be reached.
    Silent,
    /// It responded, but not to all requests before the deadline.
    Overdue,
}

/// What the scheduler did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScheduleStatistics {
    /// Tasks that were started.
    pub started: u64,
    /// Slots in which a task was not started because its target does not respond.
    pub backed_off: u64,
    /// Slots in which a task was not started because its previous run had not ended.
    pub overrun: u64,
    /// Lateness of all starts, summed up.
    pub lateness: Duration,
    /// Starts more than a second late.
    pub late: u64,
}

/// Decides when tasks start.
#[derive(Debug)]
pub struct Scheduler {
    limits: ConcurrencyLimits,
    targets: Vec<TargetState>,
    free_targets: Vec<u32>,
    tasks: Vec<TaskState>,
    free_tasks: Vec<u32>,
    due: BinaryHeap<Reverse<(Duration, TaskId)>>,
    usual: Lane,
    slow: Lane,
    /// Running tasks of the usual lane, in the order of their starts.
    impatient: VecDeque<(Duration, TaskId)>,
    statistics: ScheduleStatistics,
}

#[derive(Debug, Default)]
struct TargetState {
    tasks: Vec<TaskId>,
    /// Tasks that are due while another one of the target runs or waits.
    pending: VecDeque<TaskId>,
    is_busy: bool,
    is_slow: bool,
    failures: u32,
    not_before: Duration,
}

#[derive(Debug, Default)]
struct TaskState {
    generation: u32,
    target: u32,
    slots: Slots,
    deadline: Duration,
    /// The slot that it is for at present.
    slot: Duration,
    /// The run in progress: when it began, and whether it has a place in the slow lane.
    running: Option<(Duration, bool)>,
}

impl Scheduler {
    /// Nothing to do yet.
    #[must_use]
    pub fn new(limits: ConcurrencyLimits) -> Self {
        Self {
            limits,
            targets: Vec::new(),
            free_targets: Vec::new(),
            tasks: Vec::new(),
            free_tasks: Vec::new(),
            due: BinaryHeap::new(),
            usual: Lane::new(limits.usual),
            slow: Lane::new(limits.slow),
            impatient: VecDeque::new(),
            statistics: ScheduleStatistics::default(),
        }
    }

    /// Adds a target without tasks.
    pub fn add_target(&mut self) -> TargetId {
        let place = self.free_targets.pop().unwrap_or_else(|| {
            self.targets.push(TargetState::default());
            place(self.targets.len() - 1)
        });
        TargetId(place)
    }

    /// Adds a task, which runs once in each interval, for `deadline` at most. `name` decides when in the interval; the first time is the
    /// next that comes.
    pub fn add_task(
        &mut self,
        now: Duration,
        target: TargetId,
        name: &str,
        interval: Duration,
        deadline: Duration,
    ) -> TaskId {
        let place = self.free_tasks.pop().unwrap_or_else(|| {
            self.tasks.push(TaskState::default());
            place(self.tasks.len() - 1)
        });
        let slots = Slots::new(name, interval);
        let mut id = TaskId {
            place,
            generation: 0,
        };
        if let Some(task) = self.tasks.get_mut(place as usize) {
            id.generation = task.generation;
            *task = TaskState {
                generation: task.generation,
                target: target.0,
                slots,
                deadline: deadline.min(slots.interval()),
                slot: slots.next(now),
                running: None,
            };
            self.due.push(Reverse((task.slot, id)));
        }
        if let Some(target) = self.target_mut(target.0) {
            target.tasks.push(id);
        }
        id
    }

    /// Removes a task. If it runs, its end is awaited, and has no effect.
    pub fn remove_task(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else {
            return;
        };
        let (target, running) = (task.target, task.running);
        if let Some((_, is_slow)) = running {
            self.lane(is_slow).leave();
        }
        let was_waiting = running.is_none() && self.forget_waiting(id);
        if let Some(task) = self.tasks.get_mut(id.place as usize) {
            task.generation = task.generation.wrapping_add(1);
            task.running = None;
        }
        self.free_tasks.push(id.place);
        if let Some(state) = self.target_mut(target) {
            state.tasks.retain(|known| *known != id);
            state.pending.retain(|known| *known != id);
        }
        if running.is_some() || was_waiting {
            self.release(target);
        }
    }

    /// Removes a target and its tasks.
    pub fn remove_target(&mut self, id: TargetId) {
        let Some(target) = self.target_mut(id.0) else {
            return;
        };
        target.pending.clear();
        for task in std::mem::take(&mut target.tasks) {
            self.remove_task(task);
        }
        if let Some(target) = self.target_mut(id.0) {
            *target = TargetState::default();
            self.free_targets.push(id.0);
        }
    }

    /// The tasks that start now.
    pub fn poll(&mut self, now: Duration) -> Vec<TaskStart> {
        self.move_slow(now);
        while let Some(Reverse((slot, id))) = self.due.peek().copied()
            && slot <= now
        {
            self.due.pop();
            self.make_ready(now, id);
        }
        let mut starts = Vec::new();
        for is_slow in [false, true] {
            while let Some(id) = self.lane(is_slow).next() {
                if let Some(start) = self.start(now, id, is_slow) {
                    starts.push(start);
                }
            }
        }
        starts
    }

    /// Takes note that a task ended.
    pub fn finished(&mut self, now: Duration, id: TaskId, ending: Ending) {
        let limits = self.limits;
        let Some(task) = self.task_mut(id) else {
            return;
        };
        let Some((began, is_slow)) = task.running.take() else {
            return;
        };
        let (target, interval) = (task.target, task.slots.interval());
        self.lane(is_slow).leave();
        if let Some(target) = self.target_mut(target) {
            target.is_slow =
                ending != Ending::Responded || now.saturating_sub(began) > limits.patience;
            target.failures = match ending {
                Ending::Silent => target.failures.saturating_add(1),
                Ending::Responded | Ending::Overdue => 0,
            };
            target.not_before = now + target.back_off(interval, limits.longest_back_off);
        }
        self.schedule(now, id);
        self.release(target);
    }

    /// When [`poll`](Self::poll) is to be called again, if nothing ends before.
    #[must_use]
    pub fn next_wake(&self) -> Option<Duration> {
        let due = self.due.peek().map(|Reverse((slot, _))| *slot);
        // Where the slow lane is full, only an end helps.
        let is_helpful = self.slow.has_room() && self.usual.is_waited_for();
        let impatient = self.impatient.front().filter(|_| is_helpful);
        let impatient = impatient.map(|(began, _)| *began + self.limits.patience);
        [due, impatient].into_iter().flatten().min()
    }

    /// Until when a target is left alone because it does not respond, and how many attempts in a row failed.
    #[must_use]
    pub fn back_off(&self, target: TargetId) -> (u32, Duration) {
        let target = self.targets.get(target.0 as usize);
        target.map_or_else(Default::default, |target| {
            (target.failures, target.not_before)
        })
    }

    /// How many tasks run.
    #[must_use]
    pub const fn running(&self) -> usize {
        self.usual.running() + self.slow.running()
    }

    /// What happened so far.
    #[must_use]
    pub const fn statistics(&self) -> &ScheduleStatistics {
        &self.statistics
    }

    /// Gives the places of tasks that have run for long to others.
    fn move_slow(&mut self, now: Duration) {
        while let Some((began, id)) = self.impatient.front().copied() {
            let running = self.task(id).and_then(|task| task.running);
            if running == Some((began, false)) {
                if began + self.limits.patience > now || !self.slow.has_room() {
                    return;
                }
                self.usual.leave();
                self.slow.enter();
                if let Some(task) = self.task_mut(id) {
                    task.running = Some((began, true));
                }
            }
            self.impatient.pop_front();
        }
    }

    /// A task is due.
    fn make_ready(&mut self, now: Duration, id: TaskId) {
        let Some(target) = self.task(id).map(|task| task.target) else {
            return;
        };
        let Some(state) = self.targets.get_mut(target as usize) else {
            return;
        };
        if state.not_before > now {
            return self.schedule(now, id);
        }
        if state.is_busy {
            return state.pending.push_back(id);
        }
        state.is_busy = true;
        let is_slow = state.is_slow;
        self.lane(is_slow).wait(id);
    }

    fn start(&mut self, now: Duration, id: TaskId, is_slow: bool) -> Option<TaskStart> {
        let task = self.task_mut(id)?;
        task.running = Some((now, is_slow));
        let start = TaskStart {
            task: id,
            target: TargetId(task.target),
            slot: task.slot,
            deadline: task.deadline,
        };
        self.lane(is_slow).enter();
        if !is_slow {
            self.impatient.push_back((now, id));
        }
        let lateness = now.saturating_sub(start.slot);
        self.statistics.started += 1;
        self.statistics.lateness += lateness;
        self.statistics.late += u64::from(lateness > Duration::from_secs(1));
        Some(start)
    }

    /// Has a task wait for its next slot in which the target may be asked.
    fn schedule(&mut self, now: Duration, id: TaskId) {
        let Some(target) = self.task(id).map(|task| task.target) else {
            return;
        };
        let not_before = self.targets.get(target as usize);
        let not_before = not_before.map_or(now, |target| target.not_before.max(now));
        let Some(task) = self.task_mut(id) else {
            return;
        };
        let next = task.slots.next(not_before);
        let skipped = task.slots.between(task.slot, next);
        task.slot = next;
        if not_before > now {
            self.statistics.backed_off += skipped;
        } else {
            self.statistics.overrun += skipped;
        }
        self.due.push(Reverse((next, id)));
    }

    /// A target has no running task any more: the next one that is due may run.
    fn release(&mut self, target: u32) {
        let Some(state) = self.target_mut(target) else {
            return;
        };
        state.is_busy = false;
        let Some(next) = state.pending.pop_front() else {
            return;
        };
        // The time does not matter: it was due before.
        let slot = self.task(next).map_or(Duration::ZERO, |task| task.slot);
        self.due.push(Reverse((slot, next)));
    }

    /// Takes a task out of the queue of its lane; whether it was there.
    fn forget_waiting(&mut self, id: TaskId) -> bool {
        self.usual.forget(id) || self.slow.forget(id)
    }

    const fn lane(&mut self, is_slow: bool) -> &mut Lane {
        match is_slow {
            true => &mut self.slow,
            false => &mut self.usual,
        }
    }

    fn target_mut(&mut self, place: u32) -> Option<&mut TargetState> {
        self.targets.get_mut(place as usize)
    }

    fn task(&self, id: TaskId) -> Option<&TaskState> {
        let task = self.tasks.get(id.place as usize)?;
        (task.generation == id.generation).then_some(task)
    }

    fn task_mut(&mut self, id: TaskId) -> Option<&mut TaskState> {
        let task = self.tasks.get_mut(id.place as usize)?;
        (task.generation == id.generation).then_some(task)
    }
}

impl TargetState {
    /// How long it is left alone: not at all after the first failure, then twice as long each time.
    fn back_off(&self, interval: Duration, longest: Duration) -> Duration {
        match self.failures {
            0 | 1 => Duration::ZERO,
            failures => {
                let factor = 1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX);
                interval.saturating_mul(factor).min(longest)
            }
        }
    }
}

/// The place of the last element; there are fewer than 2^32 targets.
fn place(last: usize) -> u32 {
    u32::try_from(last).unwrap_or(u32::MAX)
}
