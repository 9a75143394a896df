use std::time::{Duration, Instant};

/// A request that fails so shortly before the end was cut off by it.
const CUT: Duration = Duration::from_millis(1);

/// How a run went.
#[derive(Clone, Debug)]
pub(super) struct Course {
    began: Instant,
    /// How long it may last.
    limit: Duration,
    /// How many requests there are to be.
    requests: u32,
    /// When each request that was answered was answered.
    pub(super) answered: Vec<Duration>,
    /// Requests that were given up, without those that the end of the run cut off.
    pub(super) failed: u32,
    /// Messages that were sent.
    pub(super) attempts: u64,
    /// Objects in the answers.
    pub(super) objects: u64,
    /// Until the last request had ended.
    pub(super) elapsed: Duration,
    /// Why the last request failed, or the session could not be opened.
    pub(super) trouble: Option<String>,
}

impl Course {
    /// One that begins now.
    pub(super) fn begin(requests: u32, limit: Duration) -> Self {
        Self {
            began: Instant::now(),
            limit,
            requests,
            answered: Vec::new(),
            failed: 0,
            attempts: 0,
            objects: 0,
            elapsed: Duration::ZERO,
            trouble: None,
        }
    }

    /// When the first request was answered that was answered later than this.
    pub(super) fn first_answer_after(&self, begin: Instant) -> Option<Instant> {
        let answered = self.answered.iter();
        let mut answered = answered.map(|after| self.began + *after);
        answered.find(|at| *at > begin)
    }

    /// How much time there is left.
    pub(super) fn left(&self) -> Duration {
        self.limit.saturating_sub(self.began.elapsed())
    }

    /// Whether there is another request to be made.
    pub(super) fn goes_on(&self) -> bool {
        let ended = self.answered.len() as u64 + u64::from(self.failed);
        ended < u64::from(self.requests) && !self.left().is_zero()
    }

    pub(super) fn note_answer(&mut self, objects: u64) {
        self.objects += objects;
        self.answered.push(self.began.elapsed());
    }

    /// Notes that a request has failed, if there would have been time for it.
    pub(super) fn note_failure(&mut self, reason: String) {
        self.trouble = Some(reason);
        if self.left() > CUT {
            self.failed += 1;
        }
    }

    /// Whether all requests were answered or given up before the end.
    pub(super) fn is_finished(&self) -> bool {
        self.answered.len() as u64 + u64::from(self.failed) >= u64::from(self.requests)
    }

    pub(super) fn end(mut self) -> Self {
        self.elapsed = match self.answered.last() {
            Some(last) if self.is_finished() && self.failed == 0 => *last,
            _ => self.began.elapsed().min(self.limit),
        };
        self
    }

    /// When which part was done, in seconds: at most so many points, the last one among them.
    pub(super) fn trace(answered: &[Duration], most: usize) -> Vec<(f64, f64)> {
        let step = answered.len().div_ceil(most.max(1)).max(1);
        let count = answered.len();
        let points = answered.iter().zip(1..);
        let kept = points.filter(|(_, done)| done % step == 0 || *done == count);
        kept.map(|(at, done)| (at.as_secs_f64(), done as f64))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_keeps_its_end_and_not_too_many_points() {
        let answered: Vec<Duration> = (1..=1003).map(Duration::from_millis).collect();
        let trace = Course::trace(&answered, 100);
        assert!(trace.len() <= 101, "{}", trace.len());
        assert_eq!(trace.last(), Some(&(1.003, 1003.0)));
        assert!(Course::trace(&[], 100).is_empty());
    }

    #[test]
    fn a_run_that_was_cut_lasts_as_long_as_it_had() {
        let limit = Duration::from_millis(1);
        let mut course = Course::begin(2, limit);
        course.note_answer(1);
        std::thread::sleep(limit * 2);
        assert!(!course.goes_on());
        course.note_failure("no answer".to_owned());
        let course = course.end();
        assert_eq!((course.failed, course.is_finished()), (0, false));
        assert_eq!(course.elapsed, limit);
    }
}
