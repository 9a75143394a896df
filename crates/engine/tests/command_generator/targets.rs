//! A thousand targets on one socket, in virtual time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use varbind_codec::smi::{Oid, Value};
use varbind_engine::applications::command_generator::{
    AdmissionLimits, Command, CommandGenerator, FailureReason, GeneratorEvent, RequestHandle,
    RetryPolicy, Route, TargetKey, TargetOutput, Targets,
};
use varbind_engine::clock::Instant;

use varbind_testkit::oid;
use varbind_testkit::simulator::{Link, Request, SimulatedAgent, StandardAgent};

use super::generator;

const NAME: &str = "1.3.6.1.4.1.8072.9999.1.0";

/// An agent that answers with its own number, and the links to it and back.
struct Host {
    number: u32,
    is_dead: bool,
    agent: StandardAgent,
    to_agent: Link,
    to_manager: Link,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Agent,
    Manager,
}

type Delivery = (Instant, u64, Place, SocketAddr, Vec<u8>);

/// What became of a request, and how often that was told.
#[derive(Debug, Default)]
struct Ends {
    answers: u32,
    failures: u32,
    ended_at: Instant,
}

struct Network {
    now: Instant,
    targets: Targets<u32>,
    hosts: HashMap<SocketAddr, Host>,
    arrivals: BinaryHeap<Reverse<Delivery>>,
    sequence: u64,
    ends: HashMap<(TargetKey, RequestHandle), Ends>,
    most_in_flight: usize,
    sent: Vec<Instant>,
    /// Every answer is followed by forged ones.
    is_attacked: bool,
    /// What arrives within this time is handled before anything is sent.
    batched: Duration,
}

fn address(number: u32) -> SocketAddr {
    let [_, b, c, d] = number.to_be_bytes();
    SocketAddr::from(([127, b + 1, c, d], 161))
}

fn host(number: u32, loss: f64) -> Host {
    let mut link = Link::new(Duration::from_millis(2), u64::from(number));
    link.loss = loss;
    link.duplication = 0.1;
    link.jitter = Duration::from_millis(5);
    Host {
        number,
        is_dead: false,
        agent: StandardAgent::new(BTreeMap::from([(oid(NAME), Value::Gauge32(number))])),
        to_agent: link.direction(0),
        to_manager: link.direction(1),
    }
}

impl Network {
    fn new(hosts: impl IntoIterator<Item = Host>, limits: AdmissionLimits) -> Self {
        Self {
            now: Instant::ORIGIN,
            targets: Targets::new(limits),
            hosts: hosts
                .into_iter()
                .map(|host| (address(host.number), host))
                .collect(),
            arrivals: BinaryHeap::new(),
            sequence: 0,
            ends: HashMap::new(),
            most_in_flight: 0,
            sent: Vec::new(),
            is_attacked: false,
            batched: Duration::ZERO,
        }
    }

    fn insert(&mut self, number: u32) -> TargetKey {
        let generator = generator(RetryPolicy::default(), 8, u64::from(number) + 1);
        let route = Route::Datagram(address(number));
        self.targets.insert(generator, route, number)
    }

    fn get(&mut self, key: TargetKey) -> RequestHandle {
        let names: [Oid; 1] = [oid(NAME)];
        let send = |generator: &mut CommandGenerator, _: &mut u32| {
            generator.send(Command::Get(&names)).expect("short")
        };
        let handle = self.targets.change(key, send).expect("a target");
        self.ends.insert((key, handle), Ends::default());
        handle
    }

    fn arrive(&mut self, at: Instant, place: Place, address: SocketAddr, message: Vec<u8>) {
        self.sequence += 1;
        let arrival = (at, self.sequence, place, address, message);
        self.arrivals.push(Reverse(arrival));
    }

    fn transmit(&mut self, address: SocketAddr, message: &[u8]) {
        self.sent.push(self.now);
        let host = self.hosts.get_mut(&address).expect("a host");
        for at in host.to_agent.carry(self.now, message.len()) {
            self.arrive(at, Place::Agent, address, message.to_vec());
        }
    }

