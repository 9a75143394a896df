//! Strangers, garbage, replays.

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::Duration;

use varbind_testkit::peers::eventually;

use super::relay::{Relay, mixed};
use super::{Counted, DtlsClient, PATIENCE, Pair, SessionLimits, ask, limits};

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
    // A client that waits for a busy listener sends its ClientHello again.
    let of_client = pair.counted(Counted::CookieRequests);
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
    assert_eq!(pair.counted(Counted::CookieRequests), answers + of_client);
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
        // A client opens another session when it has long had no answer, as behind all of them on a busy machine.
        if seed % 50 == 49 {
            assert_eq!(ask(&mut client, b"two"), b"ops:two");
        }
    }
    assert_eq!(pair.counted(Counted::SessionsOpened), 1);
    assert_eq!(pair.counted(Counted::SessionsClosed), 0);
}

/// A peer at this address that begins a handshake and then is silent, and the content type of the server's last record.
fn half_handshake(server: SocketAddr, address: &str) -> (u8, UdpSocket) {
    let hello = openssl_hello();
    let stranger = UdpSocket::bind(address).unwrap();
    stranger.connect(server).unwrap();
    stranger.set_read_timeout(Some(PATIENCE)).unwrap();
    stranger.send(&hello).unwrap();
    let mut buffer = [0; 2000];
    assert_eq!(stranger.recv(&mut buffer).unwrap(), 60);
    let cookie: [u8; 32] = buffer[28..60].try_into().unwrap();
    stranger.send(&with_cookie(&hello, &cookie)).unwrap();
    // A flight of the server, or an alert.
    let _ = stranger.recv(&mut buffer).unwrap();
    (buffer[0], stranger)
}

#[test]
fn the_oldest_half_handshake_of_a_source_makes_room_for_the_next() {
    let pair = Pair::new(SessionLimits {
        handshakes_per_source: 5,
        handshake_time: Duration::from_secs(3),
        ..limits()
    });
    let server = pair.listener.address();
    let strangers: Vec<_> = (0..20)
        .map(|_| half_handshake(server, "127.0.0.9:0"))
        .collect();
    assert!(strangers.iter().all(|(kind, _)| *kind == 22));
    assert!(pair.listener.statistics().open_handshakes() <= 5);
    assert_eq!(pair.counted(Counted::HandshakesRefused), 0);
    let mut client = pair.connect();
    assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    eventually("handshakes stay open", || {
        pair.listener.statistics().open_handshakes() == 0
    });
    assert_eq!(ask(&mut client, b"still"), b"ops:still");
}

#[test]
fn half_handshakes_of_many_networks_or_of_one_keep_nobody_out() {
    let pair = Pair::new(SessionLimits {
        sessions: 300,
        sessions_per_block: 200,
        ..limits()
    });
    let server = pair.listener.address();
    let mut known = pair.connect();
    let many = (0..280).map(|number| format!("127.{}.{}.1:0", 2 + number / 200, number % 200));
    let one = (0..250).map(|number| format!("127.200.0.{}:0", number + 1));
    let mut strangers = Vec::new();
    for crowd in [many.collect::<Vec<_>>(), one.collect()] {
        strangers.extend(crowd.iter().map(|address| half_handshake(server, address)));
        assert!(pair.listener.statistics().open_handshakes() <= 256);
        let mut client = pair.connect();
        assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    }
    assert_eq!(ask(&mut known, b"still"), b"ops:still");
    assert_eq!(pair.counted(Counted::SessionsOpened), 3);
    assert_eq!(pair.counted(Counted::HandshakesRefused), 0);
}

/// A ClientHello of a suite and a group that the server has.
fn openssl_hello() -> Vec<u8> {
    let mut body = vec![254, 253];
    body.extend([9; 32]);
    // No session, no cookie, ECDHE-ECDSA-AES128-GCM-SHA256, no compression.
    body.extend([0, 0, 0, 2, 0xc0, 0x2b, 1, 0]);
    // supported_groups: P-256; ec_point_formats: uncompressed; signature_algorithms: ECDSA with SHA-256.
    body.extend([0, 22]);
    body.extend([0, 10, 0, 4, 0, 2, 0, 23]);
    body.extend([0, 11, 0, 2, 1, 0]);
    body.extend([0, 13, 0, 4, 0, 2, 4, 3]);
    handshake(0, &body)
}

fn with_cookie(hello: &[u8], cookie: &[u8; 32]) -> Vec<u8> {
    let body = &hello[25..];
    let body = [&body[..35], &[32][..], cookie, &body[36..]].concat();
    handshake(1, &body)
}

fn handshake(sequence: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u8;
    let mut datagram = vec![22, 254, 255, 0, 0, 0, 0, 0, 0, 0, sequence, 0, 12 + length];
    datagram.extend([1, 0, 0, length, 0, sequence, 0, 0, 0, 0, 0, length]);
    datagram.extend(body);
    datagram
}
