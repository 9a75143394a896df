//! RFC 3414 3.2, step by step: each check, its counter and its Report.

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::message::V3Message;
use varbind_codec::pdu::ErrorStatus;
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::security::usm::{LocalEngine, MAX_ENGINE_BOOTS, UsmError};
use varbind_engine::statistics::Counter;
use varbind_testkit::octets;
use varbind_testkit::v3::user_based::{Message, TIME, key, privacy_key};
use varbind_testkit::v3::{BOOTS, SYS_DESCR, V3Agent, agent_id};

#[test]
fn each_level_is_answered_at_the_same_level() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let answer = agent.ask(&Message::get(level, SYS_DESCR));
        assert_eq!(answer.status, ErrorStatus::NoError);
        assert_eq!(answer.var_binds[0].value, octets("a host"));
        assert_eq!((answer.boots, answer.time), (BOOTS, TIME));
        assert!(!answer.reportable);
    }
    assert_eq!(agent.count(Counter::SnmpInPkts), 3);
}

/// A user with keys may do without; what such messages may see is for access control.
#[test]
fn a_user_may_send_at_a_level_below_the_highest() {
    let mut agent = V3Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv] {
        let message = Message {
            user_name: b"ops".to_vec(),
            ..Message::get(level, SYS_DESCR)
        };
        assert_eq!(agent.ask(&message).status, ErrorStatus::NoError);
    }
}

/// (1)
#[test]
fn parameters_that_cannot_be_read_are_a_parse_error() {
    let mut agent = V3Agent::with_users();
    let message = Message {
        user_name: vec![b'a'; 33],
        ..Message::get(AuthNoPriv, SYS_DESCR)
    };
    let outcome = agent.handle(&message.encode());
    assert!(matches!(outcome.discard(), Some(Discard::Malformed(_))));
    assert_eq!(outcome.answer(), None);
    assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 1);
}

/// (3) b: an unknown engine ID, none, and one of a length that none has.
#[test]
fn a_message_for_another_engine_gets_the_engine_id() {
    let mut agent = V3Agent::with_users();
    for engine_id in [
        &b"\x80\0\0\0\x04another"[..],
        b"",
        b"abcd",
        &[7; 33],
        &[0; 12],
    ] {
        for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
            let message = Message {
                engine_id: engine_id.to_vec(),
                ..Message::get(level, SYS_DESCR)
            };
            let report = agent.report(&message, UsmError::UnknownEngineId.into());
            assert_eq!(report.level, NoAuthNoPriv);
            // RFC 3412 7.1 (3) c: what is encrypted is not known.
            let request_id = if level == AuthPriv { 0 } else { 99 };
            assert_eq!(report.request_id, request_id);
        }
    }
}

/// RFC 3414 4: the discovery of an engine.
#[test]
fn a_message_of_nobody_discovers_engine_id_boots_and_time() {
    let mut agent = V3Agent::with_users();
    let message = Message {
        engine_id: Vec::new(),
        user_name: Vec::new(),
        context_engine_id: Vec::new(),
        boots: 0,
        time: 0,
        var_binds: Vec::new(),
        ..Message::get(NoAuthNoPriv, SYS_DESCR)
    };
    let report = agent.report(&message, UsmError::UnknownEngineId.into());
    assert_eq!((report.boots, report.time), (BOOTS, TIME));
}

/// (4)
#[test]
fn an_unknown_user_is_reported() {
    let mut agent = V3Agent::with_users();
    for user_name in [&b"nobody"[..], b"", b"OPS", b"\xff\xfe"] {
        for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
            let message = Message {
                user_name: user_name.to_vec(),
                ..Message::get(level, SYS_DESCR)
            };
            let report = agent.report(&message, UsmError::UnknownUserName.into());
            assert_eq!(report.level, NoAuthNoPriv);
        }
    }
}

