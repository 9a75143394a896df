//! Notifications over SSH.

use std::net::SocketAddr;
use std::thread;

use varbind::clock::Clock;
use varbind::codec::smi::OwnedValue;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_receiver::{Configuration, NotificationKind};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::engine::security::usm::LocalEngine;
use varbind::notification::{
    NotificationReceiver, NotificationTarget, Notifications, Progress, ReceiverLimits,
    TargetOptions,
};
use varbind::transport::ssh::SshServer;
use varbind::transport::{Transport, TransportAddress};

use crate::fixture::{PATIENCE, engine_id, oid};
use crate::keys::Files;

struct Receiving {
    files: Files,
    _receiver: NotificationReceiver,
    notifications: Notifications,
    address: SocketAddr,
}

impl Receiving {
    fn new() -> Self {
        let clock = Clock::start();
        let configuration = Configuration {
            engine: Some(LocalEngine::new(engine_id(), 1, clock.now(), 1).into()),
            transport_security_model: Some(TransportSecurityModel::default()),
            ..Configuration::default()
        };
        let (receiver, notifications) =
            NotificationReceiver::start(configuration, ReceiverLimits::default(), clock);
        let files = Files::new();
        let server = SshServer::new(files.server_configuration());
        let address = receiver
            .listen_ssh(server, ([127, 0, 0, 1], 0).into())
            .unwrap();
        Self {
            files,
            _receiver: receiver,
            notifications,
            address,
        }
    }

    fn target(&self, kind: NotificationKind) -> NotificationTarget {
        let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
        let mut options = TargetOptions::new(kind, processing);
        options.secure.ssh = self.files.options();
        let clock = Clock::start();
        let engine_id = EngineId::new(b"\x80\0\0\0\x04sender").unwrap();
        options.originator.engine = Some(LocalEngine::new(engine_id, 1, clock.now(), 1).into());
        let address = TransportAddress::of_socket(Transport::Ssh, self.address);
        let mut target = NotificationTarget::new(address, options, clock);
        target.connect().unwrap();
        target
    }
}

fn cold_start(number: u32) -> Notification {
    let location = (
        oid("1.3.6.1.2.1.1.6.0"),
        OwnedValue::OctetString(b"here".to_vec()),
    );
    Notification::new(number, oid("1.3.6.1.6.3.1.1.5.1"), vec![location])
}

#[test]
fn traps_arrive_with_the_name_of_who_has_logged_in() {
    let receiving = Receiving::new();
    let mut target = receiving.target(NotificationKind::Trap);
    for number in 0..100 {
        target.send(&cold_start(number)).unwrap();
        while !matches!(target.progress(None), Progress::Idle) {}
    }
    drop(target);
    for number in 0..100 {
        let arrived = receiving.notifications.next_within(PATIENCE);
        let arrived = arrived.unwrap().unwrap();
        assert_eq!(arrived.transport, Transport::Ssh);
        assert_eq!(arrived.received.security_name.as_str(), "ops");
        assert_eq!(arrived.received.notification.up_time, number);
    }
}

#[test]
fn informs_are_acknowledged() {
    let receiving = Receiving::new();
    let mut target = receiving.target(NotificationKind::Inform);
    target.send(&cold_start(7)).unwrap();
    thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let Progress::Event(event) = target.progress(None) else {
                panic!("no outcome");
            };
            assert!(format!("{event:?}").contains("Acknowledged"), "{event:?}");
        });
        let arrived = receiving.notifications.next_within(PATIENCE);
        let received = arrived.unwrap().unwrap().deliver();
        assert_eq!(received.notification.up_time, 7);
        sending.join().unwrap();
    });
}
