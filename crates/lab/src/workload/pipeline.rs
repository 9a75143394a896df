use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use super::exchange::Exchanger;
use super::ledger::{Arrival, Attempt, Expired};
use super::{Measured, PATIENCE};
use crate::request::{Expectation, MessageTemplate};
use crate::session::Wait;

/// How long before a request is due the manager stops sleeping: a sleeper is woken some ten microseconds late, which would
/// count as latency of the agent.
const AWAKE: Duration = Duration::from_micros(100);

/// When the next operation begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schedule {
    /// As soon as fewer than so many wait for an answer.
    Window(u32),
    /// So many together, as soon as none waits for an answer.
    Burst(u32),
    /// By the clock, one each interval.
    Interval(Duration),
}

impl Schedule {
    /// So many operations a second; a rate that is not a positive number counts as one a second.
    pub(super) fn rate(per_second: f64) -> Self {
        let interval = Duration::try_from_secs_f64(1.0 / per_second);
        Self::Interval(interval.unwrap_or(Duration::from_secs(1)))
    }
}

/// The state of a pipeline.
struct Pipeline<'a> {
    templates: &'a mut [MessageTemplate],
    expectation: &'a Expectation,
    total: u32,
    issued: u32,
    start: Instant,
    schedule: Schedule,
    given_up: u32,
    /// Whether the manager may stay awake until a request is due: not on a core that it shares with the agent.
    stays_awake: bool,
    /// The messages of a burst.
    burst: Vec<Vec<u8>>,
}

impl Exchanger {
    /// Keeps several operations outstanding; `false` if the session broke.
    pub(super) fn pipeline(
        &mut self,
        templates: &mut [MessageTemplate],
        expectation: &Expectation,
        total: u32,
        schedule: Schedule,
        measured: &mut Measured,
    ) -> bool {
        if matches!(schedule, Schedule::Interval(_)) {
            // Else the kernel may wake this thread 50 us late.
            let _kept = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        }
        let mut pipeline = Pipeline {
            templates,
            expectation,
            total,
            issued: 0,
            start: Instant::now(),
            schedule,
            given_up: 0,
            stays_awake: std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1),
            burst: Vec::new(),
        };
        let mut now = pipeline.start;
        while pipeline.issued < total || self.ledger.waiting() > 0 {
            match self.step(&mut pipeline, now, measured) {
                Some(after) => now = after,
                None => return false,
            }
        }
        true
    }

    /// Sends what is due, and waits for one message; the time after that, or `None` if the session broke.
    fn step(
        &mut self,
        pipeline: &mut Pipeline<'_>,
        now: Instant,
        measured: &mut Measured,
    ) -> Option<Instant> {
        if let Schedule::Burst(size) = pipeline.schedule
            && self.ledger.waiting() == 0
        {
            self.burst(pipeline, size)?;
        }
        while let Some(intended) = pipeline.due(now, self.ledger.waiting()) {
            let attempt = Attempt::first(pipeline.issued, intended, Instant::now());
            pipeline.issued += 1;
            self.send(pipeline.template(attempt.operation)?, attempt)
                .ok()?;
        }
        while let Some(expired) = self.ledger.expire(now, self.timeout, self.retries) {
            match expired {
                Expired::Retry(attempt) => {
                    self.send(pipeline.template(attempt.operation)?, attempt)
                        .ok()?;
                }
                Expired::GivenUp => {
                    self.outcome.timeouts += 1;
                    pipeline.given_up += 1;
                }
            }
        }
        // With many outstanding a few may be lost; if nothing comes back the agent is gone.
        if pipeline.given_up >= PATIENCE.max(self.ledger.waiting() as u32) {
            return None;
        }
        let wait = self.wait(pipeline, now);
        let Some(message) = self.session.receive(wait).ok()? else {
            return Some(Instant::now());
        };
        let end = Instant::now();
        let read_message = self
            .secured
            .incoming(message, self.version, self.answered_by);
        let Ok(answer) = read_message else {
            self.outcome.wrong_answers += 1;
            return Some(end);
        };
        match self.ledger.arrive(answer.id) {
            Arrival::Ends { attempt, is_late } => {
                self.outcome.late_answers += u64::from(is_late);
                pipeline.given_up = 0;
                match pipeline.expectation.check(answer) {
                    Ok(objects) => pipeline.record(measured, attempt, end, objects),
                    Err(wrong) => {
                        self.outcome.wrong(wrong);
                    }
                }
            }
            other => self.outcome.stray(other),
        }
        Some(end)
    }

    /// Sends the requests of a burst; `None` if the session broke.
    fn burst(&mut self, pipeline: &mut Pipeline<'_>, size: u32) -> Option<()> {
        let size = size.clamp(1, pipeline.total - pipeline.issued);
        pipeline.burst.resize_with(size as usize, Vec::new);
        let now = Instant::now();
        let mut messages = std::mem::take(&mut pipeline.burst);
        for message in &mut messages {
            let request_id = self.ledger.enter(Attempt::first(pipeline.issued, now, now));
            let template = pipeline.template(pipeline.issued)?;
            message.clear();
            message.extend_from_slice(self.secured.outgoing(template, request_id).ok()?);
            pipeline.issued += 1;
        }
        self.outcome.requests += u64::from(size);
        self.session.send_together(&messages).ok()?;
        pipeline.burst = messages;
        Some(())
    }

    /// In a window it is enough that the silence ends; by the clock the next request must leave in time.
    fn wait(&self, pipeline: &Pipeline<'_>, now: Instant) -> Wait {
        let Schedule::Interval(_) = pipeline.schedule else {
            return Wait::Silence;
        };
        let Some(due) = pipeline.next_due() else {
            return self.until_timeout();
        };
        let wake = if pipeline.stays_awake {
            due.checked_sub(AWAKE).unwrap_or(due).max(now)
        } else {
            due
        };
        match self.until_timeout() {
            Wait::Until(timeout) => Wait::Until(wake.min(timeout)),
            Wait::Silence => Wait::Until(wake),
        }
    }
}

