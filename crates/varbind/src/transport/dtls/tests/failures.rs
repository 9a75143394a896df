//! Limits, time-outs, certificates that are refused or change.

use std::io::ErrorKind::ConnectionRefused;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use varbind_testkit::peers::eventually;

use super::relay::Relay;
use super::{
    Alert, Counted, DtlsClient, DtlsError, DtlsTarget, PATIENCE, Pair, SessionLimits, ask, client,
    credentials, limits, receive, server,
};
use crate::transport::SessionError;
use crate::transport::certificate::{PeerIdentity, ServerAuthentication, TlsClient, TrustAnchors};

#[test]
fn a_source_has_no_more_sessions_than_its_share() {
    let pair = Pair::new(SessionLimits {
        sessions: 3,
        sessions_per_source: 2,
        sessions_per_block: 2,
        first_message_time: Duration::from_secs(10),
        lifetime: None,
        ..limits()
    });
    let clients = [pair.connect(), pair.connect()];
    let refused = DtlsClient::open(pair.target());
    assert!(
        matches!(refused, Err(DtlsError::AlertReceived(Alert(80)))),
        "{refused:?}"
    );
    assert_eq!(pair.counted(Counted::HandshakesRefused), 1);
    drop(clients);
    eventually("the sessions stay open", || {
        pair.listener.statistics().open_sessions() == 0
    });
    pair.connect();
}

#[test]
fn a_silent_session_ends_and_its_client_opens_another_when_it_has_something_to_say() {
    let pair = Pair::new(SessionLimits {
        idle: Duration::from_millis(300),
        ..limits()
    });
    let mut client = pair.connect();
    eventually("the session stays open", || {
        pair.counted(Counted::SessionsClosed) == 1
    });
    assert_eq!(pair.listener.statistics().open_sessions(), 0);
    assert_eq!(ask(&mut client, b"again"), b"ops:again");
}

#[test]
fn a_session_ends_after_its_lifetime_however_busy_it_is() {
    let pair = Pair::new(SessionLimits {
        lifetime: Some(Duration::from_millis(500)),
        ..limits()
    });
    let mut client = pair.connect();
    while pair.counted(Counted::SessionsClosed) == 0 {
        assert_eq!(ask(&mut client, b"busy"), b"ops:busy");
    }
    assert_eq!(ask(&mut client, b"again"), b"ops:again");
    assert!(pair.counted(Counted::SessionsOpened) >= 2);
}

#[test]
fn a_handshake_that_does_not_go_on_ends() {
    let pair = Pair::new(SessionLimits {
        handshake_time: Duration::from_millis(300),
        ..limits()
    });
    let open = |milliseconds| {
        // Nothing but the two ClientHellos reaches the server.
        let is_hello = AtomicU64::new(0);
        let relay = Relay::start(pair.listener.address(), move |_, is_to_server| {
            is_to_server && is_hello.fetch_add(1, Ordering::Relaxed) >= 2
        });
        let mut target = pair.target_at(relay.address);
        target.timeout = Duration::from_millis(milliseconds);
        DtlsClient::open(target)
    };
    // On a busy machine the first answer may come too late.
    let mut failures = [700, 5_000, 30_000].into_iter().map(open);
    assert!(
        failures.any(|failed| matches!(failed, Err(DtlsError::HandshakeTimedOut { .. }))),
        "no handshake began"
    );
    eventually("no handshake failed", || {
        pair.counted(Counted::HandshakesFailed) >= 1
    });
    assert_eq!(pair.listener.statistics().open_handshakes(), 0);
}

#[test]
fn a_peer_that_is_not_there_is_reported_from_one_that_does_not_answer() {
    let deaf = UdpSocket::bind("127.0.0.1:0").unwrap();
    let pair = Pair::new(limits());
    let mut target = pair.target_at(deaf.local_addr().unwrap());
    target.timeout = Duration::from_millis(200);
    let failed = DtlsClient::open(target);
    assert!(matches!(failed, Err(DtlsError::NoAnswer { .. })));
    let mut target = pair.target_at(deaf.local_addr().unwrap());
    drop(deaf);
    target.timeout = PATIENCE;
    let failed = DtlsClient::open(target);
    assert!(
        matches!(&failed, Err(DtlsError::System(error)) if error.kind() == ConnectionRefused),
        "{failed:?}"
    );
}

