//! The notification originator, and a receiver behind a network, in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::time::Duration;

use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{GenericTrap, Pdu, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    FailureReason, MessageProcessing, RetryPolicy, SendError, TransportFailure,
};
use varbind_engine::applications::notification::{
    NoTrapV1, Notification, NotificationFilter, TrapV1Parameters,
};
use varbind_engine::applications::notification_originator::{
    NotSent, NotificationOriginator, OriginatorConfiguration, OriginatorEvent, OriginatorOutput,
    OriginatorStatistics,
};
use varbind_engine::applications::notification_receiver::{
    NotificationReceiver, ReceiverLoss, ReceiverOutcome, Wanted,
};
use varbind_engine::clock::Instant;
use varbind_engine::transport::{Received, ResponseLimits, WaitHandling};
use varbind_testkit::oid;
use varbind_testkit::simulator::Link;
use varbind_testkit::view::family;

use crate::message::{LINK_DOWN, PUBLIC, decode, link_down};
use crate::receiver::receiver;

fn processing_v2c() -> MessageProcessing {
    MessageProcessing::V2c {
        community: PUBLIC.to_vec(),
    }
}

fn processing_v1() -> MessageProcessing {
    MessageProcessing::V1 {
        community: PUBLIC.to_vec(),
    }
}

/// linkDown with another time for each number.
fn numbered(number: u32) -> Notification {
    let mut var_binds = link_down();
    var_binds.drain(..2);
    Notification::new(number, oid(LINK_DOWN), var_binds)
}

#[track_caller]
fn transmitted(originator: &mut NotificationOriginator) -> Vec<u8> {
    let mut buffer = vec![0; originator.configuration().max_message_size];
    match originator.poll_output(Instant::ORIGIN, &mut buffer) {
        OriginatorOutput::Transmit(message) => message.to_vec(),
        other => panic!("nothing to transmit: {other:?}"),
    }
}

/// RFC 3416 section 4.2.6
#[test]
fn a_trap_of_v2c_begins_with_time_and_name() {
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::trap(processing_v2c(), 1));
    originator.send(&numbered(4711)).unwrap();
    let message = decode(&transmitted(&mut originator));
    assert_eq!(message.pdu_type, PduType::TrapV2);
    assert_eq!(message.community, PUBLIC);
    assert_eq!(message.bindings, link_down());
    let mut buffer = [0; 1472];
    let output = originator.poll_output(Instant::ORIGIN, &mut buffer);
    assert!(matches!(output, OriginatorOutput::Idle), "{output:?}");
    assert_eq!(originator.statistics().traps_sent, 1);
}

/// RFC 3584 section 3.2
#[test]
fn a_trap_of_v1_has_the_address_of_its_agent() {
    let mut originator = NotificationOriginator::new(OriginatorConfiguration {
        agent_address: [192, 0, 2, 33],
        ..OriginatorConfiguration::trap(processing_v1(), 1)
    });
    originator.send(&numbered(4711)).unwrap();
    let message = transmitted(&mut originator);
    let message = CommunityMessage::decode(&message).unwrap();
    assert_eq!(message.version, Version::V1);
    let Pdu::TrapV1(pdu) = message.pdu else {
        panic!("no Trap-PDU");
    };
    let expected = TrapV1Parameters {
        enterprise: oid("1.3.6.1.6.3.1.1.5"),
        agent_address: [192, 0, 2, 33],
        generic_trap: GenericTrap::LinkDown,
        specific_trap: 0,
        time_stamp: 4711,
    };
    assert_eq!(TrapV1Parameters::from(&pdu), expected);
    assert_eq!(pdu.var_binds.count(), 1);
}

