//! The notification receiver, message by message.

use std::net::SocketAddr;
use std::ops::Range;

use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, GenericTrap, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::applications::notification::NotificationFilter;
use varbind_engine::applications::notification_receiver::{
    Acknowledgement, Delivery, NotificationKind, NotificationReceiver, ReceiverConfiguration,
    ReceiverDiscard, ReceiverLoss, ReceiverOutcome, Wanted, response_buffer_length,
};
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};
use varbind_engine::transport::{Received, ResponseLimits, WaitHandling};
use varbind_testkit::oid;
use varbind_testkit::view::family;

use crate::message::{IF_INDEX_7, LINK_DOWN, PUBLIC, decode, link_down, parameters, v1, v2c};

fn community(name: &str, sources: SourceAddresses) -> Community {
    Community {
        name: name.into(),
        security_name: SecurityName::new(format!("{name} people")),
        context_name: String::new(),
        sources,
    }
}

/// A receiver of `public` from everywhere and of `local` from loopback.
pub(crate) fn receiver(wanted: Wanted) -> NotificationReceiver {
    NotificationReceiver::new(ReceiverConfiguration {
        communities: CommunityTable::new(vec![
            community("public", SourceAddresses::Any),
            community("local", SourceAddresses::loopback()),
        ]),
        wanted,
        ..ReceiverConfiguration::default()
    })
}

/// Messages that arrive one after the other.
struct Desk {
    receiver: NotificationReceiver,
    buffer: Vec<u8>,
    source: SocketAddr,
    limit: usize,
}

impl Desk {
    fn new(wanted: Wanted) -> Self {
        Self {
            receiver: receiver(wanted),
            buffer: vec![0; response_buffer_length(65_507)],
            source: "192.0.2.33:40000".parse().expect("an address"),
            limit: 65_507,
        }
    }

    fn take(&mut self, message: &[u8]) -> ReceiverOutcome {
        let received = Received {
            now: Instant::ORIGIN,
            remote: self.source,
            message,
            limits: ResponseLimits {
                message: self.limit,
                bulk: self.limit,
            },
            waits: WaitHandling::Now,
            transport_state: None,
        };
        self.receiver.handle_message(&received, &mut self.buffer)
    }

    #[track_caller]
    fn deliver(&mut self, message: &[u8]) -> Delivery {
        match self.take(message) {
            ReceiverOutcome::Deliver(delivery) => *delivery,
            other => panic!("not delivered: {other:?}"),
        }
    }

    #[track_caller]
    fn respond(&mut self, message: &[u8]) -> (Range<usize>, ReceiverDiscard) {
        match self.take(message) {
            ReceiverOutcome::Respond(range, discard) => (range, discard),
            other => panic!("no response alone: {other:?}"),
        }
    }

    #[track_caller]
    fn discard(&mut self, message: &[u8]) -> ReceiverDiscard {
        match self.take(message) {
            ReceiverOutcome::Discarded(discard) => discard,
            other => panic!("not discarded: {other:?}"),
        }
    }

    fn pass_on(&self, acknowledgement: &Acknowledgement) {
        self.receiver
            .delivered(Instant::ORIGIN, Some(acknowledgement));
    }

    fn lost(&self, loss: ReceiverLoss) -> u64 {
        self.receiver.statistics().lost(loss)
    }
}

fn inform(request_id: i32) -> Vec<u8> {
    v2c(PUBLIC, PduType::InformRequest, request_id, &link_down())
}

fn trap() -> Vec<u8> {
    v2c(PUBLIC, PduType::TrapV2, 5, &link_down())
}

#[test]
fn a_trap_of_v2c_is_delivered_and_not_answered() {
    let mut desk = Desk::new(Wanted::default());
    let delivery = desk.deliver(&trap());
    assert_eq!(delivery.acknowledgement, None);
    let received = delivery.received;
    assert_eq!(
        (received.version, received.kind),
        (Version::V2c, NotificationKind::Trap)
    );
    assert_eq!(received.security_name.as_str(), "public people");
    assert_eq!(received.source, desk.source);
    assert_eq!(received.notification.up_time, 4711);
    assert_eq!(received.notification.trap_oid, oid(LINK_DOWN));
    let expected = vec![VarBind::new(oid(IF_INDEX_7), Value::Integer(7))];
    assert_eq!(received.notification.var_binds, expected);
}

