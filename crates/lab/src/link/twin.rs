use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use varbind::transport::message_size::UDP_PAYLOAD;
use varbind_codec::ber::Writer;
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{Oid, ValueRef};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorConfiguration, GeneratorEvent, GeneratorOutput,
    MessageProcessing, RequestHandle, RetryPolicy, SendError,
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
    /// How many times each asks for the same instance, whose value has four octets; at least once.
    pub instances: u16,
    /// Over how many messages that is spread, which are sent together. A message that is too long for a packet is sent in
    /// fragments, of which all must arrive.
    pub messages: u16,
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

/// Octets of the headers of UDP and IPv4.
const UDP_HEADER: usize = 8;
const IP_HEADER: usize = 20;
/// Octets of a datagram that a packet carries at most (RFC 894).
const FRAGMENT: usize = 1480;
/// Octets of the largest message that is sent in one packet, and of the largest one.
const MESSAGE: usize = FRAGMENT - UDP_HEADER;

impl Twin {
    /// Runs it.
    #[must_use]
    pub fn run(&self) -> TwinRun {
        let (forward, backward) = self.lane.channels(self.seed, 1);
        let processing = MessageProcessing::V2c {
            community: b"public".to_vec(),
        };
        let max_message_size = match self.messages {
            0 | 1 => UDP_PAYLOAD,
            _ => MESSAGE,
        };
        let configuration = GeneratorConfiguration {
            retry: self.policy,
            max_message_size,
            max_window: self.outstanding.max(1).saturating_mul(self.messages.max(1)),
            ..GeneratorConfiguration::new(processing)
        };
        let generator = CommandGenerator::new(configuration, self.seed);
        let mut course = Course {
            generator,
            forward,
            backward,
            buffer: vec![0; max_message_size],
            pending: Vec::new(),
            on_the_way: BinaryHeap::new(),
            datagrams: 0,
            now: 0,
            run: TwinRun::default(),
        };
        // The name is one.
        let names = Oid::new(&SYS_CONTACT).map(|name| vec![name; self.instances.max(1).into()]);
        let names = names.unwrap_or_default();
        let each = names.len().div_ceil(self.messages.max(1).into()).max(1);
        let mut left = self.requests;
        loop {
            while left > 0 && course.pending.len() < usize::from(self.outstanding.max(1)) {
                left -= 1;
                course.send_get(names.chunks(each));
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

/// sysContact.0, and its value.
const SYS_CONTACT: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 4, 0];
const CONTACT: &[u8] = b"test";

/// A run in progress.
struct Course {
    generator: CommandGenerator,
    forward: Channel,
    backward: Channel,
    /// For one message.
    buffer: Vec<u8>,
    /// The messages of each request that were not answered yet.
    pending: Vec<Vec<RequestHandle>>,
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
    fn send_get<'n>(&mut self, parts: impl Iterator<Item = &'n [Oid]>) {
        let sent: Result<Vec<RequestHandle>, SendError> = parts
            .map(|names| self.generator.send(Command::Get(names)))
            .collect();
        match sent {
            Ok(handles) => self.pending.push(handles),
            // It does not fit into a message.
            Err(_) => self.run.failed += 1,
        }
    }

    /// Notes what became of a message, and of its request.
    fn end(&mut self, handle: RequestHandle, is_answered: bool) {
        let mut pending = self.pending.iter();
        let Some(at) = pending.position(|request| request.contains(&handle)) else {
            return;
        };
        let Some(request) = self.pending.get_mut(at) else {
            return;
        };
        request.retain(|other| *other != handle);
        if !is_answered {
            for other in self.pending.swap_remove(at) {
                self.generator.cancel(other);
            }
            self.run.failed += 1;
        } else if request.is_empty() {
            self.pending.swap_remove(at);
            self.run.answered.push(Duration::from_nanos(self.now));
        }
    }

    /// Does the next thing; `false` if there is none.
    fn go_on(&mut self) -> bool {
        let now = Instant::from_nanos(self.now);
        match self.generator.poll_output(now, &mut self.buffer) {
            GeneratorOutput::Transmit(message) => {
                let message = message.to_vec();
                self.send(true, message);
            }
            GeneratorOutput::Event(GeneratorEvent::Response(response)) => {
                self.end(response.handle, true);
            }
            GeneratorOutput::Event(GeneratorEvent::Failed(failure)) => {
                self.end(failure.handle, false);
            }
            GeneratorOutput::WaitUntil(until) => self.advance(until.as_nanos()),
            GeneratorOutput::Idle => return false,
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
                self.send(false, response);
            }
        } else {
            let now = Instant::from_nanos(self.now);
            // What is not used, such as a second copy, is counted by the generator.
            let _ = self.generator.handle_message(now, &datagram.message);
        }
    }

    fn send(&mut self, to_agent: bool, message: Vec<u8>) {
        let channel = if to_agent {
            &mut self.forward
        } else {
            &mut self.backward
        };
        let mut rest = message.len() + UDP_HEADER;
        let mut fragments = Vec::new();
        while rest > 0 {
            let octets = rest.min(FRAGMENT);
            fragments.push(channel.offer(self.now, octets + IP_HEADER));
            rest -= octets;
        }
        // It is complete with its last fragment; a second copy of a fragment completes no second message.
        let is_twice = matches!(fragments[..], [Fate::ArrivesTwice(_)]);
        let due = fragments
            .into_iter()
            .try_fold(0, |latest, fate| match fate {
                Fate::Lost(_) => None,
                Fate::Arrives(due) | Fate::ArrivesTwice(due) => Some(due.max(latest)),
            });
        let Some(due) = due else {
            return;
        };
        for message in std::iter::repeat_n(message, 1 + usize::from(is_twice)) {
            self.on_the_way.push(Reverse(Datagram {
                due,
                number: self.datagrams,
                to_agent,
                message,
            }));
            self.datagrams += 1;
        }
    }
}

/// The response of an agent that has sysContact.0 alone.
fn respond(message: &[u8]) -> Option<Vec<u8>> {
    let request = CommunityMessage::decode(message).ok()?;
    let Pdu::Common(pdu) = request.pdu else {
        return None;
    };
    let mut buffer = vec![0; UDP_PAYLOAD];
    let headroom = CommunityMessage::HEADROOM + request.community.len();
    let mut writer = Writer::new(&mut buffer, headroom).ok()?;
    for _ in pdu.var_binds {
        let value = ValueRef::OctetString(CONTACT);
        writer.append_var_bind(&SYS_CONTACT, value).ok()?;
    }
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
            instances: 1,
            messages: 1,
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

    /// 250 instances are a request of three fragments and a response of four, of which each is lost as a packet is.
    #[test]
    fn a_message_of_fragments_is_lost_with_any_of_them() {
        const REQUESTS: u32 = 300;
        let timeout = Duration::from_millis(50);
        let policy = RetryPolicy::Fixed {
            timeout,
            retries: 1000,
        };
        let of = |messages, seed| {
            let twin = Twin {
                requests: REQUESTS,
                instances: 250,
                messages,
                ..twin(0.189, policy, seed)
            };
            twin.run()
        };
        let one_way: f64 = (1.0 - 0.189_f64).sqrt();
        let expected = one_way.powi(7).recip();
        let attempts: u64 = (1..=4).map(|seed| of(1, seed).attempts).sum();
        let attempts = attempts as f64 / f64::from(4 * REQUESTS);
        assert!(
            (attempts / expected - 1.0).abs() < 0.06,
            "{attempts}, not {expected}"
        );
        // In messages of one packet, only what was lost is sent again.
        let run = of(4, 1);
        assert_eq!(run.answered.len(), REQUESTS as usize);
        let attempts = run.attempts as f64 / f64::from(4 * REQUESTS);
        let expected = one_way.powi(2).recip();
        assert!(
            (attempts / expected - 1.0).abs() < 0.06,
            "{attempts}, not {expected}"
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
