//! What must hold of any datagrams.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use zeroize::Zeroizing;

use super::exchange::Exchange;
use super::protection::{Agreement, Protection, Read};
use super::record::{ClientHello, Record};
use crate::fuzzing::pieces;

pub(crate) use super::server::judge::Demultiplexing;

/// Two ends of an association.
fn pair() -> (Protection, Protection) {
    let side = |is_server| {
        let agreement = Agreement {
            cipher_suite: [0xc0, 0x2b],
            master_secret: Zeroizing::new([7; 48]),
            client_random: [1; 32],
            server_random: [2; 32],
            is_server,
            next_sequence: 1,
            last_flight: vec![vec![22; 20]],
        };
        Protection::new(agreement).unwrap()
    };
    (side(false), side(true))
}

/// Steps: something is sent, arrives, arrives changed or together with something else, or comes from a stranger. What is
/// read was sent, once, and a stranger's octets change nothing.
pub fn records(octets: &[u8]) {
    judge_hello(octets);
    let (mut client, mut server) = pair();
    let mut sent: Vec<Vec<u8>> = Vec::new();
    let mut read: Vec<Vec<u8>> = Vec::new();
    for (number, step) in pieces(octets).enumerate() {
        let Some((&kind, rest)) = step.split_first() else {
            continue;
        };
        let chosen = rest.first().and_then(|&at| sent.get(usize::from(at)));
        let datagram = match (kind & 3, chosen) {
            (0, _) => {
                // Each message is another one.
                let message = [&number.to_be_bytes(), rest].concat();
                let mut exchange = Exchange::default();
                client.write(&mut exchange, &message).unwrap();
                sent.push(exchange.departing().to_vec());
                continue;
            }
            (1, Some(datagram)) => datagram.clone(),
            (2, Some(datagram)) => {
                let mut changed = datagram.clone();
                let place = usize::from(rest.get(1).copied().unwrap_or(0)) % changed.len();
                changed[place] ^= rest.get(2).copied().unwrap_or(0).max(1);
                let before = read.len();
                deliver(&mut server, &changed, &mut read);
                assert_eq!(read.len(), before, "a record that was changed is read");
                continue;
            }
            (3, Some(datagram)) => [&datagram[..], rest].concat(),
            _ => rest.to_vec(),
        };
        judge_records(&datagram);
        deliver(&mut server, &datagram, &mut read);
    }
    for (at, message) in read.iter().enumerate() {
        assert!(!read[..at].contains(message), "a message is read twice");
    }
    assert!(read.len() <= sent.len());
    // The association is as good as ever.
    let mut exchange = Exchange::default();
    if client.write(&mut exchange, b"last").is_ok() {
        deliver(&mut server, exchange.departing(), &mut read);
        assert_eq!(read.pop().as_deref(), Some(&b"last"[..]));
    }
}

fn deliver(to: &mut Protection, datagram: &[u8], messages: &mut Vec<Vec<u8>>) {
    let mut exchange = Exchange::default();
    let mut buffer = Vec::new();
    exchange.give(datagram);
    while let Read::Message(length) = to.read(&mut exchange, &mut buffer).unwrap() {
        messages.push(buffer[..length].to_vec());
    }
    assert!(
        exchange.departing().len() <= 64,
        "a stranger gets an answer"
    );
}

/// Records lie within the datagram, one behind the other.
fn judge_records(datagram: &[u8]) {
    let lengths: usize = Record::all(datagram).map(|record| record.length()).sum();
    assert!(lengths <= datagram.len());
    let first = Record::first(datagram);
    assert_eq!(first.is_some(), Record::all(datagram).next().is_some());
}

/// Who asks for a cookie, or is refused, gets less than it has sent.
fn judge_hello(datagram: &[u8]) {
    if let Some(hello) = ClientHello::parse(datagram) {
        assert!(datagram.starts_with(hello.record));
        let request = hello.verify_request(&[9; 32]);
        assert!(request.len() < hello.record.len());
        assert!(Record::first(&request).is_some());
        assert!(hello.refusal(80).len() < hello.record.len());
    }
}