/// RFC 3584 section 3.1, with what tells where it comes from, but not the community.
#[test]
fn a_trap_of_v1_comes_in_the_form_of_v2() {
    let mut desk = Desk::new(Wanted::default());
    let trap = parameters("1.3.6.1.4.1.32473.9", GenericTrap::EnterpriseSpecific, 17);
    let delivery = desk.deliver(&v1(PUBLIC, &trap, &Vec::new()));
    let received = delivery.received;
    assert_eq!(received.version, Version::V1);
    let notification = received.notification;
    assert_eq!(notification.trap_oid, oid("1.3.6.1.4.1.32473.9.0.17"));
    assert_eq!(notification.agent_address(), [192, 0, 2, 33]);
    assert_eq!(notification.var_binds.len(), 2);
    assert_eq!(received.trap_v1, Some(trap));
}

/// RFC 3416 section 4.2.7
#[test]
fn an_inform_is_answered_with_its_request_id_and_bindings() {
    let mut desk = Desk::new(Wanted::default());
    let delivery = desk.deliver(&inform(77));
    assert_eq!(delivery.received.kind, NotificationKind::Inform);
    let acknowledgement = delivery.acknowledgement.expect("a response");
    let response = decode(&desk.buffer[acknowledgement.range]);
    assert_eq!(
        (response.pdu_type, response.request_id, response.status),
        (PduType::Response, 77, (ErrorStatus::NoError, 0))
    );
    assert_eq!(response.community, PUBLIC);
    assert_eq!(response.bindings, link_down());
}

/// RFC 3416 section 4.2.7: the alternate response ends the processing of the inform.
#[test]
fn an_inform_whose_response_is_too_big_is_answered_with_too_big_and_not_delivered() {
    let mut desk = Desk::new(Wanted::default());
    let message = inform(77);
    desk.limit = message.len() - 1;
    let (range, discard) = desk.respond(&message);
    assert_eq!(discard, ReceiverDiscard::TooBig);
    let response = decode(&desk.buffer[range]);
    assert_eq!(response.status, (ErrorStatus::TooBig, 0));
    assert_eq!((response.request_id, response.bindings), (77, Vec::new()));
    desk.limit = 20;
    assert_eq!(desk.discard(&message), ReceiverDiscard::TooBig);
    assert_eq!(desk.lost(ReceiverLoss::TooBig), 2);
    desk.limit = message.len();
    desk.deliver(&message);
}

#[test]
fn an_inform_that_comes_again_is_answered_again_and_delivered_once() {
    let mut desk = Desk::new(Wanted::default());
    let first = desk
        .deliver(&inform(77))
        .acknowledgement
        .expect("a response");
    desk.pass_on(&first);
    let (range, discard) = desk.respond(&inform(77));
    assert_eq!(discard, ReceiverDiscard::Duplicate);
    assert_eq!(decode(&desk.buffer[range]).request_id, 77);
    // Another request-id, another sender, or another content is another inform.
    desk.deliver(&inform(78));
    let mut later = link_down();
    later[0].value = Value::TimeTicks(4712);
    desk.deliver(&v2c(PUBLIC, PduType::InformRequest, 77, &later));
    desk.source.set_port(40_001);
    desk.deliver(&inform(77));
    assert_eq!(desk.lost(ReceiverLoss::Duplicate), 1);
}

#[test]
fn an_inform_that_was_lost_is_delivered_when_it_comes_again() {
    let mut desk = Desk::new(Wanted::default());
    for loss in [ReceiverLoss::Queue, ReceiverLoss::Output] {
        let first = desk.deliver(&inform(77));
        desk.receiver.lost(loss, first.acknowledgement.as_ref());
    }
    let again = desk.deliver(&inform(77));
    desk.pass_on(&again.acknowledgement.expect("a response"));
    assert_eq!(
        (
            desk.lost(ReceiverLoss::Queue),
            desk.lost(ReceiverLoss::Output)
        ),
        (1, 1)
    );
    assert_eq!(desk.lost(ReceiverLoss::Duplicate), 0);
    let statistics = desk.receiver.statistics();
    assert_eq!((statistics.notifications(), statistics.delivered()), (3, 1));
}