/// What does not follow from the notification is sent as it was chosen; other versions get what it is for them.
#[test]
fn the_parameters_of_a_trap_of_v1_can_be_chosen() {
    let chosen = TrapV1Parameters {
        enterprise: oid("1.3.6.1.4.1.32473"),
        agent_address: [198, 51, 100, 7],
        generic_trap: GenericTrap::WarmStart,
        specific_trap: 99,
        time_stamp: 1,
    };
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::trap(processing_v1(), 1));
    originator.send_trap_v1(&chosen, Vec::new()).unwrap();
    let message = transmitted(&mut originator);
    let Pdu::TrapV1(pdu) = CommunityMessage::decode(&message).unwrap().pdu else {
        panic!("no Trap-PDU");
    };
    assert_eq!(TrapV1Parameters::from(&pdu), chosen);
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::trap(processing_v2c(), 1));
    originator.send_trap_v1(&chosen, Vec::new()).unwrap();
    let message = decode(&transmitted(&mut originator));
    assert_eq!(message.bindings.len(), 4);
    assert_eq!(
        message.bindings[1].value,
        Value::from(&oid("1.3.6.1.6.3.1.1.5.2"))
    );
}

/// RFC 3584 section 3.2 (6)
#[test]
fn a_counter64_is_not_sent_in_v1() {
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::trap(processing_v1(), 1));
    let mut notification = numbered(1);
    let octets = VarBind::new(oid("1.3.6.1.2.1.31.1.1.1.6.7"), Value::Counter64(1));
    notification.var_binds.push(octets);
    let error = originator.send(&notification).unwrap_err();
    assert_eq!(error, NotSent::NoTrapV1(NoTrapV1::Counter64));
    assert_eq!(originator.statistics().not_encodable, 1);
    assert_eq!(originator.waiting(), 0);
}

#[test]
fn v1_has_no_inform() {
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::inform(processing_v1(), 1));
    let error = originator.send(&numbered(1)).unwrap_err();
    assert_eq!(error, NotSent::Message(SendError::NoInformInV1));
}

#[test]
fn notifications_above_the_largest_message_are_not_sent() {
    let mut notification = numbered(1);
    let text = Value::OctetString(vec![b'x'; 1500]);
    notification
        .var_binds
        .push(VarBind::new(oid("1.3.6.1.2.1.1.1.0"), text));
    for configuration in [
        OriginatorConfiguration::trap(processing_v1(), 1),
        OriginatorConfiguration::trap(processing_v2c(), 1),
        OriginatorConfiguration::inform(processing_v2c(), 1),
    ] {
        let mut originator = NotificationOriginator::new(configuration);
        let error = originator.send(&notification).unwrap_err();
        let is_too_large = matches!(error, NotSent::Message(SendError::TooLarge { .. }));
        assert!(is_too_large, "{error:?}");
    }
}

#[test]
fn notifications_excluded_by_the_target_are_not_sent() {
    let mut originator = NotificationOriginator::new(OriginatorConfiguration {
        filter: NotificationFilter::new(vec![family("1.3.6.1.4.1", "", true)]),
        ..OriginatorConfiguration::trap(processing_v2c(), 1)
    });
    assert_eq!(originator.send(&numbered(1)), Err(NotSent::Filtered));
    assert_eq!(originator.statistics().filtered, 1);
}

#[test]
fn more_than_may_wait_are_dropped_and_counted() {
    for configuration in [
        OriginatorConfiguration::trap(processing_v2c(), 1),
        OriginatorConfiguration::inform(processing_v2c(), 1),
    ] {
        let mut originator = NotificationOriginator::new(OriginatorConfiguration {
            max_waiting: 10,
            ..configuration
        });
        let sent = (0..15).filter(|&number| originator.send(&numbered(number)).is_ok());
        assert_eq!(sent.count(), 10);
        assert_eq!(originator.statistics().dropped, 5);
        assert_eq!(originator.waiting(), 10);
    }
}

fn failure(kind: io::ErrorKind) -> TransportFailure {
    TransportFailure::new(io::Error::from(kind))
}

