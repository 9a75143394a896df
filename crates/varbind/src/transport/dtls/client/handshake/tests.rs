//! The client against OpenSSL's server in memory, with somebody between them who changes what he likes.

use std::sync::{Arc, Mutex};

use openssl::pkey::PKey;
use openssl::ssl::{SslContext, SslContextBuilder, SslMethod, SslOptions};
use openssl::x509::X509;
use rustls::KeyLog;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use varbind_engine::security::SecurityName;

use super::messages::{CERTIFICATE, SERVER_HELLO, SERVER_HELLO_DONE, certificate_body};
use super::*;
use crate::transport::certificate::{CertificateError, CertificateIdentity};
use crate::transport::dtls::association::{Association, Handshake};
use crate::transport::dtls::protection::Read;
use crate::transport::dtls::record;

/// Accepts everybody who has some certificate.
struct Anybody;

impl PeerAuthentication for Anybody {
    fn authenticate(&self, chain: &[CertificateDer<'_>]) -> Result<SecurityName, CertificateError> {
        let first = chain.first().ok_or(CertificateError::Missing)?;
        Ok(SecurityName::new(format!("{}", first.len())))
    }
}

/// Remembers the secrets.
#[derive(Debug, Default)]
struct Notebook(Mutex<Vec<Vec<u8>>>);

impl KeyLog for Notebook {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        assert_eq!(label, "CLIENT_RANDOM");
        self.0.lock().unwrap().push(secret.to_vec());
    }
}

fn identity(algorithm: &'static rcgen::SignatureAlgorithm) -> CertificateIdentity {
    let key = rcgen::KeyPair::generate_for(algorithm).unwrap();
    let parameters = rcgen::CertificateParams::new(vec!["agent".to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
}

fn server(
    identity: &CertificateIdentity,
    change: impl FnOnce(&mut SslContextBuilder),
) -> SslContext {
    let mut builder = SslContextBuilder::new(SslMethod::dtls_server()).unwrap();
    builder.set_options(
        SslOptions::COOKIE_EXCHANGE | SslOptions::NO_QUERY_MTU | SslOptions::NO_TICKET,
    );
    builder.set_cookie_verify_cb(|_, _| true);
    builder.set_session_id_context(b"test").unwrap();
    let certificate = X509::from_der(&identity.chain()[0]).unwrap();
    builder.set_certificate(&certificate).unwrap();
    let key = PKey::private_key_from_der(identity.key().secret_der()).unwrap();
    builder.set_private_key(&key).unwrap();
    change(&mut builder);
    builder.build()
}

/// What is between client and server: changes a datagram of the server.
type Between<'a> = &'a mut dyn FnMut(Vec<u8>) -> Vec<u8>;

/// One handshake.
struct Course<'a> {
    server: &'a SslContext,
    client: &'a CertificateIdentity,
    datagram: usize,
    session: Option<ResumableSession>,
}

/// How it ended on the client's side, and on the server's.
struct End {
    outcome: Result<Outcome, DtlsError>,
    association: Option<Association>,
    secrets: Vec<Vec<u8>>,
    /// What the client told in the end.
    last: Vec<u8>,
}

fn datagrams(exchange: &mut Exchange) -> Vec<Vec<u8>> {
    let all = exchange.datagrams(0);
    let all = all
        .map(|range| exchange.departing()[range].to_vec())
        .collect();
    exchange.clear();
    all
}

/// OpenSSL's side, with the request for a cookie before it.
struct OpenSsl<'a> {
    context: &'a SslContext,
    datagram: usize,
    association: Option<Association>,
    has_ended: bool,
}

impl OpenSsl<'_> {
    fn answer(&mut self, datagram: &[u8]) -> Vec<Vec<u8>> {
        let hello = record::ClientHello::parse(datagram);
        if let Some(first) = hello.filter(|hello| !hello.is_second()) {
            return vec![first.verify_request(&[7; 32]).to_vec()];
        }
        let mut exchange = Exchange::default();
        exchange.give(datagram);
        let association = self.association.get_or_insert_with(|| {
            let accepted = Association::accept(
                self.context,
                Arc::new(Anybody),
                self.datagram,
                &mut exchange,
            );
            accepted.unwrap().unwrap()
        });
        if !self.has_ended {
            let progress = association.shake_hands(&mut exchange);
            self.has_ended = !matches!(progress, Ok(Handshake::Unfinished));
        }
        datagrams(&mut exchange)
    }
}

