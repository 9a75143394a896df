use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use varbind::codec::message::Version;
use varbind::codec::pdu::{ErrorStatus, PduType};
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::FailureReason;
use varbind::manager::{ManagerError, ManagerOptions};
use varbind_testkit::loopback::{NAME_0, SYS_DESCR_0};
use varbind_testkit::message::Message;
use varbind_testkit::oid;

use super::{Datagrams, answer, assert_learns, attempts, failure_of, patient};

#[test]
fn of_a_silent_agent_is_reported_when_it_was_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let agent = Datagrams::new(move |_, _, _, number| count.store(number, Ordering::SeqCst));
    let mut manager = agent.manager(attempts(Duration::from_millis(200), 3));
    let (unanswered, text) = failure_of(&mut manager);
    assert_eq!(unanswered.failure.reason, FailureReason::NoAnswer);
    // Mostly 3; a manager that is not scheduled in time leaves out the last.
    let count = unanswered.failure.attempts.len();
    assert!((2..=3).contains(&count), "{text}");
    assert!(!unanswered.failure.may_be_applied);
    let address = agent.address;
    let beginning = format!("udp:{address}: no answer from {address} within ");
    assert!(text.starts_with(&beginning), "{text}");
    let attempts = format!(" s: {count} attempts, at 0 s 0.");
    assert!(text.contains(&attempts), "{text}");
    assert!(text.contains("does not accept the community"), "{text}");
    drop(agent);
    assert_eq!(asked.load(Ordering::SeqCst), count);
}

#[test]
fn an_unanswered_set_may_have_been_carried_out() {
    let agent = Datagrams::new(|_, _, _, _| {});
    let mut manager = agent.manager(attempts(Duration::from_millis(20), 2));
    let objects = [VarBind::new(oid(NAME_0), Value::Integer(1))];
    let Err(ManagerError::Unanswered(unanswered)) = manager.set(&objects) else {
        panic!("an answer of a silent agent");
    };
    assert!(unanswered.failure.may_be_applied);
    let text = unanswered.to_string();
    assert!(
        text.contains("may have carried out the Set all the same"),
        "{text}"
    );
}

#[test]
fn a_late_answer_is_accepted() {
    for options in [
        attempts(Duration::from_millis(30), 1000),
        ManagerOptions::v2c("public"),
    ] {
        let mut first = None;
        let agent = Datagrams::new(move |socket, request, from, number| match number {
            1 => first = Some(request),
            // The answer to the first attempt comes after the second was sent, and no other.
            2 => {
                let late = answer(first.as_ref().unwrap(), "late").encode();
                socket.send_to(&late, from).unwrap();
            }
            _ => {}
        });
        let mut manager = agent.manager(options);
        assert_learns(&mut manager, "late");
        let statistics = manager.generator().statistics();
        assert_eq!(statistics.responses_to_earlier_attempts, 1);
    }
}

#[test]
fn an_agent_that_answers_twice_is_heard_once() {
    let agent = Datagrams::new(|socket, request, from, number| {
        for _ in 0..2 {
            let octets = answer(&request, &number.to_string()).encode();
            socket.send_to(&octets, from).unwrap();
        }
    });
    let mut manager = agent.manager(patient());
    for number in 1..50 {
        assert_learns(&mut manager, &number.to_string());
    }
    assert!(manager.generator().statistics().duplicates >= 48);
}

/// An agent that sends something else before it answers.
#[track_caller]
fn assert_ignored(
    before: impl Fn(&Message) -> Vec<u8> + Send + 'static,
    count: impl Fn(&varbind::engine::applications::command_generator::GeneratorStatistics) -> u64,
) {
    let agent = Datagrams::new(move |socket, request, from, _| {
        socket.send_to(&before(&request), from).unwrap();
        let octets = answer(&request, "right").encode();
        socket.send_to(&octets, from).unwrap();
    });
    let mut manager = agent.manager(patient());
    for _ in 0..5 {
        assert_learns(&mut manager, "right");
    }
    assert_eq!(count(manager.generator().statistics()), 5);
}

#[test]
fn an_answer_with_a_wrong_request_id_is_ignored() {
    assert_ignored(
        |request| {
            let mut wrong = answer(request, "wrong");
            wrong.request_id = request.request_id.wrapping_add(1);
            wrong.encode()
        },
        |statistics| statistics.unknown_request_ids,
    );
}

#[test]
fn unexpected_datagrams_are_ignored() {
    assert_ignored(
        |request| {
            let mut wrong = answer(request, "wrong");
            wrong.version = Version::V1;
            wrong.encode()
        },
        |statistics| statistics.unexpected_messages,
    );
    assert_ignored(
        |request| {
            let mut wrong = answer(request, "wrong");
            wrong.pdu_type = PduType::GetRequest;
            wrong.encode()
        },
        |statistics| statistics.unexpected_messages,
    );
}

#[test]
fn garbage_is_ignored() {
    let garbage: [fn(&Message) -> Vec<u8>; 4] = [
        |_| Vec::new(),
        |_| vec![0xff; 60_000],
        |request| answer(request, "wrong").encode()[..20].to_vec(),
        |_| b"HTTP/1.1 400 Bad Request".to_vec(),
    ];
    for octets in garbage {
        assert_ignored(octets, |statistics| statistics.undecodable_messages);
    }
}

#[test]
fn an_answer_from_another_socket_is_ignored() {
    let forger = UdpSocket::bind("127.0.0.1:0").unwrap();
    let agent = Datagrams::new(move |socket, request, from, _| {
        let octets = answer(&request, "forged").encode();
        forger.send_to(&octets, from).unwrap();
        let octets = answer(&request, "right").encode();
        socket.send_to(&octets, from).unwrap();
    });
    let mut manager = agent.manager(patient());
    for _ in 0..5 {
        assert_learns(&mut manager, "right");
    }
}

#[test]
fn an_answer_may_be_larger_than_asked_for() {
    let text = "x".repeat(65_000);
    let expected = text.clone();
    let agent = Datagrams::new(move |socket, request, from, _| {
        let octets = answer(&request, &text).encode();
        socket.send_to(&octets, from).unwrap();
    });
    assert_learns(&mut agent.manager(patient()), &expected);
}

#[test]
fn an_error_status_is_an_answer() {
    let agent = Datagrams::new(|socket, request, from, _| {
        let mut error = request.response(request.bindings.clone());
        error.error_status = ErrorStatus::TooBig.code();
        error.error_index = -5;
        socket.send_to(&error.encode(), from).unwrap();
    });
    let response = agent.manager(patient()).get(&[oid(SYS_DESCR_0)]).unwrap();
    assert_eq!(response.error_status, ErrorStatus::TooBig);
    assert_eq!(response.error_index, 0);
}
