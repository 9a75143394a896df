use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use varbind_codec::ber::Writer;
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{Oid, Value};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, Configuration, Event, MessageProcessing, Output, RetryPolicy,
};
use varbind_engine::clock::Instant;

use super::{Channel, Fate, LaneModel};

/// What is run in virtual time: a number of GetRequests over a lane, by our command generator, to an agent that answers
/// at once.
///
/// The channels are those of the emulator, so a lane with the same seed loses the same packets in both; nothing waits,
/// nothing is measured, and every run is the same.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The lane.
    pub lane: LaneModel,
    /// From which number all randomness comes.
    pub seed: u64,
    /// How requests are retried.
    pub policy: RetryPolicy,
    /// How many requests there are.
    pub requests: u32,
    /// How many are outstanding at a time.
    pub outstanding: u16,
}

/// How a run in virtual time went.
#[derive(Clone, Debug, Default)]
pub struct TwinRun {
    /// When each request that was answered was answered, since the beginning.
    pub answered: Vec<Duration>,
    /// How many were given up.
    pub failed: u32,
    /// When the last one had ended.
    pub elapsed: Duration,
    /// Messages that were sent, each attempt counted.
    pub attempts: u64,
}

/// Octets of the headers of IPv4 and UDP.
const DATAGRAM_HEADERS: usize = 28;
/// Octets of the largest message.
const MESSAGE: usize = 1472;

impl Twin {
    /// Runs it.
    #[must_use]
    pub fn run(&self) -> TwinRun {
        let (forward, backward) = self.lane.channels(self.seed, 1);
        let processing = MessageProcessing::V2c {
            community: b"public".to_vec(),
        };
        let generator = CommandGenerator::new(Configuration {
            retry: self.policy,
            max_message_size: MESSAGE,
            max_window: self.outstanding.max(1),
            ..Configuration::new(processing, self.seed)
        });
        let mut course = Course {
            generator,
            forward,
            backward,
            on_the_way: BinaryHeap::new(),
            datagrams: 0,
            now: 0,
            run: TwinRun::default(),
        };
        let mut left = self.requests;
        loop {
            while left > 0 && course.generator.outstanding() < usize::from(self.outstanding.max(1))
            {
                left -= 1;
                course.ask();
            }
            if !course.go_on() && left == 0 {
                break;
            }
        }
        course.run.elapsed = Duration::from_nanos(course.now);
        course.run.attempts = course.generator.statistics().attempts;
        course.run
    }
}

/// sysUpTime.0
const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

/// A run that goes on.
struct Course {
    generator: CommandGenerator,
    forward: Channel,
    backward: Channel,
    on_the_way: BinaryHeap<Reverse<Datagram>>,
    datagrams: u64,
    /// Nanoseconds since the beginning.
    now: u64,
    run: TwinRun,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Datagram {
    due: u64,
    number: u64,
    to_agent: bool,
    message: Vec<u8>,
}

impl Course {
    fn ask(&mut self) {
        // The name is one, and fits any message.
        if let Ok(name) = Oid::new(&SYS_UP_TIME) {
            let _ = self.generator.send(Command::Get(&[name]));
        }
    }

    /// Does the next thing; `false` if there is none.
    fn go_on(&mut self) -> bool {
        let now = Instant::from_nanos(self.now);
        let mut buffer = [0; MESSAGE];
        match self.generator.poll_output(now, &mut buffer) {
            Output::Transmit(message) => {
                let message = message.to_vec();
                self.send(true, &message);
            }
            Output::Event(Event::Response(_)) => {
                self.run.answered.push(Duration::from_nanos(self.now));
            }
            Output::Event(Event::Failed(_)) => self.run.failed += 1,
            Output::WaitUntil(until) => self.advance(until.as_nanos()),
            Output::Idle => return false,
        }
        true
    }

    /// Passes to the next datagram that arrives, if that is before `until`.
    fn advance(&mut self, until: u64) {
        let next = self.on_the_way.peek().map(|Reverse(next)| next.due);
        if next.is_none_or(|due| due > until) {
            self.now = until;
            return;
        }
        let Some(Reverse(datagram)) = self.on_the_way.pop() else {
            return;
        };
        self.now = datagram.due;
        if datagram.to_agent {
            if let Some(response) = respond(&datagram.message) {
                self.send(false, &response);
            }
        } else {
            let now = Instant::from_nanos(self.now);
            // What is not used, such as a second copy, is counted by the generator.
            let _ = self.generator.handle_message(now, &datagram.message);
        }
    }

