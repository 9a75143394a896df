//! What must hold of any datagrams.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use openssl::ssl::SslContext;
use rustls::pki_types::CertificateDer;
use varbind_engine::security::SecurityName;

use super::association::{Association, Handshake};
use super::context;
use super::exchange::Exchange;
use super::identity::PeerAuthentication;
use super::record::{ClientHello, Record};
use crate::fuzzing::pieces;
use crate::transport::certificate::{
    CertificateError, CertificateIdentity, CertificateMap, ClientAuthentication, TlsServer,
    TrustAnchors,
};
use crate::transport::message_size::{DTLS_DATAGRAM, DTLS_RECORD};

pub use super::server::properties::DtlsListener;

/// Accepts every certificate.
struct Anyone;

impl PeerAuthentication for Anyone {
    fn authenticate(&self, _: &[CertificateDer<'_>]) -> Result<SecurityName, CertificateError> {
        Ok(SecurityName::new("anyone"))
    }
}

/// An association of DTLS.
#[derive(Debug, Default)]
pub struct DtlsRecords(OnceCell<Contexts>);

impl DtlsRecords {
    /// Datagrams to one end of an association.
    pub fn check(&self, identity: &CertificateIdentity, octets: &[u8]) {
        let contexts = self.0.get_or_init(|| Contexts::new(identity));
        contexts.check(octets);
    }
}

/// What associations are made of.
pub(super) struct Contexts {
    client: SslContext,
    server: SslContext,
}

impl Contexts {
    pub(super) fn new(identity: &CertificateIdentity) -> Self {
        let clients = ClientAuthentication::new(TrustAnchors::default(), CertificateMap::default());
        let server = TlsServer::new(identity.clone(), clients);
        Self {
            client: context::client(identity).unwrap(),
            server: context::server(&server, &Arc::default()).unwrap(),
        }
    }

    /// The two ends of an association: client and server.
    pub(super) fn pair(&self) -> (Association, Association) {
        let anyone = || Arc::new(Anyone);
        let mut exchange = Exchange::default();
        let mut client =
            Association::connect(&self.client, anyone(), DTLS_DATAGRAM, None, None).unwrap();
        client.shake_hands(&mut exchange).unwrap();
        let hello = take(&mut exchange);
        let request = ClientHello::parse(&hello[0])
            .unwrap()
            .verify_request(&[9; 32]);
        exchange.give(&request);
        client.shake_hands(&mut exchange).unwrap();
        // Where the machine was busy, the first one was sent again before.
        let second = take(&mut exchange).pop().unwrap();
        exchange.give(&second);
        let server = Association::accept(&self.server, anyone(), DTLS_DATAGRAM, &mut exchange);
        let mut server = server.unwrap().unwrap();
        let mut progress = server.shake_hands(&mut exchange).unwrap();
        while progress == Handshake::Unfinished {
            deliver(&mut client, &mut exchange);
            progress = deliver(&mut server, &mut exchange);
        }
        deliver(&mut client, &mut exchange);
        (client, server)
    }

    /// Steps: something is sent, arrives, arrives changed or together with something else, or comes from a stranger. What is
    /// read was sent, once, and a stranger's octets change nothing.
    fn check(&self, octets: &[u8]) {
        check_hello(octets);
        let (mut client, mut server) = self.pair();
        let mut sent: Vec<Vec<u8>> = Vec::new();
        let mut messages: Vec<Vec<u8>> = Vec::new();
        for (number, step) in pieces(octets).enumerate() {
            let Some((&kind, rest)) = step.split_first() else {
                continue;
            };
            let chosen = rest.first().and_then(|&at| sent.get(usize::from(at)));
            let datagram = match (kind & 3, chosen) {
                (0, _) => {
                    // Each message is another one.
                    sent.push(write(&mut client, &[&number.to_be_bytes(), rest].concat()));
                    continue;
                }
                (1, Some(datagram)) => datagram.clone(),
                (2, Some(datagram)) => {
                    let mut changed = datagram.clone();
                    let place = usize::from(rest.get(1).copied().unwrap_or(0)) % changed.len();
                    changed[place] ^= rest.get(2).copied().unwrap_or(0).max(1);
                    assert!(
                        read(&mut server, &changed).is_empty(),
                        "a changed record is read"
                    );
                    continue;
                }
                (3, Some(datagram)) => [&datagram[..], rest].concat(),
                _ => rest.to_vec(),
            };
            check_records(&datagram);
            messages.extend(read(&mut server, &datagram));
        }
        for (at, message) in messages.iter().enumerate() {
            assert!(!messages[..at].contains(message), "a message is read twice");
        }
        assert!(messages.len() <= sent.len());
        // The association is as good as ever.
        let last = write(&mut client, b"last");
        assert_eq!(read(&mut server, &last), [b"last"]);
    }
}

impl fmt::Debug for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contexts").finish_non_exhaustive()
    }
}

/// Takes the datagrams out that were written.
fn take(exchange: &mut Exchange) -> Vec<Vec<u8>> {
    let ranges = exchange.datagrams(0);
    let datagrams = ranges
        .map(|range| exchange.departing()[range].to_vec())
        .collect();
    exchange.clear();
    datagrams
}

/// Gives an association what the other has written.
fn deliver(to: &mut Association, exchange: &mut Exchange) -> Handshake {
    let mut progress = Handshake::Unfinished;
    for datagram in take(exchange) {
        exchange.give(&datagram);
        progress = to.shake_hands(exchange).unwrap();
    }
    progress
}

/// The datagram that a message becomes.
pub(super) fn write(from: &mut Association, message: &[u8]) -> Vec<u8> {
    let mut exchange = Exchange::default();
    from.write(&mut exchange, message).unwrap();
    let mut datagrams = take(&mut exchange);
    assert_eq!(datagrams.len(), 1);
    from.release_buffers();
    datagrams.remove(0)
}

/// The messages of a datagram.
pub(super) fn read(to: &mut Association, datagram: &[u8]) -> Vec<Vec<u8>> {
    let mut exchange = Exchange::default();
    let mut buffer = Box::new([0; DTLS_RECORD]);
    let mut messages = Vec::new();
    exchange.give(datagram);
    while let Some(length) = to.read(&mut exchange, &mut buffer).unwrap() {
        messages.push(buffer[..length].to_vec());
    }
    to.release_buffers();
    assert_eq!(exchange.count(), 0, "a stranger gets an answer");
    messages
}

/// Records lie within the datagram, one behind the other.
fn check_records(datagram: &[u8]) {
    let lengths: usize = Record::all(datagram).map(|record| record.length()).sum();
    assert!(lengths <= datagram.len());
    let first = Record::first(datagram);
    assert_eq!(first.is_some(), Record::all(datagram).next().is_some());
}

/// Who asks for a cookie, or is refused, gets less than it has sent.
fn check_hello(datagram: &[u8]) {
    if let Some(hello) = ClientHello::parse(datagram) {
        assert!(datagram.starts_with(hello.record));
        let request = hello.verify_request(&[9; 32]);
        assert!(request.len() < hello.record.len());
        assert!(Record::first(&request).is_some());
        assert!(hello.refusal(80).len() < hello.record.len());
    }
}