    fn respond(&mut self, address: SocketAddr, message: &[u8]) {
        let host = self.hosts.get_mut(&address).expect("a host");
        if host.is_dead {
            return;
        }
        let mut arrivals = Vec::new();
        for (_, answer) in host.agent.respond(self.now, message) {
            for at in host.to_manager.carry(self.now, answer.len()) {
                arrivals.push((at, answer.clone()));
            }
        }
        for (at, answer) in arrivals {
            if self.is_attacked {
                let forged = forged_answer(message);
                let other = self.hosts.keys().find(|other| **other != address);
                let stranger = SocketAddr::from(([192, 0, 2, 1], 161));
                let other = other.copied().unwrap_or(stranger);
                self.arrive(self.now, Place::Manager, other, forged.clone());
                self.arrive(self.now, Place::Manager, stranger, forged);
            }
            self.arrive(at, Place::Manager, address, answer);
        }
    }

    fn end(&mut self, key: TargetKey, event: &GeneratorEvent) {
        let (_, &number) = self.targets.get(key).expect("a target");
        let ends = self.ends.get_mut(&(key, event.handle())).expect("asked");
        ends.ended_at = self.now;
        match event {
            GeneratorEvent::Response(response) => {
                ends.answers += 1;
                assert_eq!(response.var_binds[0].value, Value::Gauge32(number));
            }
            GeneratorEvent::Failed(failure) => {
                ends.failures += 1;
                assert_eq!(failure.reason, FailureReason::NoAnswer);
            }
        }
    }

    /// Runs until nothing is left to do.
    fn run(&mut self, mut on_end: impl FnMut(&mut Self, TargetKey)) {
        let mut buffer = vec![0; 65_536];
        loop {
            let until = match self.targets.poll(self.now, &mut buffer) {
                TargetOutput::Transmit(_, Route::Datagram(address), message) => {
                    let message = message.to_vec();
                    self.transmit(address, &message);
                    self.most_in_flight = self.most_in_flight.max(self.targets.in_flight());
                    continue;
                }
                TargetOutput::Transmit(..) => panic!("there are no sessions"),
                TargetOutput::Event(key, event) => {
                    self.end(key, &event);
                    on_end(self, key);
                    continue;
                }
                TargetOutput::WaitUntil(until) => Some(until),
                TargetOutput::Idle => None,
            };
            let next = self.arrivals.peek().map(|Reverse((at, ..))| *at);
            match (next, until) {
                (None, None) => return,
                (Some(at), until) if until.is_none_or(|until| at <= until) => self.deliver(),
                (_, Some(until)) => {
                    assert!(until > self.now, "time goes on");
                    self.now = until;
                }
                (Some(_), None) => {}
            }
        }
    }

    /// Delivers what comes next, and what comes together with it.
    fn deliver(&mut self) {
        let next = self.arrivals.peek().map(|Reverse((at, ..))| *at);
        let Some(end) = next.map(|at| at + self.batched) else {
            return;
        };
        while let Some(Reverse((at, ..))) = self.arrivals.peek()
            && *at <= end
            && let Some(Reverse(arrival)) = self.arrivals.pop()
        {
            self.deliver_one(arrival);
        }
    }

    fn deliver_one(&mut self, (at, _, place, address, message): Delivery) {
        self.now = self.now.max(at);
        match place {
            Place::Agent => self.respond(address, &message),
            Place::Manager => {
                let _ = self.targets.handle_datagram(self.now, address, &message);
            }
        }
    }
}

/// An answer to a request, with a value that no host has.
fn forged_answer(request: &[u8]) -> Vec<u8> {
    let forged = BTreeMap::from([(oid(NAME), Value::Gauge32(u32::MAX))]);
    StandardAgent::new(forged).answer(&Request::decode(request))
}