#[test]
fn both_sides_are_reported_which_certificate_was_refused() {
    let pair = Pair::new(limits());
    let (agent, stranger) = (&pair.server.identity, credentials("stranger"));
    let wrong_client = client(&stranger, agent);
    let target = |client| {
        let address = pair.listener.address();
        DtlsTarget::new(client, "agent", address, PATIENCE).unwrap()
    };
    let failed = DtlsClient::open(target(&wrong_client));
    assert!(
        matches!(failed, Err(DtlsError::AlertReceived(Alert(48)))),
        "{failed:?}"
    );
    let counters = &pair.server.statistics;
    assert_eq!(counters.invalid_client_certificates.value(), 1);
    let wrong_server = client(pair.client.identity(), &stranger);
    let failed = DtlsClient::open(target(&wrong_server)).unwrap_err();
    assert!(failed.to_string().contains("sha256:"), "{failed}");
    let known = ServerAuthentication {
        trust: TrustAnchors::new(vec![stranger.chain()[0].clone()]).unwrap(),
        identity: PeerIdentity::Target,
    };
    let careful = TlsClient::new(pair.client.identity().clone(), known);
    let failed = DtlsClient::open(target(&careful)).unwrap_err();
    let failed = SessionError::from(failed).to_string();
    let advice = "If it is the right one, trust its authority (--trust FILE), or this certificate alone (--peer-fingerprint sha256:";
    assert!(failed.contains(advice), "{failed}");
    assert_eq!(
        wrong_server
            .statistics()
            .unknown_server_certificates
            .value(),
        1
    );
    assert_eq!(wrong_server.statistics().open_errors.value(), 1);
    eventually("no handshake failed", || {
        pair.counted(Counted::HandshakesFailed) == 3
    });
    assert_eq!(pair.listener.statistics().open_sessions(), 0);
}

#[test]
fn a_session_stays_when_certificates_change_and_ends_when_its_client_has_no_name_any_more() {
    let pair = Pair::new(limits());
    let mut before = pair.connect();
    assert_eq!(ask(&mut before, b"one"), b"ops:one");
    let renewed = credentials("agent2");
    let known = pair.client.identity();
    let replace = |clients| {
        let server = server(&renewed, clients);
        pair.listener.replace_server(&server).unwrap();
    };
    replace(known);
    assert_eq!(ask(&mut before, b"two"), b"ops:two");
    assert_eq!(pair.counted(Counted::SessionsClosed), 0);
    // The former certificate is not shown any more, even to a client that would resume its session.
    assert!(DtlsClient::open(pair.target()).is_err());
    let other = credentials("manager2");
    replace(&other);
    let new = client(&other, &renewed);
    let target = DtlsTarget::new(&new, "agent", pair.listener.address(), PATIENCE).unwrap();
    let mut after = DtlsClient::open(target).unwrap();
    assert_eq!(ask(&mut after, b"three"), b"ops:three");
    before.send(b"four").unwrap();
    eventually("the session stays open", || {
        pair.counted(Counted::SessionsClosed) == 1
    });
    assert_eq!(receive(&mut before, Duration::from_millis(200)), None);
    assert_eq!(ask(&mut after, b"five"), b"ops:five");
}

#[test]
fn a_resumed_session_stays_when_rules_change_that_keep_its_name() {
    let pair = Pair::new(limits());
    pair.connect();
    let mut resumed = pair.connect();
    assert!(resumed.is_resumed());
    assert_eq!(ask(&mut resumed, b"one"), b"ops:one");
    pair.listener.replace_server(&pair.server).unwrap();
    assert_eq!(ask(&mut resumed, b"two"), b"ops:two");
    assert_eq!(pair.counted(Counted::SessionsOpened), 2);
}
