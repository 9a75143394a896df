//! Runs that are repeated because the machine was too busy to pass packets on, or to answer, in time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How late 99 % of something were at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delays {
    /// Packets that the link has passed on.
    pub(super) packets: Duration,
    /// Answers to gets without losses, if there were any.
    pub(super) answers: Option<Duration>,
}

/// How late 1 % of the packets may be.
pub(crate) const MOST_LATE_PACKETS: Duration = Duration::from_millis(1);
/// How late 1 % of the answers may be. An answer that is a time-out late is taken for a lost one; the shortest time-out is 40 ms
/// longer than the round trip.
pub(crate) const MOST_LATE_ANSWERS: Duration = Duration::from_millis(10);

impl Delays {
    /// The greatest of them, by what it may be.
    fn degree(self) -> f64 {
        let packets = self.packets.div_duration_f64(MOST_LATE_PACKETS);
        let answers = self.answers.unwrap_or_default();
        answers.div_duration_f64(MOST_LATE_ANSWERS).max(packets)
    }

    fn are_too_long(self) -> bool {
        self.degree() > 1.0
    }
}
/// Why there is nothing of a run.
pub(super) const NOT_RUN: &str = "it was not run";
/// How often runs are made at most.
const MOST_ATTEMPTS: u32 = 3;

/// The time that went into runs across links.
#[derive(Debug, Default)]
pub(in super::super) struct TimeSpent(Mutex<Spent>);

#[derive(Debug, Default)]
struct Spent {
    first: Duration,
    repeated: Duration,
}

impl TimeSpent {
    /// Notes the time of an attempt, and tells whether there is time for another: not once repetitions have taken half as long
    /// as what came first, so that a machine that is always busy comes to an end too.
    fn note(&self, attempt: u32, time: Duration) -> bool {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if attempt == 1 {
            spent.first += time;
        } else {
            spent.repeated += time;
        }
        spent.repeated < spent.first / 2
    }
}

/// What was found, of the attempt that was least late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Best<T> {
    pub(super) found: T,
    /// How late it was.
    pub(super) delays: Delays,
    /// How many attempts there were.
    pub(super) attempts: u32,
}

impl<T> Best<T> {
    /// A remark about it, if any.
    pub(super) fn note(&self) -> Option<String> {
        if self.attempts == 1 && !self.delays.are_too_long() {
            return None;
        }
        let milliseconds = |late: Duration| late.as_secs_f64() * 1e3;
        let packets = milliseconds(self.delays.packets);
        let answers = self.delays.answers.map(milliseconds);
        let answers =
            answers.map(|late| format!(", and 1 % of the answers more than {late:.1} ms"));
        let times = match self.attempts {
            1 => "it was not repeated".to_owned(),
            attempts => format!("it was run {attempts} times, and the least late is kept"),
        };
        Some(format!(
            "the machine was busy: {times}; 1 % of the packets were more than {packets:.1} ms late{}",
            answers.unwrap_or_default()
        ))
    }
}

/// Makes so many runs, all at the same time, and repeats those that are late while there is time. A repetition begins when
/// all others are over: the agents that it starts would be in their way.
pub(super) fn least_late<T>(
    spent: &TimeSpent,
    count: usize,
    delays: impl Fn(&T) -> Delays,
    mut run: impl FnMut(&[usize]) -> Vec<Result<T, String>>,
) -> Vec<Result<Best<T>, String>> {
    let mut late: Vec<usize> = (0..count).collect();
    let mut all: Vec<Result<Best<T>, String>> = Vec::new();
    all.resize_with(count, || Err(NOT_RUN.to_owned()));
    for attempts in 1..=MOST_ATTEMPTS {
        let begun = Instant::now();
        let found = run(&late);
        for (at, found) in late.iter().zip(found) {
            let found = found.map(|found| Best {
                delays: delays(&found),
                found,
                attempts,
            });
            if let Some(best) = all.get_mut(*at) {
                keep_the_better(best, found, attempts);
            }
        }
        late.retain(|at| {
            let best = all.get(*at).and_then(|best| best.as_ref().ok());
            best.is_some_and(|best| best.delays.are_too_long())
        });
        let has_time = spent.note(attempts, begun.elapsed());
        if late.is_empty() || !has_time {
            break;
        }
    }
    all
}

