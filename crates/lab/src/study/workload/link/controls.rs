//! Control runs beside the others, across lanes that lose nothing: how late their answers are tells whether managers and
//! agents have their turn in time, of which a link that passes packets on in time knows nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::manager::{self, Principal};
use super::network::Network;
use super::{LinkTask, Method, Path};
use crate::statistics::Cluster;

/// Of a get, in milliseconds: five a second are enough to see a busy machine, and too few to make one.
const ROUND_TRIP: f64 = 200.0;
/// Gets that are made before it is seen whether the other runs are over.
const GETS: u32 = 5;
/// Milliseconds after which there is no answer to be expected any more.
const PATIENCE: u32 = 10_000;
/// Of the answers, by which the machine is judged: in thousandths.
const JUDGED: u32 = 990;

/// Gets of one agent each, which go on until the other runs are over.
pub(super) struct Controls {
    are_over: Arc<AtomicBool>,
    running: Vec<JoinHandle<Vec<Duration>>>,
}

impl Controls {
    /// What an agent is asked; repeated until the other runs are over.
    pub(super) const fn task() -> LinkTask {
        let path = Path::new(0.0, ROUND_TRIP);
        LinkTask::new(Method::FixedTimeout(PATIENCE), path, GETS, PATIENCE as u64)
    }

    /// Begins to ask them. Where a thread cannot be started, the runs fail too, and tell why.
    pub(super) fn start(network: &Network, principals: Vec<Principal>) -> Self {
        let are_over = Arc::new(AtomicBool::new(false));
        // They must not wait for each other.
        let apart = Duration::from_secs_f64(ROUND_TRIP / 1e3) / principals.len().max(1) as u32;
        let start = |(principal, number): (Principal, u32)| {
            let are_over = Arc::clone(&are_over);
            let control = move || {
                thread::sleep(apart * number);
                ask(&principal, &are_over)
            };
            // A thread is in the namespace of the one that starts it.
            let started = network.near().run(|| {
                thread::Builder::new()
                    .name("control".to_owned())
                    .spawn(control)
            });
            started.ok()?.ok()
        };
        Self {
            running: principals.into_iter().zip(0..).filter_map(start).collect(),
            are_over,
        }
    }

    /// Ends them: how late 99 % of the answers were at most; `None` without answers.
    pub(super) fn end(self) -> Option<Duration> {
        self.are_over.store(true, Ordering::Relaxed);
        let mut late = Cluster::new();
        for control in self.running {
            for answer in control.join().unwrap_or_default() {
                late.record(answer);
            }
        }
        let microseconds = late.percentile(JUDGED)?;
        Some(Duration::from_secs_f64(microseconds / 1e6))
    }
}

/// How late each answer of an agent is.
fn ask(principal: &Principal, are_over: &AtomicBool) -> Vec<Duration> {
    let task = Controls::task();
    let mut late = Vec::new();
    while !are_over.load(Ordering::Relaxed) {
        let course = manager::run(&task, principal);
        late.extend(lateness(&course.answered));
        // An agent that does not answer at all is not late: its runs tell why, and it would refuse one get after the other.
        if course.answered.len() < GETS as usize {
            break;
        }
    }
    late
}

/// How much later than after a round trip each get was answered, of gets that were made one behind the other.
fn lateness(answered: &[Duration]) -> impl Iterator<Item = Duration> {
    let asked = std::iter::once(&Duration::ZERO).chain(answered);
    let taken = answered.iter().zip(asked).map(|(now, asked)| *now - *asked);
    taken.map(|taken| taken.saturating_sub(Duration::from_secs_f64(ROUND_TRIP / 1e3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_late_by_what_it_takes_beyond_the_round_trip() {
        let answered = [201, 401, 631].map(Duration::from_millis);
        let late: Vec<_> = lateness(&answered).collect();
        assert_eq!(late, [1, 0, 30].map(Duration::from_millis));
    }
}
