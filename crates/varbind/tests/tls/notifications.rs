//! Notifications over TLS.

use std::sync::Arc;
use std::time::Duration;

use varbind::clock::Clock;
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_originator::Event;
use varbind::engine::applications::notification_receiver::{Configuration, NotificationKind};
use varbind::engine::clock::Instant;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::engine::security::usm::LocalEngine;
use varbind::notification::{
    NotificationReceiver, NotificationTarget, Progress, ReceiverLimits, TargetOptions,
};
use varbind::transport::certificate::{PeerIdentity, ServerAuthentication, TlsClient, TlsServer};
use varbind::transport::{Transport, TransportAddress};

use crate::agent::by_alternative_name;
use crate::certificates::{Authority, Wanted};
use crate::fixture::{PATIENCE, engine_id};

fn cold_start(number: u32) -> Notification {
    let cold_start: Oid = "1.3.6.1.6.3.1.1.5.1".parse().unwrap();
    Notification::new(number, cold_start, Vec::new())
}

fn engine() -> Arc<LocalEngine> {
    let engine = LocalEngine::new(engine_id(), 1, Instant::ORIGIN, 1);
    Arc::new(engine)
}

fn receiver() -> Configuration {
    Configuration {
        engine: Some(engine()),
        transport_security_model: Some(TransportSecurityModel::default()),
        ..Configuration::default()
    }
}

#[test]
fn informs_of_those_with_a_certificate_arrive_and_are_acknowledged() {
    let authority = Authority::new("authority");
    let (receiver, notifications) =
        NotificationReceiver::start(receiver(), ReceiverLimits::default(), Clock::start());
    let issued = authority.issue(&Wanted::server());
    let server = TlsServer::new(issued.identity(), by_alternative_name(&authority));
    let address = receiver
        .listen_tls(&server, ([127, 0, 0, 1], 0).into())
        .unwrap();
    let agent = authority.issue(&Wanted::client("agent1"));
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
        let mut target = NotificationTarget::new(address, options, Clock::start());
        target.connect().unwrap();
        for number in 1..=3 {
            target.send(&cold_start(number)).unwrap();
            match target.progress(None) {
                Progress::Event(Event::Acknowledged { .. }) => {}
                other => panic!("{other:?}"),
            }
            let arrived = notifications.next_within(PATIENCE).unwrap().unwrap();
            assert_eq!(arrived.transport, Transport::Tls);
            assert_eq!(arrived.received.notification.up_time, number);
            assert_eq!(arrived.received.security_name.as_str(), "agent1");
        }
    }
    receiver.shutdown();
    assert!(notifications.next_within(Duration::ZERO).is_err());
}
