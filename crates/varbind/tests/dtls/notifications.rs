//! Notifications over DTLS.

use std::sync::Arc;
use std::thread;

use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_originator::OriginatorEvent;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, ReceiverConfiguration,
};
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::notification::{NotificationReceiver, Progress, ReceiverLimits, TargetOptions};
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, TlsServer,
};
use varbind_testkit::certificates::Authority;
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::oid;

use crate::fixture::{client, engine, target};

#[test]
fn informs_and_traps_arrive_under_the_name_of_the_certificate() {
    let authority = Authority::new("authority");
    let row = CertificateMapRow {
        id: 1,
        fingerprint: authority.fingerprint(),
        mapping: Mapping::CommonName,
    };
    let senders = ClientAuthentication::new(authority.trust(), CertificateMap::new(vec![row]));
    let server = TlsServer::new(authority.issue_host("receiver").identity(), senders);
    let (receiver, notifications) = NotificationReceiver::start(
        ReceiverConfiguration {
            engine: Some(engine(3)),
            transport_security_model: Some(TransportSecurityModel::default()),
            ..ReceiverConfiguration::default()
        },
        ReceiverLimits::default(),
        Clock::start(),
    );
    let address = receiver
        .listen_dtls(&server, "127.0.0.1:0".parse().unwrap())
        .unwrap();
    let sender = Arc::new(client(
        &authority,
        &authority.issue_host("sender").identity(),
    ));
    for kind in [NotificationKind::Inform, NotificationKind::Trap] {
        let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
        let mut options = TargetOptions::new(kind, processing);
        options.secure.tls = Some(Arc::clone(&sender));
        options.originator.engine = Some(engine(2));
        let mut target = NotificationTarget::new(target(address), options, Clock::start()).unwrap();
        target.connect().unwrap();
        let notification = Notification::new(7, oid("1.3.6.1.6.3.1.1.5.1"), Vec::new());
        target.send(&notification).unwrap();
        let received = thread::scope(|scope| {
            let sending = scope.spawn(|| match target.progress() {
                Progress::Event(OriginatorEvent::Acknowledged { .. }) | Progress::Idle => {}
                Progress::Event(event) => panic!("{event:?}"),
            });
            let arrived = notifications.next_within(PATIENCE).unwrap().unwrap();
            let received = arrived.deliver();
            sending.join().unwrap();
            received
        });
        assert_eq!(received.notification.trap_oid, oid("1.3.6.1.6.3.1.1.5.1"));
        assert_eq!(received.kind, kind);
    }
}
