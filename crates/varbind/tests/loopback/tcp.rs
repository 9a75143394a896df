//! The agent over TCP.

use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::codec::message::Version;
use varbind::codec::pdu::ErrorStatus;
use varbind::transport::Transport;
use varbind_testkit::loopback::{
    DESCRIPTION, LARGE_TEXT_0, LARGE_TEXT_LENGTH, NAME_0, PATIENCE, SYS_DESCR_0, TABLE, TcpPeer,
    TestAgent, UdpPeer,
};
use varbind_testkit::message::Message;

const SOON: Duration = Duration::from_millis(200);

pub(crate) fn describes_itself(peer: &mut TcpPeer) {
    let response = peer.ask(&Message::get(77, SYS_DESCR_0));
    assert_eq!(response.text(), DESCRIPTION);
}

#[test]
fn both_versions_of_ip_and_of_snmp_are_answered() {
    let agent = TestAgent::new();
    for ip in ["127.0.0.1", "::1"] {
        let mut peer = TcpPeer::connect(agent.listen(Transport::Tcp, ip));
        for version in [Version::V1, Version::V2c] {
            let request = Message {
                version,
                ..Message::get(7, SYS_DESCR_0)
            };
            let response = peer.ask(&request);
            assert_eq!(response.version, version);
            assert_eq!(response.text(), DESCRIPTION);
        }
    }
}

#[test]
fn an_answer_may_be_larger_than_over_udp() {
    let agent = TestAgent::new();
    let mut peer = TcpPeer::connect(agent.tcp());
    let text = peer.ask(&Message::get(1, LARGE_TEXT_0)).text();
    assert_eq!(text, "x".repeat(LARGE_TEXT_LENGTH));
    peer.send(
        &Message::get_bulk(0, 10_000, &[TABLE])
            .with_request_id(2)
            .encode(),
    );
    let octets = peer.receive_octets().unwrap();
    assert!((15_000..=16_384).contains(&octets.len()));
    let bindings = Message::decode(&octets).bindings;
    assert_eq!(bindings, agent.objects(TABLE)[..bindings.len()]);
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let agent = TestAgent::new();
    let mut peer = TcpPeer::connect(agent.tcp());
    let ids = 1..=500;
    let requests: Vec<u8> = ids
        .clone()
        .flat_map(|id| {
            let row = format!("{TABLE}.1.6.{}", id % 50 + 1);
            let name = if id % 50 == 0 { LARGE_TEXT_0 } else { &row };
            Message::get(id, name).encode()
        })
        .collect();
    peer.send(&requests);
    for id in ids {
        let response = peer.receive();
        assert_eq!(response.request_id, id);
        assert_eq!(response.status(), ErrorStatus::NoError);
    }
}

#[test]
fn requests_may_arrive_octet_by_octet() {
    let agent = TestAgent::new();
    let mut peer = TcpPeer::connect(agent.tcp());
    let requests = [1, 2, 3].map(|id| Message::get(id, SYS_DESCR_0).encode());
    for octet in requests.concat() {
        peer.send(&[octet]);
    }
    for id in [1, 2, 3] {
        assert_eq!(peer.receive().request_id, id);
    }
}

#[test]
fn a_message_without_answer_does_not_end_the_session() {
    let agent = TestAgent::new();
    let mut peer = TcpPeer::connect(agent.tcp());
    let stranger = Message {
        community: b"stranger".to_vec(),
        ..Message::get(1, SYS_DESCR_0)
    };
    peer.send(&stranger.encode());
    peer.send(&[0x30, 3, 2, 1, 9]);
    describes_itself(&mut peer);
}

#[test]
fn a_silent_peer_is_disconnected() {
    let agent = TestAgent::with_limits(AgentLimits {
        // Long enough for a peer that has something to ask.
        tcp_idle: SOON * 10,
        tcp_message: PATIENCE * 2,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    TcpPeer::connect(address).assert_closed();
    let mut peer = TcpPeer::connect(address);
    describes_itself(&mut peer);
    peer.assert_closed();
}

#[test]
fn a_peer_that_stops_in_the_middle_of_a_message_is_disconnected() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_message: SOON,
        tcp_idle: PATIENCE * 2,
        ..AgentLimits::default()
    });
    let request = Message::get(1, SYS_DESCR_0).encode();
    for length in [1, 2, request.len() - 1] {
        let mut peer = TcpPeer::connect(agent.tcp());
        peer.send(&request);
        peer.send(&request[..length]);
        assert_eq!(peer.receive().request_id, 1);
        peer.assert_closed();
    }
}

#[test]
fn a_message_that_trickles_must_be_whole_in_time() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_message: SOON * 2,
        ..AgentLimits::default()
    });
    let mut peer = TcpPeer::connect(agent.tcp());
    // 60,000 octets, of which one comes now and then.
    peer.send(&[0x30, 0x82, 0xea, 0x60]);
    let start = Instant::now();
    peer.stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    loop {
        assert!(start.elapsed() < PATIENCE, "it is still connected");
        let is_sent = peer.stream.write_all(&[0]).is_ok();
        let mut buffer = [0];
        let read = std::io::Read::read(&mut peer.stream, &mut buffer);
        let waits = matches!(&read, Err(error) if error.kind() == ErrorKind::WouldBlock);
        if !is_sent || !waits {
            break;
        }
    }
}

