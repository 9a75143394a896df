//! Notifications over TLS.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use varbind::Receiver;
use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_originator::OriginatorEvent;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, ReceiverConfiguration,
};
use varbind::engine::clock::Instant;
use varbind::engine::security::SecurityLevel;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::engine::security::usm::LocalEngine;
use varbind::manager::ManagerOptions;
use varbind::notification::{
    Arrived, BuildError, NotificationReceiver, Progress, ReceiverLimits, TargetOptions,
};
use varbind::transport::certificate::{
    CertificateMap, ClientAuthentication, Mapping, OverdueLists, PeerIdentity, RevocationLists,
    ServerAuthentication, TlsClient, TlsServer,
};
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files};
use varbind_testkit::loopback::{PATIENCE, engine_id};

use crate::agent::{ask, by_alternative_name, rule};

fn cold_start(number: u32) -> Notification {
    let cold_start: Oid = "1.3.6.1.6.3.1.1.5.1".parse().unwrap();
    Notification::new(number, cold_start, Vec::new())
}

fn engine() -> Arc<LocalEngine> {
    let engine = LocalEngine::new(engine_id(), 1, Instant::ORIGIN, 1);
    Arc::new(engine)
}

fn receiver() -> ReceiverConfiguration {
    ReceiverConfiguration {
        engine: Some(engine()),
        transport_security_model: Some(TransportSecurityModel::default()),
        ..ReceiverConfiguration::default()
    }
}

#[test]
fn informs_of_those_with_a_certificate_arrive_and_are_acknowledged() {
    let authority = Authority::new("authority");
    let (receiver, notifications) =
        NotificationReceiver::start(receiver(), ReceiverLimits::default(), Clock::start());
    let issued = authority.issue(&CertificateTemplate::server());
    let server = TlsServer::new(issued.identity(), by_alternative_name(&authority));
    let address = receiver
        .listen_tls(&server, ([127, 0, 0, 1], 0).into())
        .unwrap();
    let agent = authority.issue(&CertificateTemplate::client("agent1"));
    let known = ServerAuthentication {
        trust: authority.trust(),
        identity: PeerIdentity::Target,
    };
    let client = Arc::new(TlsClient::new(agent.identity(), known));
    for processing in [
        MessageProcessing::V3(Box::new(V3Parameters::transport())),
        MessageProcessing::V2c {
            community: b"anything".to_vec(),
        },
    ] {
        let mut options = TargetOptions::new(NotificationKind::Inform, processing);
        options.originator.engine = Some(engine());
        options.secure.tls = Some(Arc::clone(&client));
        let address = TransportAddress::of_socket(Transport::Tls, address);
        let mut target = NotificationTarget::new(address, options, Clock::start()).unwrap();
        target.connect().unwrap();
        for number in 1..=3 {
            target.send(&cold_start(number)).unwrap();
            let received = thread::scope(|scope| {
                let sending = scope.spawn(|| target.progress());
                let arrived = notifications.next_within(PATIENCE).unwrap().unwrap();
                assert_eq!(arrived.transport, Transport::Tls);
                let received = arrived.deliver();
                match sending.join().unwrap() {
                    Progress::Event(OriginatorEvent::Acknowledged { .. }) => {}
                    other => panic!("{other:?}"),
                }
                received
            });
            assert_eq!(received.notification.up_time, number);
            assert_eq!(received.security_name.as_str(), "agent1");
        }
    }
    receiver.shutdown();
    assert!(notifications.next_within(Duration::ZERO).is_err());
}

#[test]
fn a_built_receiver_listens_with_certificates_of_files() {
    let authority = Authority::new("authority");
    let issued = authority.issue(&CertificateTemplate::server());
    let files = Files::with_certificates(&authority, &[("receiver", &issued)]);
    let [chain, key, ca] = ["receiver.pem", "receiver.key", "ca.pem"].map(|name| files.path(name));
    let builder = Receiver::builder().certificate(chain, key, ca.clone());
    let builder = builder.listen("tls:127.0.0.1:0").listen("dtls:127.0.0.1:0");
    let mut receiver = builder.start().unwrap();
    // One without alternative names is called by its CommonName.
    let agents = [
        CertificateTemplate::client("agent1"),
        CertificateTemplate::new("agent2"),
    ];
    let agents = agents.map(|agent| authority.issue(&agent));
    for (agent, name) in agents.iter().zip(["agent1", "agent2"]) {
        let known = ServerAuthentication {
            trust: authority.trust(),
            identity: PeerIdentity::Target,
        };
        let client = Arc::new(TlsClient::new(agent.identity(), known));
        for address in receiver.addresses() {
            let client = Arc::clone(&client);
            let sending = thread::spawn(move || {
                let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
                let mut options = TargetOptions::new(NotificationKind::Inform, processing);
                options.originator.engine = Some(engine());
                options.secure.tls = Some(client);
                let mut target = NotificationTarget::new(address, options, Clock::start()).unwrap();
                target.connect().unwrap();
                target.send(&cold_start(7)).unwrap();
                target.progress()
            });
            let received = next(&mut receiver).deliver();
            assert_eq!(received.security_name.as_str(), name);
            assert_eq!(received.security_level, SecurityLevel::AuthPriv);
            let outcome = sending.join().unwrap();
            assert!(
                matches!(
                    outcome,
                    Progress::Event(OriginatorEvent::Acknowledged { .. })
                ),
                "{outcome:?}"
            );
        }
    }
    let missing = Receiver::builder().certificate(ca, files.path("none.key"), files.path("ca.pem"));
    let error = missing.start().unwrap_err();
    assert!(matches!(error, BuildError::Certificate(_)), "{error}");
    assert!(error.to_string().contains("none.key"), "{error}");
}