impl Course<'_> {
    fn run(self, between: Between<'_>) -> End {
        let notebook = Notebook::default();
        let mut client = ClientHandshake::new(Beginning {
            identity: Arc::clone(self.client.certified()),
            key_log: &notebook,
            authentication: Arc::new(Anybody),
            datagram: self.datagram,
            server_name: Some("agent.example"),
            session: self.session,
        })
        .unwrap();
        let mut server = OpenSsl {
            context: self.server,
            datagram: self.datagram,
            association: None,
            has_ended: false,
        };
        let mut exchange = Exchange::default();
        let mut result = client.shake_hands(&mut exchange);
        while result.is_ok() {
            let sent = datagrams(&mut exchange);
            let answers: Vec<_> = sent.iter().flat_map(|sent| server.answer(sent)).collect();
            if matches!(result, Ok(Progress::Finished)) || answers.is_empty() {
                break;
            }
            for answer in answers {
                exchange.give(&between(answer));
                result = result.and_then(|_| client.shake_hands(&mut exchange));
            }
        }
        let secrets = notebook.0.lock().unwrap().clone();
        End {
            outcome: result.and_then(|_| client.establish()),
            association: server.association,
            secrets,
            last: datagrams(&mut exchange).pop().unwrap_or_default(),
        }
    }
}

/// Both sides have the same keys.
#[track_caller]
fn understand_each_other(end: End) -> Outcome {
    let mut outcome = end.outcome.unwrap();
    let mut server = end.association.unwrap().establish().unwrap().protection;
    let mut exchange = Exchange::default();
    let mut message = Vec::new();
    let client = &mut outcome.established.protection;
    client.write(&mut exchange, b"question").unwrap();
    let question = datagrams(&mut exchange).remove(0);
    exchange.give(&question);
    assert_eq!(
        server.read(&mut exchange, &mut message).unwrap(),
        Read::Message(8)
    );
    server.write(&mut exchange, b"answer").unwrap();
    let answer = datagrams(&mut exchange).remove(0);
    exchange.give(&answer);
    assert_eq!(
        client.read(&mut exchange, &mut message).unwrap(),
        Read::Message(6)
    );
    assert_eq!(end.secrets.len(), 1);
    outcome
}

