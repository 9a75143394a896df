//! RFC 3413 3.3 and 3.4 with the transport security model, and notifications of all versions over secure transports.

use std::net::SocketAddr;
use std::sync::Arc;

use varbind_codec::message::SecurityLevel::{self, AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, TransportParameters, V3Parameters, V3Security,
};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::{
    NotSent, NotificationOriginator, OriginatorConfiguration, OriginatorEvent, OriginatorOutput,
};
use varbind_engine::applications::notification_receiver::{
    NotificationKind, NotificationReceiver, ReceivedNotification, ReceiverConfiguration,
    ReceiverDiscard, ReceiverLoss, ReceiverOutcome, Wanted, response_buffer_length,
};
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::tsm::{TransportSecurityModel, TsmError};
use varbind_engine::security::usm::LocalEngine;
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::transport::{
    Received, ResponseLimits, SecureTransport, TransportState, WaitHandling,
};
use varbind_testkit::oid;
use varbind_testkit::v3::transport::{Message, SNMP_ENGINE_ID, session};
use varbind_testkit::v3::{SYS_DESCR, agent_id};

const LEVELS: [SecurityLevel; 3] = [NoAuthNoPriv, AuthNoPriv, AuthPriv];

fn engine(id: EngineId) -> Arc<LocalEngine> {
    Arc::new(LocalEngine::new(id, 1, Instant::ORIGIN, 7))
}

fn receiver_id() -> EngineId {
    EngineId::new(b"\x80\0\0\0\x04receiver").expect("an engine ID")
}

fn notification() -> Notification {
    let object = VarBind::new(oid("1.3.6.1.2.1.2.2.1.1.7"), Value::Integer(7));
    Notification::new(4711, oid("1.3.6.1.6.3.1.1.5.3"), vec![object])
}

fn tsm(security_level: SecurityLevel) -> MessageProcessing {
    let security = V3Security::Transport(TransportParameters { security_level });
    MessageProcessing::V3(Box::new(V3Parameters::new(security)))
}

fn originator(
    kind: NotificationKind,
    processing: MessageProcessing,
    engine: Option<Arc<LocalEngine>>,
) -> NotificationOriginator {
    let configuration = match kind {
        NotificationKind::Trap => OriginatorConfiguration::trap(processing, 1),
        NotificationKind::Inform => OriginatorConfiguration::inform(processing, 1),
    };
    NotificationOriginator::new(OriginatorConfiguration {
        engine,
        ..configuration
    })
}

