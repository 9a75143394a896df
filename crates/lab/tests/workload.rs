//! The laboratory measures what it should: agents of known behaviour.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod mock;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mock::{MockAgent, right_answer};
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::request::{Request, WalkStep};
use varbind_lab::security::Security;
use varbind_lab::session::{SecureAccess, Target};
use varbind_lab::workload::{Measured, Workload};

/// Longer than an answer takes on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where answers are missing: long enough for those that are not.
const TIMEOUT: Duration = Duration::from_millis(400);
const NOW: Duration = Duration::ZERO;

fn workload(address: SocketAddr, mode: Mode) -> Workload {
    Workload {
        target: Target {
            transport: TransportKind::Udp,
            address,
        },
        access: None,
        security: Security::Community {
            version: Version::V2c,
            community: b"public".to_vec(),
        },
        derives_per_session: false,
        request: Request::Get {
            names: vec!["1.3.6.1.2.1.1.1.0".parse().unwrap()],
        },
        sessions: 2,
        exchanges: 20,
        mode,
        timeout: PATIENCE,
        answered_by: PduType::Response,
        retries: 2,
        pause: Duration::ZERO,
    }
}

/// The same with an agent that leaves out answers.
fn workload_with_losses(address: SocketAddr, mode: Mode) -> Workload {
    Workload {
        timeout: TIMEOUT,
        ..workload(address, mode)
    }
}

fn every_mode() -> [Mode; 4] {
    [
        Mode::Closed,
        Mode::Window { size: 4 },
        Mode::Burst { size: 4 },
        Mode::Open { rate: 2000.0 },
    ]
}

fn p50(measured: &Measured) -> f64 {
    measured.steady_state.percentile(500).unwrap()
}

#[test]
fn a_known_latency_is_measured() {
    let agent =
        MockAgent::start(|_, request| vec![(Duration::from_millis(3), right_answer(request, 0))]);
    let measured = workload(agent.address, Mode::Closed).run().unwrap();
    assert!(
        (3_000.0..500_000.0).contains(&p50(&measured)),
        "{}",
        p50(&measured)
    );
    assert_eq!(measured.outcome.completed, 40);
    assert_eq!(measured.open.count(), 2);
    assert_eq!(measured.first_exchange.count(), 2);
    assert_eq!(measured.steady_state.count(), 38);
    assert_eq!(measured.close.count(), 2);
    assert!(measured.total >= Duration::from_millis(3) * measured.outcome.completed as u32);
}

#[test]
fn library_client_does_the_same_over_udp() {
    let agent = MockAgent::start(|_, request| vec![(NOW, right_answer(request, 0))]);
    let lean = workload(agent.address, Mode::Closed);
    let library = Workload {
        access: Some(SecureAccess::without_keys()),
        ..lean.clone()
    };
    let [lean, library] = [lean, library].map(|workload| workload.run().unwrap());
    assert_eq!(library.outcome, lean.outcome);
    assert_eq!(library.outcome.completed, 40);
    let octets = |measured: &Measured| measured.traffic.snmp_octets_received;
    assert_eq!(octets(&library), octets(&lean));
}

#[test]
fn messages_and_their_octets_are_counted() {
    let agent = MockAgent::start(|_, request| vec![(NOW, right_answer(request, 0))]);
    for mode in every_mode() {
        let traffic = workload(agent.address, mode).run().unwrap().traffic;
        assert_eq!(traffic.messages_sent, 40, "{mode}");
        assert_eq!(traffic.snmp_octets_sent, 40 * 43);
        assert_eq!(traffic.snmp_octets_received, 40 * 44);
        assert_eq!(traffic.messages_received, 40);
    }
}

#[test]
fn a_lost_answer_costs_a_retry_and_no_operation() {
    for mode in every_mode() {
        let agent = MockAgent::start(|number, request| {
            let lost = number % 10 == 5;
            if lost {
                Vec::new()
            } else {
                vec![(NOW, right_answer(request, 0))]
            }
        });
        let workload = workload_with_losses(agent.address, mode);
        let outcome = workload.run().unwrap().outcome;
        assert_eq!(outcome.completed, 40, "{mode}");
        assert_eq!(outcome.retries, 4, "{mode}");
        assert_eq!(outcome.requests, 44, "{mode}");
        assert_eq!(
            outcome.failed() + outcome.late_answers,
            0,
            "{mode}: {outcome:?}"
        );
    }
}

#[test]
fn a_late_answer_is_accepted() {
    // The fifth answer comes after a retry was sent, but before its answer.
    let agent = MockAgent::start(|number, request| {
        let delay = if number == 5 { TIMEOUT * 3 / 2 } else { NOW };
        vec![(delay, right_answer(request, 0))]
    });
    let workload = workload_with_losses(agent.address, Mode::Closed);
    let outcome = workload.run().unwrap().outcome;
    assert_eq!(outcome.completed, 40);
    assert_eq!(outcome.retries, 1);
    // The late one ended its operation; the answer to the retry came when nobody waited any more.
    assert_eq!(outcome.late_answers, 2, "{outcome:?}");
    assert_eq!(outcome.wrong_answers, 0);
}

#[test]
fn duplicates_are_counted_and_harm_nothing() {
    for mode in every_mode() {
        let agent = MockAgent::start(|_, request| {
            let answer = right_answer(request, 0);
            vec![(NOW, answer.clone()), (NOW, answer)]
        });
        let outcome = workload(agent.address, mode).run().unwrap().outcome;
        assert_eq!(outcome.completed, 40, "{mode}");
        // The duplicate of the last answer of each session may come after its end.
        assert!(
            (38..=40).contains(&outcome.duplicate_answers),
            "{mode}: {outcome:?}"
        );
        assert_eq!(outcome.failed(), 0, "{mode}");
    }
}