#[test]
fn each_of_a_thousand_targets_gets_its_own_answers_once() {
    const TARGETS: u32 = 1000;
    const REQUESTS: u32 = 10;
    let hosts = (0..TARGETS).map(|number| host(number, 0.2));
    let mut network = Network::new(hosts, AdmissionLimits::default());
    network.is_attacked = true;
    let keys: Vec<TargetKey> = (0..TARGETS).map(|number| network.insert(number)).collect();
    for key in keys.iter().cycle().take((TARGETS * REQUESTS) as usize) {
        network.get(*key);
    }
    network.run(|_, _| {});
    assert_eq!(network.ends.len(), (TARGETS * REQUESTS) as usize);
    for (request, ends) in &network.ends {
        assert_eq!((ends.answers, ends.failures), (1, 0), "{request:?}");
    }
    assert_eq!(network.targets.in_flight(), 0);
    let statistics = network.targets.statistics();
    assert!(statistics.unknown_sources > 10_000, "{statistics:?}");
}

#[test]
fn requests_that_are_cancelled_end_without_an_event() {
    let hosts = (0..100).map(|number| host(number, 0.3));
    let mut network = Network::new(hosts, AdmissionLimits::default());
    let keys: Vec<TargetKey> = (0..100).map(|number| network.insert(number)).collect();
    let mut cancelled = Vec::new();
    for key in &keys {
        let handles: Vec<RequestHandle> = (0..6).map(|_| network.get(*key)).collect();
        cancelled.push((*key, handles[1]));
        network.targets.change(*key, |generator, _| {
            assert!(generator.cancel(handles[1]));
        });
    }
    // Others are cancelled in flight, when the first of their target ends.
    let mut is_first = HashMap::<TargetKey, bool>::new();
    network.run(|network, key| {
        if is_first.insert(key, true).is_some() {
            return;
        }
        let open = network
            .ends
            .iter()
            .filter(|((target, _), ends)| *target == key && ends.answers + ends.failures == 0);
        let open = open.map(|((_, handle), _)| *handle).max();
        let cancel = |generator: &mut CommandGenerator, _: &mut u32| {
            open.filter(|handle| generator.cancel(*handle))
        };
        if let Some(Some(handle)) = network.targets.change(key, cancel) {
            cancelled.push((key, handle));
        }
    });
    assert!(cancelled.len() >= 190, "{}", cancelled.len());
    for (request, ends) in &network.ends {
        let expected = u32::from(!cancelled.contains(request));
        assert_eq!(ends.answers, expected, "{request:?}");
    }
    assert_eq!(network.targets.in_flight(), 0);
}

#[test]
fn dead_targets_do_not_delay_others() {
    let elapsed = |dead: u32| {
        let hosts = (0..1000).map(|number| Host {
            is_dead: number < dead,
            ..host(number, 0.0)
        });
        let mut network = Network::new(hosts, AdmissionLimits::default());
        for number in 0..1000 {
            let key = network.insert(number);
            network.get(key);
        }
        network.run(|_, _| {});
        let answered = network.ends.values().filter(|ends| ends.answers == 1);
        assert_eq!(answered.clone().count(), 1000 - dead as usize);
        answered.map(|ends| ends.ended_at).max()
    };
    assert_eq!(elapsed(100), elapsed(0));
}

#[test]
fn targets_with_one_address_are_distinguished_by_the_request_id() {
    let mut network = Network::new([host(7, 0.1)], AdmissionLimits::default());
    let keys: Vec<TargetKey> = (0..20)
        .map(|seed| {
            let generator = generator(RetryPolicy::default(), 8, seed);
            let route = Route::Datagram(address(7));
            network.targets.insert(generator, route, 7)
        })
        .collect();
    for key in &keys {
        for _ in 0..5 {
            network.get(*key);
        }
    }
    network.run(|_, _| {});
    assert!(network.ends.values().all(|ends| ends.answers == 1));
    // Removed from the middle, the ends and alone.
    for at in [10, 0, 19, 5] {
        network.targets.remove(keys[at]).expect("a target");
        assert!(network.targets.get(keys[at]).is_none());
    }
    for (at, key) in keys.iter().enumerate() {
        if ![10, 0, 19, 5].contains(&at) {
            network.get(*key);
        }
    }
    network.run(|_, _| {});
    assert!(network.ends.values().all(|ends| ends.answers == 1));
}