impl Pipeline<'_> {
    fn template(&mut self, operation: u32) -> Option<&mut MessageTemplate> {
        let alternatives = self.templates.len().max(1);
        self.templates.get_mut(operation as usize % alternatives)
    }

    /// When the next operation should have begun, if it is to be sent now.
    fn due(&self, now: Instant, waiting: usize) -> Option<Instant> {
        if self.issued >= self.total {
            return None;
        }
        match self.schedule {
            Schedule::Window(size) => (waiting < size.max(1) as usize).then_some(now),
            Schedule::Burst(_) => None,
            Schedule::Interval(_) => self.next_due().filter(|due| *due <= now),
        }
    }

    /// By the clock: when the next operation should begin.
    fn next_due(&self) -> Option<Instant> {
        match self.schedule {
            Schedule::Interval(interval) if self.issued < self.total => {
                Some(self.start + interval.mul_f64(f64::from(self.issued)))
            }
            _ => None,
        }
    }

    fn record(&self, measured: &mut Measured, attempt: Attempt, end: Instant, objects: u64) {
        let from_begin = end.saturating_duration_since(attempt.begun);
        let latency = match self.schedule {
            Schedule::Window(_) | Schedule::Burst(_) => from_begin,
            Schedule::Interval(_) => {
                measured.uncorrected.record(from_begin);
                end.saturating_duration_since(attempt.intended)
            }
        };
        measured.completed(attempt.operation == 0, latency, objects);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// The manager was kept from sending: what coordinated omission would hide counts.
    #[test]
    fn what_begins_late_was_intended_by_the_clock() {
        let expectation = Expectation::Same(Vec::new());
        let mut pipeline = Pipeline {
            templates: &mut [],
            expectation: &expectation,
            total: 4,
            issued: 0,
            start: Instant::now(),
            schedule: Schedule::rate(200.0),
            given_up: 0,
            stays_awake: false,
            burst: Vec::new(),
        };
        let start = pipeline.start;
        let begun = start + milliseconds(12);
        let mut intended = Vec::new();
        while let Some(due) = pipeline.due(begun, 0) {
            intended.push(due - start);
            pipeline.issued += 1;
        }
        assert_eq!(intended, [0, 5, 10].map(milliseconds));
        assert_eq!(pipeline.next_due(), Some(start + milliseconds(15)));
        let mut measured = Measured::default();
        let end = begun + milliseconds(1);
        let attempt = Attempt::first(1, start + milliseconds(5), begun);
        pipeline.record(&mut measured, attempt, end, 1);
        assert_eq!(measured.steady_state.mean(), Some(8000.0));
        assert_eq!(measured.uncorrected.mean(), Some(1000.0));
    }
}