#[test]
fn wrong_answers_are_not_measured_as_right_ones() {
    let agent = MockAgent::start(|number, request| {
        let mut answer = right_answer(request, 0);
        if number % 4 == 0 {
            // The last sub-identifier of the name: another instance than was asked for.
            let at = answer.len() - 4;
            answer[at] = 9;
        }
        vec![(NOW, answer)]
    });
    let measured = workload(agent.address, Mode::Closed).run().unwrap();
    assert_eq!(measured.outcome.wrong_answers, 10);
    assert_eq!(measured.outcome.completed, 30);
}

#[test]
fn a_silent_agent_ends_the_session_and_not_the_patience() {
    let agent = MockAgent::start(|_, _| Vec::new());
    let workload = workload_with_losses(agent.address, Mode::Closed);
    let outcome = workload.run().unwrap().outcome;
    assert_eq!(outcome.completed, 0);
    assert_eq!(outcome.timeouts, 6);
    assert_eq!(outcome.broken_sessions, 2);
}

#[test]
fn a_refused_port_is_a_broken_session() {
    let address = MockAgent::start(|_, _| Vec::new()).address;
    let outcome = workload(address, Mode::Closed).run().unwrap().outcome;
    assert_eq!((outcome.completed, outcome.broken_sessions), (0, 2));
}

/// Coordinated omission: a stall of the agent touches one sample of a closed loop, but in an open loop all that should
/// have been answered meanwhile.
#[test]
fn an_open_loop_sees_the_whole_of_a_stall() {
    let slow = |mode| {
        let agent = MockAgent::start(|number, request| {
            let delay = if number == 100 {
                Duration::from_millis(100)
            } else {
                NOW
            };
            vec![(delay, right_answer(request, 0))]
        });
        let workload = Workload {
            sessions: 1,
            exchanges: 400,
            ..workload(agent.address, mode)
        };
        let measured = workload.run().unwrap();
        assert_eq!(measured.outcome.completed, 400);
        let above = |nanoseconds: &&u64| **nanoseconds > 40_000_000;
        measured.steady_state.kept().iter().filter(above).count()
    };
    let closed = slow(Mode::Closed);
    let open = slow(Mode::Open { rate: 1000.0 });
    assert!(closed >= 1 && open >= 45, "{closed}, {open}");
    assert!(open > 5 * closed, "{closed}, {open}");
}

#[test]
fn a_walk_ends_where_the_table_ends() {
    let agent = MockAgent::start(|_, request| vec![(NOW, right_answer(request, 50))]);
    let mut walk = workload(agent.address, Mode::Closed);
    walk.request = Request::Walk {
        root: "1.3.6.1.9".parse().unwrap(),
        step: WalkStep::GetNext,
    };
    (walk.sessions, walk.exchanges) = (2, 3);
    let measured = walk.run().unwrap();
    assert_eq!(measured.outcome.completed, 6);
    assert_eq!(measured.objects, 6 * 50);
    assert_eq!(measured.outcome.requests, 6 * 51);
}

#[test]
fn a_warm_up_walks_no_further_than_it_needs_to() {
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let agent = MockAgent::start(move |_, request| {
        count.fetch_add(1, Ordering::Relaxed);
        vec![(NOW, right_answer(request, 10_000))]
    });
    let mut walk = workload(agent.address, Mode::Closed);
    walk.request = Request::Walk {
        root: "1.3.6.1.9".parse().unwrap(),
        step: WalkStep::GetNext,
    };
    (walk.sessions, walk.exchanges) = (2, 1);
    walk.warm_up(2).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 100);
}

#[test]
fn a_walk_that_stands_still_is_a_wrong_answer() {
    let agent = MockAgent::start(|_, request| {
        let mut answer = right_answer(request, u32::MAX);
        // Whatever row was asked for, the answer is row 1: its sub-identifier stands before the value.
        let at = answer.len() - 4;
        answer[at] = 1;
        vec![(NOW, answer)]
    });
    let mut walk = workload(agent.address, Mode::Closed);
    walk.request = Request::Walk {
        root: "1.3.6.1.9".parse().unwrap(),
        step: WalkStep::GetNext,
    };
    (walk.sessions, walk.exchanges) = (1, 1);
    let outcome = walk.run().unwrap().outcome;
    assert_eq!(
        (outcome.completed, outcome.wrong_answers),
        (0, 1),
        "{outcome:?}"
    );
}

#[test]
fn messages_over_tcp_arrive_in_pieces_and_together() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 43];
            let mut answers = Vec::new();
            while stream.read_exact(&mut request).is_ok() {
                answers.extend(right_answer(&request, 0));
                // Four answers at a time, cut at a place that is not a boundary of messages.
                if answers.len() >= 4 * 44 {
                    let (first, second) = answers.split_at(50);
                    stream.write_all(first).unwrap();
                    std::thread::sleep(Duration::from_millis(2));
                    stream.write_all(second).unwrap();
                    answers.clear();
                }
            }
        }
    });
    let mut pipelined = workload(address, Mode::Window { size: 4 });
    pipelined.target.transport = TransportKind::Tcp;
    let measured = pipelined.run().unwrap();
    assert_eq!(measured.outcome.completed, 40);
    assert_eq!(measured.outcome.failed(), 0);
    server.join().unwrap();
}
