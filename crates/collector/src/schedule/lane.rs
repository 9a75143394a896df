use std::collections::VecDeque;

use super::TaskId;

/// Places for running tasks, and tasks that wait for one.
#[derive(Debug)]
pub(super) struct Lane {
    limit: usize,
    running: usize,
    waiting: VecDeque<TaskId>,
}

impl Lane {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            running: 0,
            waiting: VecDeque::new(),
        }
    }

    pub(super) const fn running(&self) -> usize {
        self.running
    }

    pub(super) const fn has_room(&self) -> bool {
        self.running < self.limit
    }

    pub(super) fn is_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn wait(&mut self, task: TaskId) {
        self.waiting.push_back(task);
    }

    /// The task that has waited the longest, if there is room for it.
    pub(super) fn next(&mut self) -> Option<TaskId> {
        match self.has_room() {
            true => self.waiting.pop_front(),
            false => None,
        }
    }

    pub(super) const fn enter(&mut self) {
        self.running += 1;
    }

    pub(super) const fn leave(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Takes a task out of the queue; whether it was there.
    pub(super) fn forget(&mut self, task: TaskId) -> bool {
        let place = self.waiting.iter().position(|waiting| *waiting == task);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }
}
