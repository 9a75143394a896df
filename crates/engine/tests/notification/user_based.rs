//! Traps and informs of SNMPv3 with the user-based security model.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::{ScopedPdu, ScopedPduData, V3Message, Version};
use varbind_codec::smi::Value;
use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, UserParameters, V3Parameters, V3Security,
};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::{
    NotSent, NotificationOriginator, OriginatorConfiguration, OriginatorEvent, OriginatorOutput,
};
use varbind_engine::applications::notification_receiver::{
    NotificationKind, NotificationReceiver, NotificationUser, ReceivedNotification,
    ReceiverConfiguration, ReceiverDiscard, ReceiverLoss, ReceiverOutcome, response_buffer_length,
};
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol, RemoteEngine,
    UsmError,
};
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};
use varbind_engine::transport::{Received, ResponseLimits, WaitHandling};
use varbind_testkit::oid;

use crate::message::{LINK_DOWN, link_down};

fn credentials(level: SecurityLevel, password: &str) -> Credentials {
    let password = Password::new(password.as_bytes()).expect("a password");
    match level {
        SecurityLevel::NoAuthNoPriv => Credentials::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv => {
            Credentials::auth_no_priv(AuthenticationProtocol::Sha1, &password)
        }
        SecurityLevel::AuthPriv => Credentials::auth_priv(
            AuthenticationProtocol::Sha1,
            &password,
            PrivacyProtocol::Aes128,
            &password,
        ),
    }
}

const LEVELS: [SecurityLevel; 3] = [
    SecurityLevel::NoAuthNoPriv,
    SecurityLevel::AuthNoPriv,
    SecurityLevel::AuthPriv,
];

fn engine(host: &str, boots: i32) -> Arc<LocalEngine> {
    let id = [b"\x80\0\0\0\x04", host.as_bytes()].concat();
    let id = EngineId::new(&id).expect("an engine ID");
    Arc::new(LocalEngine::new(id, boots, Instant::ORIGIN, 7))
}

fn originator(
    kind: NotificationKind,
    engine: Option<Arc<LocalEngine>>,
    level: SecurityLevel,
    password: &str,
) -> NotificationOriginator {
    let name = SecurityName::new("ops");
    let mut parameters = V3Parameters::user(name, credentials(level, password)).expect("a user");
    // The context of a notification is one of its originator, whoever is authoritative.
    parameters.context_engine = ContextEngine::Known(*self::engine("originator", 1).id());
    let processing = MessageProcessing::V3(Box::new(parameters));
    let configuration = match kind {
        NotificationKind::Trap => OriginatorConfiguration::trap(processing, 1),
        NotificationKind::Inform => OriginatorConfiguration::inform(processing, 1),
    };
    NotificationOriginator::new(OriginatorConfiguration {
        engine,
        ..configuration
    })
}

fn receiver(level: SecurityLevel) -> NotificationReceiver {
    let name = SecurityName::new("ops");
    let user = NotificationUser::new(name, credentials(level, "a password")).expect("a user");
    NotificationReceiver::new(ReceiverConfiguration {
        users: vec![user],
        engine: Some(engine("receiver", 3)),
        ..ReceiverConfiguration::default()
    })
}

fn notification() -> Notification {
    let mut var_binds = link_down();
    var_binds.drain(..2);
    Notification::new(4711, oid(LINK_DOWN), var_binds)
}

fn at(seconds: u64) -> Instant {
    Instant::ORIGIN + Duration::from_secs(seconds)
}