/// (5)
#[test]
fn a_level_without_keys_is_reported() {
    let mut agent = V3Agent::with_users();
    for (user_name, level) in [
        (&b"open"[..], AuthNoPriv),
        (b"open", AuthPriv),
        (b"signer", AuthPriv),
    ] {
        let message = Message {
            user_name: user_name.to_vec(),
            ..Message::get(level, SYS_DESCR)
        };
        let report = agent.report(&message, UsmError::UnsupportedSecurityLevel.into());
        assert_eq!(report.level, NoAuthNoPriv);
    }
}

/// (6)
#[test]
fn a_wrong_digest_is_reported() {
    let mut agent = V3Agent::with_users();
    for level in [AuthNoPriv, AuthPriv] {
        let message = Message {
            key: key("another password"),
            ..Message::get(level, SYS_DESCR)
        };
        let report = agent.report(&message, UsmError::WrongDigest.into());
        assert_eq!(report.level, NoAuthNoPriv);
    }
}

/// (6): every octet is under the digest. Where the message cannot be read any more it is not even compared.
#[test]
fn no_octet_can_be_changed() {
    let mut agent = V3Agent::with_users();
    for level in [AuthNoPriv, AuthPriv] {
        let message = Message::get(level, SYS_DESCR).encode();
        for at in 0..message.len() {
            for bit in [1, 4, 0x80] {
                let mut changed = message.clone();
                changed[at] ^= bit;
                // Without the flag it is another message, which nobody vouches for: that is for access control.
                let is_authentic = V3Message::decode(&changed)
                    .is_ok_and(|message| message.header.msg_flags.security_level >= AuthNoPriv);
                let outcome = agent.handle(&changed);
                assert!(
                    !is_authentic || outcome.discard().is_some(),
                    "octet {at}, bit {bit}: {outcome:?}"
                );
            }
        }
    }
}

/// RFC 3414 6.3.2 (1): a digest of another length is wrong, though it begins right.
#[test]
fn a_shortened_digest_is_wrong() {
    let mut agent = V3Agent::with_users();
    let whole = Message::get(AuthNoPriv, SYS_DESCR).encode();
    let digest = whole
        .windows(2)
        .position(|octets| octets == [4, 24])
        .expect("a digest");
    for length in 0..24_u8 {
        let mut short = whole.clone();
        short[digest + 1] = length;
        short.drain(digest + 2 + usize::from(length)..digest + 26);
        let removed = 24 - length;
        // The lengths of the message, of the parameters and of their sequence.
        short[1] -= removed;
        let parameters = digest - 2 - b"signer".len() - 3 - 4 - 2 - agent_id().as_octets().len();
        short[parameters - 1] -= removed;
        short[parameters - 3] -= removed;
        let outcome = agent.handle(&short);
        assert_eq!(outcome.discard(), Some(&UsmError::WrongDigest.into()));
    }
}

/// (7) a: 150 seconds either way, and the Report is authentic, so that it can be believed.
#[test]
fn a_message_out_of_the_time_window_is_reported_so_with_a_digest() {
    for level in [AuthNoPriv, AuthPriv] {
        for (boots, time) in [
            (BOOTS, TIME - 151),
            (BOOTS, TIME + 151),
            (BOOTS - 1, TIME),
            (BOOTS + 1, TIME),
            (0, 0),
            (MAX_ENGINE_BOOTS, TIME),
        ] {
            let mut agent = V3Agent::with_users();
            let message = Message {
                boots,
                time,
                ..Message::get(level, SYS_DESCR)
            };
            let report = agent.report(&message, UsmError::NotInTimeWindow.into());
            assert_eq!(report.level, AuthNoPriv);
            assert_eq!((report.boots, report.time), (BOOTS, TIME));
        }
        for time in [TIME - 150, TIME + 150] {
            let message = Message {
                time,
                ..Message::get(level, SYS_DESCR)
            };
            V3Agent::with_users().ask(&message);
        }
    }
}

/// (7): only what is authentic has a time.
#[test]
fn the_time_of_a_message_without_digest_is_not_looked_at() {
    let message = Message {
        boots: 0,
        time: 0,
        ..Message::get(NoAuthNoPriv, SYS_DESCR)
    };
    V3Agent::with_users().ask(&message);
}