/// While the first waits, nobody knows yet whether it will be delivered.
#[test]
fn an_inform_that_comes_again_before_it_is_delivered_is_not_answered() {
    let mut desk = Desk::new(Wanted::default());
    let first = desk.deliver(&inform(77));
    assert_eq!(desk.discard(&inform(77)), ReceiverDiscard::Duplicate);
    desk.pass_on(&first.acknowledgement.expect("a response"));
    let (range, discard) = desk.respond(&inform(77));
    assert_eq!(discard, ReceiverDiscard::Duplicate);
    assert_eq!(decode(&desk.buffer[range]).request_id, 77);
    assert_eq!(desk.lost(ReceiverLoss::Duplicate), 2);
}

#[test]
fn another_configuration_counts_from_the_next_message_on() {
    let mut desk = Desk::new(Wanted::default());
    let first = desk.deliver(&inform(77));
    desk.pass_on(&first.acknowledgement.expect("a response"));
    let other = Community {
        name: b"other".to_vec(),
        security_name: SecurityName::new("others"),
        context_name: String::new(),
        sources: SourceAddresses::Any,
    };
    desk.receiver.replace(ReceiverConfiguration {
        communities: CommunityTable::new(vec![other]),
        ..ReceiverConfiguration::default()
    });
    assert_eq!(
        desk.discard(&trap()),
        ReceiverDiscard::Refused(Discard::BadCommunityName)
    );
    let delivery = desk.deliver(&v2c(b"other", PduType::TrapV2, 5, &link_down()));
    assert_eq!(delivery.received.security_name.as_str(), "others");
    assert_eq!(desk.receiver.statistics().messages(), 3);
}

#[test]
fn senders_without_access_are_counted_and_get_no_response() {
    let mut desk = Desk::new(Wanted::default());
    let send = |name: &[u8]| v2c(name, PduType::InformRequest, 1, &link_down());
    assert_eq!(
        desk.discard(&send(b"unknown")),
        ReceiverDiscard::Refused(Discard::BadCommunityName)
    );
    assert_eq!(
        desk.discard(&send(b"local")),
        ReceiverDiscard::Refused(Discard::SourceNotAllowed)
    );
    desk.source = "127.0.0.1:162".parse().expect("an address");
    desk.deliver(&send(b"local"));
    assert_eq!(desk.lost(ReceiverLoss::Security), 2);
    assert_eq!(desk.receiver.statistics().messages(), 3);
}

#[test]
fn other_pdus_are_no_notifications() {
    let mut desk = Desk::new(Wanted::default());
    for pdu_type in [
        PduType::GetRequest,
        PduType::Response,
        PduType::SetRequest,
        PduType::Report,
    ] {
        let message = v2c(PUBLIC, pdu_type, 1, &link_down());
        assert_eq!(
            desk.discard(&message),
            ReceiverDiscard::UnexpectedPdu(pdu_type)
        );
    }
    assert_eq!(desk.lost(ReceiverLoss::UnexpectedPdu), 4);
}

#[test]
fn a_pdu_of_the_other_version_is_unexpected() {
    let mut desk = Desk::new(Wanted::default());
    let trap_v1 = parameters("1.3.6.1.4.1.1", GenericTrap::ColdStart, 0);
    for (mut message, version) in [
        (v1(PUBLIC, &trap_v1, &Vec::new()), 1),
        (trap(), 0),
        (inform(1), 0),
    ] {
        let at = message
            .windows(3)
            .position(|octets| octets == [2, 1, 1 - version])
            .expect("a version");
        message[at + 2] = version;
        assert!(matches!(
            desk.discard(&message),
            ReceiverDiscard::UnexpectedPdu(_)
        ));
    }
}

#[test]
fn a_notification_without_name_or_time_is_malformed() {
    let mut desk = Desk::new(Wanted::default());
    for missing in 0..2 {
        let mut bindings = link_down();
        bindings.remove(missing);
        for pdu_type in [PduType::TrapV2, PduType::InformRequest] {
            let discard = desk.discard(&v2c(PUBLIC, pdu_type, 1, &bindings));
            assert!(
                matches!(discard, ReceiverDiscard::Malformed(_)),
                "{discard:?}"
            );
        }
    }
    assert_eq!(desk.lost(ReceiverLoss::Malformed), 4);
}