#[test]
fn a_trap_that_the_transport_does_not_take_is_not_counted_as_sent() {
    let mut originator =
        NotificationOriginator::new(OriginatorConfiguration::trap(processing_v2c(), 1));
    originator.send(&numbered(1)).unwrap();
    originator.send(&numbered(2)).unwrap();
    transmitted(&mut originator);
    originator.handle_unsent(Instant::ORIGIN, failure(io::ErrorKind::NetworkUnreachable));
    transmitted(&mut originator);
    let statistics = originator.statistics();
    assert_eq!(
        (statistics.traps_sent, statistics.transport_failures),
        (1, 1)
    );
}

/// What arrives when, in the order of sending, and whether at the receiver.
type Arrival = Reverse<(Instant, u64, bool, Vec<u8>)>;

/// An originator and a receiver behind a network.
struct Simulation {
    now: Instant,
    originator: NotificationOriginator,
    receiver: NotificationReceiver,
    links: [Link; 2],
    arrivals: BinaryHeap<Arrival>,
    sequence: u64,
    /// The receiver is away until then.
    away_until: Instant,
    delivered: Vec<u32>,
    events: Vec<OriginatorEvent>,
}

impl Simulation {
    fn new(configuration: OriginatorConfiguration, link: &Link) -> Self {
        Self {
            now: Instant::ORIGIN,
            originator: NotificationOriginator::new(configuration),
            receiver: receiver(Wanted::default()),
            links: [link.direction(0), link.direction(1)],
            arrivals: BinaryHeap::new(),
            sequence: 0,
            away_until: Instant::ORIGIN,
            delivered: Vec::new(),
            events: Vec::new(),
        }
    }

    fn carry(&mut self, to_receiver: bool, message: &[u8]) {
        let link = &mut self.links[usize::from(to_receiver)];
        for at in link.carry(self.now, message.len()) {
            self.sequence += 1;
            let arrival = (at, self.sequence, to_receiver, message.to_vec());
            self.arrivals.push(Reverse(arrival));
        }
    }

    /// Runs until nothing happens any more.
    fn run(&mut self) {
        let mut buffer = vec![0; 65_536];
        loop {
            let until = match self.originator.poll_output(self.now, &mut buffer) {
                OriginatorOutput::Transmit(message) => {
                    let message = message.to_vec();
                    self.carry(true, &message);
                    continue;
                }
                OriginatorOutput::Event(event) => {
                    self.events.push(event);
                    continue;
                }
                OriginatorOutput::WaitUntil(until) => Some(until),
                OriginatorOutput::Idle => None,
            };
            let next = self.arrivals.peek().map(|Reverse((at, ..))| *at);
            match (next, until) {
                (None, None) => return,
                (Some(at), until) if until.is_none_or(|until| at <= until) => self.arrive(),
                (_, Some(until)) => self.now = until,
                (Some(_), None) => self.arrive(),
            }
        }
    }

    fn arrive(&mut self) {
        let Some(Reverse((at, _, to_receiver, message))) = self.arrivals.pop() else {
            return;
        };
        self.now = self.now.max(at);
        if !to_receiver {
            let _ = self.originator.handle_message(self.now, &message);
            return;
        }
        if self.now < self.away_until {
            return;
        }
        let limit = 65_507;
        let received = Received {
            now: self.now,
            remote: "192.0.2.33:40000".parse().expect("an address"),
            message: &message,
            limits: ResponseLimits {
                message: limit,
                bulk: limit,
            },
            waits: WaitHandling::Now,
            transport_state: None,
        };
        let mut buffer = vec![0; 70_000];
        let response = match self.receiver.handle_message(&received, &mut buffer) {
            ReceiverOutcome::Deliver(delivery) => {
                self.delivered.push(delivery.received.notification.up_time);
                self.receiver
                    .delivered(self.now, delivery.acknowledgement.as_ref());
                delivery.acknowledgement.map(|given| given.range)
            }
            ReceiverOutcome::Respond(range, _) => Some(range),
            ReceiverOutcome::Discarded(discard) => panic!("{discard}"),
        };
        if let Some(range) = response {
            self.carry(false, &buffer[range]);
        }
    }

