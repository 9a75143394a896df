//! Notifications over SSH.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use varbind::Receiver;
use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::codec::pdu::PduType;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, ReceiverConfiguration,
};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::engine::security::usm::LocalEngine;
use varbind::notification::{
    NotificationReceiver, Notifications, Progress, ReceiverLimits, TargetOptions,
};
use varbind::transport::ssh::SshServer;
use varbind::transport::{MessageSession, Transport, TransportAddress};
use varbind_testkit::loopback::{PATIENCE, engine_id};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::ssh::{Files, manager_options};

struct Receiving {
    files: Files,
    server: Arc<SshServer>,
    _receiver: NotificationReceiver,
    notifications: Notifications,
    address: SocketAddr,
}

impl Receiving {
    fn new() -> Self {
        let clock = Clock::start();
        let configuration = ReceiverConfiguration {
            engine: Some(LocalEngine::new(engine_id(), 1, clock.now(), 1).into()),
            transport_security_model: Some(TransportSecurityModel::default()),
            ..ReceiverConfiguration::default()
        };
        let (receiver, notifications) =
            NotificationReceiver::start(configuration, ReceiverLimits::default(), clock);
        let files = Files::new();
        let server = SshServer::new(files.server_configuration());
        let address = receiver
            .listen_ssh(Arc::clone(&server), ([127, 0, 0, 1], 0).into())
            .unwrap();
        Self {
            files,
            server,
            _receiver: receiver,
            notifications,
            address,
        }
    }

    fn target(&self, kind: NotificationKind) -> NotificationTarget {
        let address = TransportAddress::of_socket(Transport::Ssh, self.address);
        target(&self.files, address, kind)
    }
}

/// A target to which the user of the files sends.
fn target(files: &Files, address: TransportAddress, kind: NotificationKind) -> NotificationTarget {
    let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
    let mut options = TargetOptions::new(kind, processing);
    options.secure.ssh = files.options();
    let clock = Clock::start();
    let engine_id = EngineId::new(b"\x80\0\0\0\x04sender").unwrap();
    options.originator.engine = Some(LocalEngine::new(engine_id, 1, clock.now(), 1).into());
    let mut target = NotificationTarget::new(address, options, clock).unwrap();
    target.connect().unwrap();
    target
}

fn cold_start(number: u32) -> Notification {
    let location = VarBind::new(
        oid("1.3.6.1.2.1.1.6.0"),
        Value::OctetString(b"here".to_vec()),
    );
    Notification::new(number, oid("1.3.6.1.6.3.1.1.5.1"), vec![location])
}

#[test]
fn traps_arrive_with_the_name_of_who_has_logged_in() {
    let receiving = Receiving::new();
    let mut target = receiving.target(NotificationKind::Trap);
    for number in 0..100 {
        target.send(&cold_start(number)).unwrap();
        while !matches!(target.progress(), Progress::Idle) {}
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
fn a_built_receiver_listens_over_ssh() {
    let files = Files::new();
    let server = SshServer::new(files.server_configuration());
    let builder = Receiver::builder().ssh_server(server);
    let receiver = builder.listen("ssh:127.0.0.1:0").start().unwrap();
    let address = receiver.addresses().remove(0);
    let mut target = target(&files, address, NotificationKind::Trap);
    target.send(&cold_start(7)).unwrap();
    while !matches!(target.progress(), Progress::Idle) {}
    let (_listening, notifications) = receiver.into_parts();
    let arrived = notifications.next_within(PATIENCE).unwrap().unwrap();
    assert_eq!(arrived.deliver().security_name.as_str(), "ops");
}

#[test]
fn informs_are_acknowledged() {
    let receiving = Receiving::new();
    let mut target = receiving.target(NotificationKind::Inform);
    target.send(&cold_start(7)).unwrap();
    thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let Progress::Event(event) = target.progress() else {
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

#[test]
fn a_session_ends_when_the_key_of_its_sender_is_removed() {
    let receiving = Receiving::new();
    let target = TransportAddress::of_socket(Transport::Ssh, receiving.address);
    let secure = manager_options(receiving.files.options()).secure;
    let mut session = MessageSession::open(&target, PATIENCE, &secure).unwrap();
    let inform = |id: i32| {
        let mut inform = Message::new(PduType::InformRequest, &[]).with_request_id(id);
        inform.bindings = vec![
            VarBind::new(oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(7)),
            VarBind::new(oid("1.3.6.1.6.3.1.1.4.1.0"), oid("1.3.6.1.6.3.1.1.5.1")),
        ];
        inform.encode()
    };
    let arrived = |patience| receiving.notifications.next_within(patience).unwrap();
    for id in 0..2 {
        session.send(&inform(id)).unwrap();
        let received = arrived(PATIENCE).expect("it arrives").deliver();
        assert_eq!(received.notification.up_time, 7);
        let response = session.receive(PATIENCE).unwrap();
        assert_eq!(
            Message::decode(response.expect("it is acknowledged")).request_id,
            id
        );
        let configuration = receiving.files.server_configuration();
        receiving.server.replace(configuration);
    }
    receiving.files.authorize("ops", "# nobody");
    receiving
        .server
        .replace(receiving.files.server_configuration());
    session.send(&inform(2)).unwrap();
    session.receive(PATIENCE).unwrap_err();
    assert!(arrived(Duration::ZERO).is_none());
}