/// A repetition that fails loses nothing.
fn keep_the_better<T>(
    best: &mut Result<Best<T>, String>,
    found: Result<Best<T>, String>,
    attempts: u32,
) {
    match (best, found) {
        (Ok(best), Ok(found)) if found.delays.degree() < best.delays.degree() => *best = found,
        (Ok(best), _) => best.attempts = attempts,
        (best, found) => *best = found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attempts of runs whose packets are late by so many milliseconds.
    fn best_of(late: &[u64]) -> Best<u64> {
        one(late, packets).unwrap()
    }

    fn one(late: &[u64], delays: fn(u64) -> Delays) -> Result<Best<u64>, String> {
        let mut runs = late.iter();
        let run = |_: &[usize]| vec![Ok(*runs.next().unwrap())];
        let mut all = least_late(&after_a_while(), 1, |late| delays(*late), run);
        all.remove(0)
    }

    fn packets(late: u64) -> Delays {
        Delays {
            packets: Duration::from_millis(late),
            answers: None,
        }
    }

    #[test]
    fn answers_that_are_late_count_as_packets_do() {
        fn answers(late: u64) -> Delays {
            Delays {
                answers: Some(Duration::from_millis(late)),
                ..packets(0)
            }
        }
        assert!(!answers(10).are_too_long());
        assert!(answers(11).are_too_long());
        assert!(answers(50).degree() > packets(4).degree());
        let best = one(&[50, 3], answers).unwrap();
        assert_eq!((best.found, best.attempts), (3, 2));
        let note = best.note().unwrap();
        assert!(
            note.ends_with("1 % of the answers more than 3.0 ms"),
            "{note}"
        );
    }

    /// As if much had been measured before.
    fn after_a_while() -> TimeSpent {
        let spent = TimeSpent::default();
        assert!(spent.note(1, Duration::from_secs(1000)));
        spent
    }

    #[test]
    fn what_was_in_time_is_run_once() {
        let best = best_of(&[1, 0]);
        assert_eq!((best.found, best.attempts, best.note()), (1, 1, None));
    }

    #[test]
    fn what_was_late_is_repeated_and_the_least_late_is_kept() {
        let best = best_of(&[5, 1, 0]);
        assert_eq!((best.found, best.attempts), (1, 2));
        assert!(best.note().unwrap().contains("run 2 times"));
        let best = best_of(&[5, 3, 4, 0]);
        assert_eq!((best.found, best.attempts), (3, 3));
        assert!(best.note().unwrap().contains("3.0 ms late"));
    }

    #[test]
    fn a_machine_that_is_always_busy_comes_to_an_end() {
        let spent = TimeSpent::default();
        let time = Duration::from_secs(20);
        let attempts = |_| {
            let mut attempts = 1;
            while spent.note(attempts, time) {
                attempts += 1;
            }
            attempts
        };
        let all: u32 = (0..30).map(attempts).sum();
        // A repetition that has begun is finished.
        assert!((45..=46).contains(&all), "{all}");
    }

    #[test]
    fn a_repetition_that_fails_loses_nothing() {
        let mut runs = [Ok(7), Err("no link"), Ok(2)].into_iter();
        let run = |_: &[usize]| vec![runs.next().unwrap().map_err(str::to_owned)];
        let best = least_late(&after_a_while(), 1, |late| packets(*late), run).remove(0);
        let best = best.unwrap();
        assert_eq!((best.found, best.attempts), (2, 3));
        let failed = |_: &[usize]| vec![Err::<u64, _>("no link".to_owned())];
        assert_eq!(
            least_late(&after_a_while(), 1, |late| packets(*late), failed),
            [Err("no link".to_owned())]
        );
    }

    #[test]
    fn those_that_are_late_are_repeated_together() {
        let mut together = Vec::new();
        let run = |runs: &[usize]| {
            together.push(runs.to_vec());
            let late = |at: &usize| {
                Ok(if together.len() == 1 {
                    [0, 9, 1, 8][*at]
                } else {
                    0
                })
            };
            runs.iter().map(late).collect()
        };
        let all = least_late(&after_a_while(), 4, |late| packets(*late), run);
        assert_eq!(together, [vec![0, 1, 2, 3], vec![1, 3]]);
        let attempts: Vec<u32> = all.into_iter().map(|best| best.unwrap().attempts).collect();
        assert_eq!(attempts, [1, 2, 1, 2]);
    }
}
