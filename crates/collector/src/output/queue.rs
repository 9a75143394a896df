//! The bounded queue before an output. When it is full, the oldest polls make room for the newest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::counters::{Counters, Loss};
use super::poll::Poll;
use super::sink::Size;

/// How polls are grouped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Samples in the queue.
    pub(super) queue: usize,
    /// Samples in a batch. A poll is never divided.
    pub(super) batch: usize,
    /// How long a batch waits for more samples.
    pub(super) linger: Duration,
}

#[derive(Debug)]
pub(super) struct Queue {
    limits: Limits,
    state: Mutex<State>,
    changed: Notify,
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct State {
    polls: VecDeque<Arc<Poll>>,
    samples: usize,
    closed: bool,
}

impl Queue {
    pub(super) fn new(limits: Limits, counters: Arc<Counters>) -> Self {
        Self {
            limits,
            state: Mutex::default(),
            changed: Notify::new(),
            counters,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, poll: Arc<Poll>) {
        self.counters.accept(Size::of(&poll));
        let mut state = self.lock();
        if state.closed {
            drop(state);
            let why = &"the output has stopped";
            return self.counters.lose(Loss::Stopped, Size::of(&poll), why);
        }
        state.samples += poll.len();
        state.polls.push_back(poll);
        let mut dropped = Size::default();
        while state.samples > self.limits.queue && state.polls.len() > 1 {
            let Some(oldest) = state.polls.pop_front() else {
                break;
            };
            state.samples -= oldest.len();
            dropped = dropped + Size::of(&oldest);
        }
        drop(state);
        if dropped != Size::default() {
            let why = format!("more than {} samples are waiting", self.limits.queue);
            self.counters.lose(Loss::QueueFull, dropped, &why);
        }
        self.changed.notify_one();
    }

    /// Refuses further polls; those that are waiting are still taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Samples that are waiting, and whether no more will come.
    fn waiting(&self) -> (usize, bool) {
        let state = self.lock();
        (state.samples, state.closed)
    }

    /// The next polls for a batch; `None` once the queue is closed and empty.
    pub(super) async fn take(&self) -> Option<Vec<Arc<Poll>>> {
        loop {
            match self.waiting() {
                (0, true) => return None,
                (0, false) => self.changed.notified().await,
                _ => break,
            }
        }
        // An elapsed linger is as good as a full batch.
        let _ = timeout(self.limits.linger, self.filled()).await;
        Some(self.next_batch())
    }

    fn next_batch(&self) -> Vec<Arc<Poll>> {
        let mut state = self.lock();
        let mut batch = Vec::new();
        let mut samples = 0;
        while let Some(poll) = state.polls.front() {
            samples += poll.len();
            if samples > self.limits.batch && !batch.is_empty() {
                break;
            }
            let Some(poll) = state.polls.pop_front() else {
                break;
            };
            state.samples -= poll.len();
            batch.push(poll);
        }
        let is_half_empty = state.samples <= self.limits.queue / 2;
        drop(state);
        if is_half_empty {
            self.counters.end_loss(Loss::QueueFull);
        }
        batch
    }

    /// Until a batch is full.
    async fn filled(&self) {
        loop {
            let (samples, closed) = self.waiting();
            if closed || samples >= self.limits.batch {
                return;
            }
            self.changed.notified().await;
        }
    }

    /// Removes all polls, which are lost.
    pub(super) fn abandon(&self) {
        let mut state = self.lock();
        state.samples = 0;
        let polls = std::mem::take(&mut state.polls);
        drop(state);
        let lost: Size = polls.iter().map(|poll| Size::of(poll)).sum();
        if lost != Size::default() {
            let why = &"the collector stopped before they were delivered";
            self.counters.lose(Loss::Stopped, lost, why);
        }
    }
}