/// The message of one notification.
#[track_caller]
fn message(kind: NotificationKind, processing: MessageProcessing) -> Vec<u8> {
    let mut originator = originator(kind, processing, Some(engine(agent_id())));
    originator.send(&notification()).expect("a notification");
    let mut buffer = vec![0; 1472];
    match originator.poll_output(Instant::ORIGIN, &mut buffer) {
        OriginatorOutput::Transmit(message) => message.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn receiver(wanted: Wanted) -> NotificationReceiver {
    NotificationReceiver::new(ReceiverConfiguration {
        transport_security_model: Some(TransportSecurityModel::default()),
        engine: Some(engine(receiver_id())),
        wanted,
        ..ReceiverConfiguration::default()
    })
}

fn take(
    receiver: &NotificationReceiver,
    state: Option<&TransportState>,
    message: &[u8],
) -> (ReceiverOutcome, Vec<u8>) {
    let limit = 65_507;
    let received = Received {
        now: Instant::ORIGIN,
        remote: SocketAddr::from(([192, 0, 2, 33], 40_000)),
        message,
        limits: ResponseLimits {
            message: limit,
            bulk: limit,
        },
        waits: WaitHandling::Now,
        transport_state: state,
    };
    let mut buffer = vec![0; response_buffer_length(limit)];
    (receiver.handle_message(&received, &mut buffer), buffer)
}

/// The notification, and the acknowledgement if there is one.
#[track_caller]
fn deliver(
    receiver: &NotificationReceiver,
    state: &TransportState,
    message: &[u8],
) -> (ReceivedNotification, Option<Vec<u8>>) {
    let (outcome, buffer) = take(receiver, Some(state), message);
    match outcome {
        ReceiverOutcome::Deliver(delivery) => {
            let acknowledgement = delivery.acknowledgement.as_ref();
            receiver.delivered(Instant::ORIGIN, acknowledgement);
            let octets = acknowledgement.map(|a| buffer[a.range.clone()].to_vec());
            (delivery.received, octets)
        }
        other => panic!("not delivered: {other:?}"),
    }
}

fn alice(level: SecurityLevel) -> TransportState {
    session(SecureTransport::Dtls, "alice", level)
}

#[test]
fn traps_of_every_level_come_from_who_the_transport_says() {
    let receiver = receiver(Wanted::default());
    for level in LEVELS {
        let octets = message(NotificationKind::Trap, tsm(level));
        let sent = Message::decode(&octets);
        assert_eq!(sent.pdu_type, PduType::TrapV2);
        assert_eq!(sent.security_parameters, b"");
        // RFC 3412 6.4
        assert!(!sent.reportable);
        assert_eq!(sent.context_engine_id, agent_id().as_octets());
        let (received, acknowledgement) = deliver(&receiver, &alice(AuthPriv), &octets);
        assert_eq!(acknowledgement, None);
        assert_eq!(received.version, Version::V3);
        assert_eq!(received.kind, NotificationKind::Trap);
        assert_eq!(received.security_model, SecurityModel::Transport);
        assert_eq!(received.security_level, level);
        assert_eq!(received.security_name, SecurityName::new("alice"));
        assert_eq!(received.notification, notification());
    }
}

/// RFC 5591 5.2
#[test]
fn traps_that_the_transport_does_not_vouch_for_are_refused() {
    let receiver = receiver(Wanted::default());
    let octets = message(NotificationKind::Trap, tsm(AuthPriv));
    for (state, error) in [
        (None, TsmError::InvalidCache),
        (Some(alice(AuthNoPriv)), TsmError::InadequateSecurityLevel),
    ] {
        let (outcome, _) = take(&receiver, state.as_ref(), &octets);
        let ReceiverOutcome::Discarded(discard) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(discard, ReceiverDiscard::Refused(Discard::Tsm(error)));
    }
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 2);
    let without = NotificationReceiver::new(ReceiverConfiguration::default());
    let (outcome, _) = take(&without, Some(&alice(AuthPriv)), &octets);
    let unknown = ReceiverDiscard::Refused(Discard::UnknownSecurityModel(4));
    assert!(matches!(outcome, ReceiverOutcome::Discarded(discard) if discard == unknown));
}

#[test]
fn only_wanted_senders_are_passed_on() {
    let wanted = Wanted {
        security_names: vec![SecurityName::new("alice")],
        ..Wanted::default()
    };
    let receiver = receiver(wanted);
    for processing in [
        tsm(AuthPriv),
        MessageProcessing::V2c {
            community: b"alice".to_vec(),
        },
    ] {
        let octets = message(NotificationKind::Trap, processing);
        deliver(&receiver, &alice(AuthPriv), &octets);
        let mallory = session(SecureTransport::Dtls, "mallory", AuthPriv);
        let (outcome, _) = take(&receiver, Some(&mallory), &octets);
        assert!(matches!(
            outcome,
            ReceiverOutcome::Discarded(ReceiverDiscard::Unwanted)
        ));
    }
}

#[test]
fn notifications_of_snmpv1_and_snmpv2c_come_from_who_the_transport_says() {
    let receiver = receiver(Wanted::default());
    let community = b"anything".to_vec();
    let v1 = MessageProcessing::V1 {
        community: community.clone(),
    };
    let v2c = MessageProcessing::V2c { community };
    for (kind, processing, model) in [
        (NotificationKind::Trap, v1, SecurityModel::SnmpV1),
        (NotificationKind::Trap, v2c.clone(), SecurityModel::SnmpV2c),
        (NotificationKind::Inform, v2c, SecurityModel::SnmpV2c),
    ] {
        let octets = message(kind, processing);
        let (received, acknowledgement) = deliver(&receiver, &alice(AuthPriv), &octets);
        assert_eq!(received.kind, kind);
        assert_eq!(received.security_model, model);
        assert_eq!(received.security_level, AuthPriv);
        assert_eq!(received.security_name, SecurityName::new("alice"));
        assert_eq!(acknowledgement.is_some(), kind == NotificationKind::Inform);
        // In the clear, nobody knows that community.
        let (outcome, _) = take(&receiver, None, &octets);
        let refused = ReceiverDiscard::Refused(Discard::BadCommunityName);
        assert!(matches!(outcome, ReceiverOutcome::Discarded(discard) if discard == refused));
    }
}

/// RFC 3413 3.3 (3): the objects are those of the originator, so it asks nobody for a contextEngineID.
#[test]
fn informs_are_about_their_originator_and_are_acknowledged() {
    for level in LEVELS {
        let receiver = receiver(Wanted::default());
        let engine = Some(engine(agent_id()));
        let mut originator = originator(NotificationKind::Inform, tsm(level), engine);
        originator.send(&notification()).expect("an inform");
        let now = Instant::ORIGIN;
        let mut output = vec![0; 1472];
        let OriginatorOutput::Transmit(inform) = originator.poll_output(now, &mut output) else {
            panic!("the inform is due");
        };
        let sent = Message::decode(inform);
        assert_eq!(sent.pdu_type, PduType::InformRequest);
        assert_eq!(sent.context_engine_id, agent_id().as_octets());
        assert!(sent.reportable);
        let (received, acknowledgement) = deliver(&receiver, &alice(AuthPriv), inform);
        assert_eq!(received.security_level, level);
        assert_eq!(received.security_name, SecurityName::new("alice"));
        let acknowledgement = acknowledgement.expect("a response");
        let answer = Message::decode(&acknowledgement);
        assert_eq!(answer.context_engine_id, agent_id().as_octets());
        assert_eq!(answer.level, level);
        originator
            .handle_message(now, &acknowledgement)
            .expect("it is taken");
        let output = originator.poll_output(now, &mut output);
        let OriginatorOutput::Event(event) = output else {
            panic!("{output:?}");
        };
        assert!(
            matches!(event, OriginatorEvent::Acknowledged { .. }),
            "{event:?}"
        );
    }
}

#[test]
fn notifications_need_an_engine_id() {
    for kind in [NotificationKind::Trap, NotificationKind::Inform] {
        let mut nobody = originator(kind, tsm(AuthPriv), None);
        assert_eq!(nobody.send(&notification()), Err(NotSent::NoEngine));
    }
    let parameters = V3Parameters {
        context_engine: ContextEngine::Known(agent_id()),
        ..V3Parameters::transport()
    };
    let processing = MessageProcessing::V3(Box::new(parameters));
    let mut proxy = originator(NotificationKind::Inform, processing, None);
    proxy.send(&notification()).expect("a context is enough");
}

/// RFC 5591 5.2 (4)
#[test]
fn an_inform_that_asks_for_more_than_the_transport_provides_is_reported() {
    let receiver = receiver(Wanted::default());
    let octets = message(NotificationKind::Inform, tsm(AuthPriv));
    let (outcome, buffer) = take(&receiver, Some(&alice(AuthNoPriv)), &octets);
    let ReceiverOutcome::Respond(range, discard) = outcome else {
        panic!("{outcome:?}");
    };
    let error = Discard::Tsm(TsmError::InadequateSecurityLevel);
    assert_eq!(discard, ReceiverDiscard::Refused(error));
    let report = Message::decode(&buffer[range]);
    assert_eq!(report.pdu_type, PduType::Report);
    assert_eq!(report.var_binds[0].name, oid("1.3.6.1.2.1.190.1.1.2.0"));
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 1);
}

