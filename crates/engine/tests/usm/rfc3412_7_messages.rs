//! RFC 3412 7 and 4.2.2, RFC 3413 3.2, RFC 5343: headers, sizes, contexts and who gets a Report.

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::discard::Discard;
use varbind_engine::security::usm::{LocalEngine, UsmError};
use varbind_engine::statistics::Counter;
use varbind_testkit::v3::user_based::{Message, access_control, key};
use varbind_testkit::v3::{SYS_CONTACT, SYS_DESCR, SYS_UP_TIME, V3Agent, agent_id};
use varbind_testkit::{octets, oid};

const CONFIRMED: [PduType; 4] = [
    PduType::GetRequest,
    PduType::GetNextRequest,
    PduType::GetBulkRequest,
    PduType::SetRequest,
];
const UNCONFIRMED: [PduType; 3] = [PduType::Response, PduType::TrapV2, PduType::Report];

/// 7.2 (4)
#[test]
fn an_unknown_security_model_is_counted_and_not_answered() {
    let mut agent = V3Agent::with_users();
    for security_model in [1, 2, 4, i32::MAX] {
        let message = Message {
            security_model,
            ..Message::get(NoAuthNoPriv, SYS_DESCR)
        };
        agent.silence(
            &message.encode(),
            Discard::UnknownSecurityModel(security_model),
        );
    }
}

/// 7.2 (5) d
#[test]
fn privacy_without_authentication_is_invalid_and_not_answered() {
    let mut agent = V3Agent::with_users();
    let mut message = Message::get(NoAuthNoPriv, SYS_DESCR).encode();
    let flags = message
        .windows(3)
        .position(|octets| octets == [4, 1, 4])
        .expect("flags");
    for octet in [2, 6] {
        message[flags + 2] = octet;
        agent.silence(&message, Discard::PrivacyWithoutAuthentication);
    }
    assert_eq!(agent.count(Counter::SnmpInvalidMsgs), 2);
}

/// 6.3: no engine takes less than 484 octets.
#[test]
fn a_msg_max_size_below_484_is_a_parse_error() {
    let mut agent = V3Agent::with_users();
    let message = Message {
        msg_max_size: 483,
        ..Message::get(NoAuthNoPriv, SYS_DESCR)
    };
    let outcome = agent.handle(&message.encode());
    assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
}

/// 4.2.1 (2): without an engine there is no SNMPv3.
#[test]
fn without_an_engine_the_version_is_not_supported() {
    let mut agent = V3Agent::with_users();
    agent.local.engine = None;
    let message = Message::get(NoAuthNoPriv, SYS_DESCR).encode();
    agent.silence(&message, Discard::BadVersion(3));
}

/// 7.1 (3) b: where the PDU can be read its class decides, otherwise the flag.
#[test]
fn a_report_goes_to_the_requester() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        for reportable in [false, true] {
            let stranger = |pdu_type| Message {
                pdu_type,
                reportable,
                user_name: b"nobody".to_vec(),
                ..Message::get(level, SYS_DESCR)
            };
            let reason = UsmError::UnknownUserName.into();
            let is_read = level != AuthPriv;
            for pdu_type in CONFIRMED.into_iter().chain([PduType::InformRequest]) {
                let message = stranger(pdu_type);
                if is_read || reportable {
                    agent.report(&message, reason);
                } else {
                    agent.silence(&message.encode(), reason);
                }
            }
            for pdu_type in UNCONFIRMED {
                let message = stranger(pdu_type);
                if is_read || !reportable {
                    agent.silence(&message.encode(), reason);
                } else {
                    agent.report(&message, reason);
                }
            }
        }
    }
}

/// 7.1 (3) c: a PDU that cannot be read has no request-id.
#[test]
fn a_report_on_a_pdu_that_cannot_be_read_has_request_id_0() {
    let mut agent = V3Agent::with_users();
    let message = Message {
        user_name: b"nobody".to_vec(),
        scoped_pdu: Some(b"\x30\x02\x04\x00".to_vec()),
        ..Message::get(NoAuthNoPriv, SYS_DESCR)
    };
    let report = agent.report(&message, UsmError::UnknownUserName.into());
    assert_eq!(report.request_id, 0);
    let silent = Message {
        reportable: false,
        ..message
    };
    agent.silence(&silent.encode(), UsmError::UnknownUserName.into());
}

/// 7.2 (7)
#[test]
fn a_plain_scoped_pdu_that_cannot_be_read_is_a_parse_error() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv] {
        let message = Message {
            scoped_pdu: Some(b"\x30\x02\x04\x00".to_vec()),
            ..Message::get(level, SYS_DESCR)
        };
        let outcome = agent.handle(&message.encode());
        assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
        assert_eq!(outcome.answer(), None);
    }
}

/// 4.2.2.1 (1): nobody is registered for the context engine ID.
#[test]
fn an_unknown_context_engine_id_is_reported_as_an_unknown_pdu_handler() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        for context_engine_id in [&b""[..], b"\x80\0\0\0\x04another"] {
            let message = Message {
                context_engine_id: context_engine_id.to_vec(),
                ..Message::get(level, SYS_DESCR)
            };
            let report = agent.report(&message, Discard::UnknownContextEngineId);
            assert_eq!(report.level, NoAuthNoPriv);
            assert_eq!(report.request_id, 99);
            assert_eq!(
                report.var_binds[0].name,
                oid("1.3.6.1.6.3.11.2.1.3.0"),
                "snmpUnknownPDUHandlers"
            );
        }
    }
}

