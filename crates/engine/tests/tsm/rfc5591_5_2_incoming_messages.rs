//! RFC 5591 5: what an agent makes of messages of the transport security model.

use varbind_codec::message::SecurityLevel::{self, AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::discard::Discard;
use varbind_engine::security::SecurityModel;
use varbind_engine::security::tsm::{TransportSecurityModel, TsmError};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::SecureTransport;
use varbind_testkit::v3::transport::{Message, session};
use varbind_testkit::v3::{SYS_CONTACT, SYS_DESCR, SYS_UP_TIME, V3Agent, access_control};
use varbind_testkit::{octets, oid};

const LEVELS: [SecurityLevel; 3] = [NoAuthNoPriv, AuthNoPriv, AuthPriv];

#[test]
fn requests_of_every_level_are_answered_in_kind() {
    let mut agent = V3Agent::over_tls();
    for level in LEVELS {
        let answer = agent.ask(&Message::get(level, SYS_DESCR));
        assert_eq!(
            answer.var_binds,
            [VarBind::new(oid(SYS_DESCR), octets("a host"))]
        );
        let set = Message {
            pdu_type: PduType::SetRequest,
            var_binds: vec![VarBind::new(oid(SYS_CONTACT), octets("somebody else"))],
            ..Message::get(level, SYS_CONTACT)
        };
        assert_eq!(agent.ask(&set).error_status, 0);
    }
    assert_eq!(agent.count(Counter::SnmpInPkts), 6);
}

/// 5.2 (2): over UDP or TCP nothing is known of the sender. There is no counter to tell in a Report.
#[test]
fn without_a_secure_transport_nothing_is_answered() {
    let mut agent = V3Agent::over_tls();
    agent.state = None;
    for level in LEVELS {
        let message = Message::get(level, SYS_DESCR).encode();
        agent.silence(&message, TsmError::InvalidCache.into());
    }
    assert_eq!(agent.count(Counter::SnmpTsmInvalidCaches), 3);
}

/// 5.2 (4)
#[test]
fn a_level_above_that_of_the_transport_is_reported() {
    let mut agent = V3Agent::over_tls();
    for provided in LEVELS {
        agent.state = Some(session(SecureTransport::Tls, "alice", provided));
        for level in LEVELS {
            let message = Message::get(level, SYS_DESCR);
            if level <= provided {
                agent.ask(&message);
                continue;
            }
            let report = agent.report(&message, TsmError::InadequateSecurityLevel.into());
            assert_eq!(report.level, NoAuthNoPriv);
            assert_eq!(report.request_id, message.request_id);
            let counter = "1.3.6.1.2.1.190.1.1.2.0";
            assert_eq!(report.var_binds[0].name, oid(counter));
            let trap = Message {
                pdu_type: PduType::TrapV2,
                ..message
            };
            agent.silence(&trap.encode(), TsmError::InadequateSecurityLevel.into());
        }
    }
    assert_eq!(agent.count(Counter::SnmpTsmInadequateSecurityLevels), 6);
}

/// 5.2 (3)
#[test]
fn with_prefixes_a_name_is_good_for_one_transport() {
    let mut agent = V3Agent::over_tls();
    let message = Message::get(AuthPriv, SYS_DESCR);
    let model = SecurityModel::Transport;
    agent.local.transport_security_model = Some(TransportSecurityModel { use_prefix: true });
    agent.local.access_control = access_control(&[(model, "tls:alice")]);
    agent.ask(&message);
    for transport in [SecureTransport::Dtls, SecureTransport::Ssh] {
        agent.state = Some(session(transport, "alice", AuthPriv));
        let answer = agent.ask(&message);
        assert_eq!(answer.error_status, ErrorStatus::AuthorizationError.code());
    }
    // Who is called so without a prefix is somebody else.
    agent.local.transport_security_model = Some(TransportSecurityModel::default());
    agent.state = Some(session(SecureTransport::Ssh, "alice", AuthPriv));
    let answer = agent.ask(&message);
    assert_eq!(answer.error_status, ErrorStatus::AuthorizationError.code());
}

#[test]
fn only_users_with_a_group_of_this_model_are_admitted() {
    let mut agent = V3Agent::over_tls();
    let message = Message::get(AuthPriv, SYS_DESCR);
    agent.state = Some(session(SecureTransport::Tls, "mallory", AuthPriv));
    let answer = agent.ask(&message);
    assert_eq!(answer.error_status, ErrorStatus::AuthorizationError.code());
    agent.state = Some(session(SecureTransport::Tls, "alice", AuthPriv));
    for model in [
        SecurityModel::SnmpV1,
        SecurityModel::SnmpV2c,
        SecurityModel::UserBased,
    ] {
        agent.local.access_control = access_control(&[(model, "alice")]);
        let answer = agent.ask(&message);
        assert_eq!(answer.error_status, ErrorStatus::AuthorizationError.code());
    }
}

/// RFC 3415 3.2: the level that the message has counts, not that of the transport.
#[test]
fn access_depends_on_the_level_of_the_message() {
    let mut agent = V3Agent::over_tls();
    let in_context = |level| Message {
        context_name: b"vrf".to_vec(),
        ..Message::get(level, SYS_DESCR)
    };
    assert_eq!(agent.ask(&in_context(AuthPriv)).error_status, 0);
    let answer = agent.ask(&in_context(AuthNoPriv));
    assert_eq!(answer.error_status, ErrorStatus::AuthorizationError.code());
}

/// 5.1 (3)
#[test]
fn security_parameters_with_any_octet_are_a_parse_error() {
    let mut agent = V3Agent::over_tls();
    for security_parameters in [&b"\0"[..], b"\x04\0", b"\x30\x00", &[0; 300]] {
        for level in LEVELS {
            let message = Message {
                security_parameters: security_parameters.to_vec(),
                ..Message::get(level, SYS_DESCR)
            };
            let outcome = agent.handle(&message.encode());
            assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
            assert_eq!(outcome.answer(), None);
        }
    }
    assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 12);
}