#[test]
fn openssl_agrees_on_every_key_cipher_group_and_size_of_datagrams() {
    let ecdsa = identity(&rcgen::PKCS_ECDSA_P256_SHA256);
    let others = [
        identity(&rcgen::PKCS_ECDSA_P384_SHA384),
        identity(&rcgen::PKCS_RSA_SHA256),
    ];
    // OpenSSL does not read the key, in the form that it has here.
    let manager_alone = identity(&rcgen::PKCS_ED25519);
    let try_all = |agent: &CertificateIdentity,
                   manager: &CertificateIdentity,
                   ciphers: &str,
                   groups: &str,
                   datagram| {
        let context = server(agent, |builder| {
            builder.set_cipher_list(ciphers).unwrap();
            builder.set_groups_list(groups).unwrap();
            builder.set_options(SslOptions::CIPHER_SERVER_PREFERENCE);
        });
        let course = Course {
            server: &context,
            client: manager,
            datagram,
            session: None,
        };
        understand_each_other(course.run(&mut |datagram| datagram)).cipher_suite()
    };
    for (cipher, name) in [
        (
            "ECDHE-ECDSA-AES128-GCM-SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        ),
        (
            "ECDHE-ECDSA-AES256-GCM-SHA384",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        ),
        (
            "ECDHE-ECDSA-CHACHA20-POLY1305",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        ),
    ] {
        assert_eq!(try_all(&ecdsa, &ecdsa, cipher, "X25519:P-256", 1400), name);
    }
    // OpenSSL wants the curve of the client's key among the groups, but takes the first that both have.
    for groups in ["P-256", "P-384:P-256", "P-521:P-256", "X448:X25519:P-256"] {
        try_all(&ecdsa, &ecdsa, "ECDHE", groups, 1400);
    }
    for other in &others {
        try_all(other, &ecdsa, "ECDHE", "X25519:P-256:P-384", 1400);
        try_all(&ecdsa, other, "ECDHE", "X25519:P-256:P-384", 1400);
    }
    try_all(&ecdsa, &manager_alone, "ECDHE", "X25519:P-256", 1400);
    for datagram in [256, 300, 500, 999] {
        try_all(&others[1], &others[1], "ECDHE", "P-256", datagram);
    }
}

#[test]
fn a_session_is_resumed_with_and_without_its_binding_to_the_handshake_and_not_with_another() {
    let both = identity(&rcgen::PKCS_ECDSA_P256_SHA256);
    let is_extended = |options: SslOptions| {
        server(&both, |builder| {
            builder.set_options(options);
        })
    };
    let run = |server: &SslContext, session| {
        let course = Course {
            server,
            client: &both,
            datagram: 1400,
            session,
        };
        understand_each_other(course.run(&mut |datagram| datagram))
    };
    // SSL_OP_NO_EXTENDED_MASTER_SECRET
    for options in [SslOptions::empty(), SslOptions::from_bits_retain(1)] {
        let context = is_extended(options);
        let first = run(&context, None);
        assert!(!first.is_resumed());
        let session = first.session();
        assert!(session.is_some());
        assert!(run(&context, session.clone()).is_resumed());
        // A server that does not know it begins anew.
        assert!(!run(&is_extended(options), session).is_resumed());
    }
}

/// Where in a datagram the contents of its records are.
fn contents(datagram: &[u8]) -> Vec<usize> {
    let mut start = 0;
    let mut places = Vec::new();
    for record in Record::all(datagram) {
        let end = start + record.length();
        places.extend(start + 13..end);
        start = end;
    }
    places
}

#[test]
fn no_change_to_what_the_server_says_goes_unnoticed() {
    let both = identity(&rcgen::PKCS_ECDSA_P256_SHA256);
    let context = server(&both, |_| {});
    let mut sizes = Vec::new();
    let course = || Course {
        server: &context,
        client: &both,
        datagram: 1400,
        session: None,
    };
    let untouched = course().run(&mut |datagram| {
        sizes.push(contents(&datagram).len());
        datagram
    });
    understand_each_other(untouched);
    assert_eq!(sizes.len(), 3, "{sizes:?}");
    // Not the request for a cookie, which is not protected and need not be.
    for (which, &size) in sizes.iter().enumerate().skip(1) {
        for at in (0..size).step_by(7) {
            let mut number = 0;
            let end = course().run(&mut |mut datagram| {
                if number == which
                    && let Some(&place) = contents(&datagram).get(at)
                {
                    datagram[place] ^= 0x11;
                }
                number += 1;
                datagram
            });
            // ChangeCipherSpec says nothing.
            let is_nothing = which == 2 && at == 0;
            assert_eq!(end.outcome.is_ok(), is_nothing, "{which} {at}");
        }
    }
}

/// Changes the messages of the server's first flight.
fn rewrite(datagram: &[u8], change: impl Fn(&mut Vec<Message>)) -> Vec<u8> {
    let mut messages = Vec::new();
    for record in Record::all(datagram) {
        let mut reassembly = Reassembly::default();
        let fragment = Fragment::read(&mut Reader::new(record.fragment())).unwrap();
        if fragment.sequence > 0 {
            reassembly.skip(fragment.sequence - 1);
        }
        reassembly.add(&fragment);
        messages.push(reassembly.take().unwrap());
    }
    change(&mut messages);
    let mut exchange = Exchange::default();
    let flight = Flight {
        messages,
        finished: None,
    };
    flight.write(&mut exchange, 9000, &mut 1, None);
    datagrams(&mut exchange).remove(0)
}

/// What comes of it when somebody changes the server's messages on their way: the error, and the alert.
fn with_changed(change: impl Fn(&mut Vec<Message>)) -> (DtlsError, Option<u8>) {
    let both = identity(&rcgen::PKCS_ECDSA_P256_SHA256);
    let context = server(&both, |_| {});
    let course = Course {
        server: &context,
        client: &both,
        datagram: 9000,
        session: None,
    };
    let mut number = 0;
    let end = course.run(&mut |datagram| {
        number += 1;
        match number {
            2 => rewrite(&datagram, &change),
            _ => datagram,
        }
    });
    let alert = Record::first(&end.last).filter(|it| it.content_type == ContentType::Alert);
    let alert = alert.and_then(|alert| alert.fragment().last().copied());
    (end.outcome.err().unwrap(), alert)
}

#[test]
fn who_shows_the_certificate_of_another_is_found_out_by_the_signature() {
    let other = identity(&rcgen::PKCS_ECDSA_P256_SHA256);
    let (error, alert) = with_changed(|messages| {
        for message in messages.iter_mut().filter(|it| it.kind == CERTIFICATE) {
            message.body = certificate_body(other.chain());
        }
    });
    assert!(
        error.to_string().contains("key of its certificate"),
        "{error}"
    );
    assert_eq!(alert, Some(51));
    // A key of another kind than the cipher suite's.
    let other = identity(&rcgen::PKCS_RSA_SHA256);
    let (_, alert) = with_changed(|messages| {
        for message in messages.iter_mut().filter(|it| it.kind == CERTIFICATE) {
            message.body = certificate_body(other.chain());
        }
    });
    assert_eq!(alert, Some(51));
}

#[test]
fn nothing_may_be_left_out_doubled_or_exchanged() {
    let renumbered = |messages: &mut Vec<Message>| {
        for (sequence, message) in (1..).zip(messages) {
            message.sequence = sequence;
        }
    };
    for left_out in 0..4 {
        let (error, alert) = with_changed(|messages| {
            messages.remove(left_out);
            renumbered(messages);
        });
        // Without CertificateRequest it goes on, until the server misses the certificate.
        match left_out {
            3 => assert!(
                matches!(error, DtlsError::AlertReceived(_) | DtlsError::Protocol(_)),
                "{error}"
            ),
            _ => assert_eq!(alert, Some(10), "{left_out} {error}"),
        }
    }
    for doubled in 0..4 {
        let (_, alert) = with_changed(|messages| {
            messages.insert(doubled, messages[doubled].clone());
            renumbered(messages);
        });
        assert_eq!(alert, Some(10), "{doubled}");
    }
    let (_, alert) = with_changed(|messages| {
        messages.retain(|message| matches!(message.kind, SERVER_HELLO | SERVER_HELLO_DONE));
        renumbered(messages);
    });
    assert_eq!(alert, Some(10));
    // Finished without protection is none.
    let (error, alert) = with_changed(|messages| {
        messages.push(Message {
            kind: FINISHED,
            sequence: 6,
            body: vec![0; 12],
        });
        messages.remove(4);
    });
    assert!(matches!(error, DtlsError::Protocol(_)), "{error}");
    assert_eq!(alert, None);
}

#[test]
fn a_server_may_choose_only_what_was_offered() {
    // server_version, and the cipher suite behind random values and an empty session ID.
    let change = |place: usize, octet: u8| {
        with_changed(move |messages| {
            let body = &mut messages[0].body;
            let behind = 35 + usize::from(body[34]);
            let place = if place < 2 { place } else { behind + place - 2 };
            body[place] = octet;
        })
    };
    let (error, alert) = change(1, 255);
    assert!(matches!(error, DtlsError::VersionMismatch), "{error}");
    assert_eq!(alert, Some(70));
    // A suite without forward secrecy, and compression.
    assert_eq!(change(2, 0).1, Some(47));
    assert_eq!(change(4, 1).1, Some(47));
    // An extension that was not offered: renegotiation_info becomes another.
    let (_, alert) = with_changed(|messages| {
        let body = &mut messages[0].body;
        let place = body.windows(2).position(|it| it == [0xff, 1]).unwrap();
        body[place] = 0xfe;
    });
    assert_eq!(alert, Some(47));
}