/// 4.2.2.1 (1): an agent takes no informs, traps, responses or Reports.
#[test]
fn an_unknown_pdu_handler_is_reported_to_the_requester() {
    let mut agent = V3Agent::with_users();
    let message = |pdu_type| Message {
        pdu_type,
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let inform = PduType::InformRequest;
    agent.report(&message(inform), Discard::UnknownPduHandler(inform));
    for pdu_type in UNCONFIRMED {
        let octets = message(pdu_type).encode();
        agent.silence(&octets, Discard::UnknownPduHandler(pdu_type));
    }
}

/// RFC 5343 3.1
#[test]
fn the_local_engine_id_means_this_engine() {
    let message = Message {
        context_engine_id: b"\x80\0\0\0\x06".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let answer = V3Agent::with_users().ask(&message);
    assert_eq!(answer.var_binds[0].value, octets("a host"));
}

/// RFC 3413 3.2
#[test]
fn an_unknown_context_is_reported() {
    let mut agent = V3Agent::with_users();
    for context_name in [&b"nowhere"[..], b"VRF", b"\xff"] {
        let message = Message {
            context_name: context_name.to_vec(),
            ..Message::get(AuthPriv, SYS_DESCR)
        };
        let report = agent.report(&message, Discard::UnknownContext);
        assert_eq!(report.var_binds[0].name, oid("1.3.6.1.6.3.12.1.5.0"));
        assert_eq!(report.request_id, 99);
    }
}

/// RFC 3415 3.2: access control is asked with name, model, level and context.
#[test]
fn access_depends_on_name_level_and_context() {
    let mut agent = V3Agent::with_users();
    let ask = |agent: &mut V3Agent, user: &str, level, context: &str| {
        let message = Message {
            user_name: user.into(),
            context_name: context.into(),
            ..Message::get(level, SYS_DESCR)
        };
        agent.ask(&message).status
    };
    let refused = ErrorStatus::AuthorizationError;
    assert_eq!(
        ask(&mut agent, "ops", AuthPriv, "vrf"),
        ErrorStatus::NoError
    );
    assert_eq!(ask(&mut agent, "ops", AuthNoPriv, "vrf"), refused);
    assert_eq!(ask(&mut agent, "open", NoAuthNoPriv, "vrf"), refused);
    assert_eq!(
        ask(&mut agent, "open", NoAuthNoPriv, ""),
        ErrorStatus::NoError
    );
    agent.local.access_control = access_control(&["signer"]);
    assert_eq!(ask(&mut agent, "ops", AuthPriv, ""), refused);
    assert_eq!(
        ask(&mut agent, "signer", AuthNoPriv, ""),
        ErrorStatus::NoError
    );
    // That counter is about communities.
    assert_eq!(agent.count(Counter::SnmpInBadCommunityUses), 0);
}

/// 6.3, 7.1: the response is no larger than the requester takes, at every level and size.
#[test]
fn the_msg_max_size_of_the_requester_is_kept() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let bulk = |msg_max_size| Message {
            msg_max_size,
            pdu_type: PduType::GetBulkRequest,
            max_repetitions: 50,
            ..Message::get(level, "1.3.6.1.2.1.2.2")
        };
        let mut last = 0;
        for msg_max_size in (484..2000).step_by(11) {
            let count = agent.ask(&bulk(msg_max_size)).var_binds.len();
            assert!(count >= last, "{count} bindings in {msg_max_size}");
            last = count;
        }
        assert_eq!(last, 50);
        // What cannot be cut is too big.
        let names = Message {
            msg_max_size: 484,
            var_binds: vec![VarBind::new(oid(SYS_UP_TIME), Value::Null); 39],
            ..Message::get(level, SYS_UP_TIME)
        };
        let answer = agent.ask(&names);
        assert_eq!(answer.status, ErrorStatus::TooBig);
        assert_eq!(answer.var_binds, []);
    }
}

/// The limits of the transport hold as well, and less than the whole headroom is left unused.
#[test]
fn the_limits_of_the_transport_are_kept_and_used() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        for limit in 484..1500 {
            agent.limits.bulk = limit;
            let message = Message {
                pdu_type: PduType::GetBulkRequest,
                max_repetitions: 100,
                ..Message::get(level, "1.3.6.1.2.1.2.2")
            };
            let outcome = agent.handle(&message.encode());
            let length = agent.octets(&outcome).expect("a response").len();
            assert!(length <= limit, "{length} octets in {limit}");
            assert!(length + 80 > limit, "{length} octets in {limit}");
        }
    }
}

/// 6.3: what this engine takes is announced.
#[test]
fn the_msg_max_size_of_the_engine_is_reported() {
    let engine = |octets| {
        LocalEngine::new(agent_id(), 7, varbind_engine::clock::Instant::ORIGIN, 1)
            .with_max_message_size(octets)
    };
    for (given, told) in [(1472, 1472), (0, 484), (usize::MAX, i32::MAX)] {
        let mut agent = V3Agent::with_engine(engine(given));
        let answer = agent.ask(&Message::get(AuthNoPriv, SYS_DESCR));
        assert_eq!(answer.msg_max_size, told);
    }
}

/// The reports of all reasons fit the least size of a message.
#[test]
fn every_report_is_smaller_than_484_octets() {
    let mut agent = V3Agent::with_users();
    let message = Message {
        user_name: vec![b'a'; 32],
        key: key("another password"),
        ..Message::get(AuthPriv, SYS_CONTACT)
    };
    let outcome = agent.handle(&message.encode());
    assert!(agent.octets(&outcome).expect("a Report").len() <= 484);
}
