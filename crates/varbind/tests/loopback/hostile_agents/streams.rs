use std::io::Write;
use std::time::Duration;

use varbind::engine::applications::command_generator::FailureReason;
use varbind::transport::TransportError;
use varbind_testkit::loopback::SYS_DESCR_0;
use varbind_testkit::message::Message;

use super::{answer, assert_learns, attempts, failure_of, over_tcp, patient};

#[test]
fn answers_may_arrive_octet_by_octet() {
    let (mut manager, agent) = over_tcp(patient(), |mut peer| {
        for number in 0..3 {
            let request = peer.receive();
            for octet in answer(&request, &number.to_string()).encode() {
                peer.send(&[octet]);
            }
        }
    });
    for number in 0..3 {
        assert_learns(&mut manager, &number.to_string());
    }
    agent.join().unwrap();
}

#[test]
fn several_answers_may_arrive_at_once() {
    let (mut manager, agent) = over_tcp(patient(), |mut peer| {
        let request = peer.receive();
        let mut stray = answer(&request, "stray");
        stray.request_id ^= 1;
        // One behind the other, and the beginning of one that is never finished.
        let octets = [
            stray.encode(),
            answer(&request, "right").encode(),
            stray.encode(),
            stray.encode()[..10].to_vec(),
        ];
        peer.send(&octets.concat());
        let request = peer.receive();
        let octets = [
            stray.encode()[10..].to_vec(),
            answer(&request, "second").encode(),
        ];
        peer.send(&octets.concat());
    });
    assert_learns(&mut manager, "right");
    assert_learns(&mut manager, "second");
    assert_eq!(manager.generator().statistics().unknown_request_ids, 3);
    agent.join().unwrap();
}

#[test]
fn half_an_answer_and_the_end_is_a_closed_connection() {
    for length in [0, 1, 10] {
        let (mut manager, agent) = over_tcp(patient(), move |mut peer| {
            let request = peer.receive();
            peer.send(&answer(&request, "half").encode()[..length]);
        });
        let (unanswered, text) = failure_of(&mut manager);
        agent.join().unwrap();
        let error = TransportError::of(&unanswered.failure.reason);
        assert_eq!(error, Some(&TransportError::ConnectionClosed));
        assert!(
            text.ends_with(": the agent closed the connection"),
            "{text}"
        );
        // It would be opened anew, but nobody listens any more.
        let (_, text) = failure_of(&mut manager);
        assert!(text.contains("connection refused"), "{text}");
    }
}

#[test]
fn a_stream_that_is_not_snmp_is_reported() {
    let (mut manager, agent) = over_tcp(patient(), |mut peer| {
        peer.receive();
        let _ = peer.stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
    });
    let (unanswered, text) = failure_of(&mut manager);
    agent.join().unwrap();
    let expected = format!(
        "what {} sends is not SNMP: does another service listen there?",
        unanswered.remote
    );
    assert!(text.ends_with(&expected), "{text}");
}

#[test]
fn an_answer_above_the_largest_size_is_reported() {
    let (mut manager, agent) = over_tcp(patient(), |mut peer| {
        peer.receive();
        let _ = peer
            .stream
            .write_all(&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, 1]);
    });
    let (_, text) = failure_of(&mut manager);
    agent.join().unwrap();
    assert!(text.contains("exceeds the largest message"), "{text}");
}

#[test]
fn a_silent_agent_is_asked_once() {
    let (mut manager, agent) = over_tcp(attempts(Duration::from_millis(30), 3), |mut peer| {
        peer.receive();
        peer.assert_closed();
    });
    let (unanswered, text) = failure_of(&mut manager);
    assert_eq!(unanswered.failure.reason, FailureReason::NoAnswer);
    assert!(text.contains(": 1 attempt."), "{text}");
    drop(manager);
    agent.join().unwrap();
}

#[test]
fn an_answer_after_its_time_is_not_taken_for_another() {
    let (mut manager, agent) = over_tcp(attempts(Duration::from_millis(1500), 1), |mut peer| {
        let first = peer.receive();
        let second = peer.receive();
        peer.send(&answer(&first, "first").encode());
        peer.send(&answer(&second, "second").encode());
    });
    failure_of(&mut manager);
    assert_learns(&mut manager, "second");
    assert_eq!(manager.generator().statistics().late_answers, 1);
    agent.join().unwrap();
}

#[test]
fn requests_carry_what_the_manager_was_told() {
    let (mut manager, agent) = over_tcp(patient(), |mut peer| {
        let request = peer.receive();
        let expected = Message::get(request.request_id, SYS_DESCR_0);
        assert_eq!(request.encode(), expected.encode());
        peer.send(&answer(&request, "yes").encode());
    });
    assert_learns(&mut manager, "yes");
    agent.join().unwrap();
}