    fn send(&mut self, to_agent: bool, message: &[u8]) {
        let channel = if to_agent {
            &mut self.forward
        } else {
            &mut self.backward
        };
        let (due, copies) = match channel.offer(self.now, message.len() + DATAGRAM_HEADERS) {
            Fate::Lost(_) => return,
            Fate::Arrives(due) => (due, 1),
            Fate::ArrivesTwice(due) => (due, 2),
        };
        for _ in 0..copies {
            self.on_the_way.push(Reverse(Datagram {
                due,
                number: self.datagrams,
                to_agent,
                message: message.to_vec(),
            }));
            self.datagrams += 1;
        }
    }
}

/// The response of an agent that has sysUpTime.0 alone.
fn respond(message: &[u8]) -> Option<Vec<u8>> {
    let request = CommunityMessage::decode(message).ok()?;
    let Pdu::Common(pdu) = request.pdu else {
        return None;
    };
    let mut buffer = [0; MESSAGE];
    let headroom = CommunityMessage::HEADROOM + request.community.len();
    let mut writer = Writer::new(&mut buffer, headroom).ok()?;
    writer
        .append_var_bind(&SYS_UP_TIME, Value::TimeTicks(1))
        .ok()?;
    writer
        .prepend_pdu(PduType::Response, pdu.request_id, 0, 0)
        .ok()?;
    writer
        .prepend_community_header(Version::V2c, request.community)
        .ok()?;
    Some(writer.written().to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::{DirectionModel, Loss, Probability};
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(10);

    /// The loss rates of Hardaker (2008), of exchanges.
    const LOSS_RATES: [f64; 7] = [0.0, 0.097, 0.189, 0.294, 0.437, 0.51, 0.64];

    fn lossy(exchange_loss: f64) -> LaneModel {
        let loss = Probability::new(exchange_loss).expect("a probability");
        LaneModel::symmetric(DirectionModel {
            loss: Loss::Independent(loss.one_way()),
            delay: ROUND_TRIP / 2,
            ..DirectionModel::default()
        })
    }

    fn twin(exchange_loss: f64, policy: RetryPolicy, seed: u64) -> Twin {
        Twin {
            lane: lossy(exchange_loss),
            seed,
            policy,
            requests: 1000,
            outstanding: 1,
        }
    }

    #[test]
    fn without_loss_every_request_takes_a_round_trip() {
        let run = twin(0.0, RetryPolicy::default(), 1).run();
        assert_eq!(run.answered.len(), 1000);
        assert_eq!(run.attempts, 1000);
        assert_eq!(run.elapsed, ROUND_TRIP * 1000);
    }

    #[test]
    fn the_same_seed_runs_the_same() {
        let run = |seed| twin(0.3, RetryPolicy::default(), seed).run().answered;
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    /// A fixed time-out t takes N (RTT + t T / (1 - T)) at loss T, within what chance does to 1000 requests.
    #[test]
    fn a_fixed_timeout_takes_the_time_of_its_formula() {
        let timeout = Duration::from_millis(100);
        let policy = RetryPolicy::Fixed {
            timeout,
            retries: 60,
        };
        for loss in LOSS_RATES {
            let expected =
                1000.0 * (ROUND_TRIP.as_secs_f64() + timeout.as_secs_f64() * loss / (1.0 - loss));
            let mean = (1..=10)
                .map(|seed| twin(loss, policy, seed).run().elapsed.as_secs_f64())
                .sum::<f64>()
                / 10.0;
            assert!(
                (mean / expected - 1.0).abs() < 0.06,
                "{loss}: {mean} s, not {expected} s"
            );
        }
    }

    /// No policy that sends one copy at a time, and knows nothing of losses before a round trip has passed, is faster
    /// than a round trip for each attempt: N RTT / (1 - T).
    #[test]
    fn the_adaptive_policy_is_near_the_bound_at_every_loss_rate() {
        for loss in LOSS_RATES {
            let bound = 1000.0 * ROUND_TRIP.as_secs_f64() / (1.0 - loss);
            let runs: Vec<TwinRun> = (1..=10)
                .map(|seed| twin(loss, RetryPolicy::default(), seed).run())
                .collect();
            // Of 10,000, whatever the policy: it has to give up some time.
            assert!(
                runs.iter().map(|run| run.failed).sum::<u32>() <= 2,
                "{loss}"
            );
            let mean = runs
                .iter()
                .map(|run| run.elapsed.as_secs_f64())
                .sum::<f64>()
                / 10.0;
            assert!(
                mean / bound < 1.15,
                "{loss}: {mean} s, the bound is {bound} s"
            );
        }
    }

    #[test]
    fn more_requests_at_a_time_take_less_time() {
        let pipelined = Twin {
            outstanding: 8,
            ..twin(0.29, RetryPolicy::default(), 1)
        };
        let one = twin(0.29, RetryPolicy::default(), 1).run();
        let eight = pipelined.run();
        assert_eq!(eight.answered.len(), 1000);
        assert!(
            eight.elapsed * 4 < one.elapsed,
            "{:?}, {:?}",
            eight.elapsed,
            one.elapsed
        );
    }

    #[test]
    fn a_dead_link_answers_nothing_and_ends() {
        let run = Twin {
            requests: 3,
            ..twin(1.0, RetryPolicy::default(), 1)
        }
        .run();
        assert_eq!((run.answered.len(), run.failed), (0, 3));
    }
}