    fn statistics(&self) -> &OriginatorStatistics {
        self.originator.statistics()
    }
}

/// Whatever a network does, each inform is delivered once, and its originator knows.
#[test]
fn informs_arrive_once_over_a_network_that_loses_doubles_and_reorders() {
    for seed in 0..20 {
        let mut link = Link::new(Duration::from_millis(15), seed);
        (link.loss, link.duplication) = (0.2, 0.1);
        link.jitter = Duration::from_millis(20);
        let mut simulation = Simulation::new(
            OriginatorConfiguration::inform(processing_v2c(), seed),
            &link,
        );
        for number in 0..200 {
            simulation.originator.send(&numbered(number)).unwrap();
        }
        simulation.run();
        let mut delivered = simulation.delivered.clone();
        delivered.sort_unstable();
        assert_eq!(delivered, (0..200).collect::<Vec<_>>(), "seed {seed}");
        let statistics = simulation.statistics();
        assert_eq!(statistics.acknowledged, 200, "seed {seed}");
        assert!(statistics.retries > 20, "{statistics:?}");
        assert!(
            simulation
                .receiver
                .statistics()
                .lost(ReceiverLoss::Duplicate)
                > 0
        );
    }
}

#[test]
fn an_inform_waits_for_a_receiver_that_is_away() {
    let link = Link::new(Duration::from_millis(1), 1);
    let mut simulation =
        Simulation::new(OriginatorConfiguration::inform(processing_v2c(), 1), &link);
    simulation.away_until = Instant::ORIGIN + Duration::from_secs(3);
    simulation.originator.send(&numbered(1)).unwrap();
    simulation.run();
    let [
        OriginatorEvent::Acknowledged {
            attempts, elapsed, ..
        },
    ] = &simulation.events[..]
    else {
        panic!("{:?}", simulation.events);
    };
    assert!(*attempts > 2 && *elapsed >= Duration::from_secs(3));
}

#[test]
fn an_unanswered_inform_fails_at_its_timeout() {
    let mut link = Link::new(Duration::from_millis(1), 1);
    link.loss = 1.0;
    let policy = RetryPolicy::Fixed {
        timeout: Duration::from_secs(1),
        retries: 2,
    };
    let configuration = OriginatorConfiguration {
        retry: policy,
        ..OriginatorConfiguration::inform(processing_v2c(), 1)
    };
    let mut simulation = Simulation::new(configuration, &link);
    let handle = simulation.originator.send(&numbered(1)).unwrap();
    simulation.run();
    let [
        OriginatorEvent::Failed {
            handle: of,
            failure,
        },
    ] = &simulation.events[..]
    else {
        panic!("{:?}", simulation.events);
    };
    assert_eq!((*of, &failure.reason), (handle, &FailureReason::NoAnswer));
    assert_eq!(failure.attempts, [0, 1, 2].map(Duration::from_secs));
    assert_eq!(simulation.now, Instant::ORIGIN + Duration::from_secs(3));
    let statistics = simulation.statistics();
    assert_eq!((statistics.unanswered, statistics.retries), (1, 2));
}

#[test]
fn what_a_reliable_transport_cannot_carry_fails_at_once() {
    let mut originator = NotificationOriginator::new(OriginatorConfiguration {
        reliable: true,
        ..OriginatorConfiguration::trap(processing_v2c(), 1)
    });
    for number in 0..3 {
        originator.send(&numbered(number)).unwrap();
    }
    transmitted(&mut originator);
    originator.handle_unsent(Instant::ORIGIN, failure(io::ErrorKind::UnexpectedEof));
    let statistics = *originator.statistics();
    assert_eq!(
        (statistics.traps_sent, statistics.transport_failures),
        (0, 3)
    );
    assert_eq!(originator.waiting(), 0);
}
