//! Strangers, garbage, replays.

use std::net::UdpSocket;
use std::sync::atomic::Ordering;

use super::relay::{Relay, mixed};
use super::{Counted, DtlsClient, PATIENCE, Pair, ask, limits};

/// A ClientHello of a stranger.
fn client_hello(random: u8) -> Vec<u8> {
    let mut body = vec![254, 253];
    body.extend([random; 32]);
    body.extend([0, 0, 0, 2, 0xc0, 0x2b, 1, 0]);
    let length = body.len() as u8;
    let mut datagram = vec![22, 254, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12 + length];
    datagram.extend([1, 0, 0, length, 0, 0, 0, 0, 0, 0, 0, length]);
    datagram.extend(body);
    datagram
}

#[test]
fn nothing_is_kept_of_strangers_and_the_answer_to_them_is_shorter_than_what_they_send() {
    let pair = Pair::new(limits());
    let mut client = pair.connect();
    let statistics = pair.listener.statistics();
    let strangers: Vec<_> = (0..64)
        .map(|_| UdpSocket::bind("127.0.0.1:0").unwrap())
        .collect();
    let mut answers = 0;
    for round in 0..50 {
        let hello = client_hello(round);
        for stranger in &strangers {
            stranger.send_to(&hello, pair.listener.address()).unwrap();
        }
        for stranger in &strangers {
            stranger.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut buffer = [0; 2000];
            let length = stranger.recv(&mut buffer).unwrap();
            assert!(length < hello.len());
            answers += 1;
        }
        assert_eq!(statistics.open_handshakes(), 0);
    }
    assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    assert_eq!(pair.counted(Counted::CookieRequests), answers + 1);
    assert_eq!(pair.counted(Counted::HandshakesBegun), 1);
    assert_eq!(statistics.open_sessions(), 1);
}

#[test]
fn a_wrong_cookie_brings_nothing_but_another_request_for_one() {
    let pair = Pair::new(limits());
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.connect(pair.listener.address()).unwrap();
    stranger.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut hello = client_hello(9);
    // A cookie of 32 octets, in a second ClientHello.
    hello.splice(60..61, std::iter::once(32).chain([7; 32]));
    for at in [12, 16, 24] {
        hello[at] += 32;
    }
    hello[18] = 1;
    stranger.send(&hello).unwrap();
    let mut buffer = [0; 2000];
    let length = stranger.recv(&mut buffer).unwrap();
    assert_eq!((buffer[13], length), (3, 60));
    assert_eq!(pair.counted(Counted::HandshakesBegun), 0);
}

#[test]
fn replays_are_neither_answered_nor_do_they_take_a_session_away() {
    let pair = Pair::new(limits());
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut client, b"one"), b"ops:one");
    for _ in 0..3 {
        for datagram in relay.carried() {
            relay.injected.send(datagram).unwrap();
        }
    }
    assert_eq!(ask(&mut client, b"two"), b"ops:two");
    assert_eq!(pair.service.answered.load(Ordering::Relaxed), 2);
    assert_eq!(pair.counted(Counted::HandshakesBegun), 1);
}

#[test]
fn garbage_from_the_address_of_a_session_does_not_disturb_it() {
    let pair = Pair::new(limits());
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut client, b"one"), b"ops:one");
    let carried = relay.carried();
    for seed in 0..3000_u64 {
        let mut datagram = carried[seed as usize % carried.len()].clone();
        for change in 0..=seed % 5 {
            let at = mixed(seed * 8 + change) as usize % datagram.len();
            datagram[at] ^= (mixed(seed + 77 * change) % 255) as u8 + 1;
        }
        if seed % 3 == 0 {
            datagram.truncate(mixed(seed) as usize % datagram.len());
        }
        relay.injected.send(datagram).unwrap();
    }
    assert_eq!(ask(&mut client, b"two"), b"ops:two");
    assert_eq!(pair.counted(Counted::SessionsOpened), 1);
    assert_eq!(pair.counted(Counted::SessionsClosed), 0);
}