/// Sends requests as long as there is room, and returns how many.
fn send_until_stuck(peer: &mut TcpPeer, requests: usize) -> usize {
    peer.stream.set_nonblocking(true).unwrap();
    let request = Message::get(5, LARGE_TEXT_0).encode();
    let mut sent = 0;
    let start = Instant::now();
    // Where nothing moves for a while, nothing will.
    let mut last_progress = start;
    while sent < requests * request.len() && last_progress.elapsed() < SOON {
        let rest = &request[sent % request.len()..];
        match peer.stream.write(rest) {
            Ok(length) => {
                sent += length;
                last_progress = Instant::now();
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
    peer.stream.set_nonblocking(false).unwrap();
    sent / request.len()
}

#[test]
fn a_peer_that_never_reads_does_not_affect_others() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_message: PATIENCE * 20,
        ..AgentLimits::default()
    });
    let (udp, tcp) = (agent.udp(), agent.tcp());
    let mut before = TcpPeer::connect(tcp);
    describes_itself(&mut before);
    let mut greedy = TcpPeer::connect(tcp);
    // 40 MB of answers: more than the buffers of both sockets take.
    let sent = send_until_stuck(&mut greedy, 10_000);
    let mut after = TcpPeer::connect(tcp);
    let datagrams = UdpPeer::new(udp);
    for id in 0..200 {
        describes_itself(&mut before);
        describes_itself(&mut after);
        assert_eq!(
            datagrams.ask(&Message::get(id, SYS_DESCR_0)).text(),
            DESCRIPTION
        );
    }
    // It was not disconnected, and gets all its answers when it reads.
    for _ in 0..sent {
        assert_eq!(greedy.receive().text().len(), LARGE_TEXT_LENGTH);
    }
}

#[test]
fn a_peer_that_does_not_take_its_answers_is_disconnected() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_message: SOON,
        ..AgentLimits::default()
    });
    let mut peer = TcpPeer::connect(agent.tcp());
    peer.stream.set_nonblocking(true).unwrap();
    let request = Message::get(5, LARGE_TEXT_0).encode();
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < PATIENCE, "it is still connected");
        match peer.stream.write(&request) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(_) => break,
        }
    }
}

#[test]
fn a_peer_that_sends_without_end_leaves_others_their_turn() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    let stream = TcpPeer::connect(address).stream;
    let mut reader = TcpPeer::of(stream.try_clone().unwrap());
    let mut writer = TcpPeer::of(stream);
    let reading = thread::spawn(move || {
        let mut answers = 0_u64;
        while reader.receive_octets().is_some() {
            answers += 1;
        }
        answers
    });
    let writing = thread::spawn(move || {
        let requests = Message::get(5, SYS_DESCR_0).encode().repeat(1000);
        while writer.stream.write_all(&requests).is_ok() {}
    });
    let mut peer = TcpPeer::connect(address);
    for _ in 0..300 {
        describes_itself(&mut peer);
    }
    drop(agent);
    writing.join().unwrap();
    assert!(reading.join().unwrap() > 0);
}

#[test]
fn a_peer_that_does_not_speak_snmp_is_disconnected_after_what_it_asked_before() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    let good = Message::get(1, SYS_DESCR_0).encode();
    for bad in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0xff; 5000]] {
        let mut peer = TcpPeer::connect(address);
        peer.send(&bad);
        peer.assert_closed();
        let mut peer = TcpPeer::connect(address);
        // Few octets, so that none is unread when the agent closes: that would reset the connection.
        peer.send(&[&good[..], &bad[..10]].concat());
        assert_eq!(peer.receive().text(), DESCRIPTION);
        peer.assert_closed();
    }
}

#[test]
fn a_peer_that_announces_too_much_is_disconnected() {
    let agent = TestAgent::with_limits(AgentLimits {
        message: 2000,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let headers: [&[u8]; 3] = [
        &[0x30, 0x82, 0x07, 0xcd],
        &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        &[0x30, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    for header in headers {
        let mut peer = TcpPeer::connect(address);
        peer.send(header);
        peer.assert_closed();
    }
    let mut request = Message::get(1, SYS_DESCR_0);
    while request.encode().len() < 1990 {
        request.bindings.push(request.bindings[0].clone());
    }
    let response = TcpPeer::connect(address).ask(&request);
    assert_eq!(response.status(), ErrorStatus::TooBig);
}

#[test]
fn what_was_asked_before_the_end_of_the_stream_is_answered() {
    let agent = TestAgent::new();
    let mut peer = TcpPeer::connect(agent.tcp());
    peer.send(
        &[1, 2, 3]
            .map(|id| Message::get(id, SYS_DESCR_0).encode())
            .concat(),
    );
    peer.stream.shutdown(Shutdown::Write).unwrap();
    for id in [1, 2, 3] {
        assert_eq!(peer.receive().request_id, id);
    }
    peer.assert_closed();
}

#[test]
fn a_set_that_takes_long_delays_no_other_session() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    let mut patient = TcpPeer::connect(address);
    let mut other = TcpPeer::connect(address);
    agent.memory.hold();
    // What was asked before is answered at once, what is asked behind in its order.
    patient.send(
        &[
            Message::get(1, SYS_DESCR_0).encode(),
            Message::set_text(2, NAME_0, "slow").encode(),
            Message::get(3, NAME_0).encode(),
        ]
        .concat(),
    );
    assert_eq!(patient.receive().request_id, 1);
    agent.memory.await_set();
    for _ in 0..100 {
        describes_itself(&mut other);
    }
    agent.memory.release();
    assert_eq!(patient.receive().request_id, 2);
    let last = patient.receive();
    assert_eq!((last.request_id, last.text()), (3, "slow".to_owned()));
}