/// 5.2 (6): msgData is plaintext, whatever the flags say; the transport encrypted it.
#[test]
fn an_encrypted_pdu_is_a_parse_error() {
    let mut agent = V3Agent::over_tls();
    for level in LEVELS {
        let message = Message::get(level, SYS_DESCR);
        let scoped_pdu = message.encode_scoped_pdu();
        let length = u8::try_from(scoped_pdu.len()).expect("short");
        let message = Message {
            data: Some([&[0x04, length][..], &scoped_pdu].concat()),
            ..message
        };
        let outcome = agent.handle(&message.encode());
        assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
    }
}

/// RFC 3412 7.2 (7)
#[test]
fn a_scoped_pdu_that_cannot_be_read_is_a_parse_error_at_every_level() {
    let mut agent = V3Agent::over_tls();
    for level in LEVELS {
        let message = Message {
            data: Some(b"\x30\x02\x04\x00".to_vec()),
            ..Message::get(level, SYS_DESCR)
        };
        let outcome = agent.handle(&message.encode());
        assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
        assert_eq!(outcome.answer(), None);
    }
}

/// RFC 3412 7.2 (4)
#[test]
fn without_the_model_it_is_an_unknown_one() {
    let mut agent = V3Agent::over_tls();
    agent.local.transport_security_model = None;
    let message = Message::get(AuthPriv, SYS_DESCR).encode();
    agent.silence(&message, Discard::UnknownSecurityModel(4));
}

/// RFC 3412 4.2.2.1 (1), RFC 3413 3.2: contexts and PDUs are checked as with users.
#[test]
fn contexts_and_operations_that_are_not_there_are_reported() {
    let mut agent = V3Agent::over_tls();
    let elsewhere = Message {
        context_engine_id: b"\x80\0\0\0\x04another".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    agent.report(&elsewhere, Discard::UnknownContextEngineId);
    let nowhere = Message {
        context_name: b"nowhere".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    agent.report(&nowhere, Discard::UnknownContext);
    let inform = Message {
        pdu_type: PduType::InformRequest,
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    agent.report(&inform, Discard::UnknownPduHandler(PduType::InformRequest));
    for pdu_type in [PduType::Response, PduType::TrapV2, PduType::Report] {
        let message = Message {
            pdu_type,
            ..Message::get(AuthPriv, SYS_DESCR)
        };
        agent.silence(&message.encode(), Discard::UnknownPduHandler(pdu_type));
    }
}

/// RFC 5343 3.1: the whole default context is there under the name that all engines have.
#[test]
fn everything_is_answered_under_the_local_engine_id() {
    let mut agent = V3Agent::over_tls();
    let local = |message| Message {
        context_engine_id: b"\x80\0\0\0\x06".to_vec(),
        ..message
    };
    let answer = agent.ask(&local(Message::get(AuthPriv, SYS_UP_TIME)));
    assert_eq!(answer.var_binds[0].value, Value::TimeTicks(7));
    let bulk = Message {
        pdu_type: PduType::GetBulkRequest,
        max_repetitions: 50,
        ..Message::get(AuthPriv, "1.3.6.1.2.1.2.2")
    };
    assert_eq!(agent.ask(&local(bulk)).var_binds.len(), 50);
}

/// RFC 3416 4.2.3: no answer is larger than the sender takes.
#[test]
fn bulk_responses_end_where_the_sender_ends() {
    let mut agent = V3Agent::over_tls();
    for msg_max_size in [484, 485, 600, 1472] {
        let bulk = Message {
            msg_max_size,
            pdu_type: PduType::GetBulkRequest,
            max_repetitions: 1000,
            ..Message::get(AuthPriv, "1.3.6.1.2.1.2.2")
        };
        let outcome = agent.handle(&bulk.encode());
        let length = agent.octets(&outcome).expect("a response").len();
        let most = usize::try_from(msg_max_size).expect("positive");
        assert!(length <= most && length > most - 80, "{length} of {most}");
    }
}