#[test]
fn what_devices_put_before_the_name_is_no_hindrance() {
    let mut desk = Desk::new(Wanted::default());
    let mut bindings = link_down();
    bindings.rotate_right(1);
    let received = desk
        .deliver(&v2c(PUBLIC, PduType::TrapV2, 1, &bindings))
        .received;
    assert_eq!(received.notification.to_var_binds(), link_down());
}

/// Nothing that is cut or changed makes it panic, and every message is counted once.
#[test]
fn broken_messages_are_discarded_and_counted() {
    let mut desk = Desk::new(Wanted::default());
    let trap_v1 = parameters("1.3.6.1.4.1.1", GenericTrap::ColdStart, 0);
    let mut messages = 0;
    for message in [trap(), inform(1), v1(PUBLIC, &trap_v1, &link_down())] {
        for length in 0..message.len() {
            let discard = desk.discard(&message[..length]);
            assert_eq!(discard.loss(), ReceiverLoss::Malformed, "{length}");
            messages += 1;
        }
        for at in 0..message.len() {
            for flipped in [1, 0x20, 0x80, 0xff] {
                let mut changed = message.clone();
                changed[at] ^= flipped;
                if let ReceiverOutcome::Deliver(delivery) = desk.take(&changed) {
                    let acknowledgement = delivery.acknowledgement.as_ref();
                    desk.receiver.lost(ReceiverLoss::Queue, acknowledgement);
                }
                messages += 1;
            }
        }
    }
    let counted: u64 = ReceiverLoss::ALL.iter().map(|&loss| desk.lost(loss)).sum();
    assert_eq!(desk.receiver.statistics().messages(), messages);
    assert_eq!(counted, messages);
}

fn wanted(families: Vec<ViewTreeFamily>) -> Wanted {
    Wanted {
        filter: NotificationFilter::new(families),
        ..Wanted::default()
    }
}

/// RFC 3413 section 6
#[test]
fn filters_go_by_the_name_and_by_objects_that_are_excluded() {
    let snmp_traps = "1.3.6.1.6.3.1.1.5";
    for (families, passes) in [
        (vec![], true),
        (vec![family(snmp_traps, "", true)], true),
        (vec![family("1.3.6.1.4.1", "", true)], false),
        (
            vec![family(snmp_traps, "", true), family(LINK_DOWN, "", false)],
            false,
        ),
        (
            vec![family(snmp_traps, "", false), family(LINK_DOWN, "", true)],
            true,
        ),
        (
            vec![
                family(snmp_traps, "", true),
                family("1.3.6.1.2.1.2", "", false),
            ],
            false,
        ),
        (
            vec![
                family(snmp_traps, "", true),
                family("1.3.6.1.2.1.2", "", false),
                family(IF_INDEX_7, "", true),
            ],
            true,
        ),
    ] {
        let mut desk = Desk::new(wanted(families.clone()));
        let delivered = matches!(desk.take(&trap()), ReceiverOutcome::Deliver(_));
        assert_eq!(delivered, passes, "{families:?}");
    }
}

#[test]
fn an_inform_that_is_not_wanted_is_acknowledged_all_the_same() {
    let mut desk = Desk::new(wanted(vec![family("1.3.6.1.4.1", "", true)]));
    let (range, discard) = desk.respond(&inform(77));
    assert_eq!(discard, ReceiverDiscard::Unwanted);
    let response = decode(&desk.buffer[range]);
    assert_eq!(response.status, (ErrorStatus::NoError, 0));
    assert_eq!(desk.discard(&trap()), ReceiverDiscard::Unwanted);
    assert_eq!(desk.lost(ReceiverLoss::Unwanted), 2);
}

#[test]
fn filters_go_by_source_and_security_name() {
    let by_source = |network: &str| Wanted {
        sources: SourceAddresses::Within(vec![network.parse().expect("a network")]),
        ..Wanted::default()
    };
    let by_name = |name: &str| Wanted {
        security_names: vec![SecurityName::new(name)],
        ..Wanted::default()
    };
    for (wanted, passes) in [
        (by_source("192.0.2.0/24"), true),
        (by_source("198.51.100.0/24"), false),
        (by_name("public people"), true),
        (by_name("local people"), false),
    ] {
        let mut desk = Desk::new(wanted);
        assert_eq!(
            matches!(desk.take(&trap()), ReceiverOutcome::Deliver(_)),
            passes
        );
    }
}
