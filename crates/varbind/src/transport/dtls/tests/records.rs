//! The records of an association.

use super::super::association::Association;
use super::super::exchange::Exchange;
use super::super::properties::{Contexts, read, write};
use super::{DtlsError, credentials};
use crate::transport::message_size::DTLS_RECORD;

fn pair() -> (Association, Association) {
    Contexts::new(&credentials("both")).pair()
}

#[test]
fn a_message_is_read_once_in_any_order() {
    let (mut client, mut server) = pair();
    let first = write(&mut client, b"first");
    let second = write(&mut client, b"second");
    assert_eq!(read(&mut server, &second), [b"second"]);
    let both = [&second[..], &first[..]].concat();
    assert_eq!(read(&mut server, &both), [b"first"]);
    assert!(read(&mut server, &both).is_empty());
    let response = write(&mut server, &[9; DTLS_RECORD]);
    assert_eq!(read(&mut client, &response), [vec![9; DTLS_RECORD]]);
    // One's own messages are not read.
    assert!(read(&mut server, &response).is_empty());
}

#[test]
fn changed_and_truncated_records_are_discarded() {
    let (mut client, mut server) = pair();
    let good = write(&mut client, b"message");
    for at in 0..good.len() {
        for change in [1, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= change;
            assert!(read(&mut server, &bad).is_empty(), "{at}");
        }
        assert!(read(&mut server, &good[..at]).is_empty(), "{at}");
    }
    assert_eq!(read(&mut server, &good), [b"message"]);
}

#[test]
fn a_close_notify_ends_both_directions() {
    let (mut client, mut server) = pair();
    let mut exchange = Exchange::default();
    client.close(&mut exchange);
    let alert = exchange.departing().to_vec();
    exchange.give(&alert);
    let end = server.read(&mut exchange, &mut [0; DTLS_RECORD]);
    assert!(matches!(end, Err(DtlsError::Closed)), "{end:?}");
    assert!(client.write(&mut exchange, b"more").is_err());
}
