//! How many runs there are at the same time: as many as leave managers and agents their turn.

use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{Cores, ProcessorTime};

/// Exchanges per second of all runs together, at most, as tasks estimate them: more than twice as many as there are.
const MOST_RATE: f64 = 6000.0;
const LEAST_RATE: f64 = 500.0;
/// Part of the time that a processor core may be busy: with more of it, what wakes waits for its turn, and answers are late.
const MOST_LOAD: f64 = 0.6;
/// How long the load is measured.
pub(super) const STEP: Duration = Duration::from_millis(250);
/// How much more there may be after each step.
const GROWTH: f64 = 1.05;

/// Admits runs, of all rounds and links together.
pub(super) struct Admission<'a> {
    cores: &'a Cores,
    /// Runs across each link wait until all links are ready.
    ready: Barrier,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Exchanges per second that there may be.
    most: f64,
    /// Of the runs under way.
    admitted: f64,
    /// Part of the time that the core with the most to do was busy of late.
    load: f64,
    /// How many exchanges there are across all links that are still needed.
    work: f64,
    since: Instant,
    then: Vec<ProcessorTime>,
}

impl<'a> Admission<'a> {
    /// Runs across links, each of which has so many exchanges.
    pub(super) fn new(cores: &'a Cores, works: &[f64]) -> Self {
        Self {
            cores,
            ready: Barrier::new(works.len()),
            state: Mutex::new(State {
                most: LEAST_RATE,
                admitted: 0.0,
                load: 0.0,
                work: works.iter().sum(),
                since: Instant::now(),
                then: ProcessorTime::of_each(cores),
            }),
        }
    }

    /// The part of each of them.
    pub(super) fn shares(&'a self, works: &[f64]) -> impl Iterator<Item = Share<'a>> {
        let links = works.len().max(1) as f64;
        let numbered = works.iter().copied().enumerate();
        numbered.map(move |(number, work)| Share {
            admission: self,
            work,
            turn: STEP.mul_f64(number as f64 / links),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of it that runs across one link have, until it is dropped; the others have it then.
pub(super) struct Share<'a> {
    admission: &'a Admission<'a>,
    work: f64,
    turn: Duration,
}

impl Share<'_> {
    /// Waits until all links are ready, as agents that start and keys that are derived take the processors, and then for the
    /// turn of this one: each begins runs at steps of its own, so that handshakes do not meet.
    pub(super) fn wait_for_all(&self) {
        self.admission.ready.wait();
        thread::sleep(self.turn);
    }

    /// Exchanges per second that there may be now.
    pub(super) fn most_rate(&self) -> f64 {
        let mut state = self.admission.state();
        if state.since.elapsed() >= STEP {
            state.step(self.admission.cores);
        }
        state.most * self.work / state.work.max(self.work)
    }

    /// A run with so many exchanges per second begins.
    pub(super) fn begin(&self, rate: f64) {
        self.admission.state().admitted += rate;
    }

    /// It has ended.
    pub(super) fn end(&self, rate: f64) {
        self.admission.state().admitted -= rate;
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.admission.state().work -= self.work;
    }
}

impl State {
    fn step(&mut self, cores: &Cores) {
        let now = ProcessorTime::of_each(cores);
        let loads = now.iter().zip(&self.then);
        let loads = loads.filter_map(|(now, then)| now.load_since(*then));
        if let Some(load) = loads.max_by(f64::total_cmp) {
            self.load = self.load.midpoint(load);
            self.most = most_rate(self.most, self.admitted, self.load);
        }
        self.since = Instant::now();
        self.then = now;
    }
}

/// What there may be after a step in which runs of the rate `admitted` made this load. Runs are not ended: after too much
/// load none begins before the others are few enough.
fn most_rate(most: f64, admitted: f64, load: f64) -> f64 {
    let fitting = admitted * MOST_LOAD / load.max(0.01);
    let next = if load > MOST_LOAD {
        fitting.min(most)
    } else {
        most * GROWTH
    };
    next.clamp(LEAST_RATE, MOST_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_more_runs_until_the_processors_are_busy() {
        let mut most = LEAST_RATE;
        for _ in 0..60 {
            // Each exchange takes 200 microseconds.
            most = most_rate(most, most, most / 5000.0);
        }
        assert!((2700.0..3300.0).contains(&most), "{most}");
    }

    #[test]
    fn a_fast_machine_has_the_greatest_rate_and_a_busy_one_goes_on() {
        let mut most = LEAST_RATE;
        for _ in 0..60 {
            most = most_rate(most, most, 0.1);
        }
        assert!((most - MOST_RATE).abs() < 1.0, "{most}");
        for _ in 0..30 {
            most = most_rate(most, 100.0, 1.0);
        }
        assert!((most - LEAST_RATE).abs() < 1.0, "{most}");
    }
}