/// RFC 3414 2.2.2
#[test]
fn boots_at_their_maximum_let_nothing_authentic_in() {
    let engine = LocalEngine::new(agent_id(), MAX_ENGINE_BOOTS, Instant::ORIGIN, 1);
    let mut agent = V3Agent::with_engine(engine);
    let message = Message {
        boots: MAX_ENGINE_BOOTS,
        ..Message::get(AuthNoPriv, SYS_DESCR)
    };
    agent.report(&message, UsmError::NotInTimeWindow.into());
    agent.ask(&Message::get(NoAuthNoPriv, SYS_DESCR));
}

/// What puts one thing right.
type Change = fn(&mut Message);

/// The order of the checks: what is wrong first is told, whatever else is.
#[test]
fn the_first_thing_that_is_wrong_is_reported() {
    let everything = Message {
        engine_id: b"\x80\0\0\0\x04another".to_vec(),
        user_name: b"nobody".to_vec(),
        key: key("another password"),
        privacy_key: privacy_key("another password"),
        boots: 0,
        context_name: b"nowhere".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let steps: [(UsmError, Change); 6] = [
        (UsmError::UnknownEngineId, |m| {
            m.engine_id = agent_id().as_octets().to_vec();
        }),
        (UsmError::UnknownUserName, |m| {
            m.user_name = b"signer".to_vec();
        }),
        (UsmError::UnsupportedSecurityLevel, |m| {
            m.user_name = b"ops".to_vec();
        }),
        (UsmError::WrongDigest, |m| m.key = key("authentication")),
        (UsmError::NotInTimeWindow, |m| m.boots = BOOTS),
        (UsmError::DecryptionError, |m| {
            m.privacy_key = privacy_key("privacyprivacy");
        }),
    ];
    let mut agent = V3Agent::with_users();
    let mut message = everything;
    for (error, put_right) in steps {
        let report = agent.report(&message, error.into());
        assert_eq!(report.request_id, 0);
        put_right(&mut message);
    }
    let report = agent.report(&message, Discard::UnknownContext);
    assert_eq!(report.request_id, 99);
    message.context_name.clear();
    agent.ask(&message);
}

/// (8)
#[test]
fn a_decryption_error_is_reported() {
    let mut agent = V3Agent::with_users();
    let good = || Message::get(AuthPriv, SYS_DESCR);
    let wrong = [
        Message {
            privacy_key: privacy_key("another password"),
            ..good()
        },
        // RFC 3826 3.3.2 (1): the salt has 8 octets.
        Message {
            salt: b"salt".to_vec(),
            ..good()
        },
        Message {
            salt: b"saltsaltsalt".to_vec(),
            ..good()
        },
        Message {
            scoped_pdu: Some(Vec::new()),
            ..good()
        },
        Message {
            scoped_pdu: Some(b"\x30\x03\x02\x01\x07".to_vec()),
            ..good()
        },
    ];
    for message in wrong {
        let report = agent.report(&message, UsmError::DecryptionError.into());
        assert_eq!(report.level, NoAuthNoPriv);
        assert_eq!(report.request_id, 0);
    }
}

/// RFC 3414 8.1.1.2: a block cipher pads, and what it padded with is of no account.
#[test]
fn octets_behind_a_decrypted_scoped_pdu_are_ignored() {
    let message = Message::get(AuthPriv, SYS_DESCR);
    let mut padded = message.encode_scoped_pdu();
    padded.extend([0xa5; 7]);
    let message = Message {
        scoped_pdu: Some(padded),
        ..message
    };
    V3Agent::with_users().ask(&message);
}

/// The digest is about the message, and some devices pad.
#[test]
fn octets_behind_the_message_are_no_part_of_it() {
    let mut agent = V3Agent::with_users();
    for level in [AuthNoPriv, AuthPriv] {
        let mut octets = Message::get(level, SYS_DESCR).encode();
        octets.extend([0; 5]);
        let outcome = agent.handle(&octets);
        assert_eq!(outcome.discard(), None);
    }
}