fn next(receiver: &mut Receiver) -> Arrived {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let next = runtime.block_on(async { tokio::time::timeout(PATIENCE, receiver.next()).await });
    next.expect("a notification").expect("a receiver")
}

/// A target that sends informs of its own number until it is told to stop, each in a session that may be its last. How many
/// were acknowledged.
fn inform_until(
    is_over: &AtomicBool,
    address: SocketAddr,
    transport: Transport,
    client: &Arc<TlsClient>,
    number: u32,
) -> u32 {
    let mut acknowledged = 0;
    while !is_over.load(Ordering::Relaxed) || acknowledged < 20 {
        let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
        let mut options = TargetOptions::new(NotificationKind::Inform, processing);
        options.originator.engine = Some(engine());
        options.secure.tls = Some(Arc::clone(client));
        let address = TransportAddress::of_socket(transport, address);
        let mut target = NotificationTarget::new(address, options, Clock::start()).unwrap();
        target.connect().unwrap();
        for _ in 0..3 {
            target.send(&cold_start(number)).unwrap();
            match target.progress() {
                Progress::Event(OriginatorEvent::Acknowledged { .. }) => acknowledged += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    acknowledged
}

#[test]
fn no_inform_is_lost_while_certificates_and_lists_change() {
    let authority = Authority::new("authority");
    let (receiver, notifications) =
        NotificationReceiver::start(receiver(), ReceiverLimits::default(), Clock::start());
    let revoked = authority.issue(&CertificateTemplate::client("revoked"));
    let server = |number: u32| {
        let list = authority.revokes(&[&revoked.chain[0]], 2080);
        let lists = RevocationLists::new(&[list], OverdueLists::Refuse).unwrap();
        let trust = authority.trust().with_revocation_lists(lists);
        let row = rule(number, authority.fingerprint(), Mapping::AnyAlternativeName);
        let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
        let issued = authority.issue(&CertificateTemplate::server());
        TlsServer::new(issued.identity(), clients)
    };
    let any = ([127, 0, 0, 1], 0).into();
    let first = server(1);
    let tls = receiver.listen_tls(&first, any).unwrap();
    let dtls = receiver.listen_dtls(&first, any).unwrap();
    let known = ServerAuthentication {
        trust: authority.trust(),
        identity: PeerIdentity::Target,
    };
    let taking = thread::spawn(move || {
        let mut arrived = [0; 4];
        for notification in notifications.map(Arrived::deliver) {
            arrived[notification.notification.up_time as usize] += 1;
        }
        arrived
    });
    let is_over = AtomicBool::new(false);
    let sent: Vec<u32> = thread::scope(|scope| {
        let senders: Vec<_> = [(tls, Transport::Tls), (dtls, Transport::Dtls)]
            .into_iter()
            .cycle()
            .zip(0..4)
            .map(|((address, transport), number)| {
                let issued = authority.issue(&CertificateTemplate::client("agent1"));
                let client = Arc::new(TlsClient::new(issued.identity(), known.clone()));
                let is_over = &is_over;
                scope.spawn(move || inform_until(is_over, address, transport, &client, number))
            })
            .collect();
        for number in 2..60 {
            receiver.replace_tls(&server(number)).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        senders.into_iter().map(|it| it.join().unwrap()).collect()
    });
    // Who was revoked meanwhile is refused.
    let client = Arc::new(TlsClient::new(revoked.identity(), known));
    let options = ManagerOptions::v2c("x");
    let error = ask(tls, Arc::into_inner(client).unwrap(), options).unwrap_err();
    assert!(error.contains("certificate_revoked"), "{error}");
    receiver.shutdown();
    assert_eq!(taking.join().unwrap(), sent[..]);
}
