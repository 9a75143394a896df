use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use varbind_testkit::peers::free_port;

use crate::own_agent::Agent;
use crate::program::run;
use crate::snmpd::Snmpd;

#[test]
fn a_name_that_cannot_be_resolved_is_reported() {
    let outcome = run(&["get", "host.invalid", "sysDescr.0"]);
    assert_eq!(outcome.code, Some(4));
    assert!(
        outcome.errors.starts_with("varbind: "),
        "{}",
        outcome.errors
    );
    assert!(
        outcome.errors.contains("host.invalid cannot be resolved"),
        "{}",
        outcome.errors
    );
}

#[test]
fn a_refused_port_is_reported_at_once() {
    let port = free_port();
    for transport in ["udp", "tcp"] {
        let target = format!("{transport}:127.0.0.1:{port}");
        let outcome = run(&["get", &target, "sysDescr.0"]);
        assert_eq!(outcome.code, Some(4), "{target}");
        let told = format!("{target}: connection refused");
        assert!(outcome.errors.contains(&told), "{}", outcome.errors);
    }
}

#[test]
fn a_peer_that_hangs_up_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("tcp:{}", listener.local_addr().unwrap());
    let peer = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let outcome = run(&["get", &target, "sysDescr.0"]);
    peer.join().unwrap();
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.errors.contains(&target), "{}", outcome.errors);
}

/// A peer that sends back what it receives, with one octet changed; it ends when it receives an empty datagram.
fn echo(at: usize, octet: u8) -> (String, impl FnOnce()) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let peer = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            if length == 0 {
                return;
            }
            buffer[at] = octet;
            socket.send_to(&buffer[..length], from).unwrap();
        }
    });
    let end = move || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(&[], address).unwrap();
        peer.join().unwrap();
    };
    (format!("udp:{address}"), end)
}

#[test]
fn messages_that_are_no_answer_are_counted_with_their_reason_and_likely_cause() {
    // The version is the fifth octet, the tag of the PDU of a community of 6 octets the 14th, the request-id follows.
    for (at, octet, expected) in [
        (
            4,
            0,
            "not valid responses: wrong version (SNMPv1): the agent may support only that version",
        ),
        (
            13,
            0xa0,
            "not valid responses: not a response: another manager",
        ),
        (0, 0x31, "not valid responses: not decodable: they were cut"),
    ] {
        let (target, end) = echo(at, octet);
        let outcome = run(&[
            "get",
            "-c",
            "public",
            "-t",
            "1",
            "-r",
            "2",
            &target,
            "sysDescr.0",
        ]);
        end();
        assert_eq!(outcome.code, Some(3), "{}", outcome.errors);
        assert!(outcome.errors.contains(expected), "{}", outcome.errors);
        assert!(
            !outcome.errors.contains("host is down"),
            "{}",
            outcome.errors
        );
    }
}

#[test]
fn the_doctor_shows_messages_that_are_no_answer() {
    let (target, end) = echo(4, 3);
    let outcome = run(&["doctor", "-t", "3", "-r", "1", &target]);
    end();
    let expected = "not valid responses: not a response";
    assert!(outcome.output.contains(expected), "{outcome:?}");
}

#[test]
fn a_scalar_without_its_instance_is_corrected() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let hint = "did you mean SNMPv2-MIB::sysDescr.0?";
    let outcome = run(&[
        "get",
        "-v2c",
        &target,
        "sysDescr",
        "sysServices.0",
        "ifDescr",
    ]);
    assert_eq!(outcome.code, Some(0));
    let column =
        format!("ifDescr is a column: varbind walk -v2c {target} ifDescr shows its instances");
    let expected = format!("varbind: {hint}\nvarbind: {column}\n");
    assert_eq!(outcome.errors, expected);
    assert_eq!(outcome.output.lines().count(), 3);
    let outcome = run(&["get", "-v1", &target, "sysDescr"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.errors.contains(hint), "{}", outcome.errors);
    let outcome = run(&["getnext", "-v2c", &target, "sysDescr"]);
    assert_eq!(outcome.errors, "");
}

#[test]
fn the_doctor_finds_an_agent_that_answers_from_another_port() {
    let agent = Agent::start();
    let asked = UdpSocket::bind("127.0.0.1:0").unwrap();
    let elsewhere = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = elsewhere.local_addr().unwrap();
    let target = format!("udp:{}", asked.local_addr().unwrap());
    let real = agent.target.strip_prefix("udp:").unwrap().to_owned();
    let ended = Arc::new(AtomicBool::new(false));
    let is_ended = Arc::clone(&ended);
    // Passes requests on, and answers from its other socket.
    let relay = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let mut manager = None;
        for socket in [&asked, &elsewhere] {
            let patience = Duration::from_millis(20);
            socket.set_read_timeout(Some(patience)).unwrap();
        }
        while !is_ended.load(Ordering::Relaxed) {
            if let Ok((length, from)) = asked.recv_from(&mut buffer) {
                manager = Some(from);
                elsewhere.send_to(&buffer[..length], &real).unwrap();
            }
            if let (Ok((length, _)), Some(manager)) = (elsewhere.recv_from(&mut buffer), manager) {
                elsewhere.send_to(&buffer[..length], manager).unwrap();
            }
        }
    });
    let outcome = run(&["doctor", "-t", "5", "-r", "0", &target]);
    ended.store(true, Ordering::Relaxed);
    relay.join().unwrap();
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let expected = format!("an answer came from {address}, which was not asked");
    assert!(outcome.output.contains(&expected), "{outcome:?}");
}