#[test]
fn no_more_requests_are_in_flight_than_allowed() {
    let limits = AdmissionLimits {
        max_in_flight: 50,
        ..AdmissionLimits::default()
    };
    let mut network = Network::new((0..300).map(|number| host(number, 0.1)), limits);
    for number in 0..300 {
        let key = network.insert(number);
        for _ in 0..4 {
            network.get(key);
        }
    }
    network.run(|_, _| {});
    assert!(network.ends.values().all(|ends| ends.answers == 1));
    assert_eq!(network.most_in_flight, 50);
}

#[test]
fn waiting_requests_keep_their_order() {
    for max_in_flight in [1, 7, 50] {
        let limits = AdmissionLimits {
            max_in_flight,
            ..AdmissionLimits::default()
        };
        let mut network = Network::new((0..100).map(|number| host(number, 0.1)), limits);
        network.batched = Duration::from_millis(3);
        let mut left = HashMap::new();
        for number in 0..100 {
            let key = network.insert(number);
            left.insert(key, 10);
            network.get(key);
            network.get(key);
        }
        // Whoever has an answer asks at once again.
        network.run(|network, key| {
            let left = left.get_mut(&key).expect("a target");
            if *left > 0 {
                *left -= 1;
                network.get(key);
            }
        });
        assert_eq!(network.ends.len(), 1200);
        for (request, ends) in &network.ends {
            assert_eq!((ends.answers, ends.failures), (1, 0), "{request:?}");
        }
        assert_eq!(network.most_in_flight, max_in_flight);
    }
}

#[test]
fn no_more_messages_are_sent_in_a_second_than_allowed() {
    let limits = AdmissionLimits {
        messages_per_second: NonZeroU32::new(1000),
        ..AdmissionLimits::default()
    };
    let mut network = Network::new((0..300).map(|number| host(number, 0.0)), limits);
    for number in 0..300 {
        let key = network.insert(number);
        for _ in 0..10 {
            network.get(key);
        }
    }
    network.run(|_, _| {});
    assert!(network.ends.values().all(|ends| ends.answers == 1));
    let seconds = (network.now - Instant::ORIGIN).as_secs_f64();
    assert!((2.9..3.2).contains(&seconds), "{seconds}");
    for (at, later) in network.sent.iter().zip(network.sent.iter().skip(100)) {
        assert!(*later - *at >= Duration::from_millis(85), "{at} {later}");
    }
}

#[test]
fn a_removed_target_leaves_nothing_behind() {
    let mut network = Network::new((0..10).map(|number| host(number, 0.0)), {
        AdmissionLimits {
            max_in_flight: 4,
            ..AdmissionLimits::default()
        }
    });
    let keys: Vec<TargetKey> = (0..10).map(|number| network.insert(number)).collect();
    for key in &keys {
        network.get(*key);
    }
    let mut buffer = vec![0; 65_536];
    for _ in 0..4 {
        let output = network.targets.poll(Instant::ORIGIN, &mut buffer);
        assert!(matches!(output, TargetOutput::Transmit(..)), "{output:?}");
    }
    assert_eq!(network.targets.in_flight(), 4);
    for key in keys {
        assert!(network.targets.remove(key).is_some());
        assert!(network.targets.remove(key).is_none());
    }
    assert_eq!(network.targets.in_flight(), 0);
    assert!(network.targets.is_empty());
    let again = network.insert(3);
    network.ends.clear();
    network.get(again);
    network.run(|_, _| {});
    assert!(network.ends.values().all(|ends| ends.answers == 1));
}