#[track_caller]
fn trap(now: Instant, engine: &Arc<LocalEngine>, level: SecurityLevel, password: &str) -> Vec<u8> {
    let engine = Some(Arc::clone(engine));
    let mut originator = originator(NotificationKind::Trap, engine, level, password);
    originator.send(&notification()).expect("a trap");
    let mut buffer = vec![0; 1472];
    match originator.poll_output(now, &mut buffer) {
        OriginatorOutput::Transmit(message) => message.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn take(
    receiver: &NotificationReceiver,
    now: Instant,
    message: &[u8],
) -> (ReceiverOutcome, Vec<u8>) {
    let limit = 65_507;
    let received = Received {
        now,
        remote: SocketAddr::from(([192, 0, 2, 33], 40_000)),
        message,
        limits: ResponseLimits {
            message: limit,
            bulk: limit,
        },
        waits: WaitHandling::Now,
        transport_state: None,
    };
    let mut buffer = vec![0; response_buffer_length(limit)];
    (receiver.handle_message(&received, &mut buffer), buffer)
}

#[track_caller]
fn deliver(receiver: &NotificationReceiver, now: Instant, message: &[u8]) -> ReceivedNotification {
    match take(receiver, now, message).0 {
        ReceiverOutcome::Deliver(delivery) => {
            receiver.delivered(now, delivery.acknowledgement.as_ref());
            delivery.received
        }
        other => panic!("not delivered: {other:?}"),
    }
}

#[track_caller]
fn refused(receiver: &NotificationReceiver, now: Instant, message: &[u8]) -> UsmError {
    match take(receiver, now, message).0 {
        ReceiverOutcome::Discarded(ReceiverDiscard::Refused(Discard::Usm(error))) => error,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn traps_of_every_level_are_received_from_any_number_of_engines() {
    for level in LEVELS {
        let receiver = receiver(level);
        for host in ["one", "two", "three"] {
            let message = trap(at(10), &engine(host, 1), level, "a password");
            let received = deliver(&receiver, at(1000), &message);
            assert_eq!(received.version, Version::V3);
            assert_eq!(received.security_model, SecurityModel::UserBased);
            assert_eq!(received.security_level, level);
            assert_eq!(received.security_name.as_str(), "ops");
            assert_eq!(received.kind, NotificationKind::Trap);
            assert_eq!(received.notification, notification());
        }
        assert_eq!(receiver.statistics().delivered(), 3);
    }
}

fn user(password: &str) -> NotificationUser {
    let credentials = credentials(SecurityLevel::AuthPriv, password);
    NotificationUser::new(SecurityName::new("ops"), credentials).expect("a user")
}

fn receiver_of(users: Vec<NotificationUser>) -> NotificationReceiver {
    NotificationReceiver::new(configuration_of(users))
}

fn configuration_of(users: Vec<NotificationUser>) -> ReceiverConfiguration {
    ReceiverConfiguration {
        users,
        engine: Some(engine("receiver", 3)),
        ..ReceiverConfiguration::default()
    }
}

#[test]
fn one_name_has_other_secrets_at_other_engines() {
    let (one, two, three) = (engine("one", 1), engine("two", 1), engine("three", 1));
    let receiver = receiver_of(vec![
        user("the first password").at_engines(vec![*one.id()]),
        user("the second password").at_engines(vec![*two.id()]),
    ]);
    let level = SecurityLevel::AuthPriv;
    for (engine, password) in [(&one, "the first password"), (&two, "the second password")] {
        deliver(&receiver, at(10), &trap(at(10), engine, level, password));
    }
    let message = trap(at(11), &two, level, "the first password");
    assert_eq!(refused(&receiver, at(11), &message), UsmError::WrongDigest);
    let message = trap(at(11), &three, level, "the first password");
    let error = refused(&receiver, at(11), &message);
    assert_eq!(error, UsmError::UnknownUserName);
}

#[test]
fn a_lower_level_is_taken_if_that_is_allowed() {
    let receiver = receiver_of(vec![
        user("a password").with_minimum_level(SecurityLevel::AuthNoPriv),
    ]);
    for (host, level) in [
        ("one", SecurityLevel::AuthNoPriv),
        ("two", SecurityLevel::AuthPriv),
    ] {
        let message = trap(at(10), &engine(host, 1), level, "a password");
        let received = deliver(&receiver, at(10), &message);
        assert_eq!(received.security_level, level);
    }
    let level = SecurityLevel::NoAuthNoPriv;
    let message = trap(at(10), &engine("three", 1), level, "a password");
    let error = refused(&receiver, at(10), &message);
    assert_eq!(error, UsmError::UnsupportedSecurityLevel);
}

/// RFC 3414 section 3.2 (7b): a reload must not let recorded messages pass again.
#[test]
fn clocks_of_senders_survive_another_configuration() {
    let receiver = receiver_of(vec![user("a password")]);
    let (one, level) = (engine("one", 1), SecurityLevel::AuthPriv);
    let recorded = trap(at(10), &one, level, "a password");
    deliver(&receiver, at(10), &recorded);
    receiver.replace(configuration_of(vec![user("a password")]));
    let error = refused(&receiver, at(1000), &recorded);
    assert_eq!(error, UsmError::NotInTimeWindow);
    receiver.replace(configuration_of(vec![user("another password")]));
    let message = trap(at(1001), &one, level, "a password");
    let error = refused(&receiver, at(1001), &message);
    assert_eq!(error, UsmError::WrongDigest);
    let message = trap(at(1001), &one, level, "another password");
    deliver(&receiver, at(1001), &message);
}

/// RFC 3414 section 3.2 (6) and (8)
#[test]
fn a_wrong_password_is_refused() {
    let receiver = receiver(SecurityLevel::AuthPriv);
    let one = engine("one", 1);
    let message = trap(at(10), &one, SecurityLevel::AuthPriv, "another password");
    assert_eq!(refused(&receiver, at(10), &message), UsmError::WrongDigest);
    let mut message = trap(at(10), &one, SecurityLevel::AuthPriv, "a password");
    let last = message.len() - 1;
    message[last] ^= 1;
    assert_eq!(refused(&receiver, at(10), &message), UsmError::WrongDigest);
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 2);
}

/// A user with keys must use them: the name alone is not a secret.
#[test]
fn messages_below_the_level_of_the_user_are_refused() {
    let receiver = receiver(SecurityLevel::AuthPriv);
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv] {
        let message = trap(at(10), &engine("one", 1), level, "a password");
        let error = refused(&receiver, at(10), &message);
        assert_eq!(error, UsmError::UnsupportedSecurityLevel);
    }
}

#[test]
fn unknown_users_are_refused() {
    let receiver = NotificationReceiver::new(ReceiverConfiguration::default());
    let message = trap(
        at(10),
        &engine("one", 1),
        SecurityLevel::AuthNoPriv,
        "a password",
    );
    assert_eq!(
        refused(&receiver, at(10), &message),
        UsmError::UnknownUserName
    );
}

/// RFC 3414 section 3.2 (7) b: a trap that is sent once more later is a replay.
#[test]
fn old_traps_are_refused_for_each_engine_by_itself() {
    let level = SecurityLevel::AuthNoPriv;
    let receiver = receiver(level);
    let (one, two) = (engine("one", 1), engine("two", 9));
    let old = trap(at(10), &one, level, "a password");
    deliver(&receiver, at(10), &old);
    deliver(&receiver, at(100), &old);
    let error = refused(&receiver, at(200), &old);
    assert_eq!(error, UsmError::NotInTimeWindow);
    // The other engine has another clock.
    deliver(&receiver, at(200), &trap(at(0), &two, level, "a password"));
    // The first one starts again, and what it sent before is old.
    let again = trap(at(1), &engine("one", 2), level, "a password");
    deliver(&receiver, at(201), &again);
    let recent = trap(at(202), &one, level, "a password");
    assert_eq!(
        refused(&receiver, at(202), &recent),
        UsmError::NotInTimeWindow
    );
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 2);
}

/// Every cut and every flipped bit is discarded, and counted.
#[test]
fn broken_messages_are_discarded_and_counted() {
    let level = SecurityLevel::AuthPriv;
    let receiver = receiver(level);
    let message = trap(at(10), &engine("one", 1), level, "a password");
    let mut messages = 0;
    for length in 0..message.len() {
        let outcome = take(&receiver, at(10), &message[..length]).0;
        assert!(
            matches!(outcome, ReceiverOutcome::Discarded(_)),
            "{outcome:?}"
        );
        messages += 1;
    }
    for bit in 0..8 * message.len() {
        let mut changed = message.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let outcome = take(&receiver, at(10), &changed).0;
        assert!(!matches!(outcome, ReceiverOutcome::Deliver(_)), "bit {bit}");
        messages += 1;
    }
    let counted: u64 = ReceiverLoss::ALL
        .iter()
        .map(|&loss| receiver.statistics().lost(loss))
        .sum();
    assert_eq!(counted, messages);
}

#[test]
fn a_trap_needs_an_engine() {
    let mut trap = originator(
        NotificationKind::Trap,
        None,
        SecurityLevel::AuthPriv,
        "a password",
    );
    assert_eq!(trap.send(&notification()), Err(NotSent::NoEngine));
}

/// RFC 3413 3.3 (3): the objects are those of the originator, also in a message for which the receiver is authoritative.
#[test]
fn the_context_engine_is_the_originator_where_no_other_is_named() {
    let originator_engine = engine("originator", 1);
    let mut user =
        UserParameters::new(SecurityName::new("ops"), Credentials::NoAuthNoPriv).expect("a user");
    user.engine = Some(RemoteEngine::new(*engine("receiver", 3).id()));
    let parameters = V3Parameters::new(V3Security::User(user));
    let processing = MessageProcessing::V3(Box::new(parameters));
    for configuration in [
        OriginatorConfiguration::trap(processing.clone(), 1),
        OriginatorConfiguration::inform(processing.clone(), 1),
    ] {
        let mut originator = NotificationOriginator::new(OriginatorConfiguration {
            engine: Some(Arc::clone(&originator_engine)),
            ..configuration
        });
        originator.send(&notification()).expect("a notification");
        let mut buffer = vec![0; 1472];
        let OriginatorOutput::Transmit(octets) = originator.poll_output(at(10), &mut buffer) else {
            panic!("it is due");
        };
        let message = V3Message::decode(octets).expect("a message");
        let ScopedPduData::Plaintext(reader) = message.data else {
            panic!("nothing is encrypted");
        };
        let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
        let id = originator_engine.id().as_octets();
        assert_eq!(scoped_pdu.context_engine_id, id);
    }
    let mut nobody = NotificationOriginator::new(OriginatorConfiguration::inform(processing, 1));
    assert_eq!(nobody.send(&notification()), Err(NotSent::NoEngine));
}

/// RFC 3414 section 4: the receiver is authoritative, so it is discovered, and then acknowledges.
#[test]
fn informs_of_every_level_are_acknowledged_after_discovery() {
    for level in LEVELS {
        let receiver = receiver(level);
        let mut originator = originator(NotificationKind::Inform, None, level, "a password");
        originator.send(&notification()).expect("an inform");
        let mut delivered = Vec::new();
        let now = at(10);
        let mut output = vec![0; 1472];
        let event = loop {
            match originator.poll_output(now, &mut output) {
                OriginatorOutput::Event(event) => break event,
                OriginatorOutput::Transmit(message) => {
                    let (outcome, buffer) = take(&receiver, now, message);
                    let range = match outcome {
                        ReceiverOutcome::Respond(range, _) => range,
                        ReceiverOutcome::Deliver(delivery) => {
                            let acknowledgement = delivery.acknowledgement.expect("a response");
                            receiver.delivered(now, Some(&acknowledgement));
                            delivered.push(delivery.received);
                            acknowledgement.range
                        }
                        ReceiverOutcome::Discarded(discard) => panic!("{discard}"),
                    };
                    originator
                        .handle_message(now, &buffer[range])
                        .expect("an answer");
                }
                other => panic!("{other:?}"),
            }
        };
        assert!(
            matches!(event, OriginatorEvent::Acknowledged { .. }),
            "{event:?}"
        );
        let [received] = &delivered[..] else {
            panic!("{delivered:?}");
        };
        assert_eq!(received.kind, NotificationKind::Inform);
        assert_eq!(received.security_level, level);
        assert_eq!(received.notification, notification());
        let integer = Value::Integer(7);
        assert_eq!(received.notification.var_binds[0].value, integer);
        let statistics = receiver.statistics();
        assert!(statistics.lost(ReceiverLoss::Discovery) > 0);
        assert_eq!(statistics.lost(ReceiverLoss::Security), 0);
    }
}
