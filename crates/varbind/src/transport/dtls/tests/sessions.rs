//! Sessions from beginning to end, over ways that lose datagrams, and after either side has restarted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use varbind_testkit::peers::eventually;

use super::relay::{Relay, mixed};
use super::{Counted, DtlsClient, DtlsError, PATIENCE, Pair, ask, limits, receive};

#[test]
fn a_session_carries_messages_both_ways_and_ends_on_both_sides() {
    let pair = Pair::new(limits());
    let mut client = pair.connect();
    assert_eq!(client.peer().as_str(), "agent");
    assert!(!client.is_resumed());
    assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    assert_eq!(ask(&mut client, b"later"), b"ops:later");
    // While an answer is to come, others are given.
    client.send(b"much later").unwrap();
    client.send(b"now").unwrap();
    assert_eq!(receive(&mut client, PATIENCE).unwrap(), b"ops:now");
    assert_eq!(receive(&mut client, PATIENCE).unwrap(), b"ops:much later");
    let large = vec![b'x'; 16_000];
    assert_eq!(ask(&mut client, &large).len(), 16_004);
    assert!(matches!(
        client.send(&vec![0; 16_385]),
        Err(DtlsError::MessageTooLong { .. })
    ));
    assert_eq!(pair.listener.statistics().open_sessions(), 1);
    drop(client);
    eventually("the session stays open", || {
        pair.listener.statistics().open_sessions() == 0
    });
    // A busy listener is sent the ClientHello again.
    assert!(pair.counted(Counted::CookieRequests) >= 1);
}

#[test]
fn a_session_is_resumed_and_its_peer_has_its_name_again() {
    let pair = Pair::new(limits());
    for round in 0..5 {
        let mut client = pair.connect();
        assert_eq!(client.is_resumed(), round > 0);
        assert_eq!(client.peer().as_str(), "agent");
        client.send(b"hello").unwrap();
        assert_eq!(receive(&mut client, PATIENCE).unwrap(), b"ops:hello");
    }
    assert_eq!(pair.counted(Counted::SessionsResumed), 4);
}

#[test]
fn the_loss_of_any_one_datagram_of_a_handshake_is_survived() {
    let pair = Arc::new(Pair::new(limits()));
    let survivors: Vec<_> = (1..=8)
        .map(|lost| {
            let pair = Arc::clone(&pair);
            std::thread::spawn(move || {
                let relay = Relay::start(pair.listener.address(), move |number, _| number == lost);
                let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
                assert_eq!(ask(&mut client, b"hello"), b"ops:hello", "{lost}");
            })
        })
        .collect();
    for survivor in survivors {
        survivor.join().unwrap();
    }
}

#[test]
fn handshakes_and_messages_survive_heavy_loss_in_both_directions() {
    let pair = Arc::new(Pair::new(limits()));
    let survivors: Vec<_> = (0..8)
        .map(|seed| {
            let pair = Arc::clone(&pair);
            std::thread::spawn(move || {
                let loses = move |number, _| mixed(1000 * seed + number) % 100 < 15;
                let relay = Relay::start(pair.listener.address(), loses);
                // Each takes 20 seconds at most.
                let open = || DtlsClient::open(pair.target_at(relay.address));
                let mut client = open().or_else(|_| open()).unwrap();
                for _ in 0..5 {
                    assert_eq!(ask(&mut client, b"hello"), b"ops:hello", "{seed}");
                }
            })
        })
        .collect();
    for survivor in survivors {
        survivor.join().unwrap();
    }
}

#[test]
fn a_server_that_has_restarted_is_found_again() {
    let mut pair = Pair::new(limits());
    let mut told = pair.connect();
    assert_eq!(ask(&mut told, b"hello"), b"ops:hello");
    let is_cut = Arc::new(AtomicBool::new(false));
    let cut = Arc::clone(&is_cut);
    let relay = Relay::start(pair.listener.address(), move |_, _| {
        cut.load(Ordering::Relaxed)
    });
    let mut untold = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut untold, b"hello"), b"ops:hello");
    is_cut.store(true, Ordering::Relaxed);
    pair.restart();
    is_cut.store(false, Ordering::Relaxed);
    assert_eq!(ask(&mut told, b"again"), b"ops:again");
    assert_eq!(ask(&mut untold, b"again"), b"ops:again");
}

#[test]
fn message_is_sent_by_the_association_that_cannot_be_replaced() {
    let pair = Pair::new(limits());
    let is_mute = Arc::new(AtomicBool::new(false));
    let mute = Arc::clone(&is_mute);
    let relay = Relay::start(pair.listener.address(), move |_, is_to_server| {
        !is_to_server && mute.load(Ordering::Relaxed)
    });
    let mut target = pair.target_at(relay.address);
    target.timeout = Duration::from_secs(2);
    let mut client = DtlsClient::open(target).unwrap();
    is_mute.store(true, Ordering::Relaxed);
    let has_answered = |count| pair.service.answered.load(Ordering::Relaxed) == count;
    client.send(b"first").unwrap();
    eventually("no response", || has_answered(1));
    // Until the client doubts that the server knows the association.
    std::thread::sleep(Duration::from_millis(2_100));
    client.send(b"second").unwrap();
    assert_eq!(receive(&mut client, Duration::from_secs(3)), None);
    eventually("no response", || has_answered(2));
}

#[test]
fn a_peer_that_has_restarted_on_the_same_port_gets_a_session_in_place_of_its_former() {
    let pair = Pair::new(limits());
    // The relay has one port towards the server, whoever is behind it.
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut first = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut first, b"one"), b"ops:one");
    let mut second = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut second, b"two"), b"ops:two");
    assert_eq!(pair.listener.statistics().open_sessions(), 1);
    assert_eq!(pair.counted(Counted::SessionsOpened), 2);
}