/// RFC 5343 3.2: Net-SNMP asks the receiver before it sends an inform.
#[test]
fn a_receiver_tells_its_engine_id() {
    let receiver = receiver(Wanted::default());
    let probe = Message {
        context_engine_id: EngineId::LOCAL.to_vec(),
        ..Message::get(AuthPriv, SNMP_ENGINE_ID)
    };
    let (outcome, buffer) = take(&receiver, Some(&alice(AuthPriv)), &probe.encode());
    let ReceiverOutcome::Respond(range, ReceiverDiscard::EngineIdReported) = outcome else {
        panic!("{outcome:?}");
    };
    let answer = Message::decode(&buffer[range]);
    assert_eq!(answer.pdu_type, PduType::Response);
    assert_eq!(answer.error_status, ErrorStatus::NoError.code());
    assert_eq!(answer.context_engine_id, EngineId::LOCAL);
    let id = Value::OctetString(receiver_id().as_octets().to_vec());
    assert_eq!(answer.var_binds, [VarBind::new(oid(SNMP_ENGINE_ID), id)]);
    let other = Message {
        context_engine_id: EngineId::LOCAL.to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let (outcome, _) = take(&receiver, Some(&alice(AuthPriv)), &other.encode());
    let unexpected = ReceiverDiscard::UnexpectedPdu(PduType::GetRequest);
    assert!(matches!(outcome, ReceiverOutcome::Discarded(discard) if discard == unexpected));
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Discovery), 1);
    assert_eq!(receiver.statistics().lost(ReceiverLoss::UnexpectedPdu), 1);
}

#[test]
fn a_repeated_inform_is_acknowledged_and_not_passed_on() {
    let receiver = receiver(Wanted::default());
    let octets = message(NotificationKind::Inform, tsm(AuthPriv));
    let (_, first) = deliver(&receiver, &alice(AuthPriv), &octets);
    let (outcome, buffer) = take(&receiver, Some(&alice(AuthPriv)), &octets);
    let ReceiverOutcome::Respond(range, ReceiverDiscard::Duplicate) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(Some(buffer[range].to_vec()), first);
}
