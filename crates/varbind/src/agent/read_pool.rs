//! Threads that carry out requests for objects of other programs: each waits for what these answer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use varbind_engine::applications::command_responder::Workspace;

use super::AgentEngine;
use super::deferred::Job;
use crate::thread::spawn;

/// How many requests may wait for other programs and agents at a time. Of those that do not answer, each holds few.
const THREADS: usize = 64;
/// How many requests may wait for a thread.
const PLACES: usize = 256;
/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

/// The threads, of which there are none before the first request.
///
/// Dropping it drops what waits for a thread, and waits for what is being carried out.
pub(super) struct ReadPool(Arc<Shared>);

struct Shared {
    engine: Arc<AgentEngine>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    /// Requests that were passed on to other agents, and hold no thread.
    forwarded: usize,
    is_over: bool,
}

/// A request that was passed on, until its response is sent or it is dropped.
pub(super) struct Forwarded(Arc<Shared>);

impl Drop for Forwarded {
    fn drop(&mut self) {
        self.0.state().forwarded -= 1;
        self.0.changed.notify_all();
    }
}

impl ReadPool {
    pub(super) fn new(engine: Arc<AgentEngine>) -> Self {
        Self(Arc::new(Shared {
            engine,
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// Adds a request, if not too many wait and there is a thread for it.
    pub(super) fn offer(&self, job: Job) -> bool {
        let mut state = self.0.state();
        if state.is_over || state.jobs.len() >= PLACES {
            return false;
        }
        if state.idle <= state.jobs.len() && state.threads < THREADS {
            let shared = Arc::clone(&self.0);
            match spawn("varbind-read", move || shared.run()) {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    log::warn!("no thread for a request: {error}");
                    return false;
                }
                // The others take it.
                Err(_) => {}
            }
        }
        state.jobs.push_back(job);
        drop(state);
        self.0.changed.notify_all();
        true
    }

    /// Counts a request that is passed on, so that it is waited for.
    pub(super) fn note_forwarded(&self) -> Forwarded {
        self.0.state().forwarded += 1;
        Forwarded(Arc::clone(&self.0))
    }

    /// Waits until the requests that were added before are answered.
    pub(super) fn wait(&self) {
        let state = self.0.state();
        let is_busy = |state: &mut State| {
            !state.jobs.is_empty() || state.idle < state.threads || state.forwarded > 0
        };
        drop(self.0.changed.wait_while(state, is_busy));
    }
}

impl Drop for ReadPool {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        state.jobs.clear();
        self.0.changed.notify_all();
        drop(self.0.changed.wait_while(state, |state| state.threads > 0));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut workspace = Workspace::default();
        while let Some(job) = self.next() {
            self.engine.carry_out(job, &mut workspace);
        }
        self.changed.notify_all();
    }

    /// The next request; `None` if the thread is not needed any more.
    fn next(&self) -> Option<Job> {
        let mut state = self.state();
        state.idle += 1;
        self.changed.notify_all();
        let is_useless = |state: &mut State| state.jobs.is_empty() && !state.is_over;
        let waited = self
            .changed
            .wait_timeout_while(state, IDLE, is_useless)
            .unwrap_or_else(PoisonError::into_inner);
        state = waited.0;
        state.idle -= 1;
        let job = state.jobs.pop_front();
        if job.is_none() {
            state.threads -= 1;
        }
        job
    }
}
