//! What is wrong is told as what it is, at once, and what strangers send is not believed.

use std::time::Duration;

use varbind_codec::message::{ScopedPdu, ScopedPduData, SecurityLevel, V3Message};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::{
    Command, ContextEngine, Failure, FailureReason, GeneratorDiscard, GeneratorEvent, ReportReason,
    V3Parameters,
};
use varbind_engine::clock::Instant;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, PrivacyProtocol, UsmError,
};
use varbind_testkit::v3::user_based::{Message, auth_no_priv, auth_priv, key, password};
use varbind_testkit::v3::{SYS_CONTACT, SYS_DESCR, V3Agent};
use varbind_testkit::{octets, oid, simulator};

use crate::exchanges::{changed, configuration, parameters, simulation};

/// The failure of a `Set` with these parameters.
#[track_caller]
fn failure(parameters: V3Parameters) -> Failure {
    let mut simulation = simulation(configuration(parameters), V3Agent::with_users());
    let objects = [VarBind::new(oid(SYS_CONTACT), octets("x"))];
    match simulation.execute(Command::Set(&objects)) {
        GeneratorEvent::Failed(failure) => failure,
        GeneratorEvent::Response(response) => panic!("{response:?}"),
    }
}

#[track_caller]
fn assert_refused(parameters: V3Parameters, reason: ReportReason, text: &str) {
    let failure = failure(parameters);
    assert_eq!(failure.reason, FailureReason::Report(reason));
    // Discovery and one request.
    assert_eq!(failure.elapsed, Duration::from_millis(200));
    assert!(!failure.may_be_applied, "a Set that was refused");
    let shown = failure.reason.to_string();
    assert!(shown.contains(text), "{shown}");
}

fn credentials(
    authentication: AuthenticationProtocol,
    first: &str,
    privacy: PrivacyProtocol,
    second: &str,
) -> Credentials {
    Credentials::auth_priv(authentication, &password(first), privacy, &password(second))
}

#[test]
fn a_wrong_password_or_protocol_for_authentication_is_a_wrong_digest() {
    let reason = ReportReason::Usm(UsmError::WrongDigest);
    let text = "the password or the authentication protocol is wrong";
    let wrong_password = Credentials::auth_no_priv(
        AuthenticationProtocol::Sha256,
        &password("not the password"),
    );
    assert_refused(parameters("signer", wrong_password), reason, text);
    for protocol in AuthenticationProtocol::ALL {
        if protocol != AuthenticationProtocol::Sha256 {
            let wrong = Credentials::auth_no_priv(protocol, &password("authentication"));
            assert_refused(parameters("signer", wrong), reason, text);
        }
    }
}

#[test]
fn a_wrong_password_or_protocol_for_privacy_is_a_decryption_error() {
    let reason = ReportReason::Usm(UsmError::DecryptionError);
    let sha = AuthenticationProtocol::Sha256;
    let text = "the password or the protocol for privacy is wrong";
    let wrong = credentials(
        sha,
        "authentication",
        PrivacyProtocol::Aes128,
        "not the password",
    );
    assert_refused(parameters("ops", wrong), reason, text);
    for protocol in PrivacyProtocol::ALL {
        if protocol != PrivacyProtocol::Aes128 {
            let wrong = credentials(sha, "authentication", protocol, "privacyprivacy");
            assert_refused(parameters("ops", wrong), reason, text);
        }
    }
}

#[test]
fn an_unknown_user_and_an_unsupported_level_are_reported() {
    let unknown = ReportReason::Usm(UsmError::UnknownUserName);
    assert_refused(parameters("nobody", auth_priv()), unknown, "no such user");
    let unsupported = ReportReason::Usm(UsmError::UnsupportedSecurityLevel);
    for (name, credentials) in [
        ("signer", auth_priv()),
        ("open", auth_no_priv()),
        ("open", auth_priv()),
    ] {
        assert_refused(parameters(name, credentials), unsupported, "has no keys");
    }
}

#[test]
fn an_unknown_context_is_reported() {
    let nowhere = changed(parameters("ops", auth_priv()), |parameters| {
        parameters.context_name = "nowhere".to_owned();
    });
    assert_refused(
        nowhere,
        ReportReason::UnknownContext,
        "no context of that name",
    );
    let elsewhere = changed(parameters("ops", auth_priv()), |parameters| {
        parameters.context_engine =
            ContextEngine::Known(EngineId::new(b"\x80\0\0\0\x04another").expect("an ID"));
    });
    let reason = ReportReason::UnknownPduHandler;
    assert_refused(elsewhere, reason, "no such context engine ID");
}

/// An agent with a stranger before it, who sends something of his own in place of or before each answer.
struct Stranger<F> {
    agent: V3Agent,
    forge: F,
    passes_on: bool,
}

impl<F: FnMut(i32) -> Option<Message>> simulator::SimulatedAgent for Stranger<F> {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let header = V3Message::decode(message).expect("a message").header;
        let is_discovery = header.msg_flags.security_level == SecurityLevel::NoAuthNoPriv;
        let mut answers = Vec::new();
        if !is_discovery && let Some(forged) = (self.forge)(header.msg_id) {
            answers.push((Duration::ZERO, forged.encode()));
        }
        if is_discovery || self.passes_on {
            let true_answers = simulator::SimulatedAgent::respond(&mut self.agent, now, message);
            let later = |(_, answer)| (Duration::from_millis(10), answer);
            answers.extend(true_answers.into_iter().map(later));
        }
        answers
    }
}

/// A response with another value.
fn forged_response(level: SecurityLevel, msg_id: i32) -> Message {
    Message {
        msg_id,
        // A stranger on the way knows all numbers, but no key.
        request_id: msg_id,
        user_name: b"signer".to_vec(),
        pdu_type: PduType::Response,
        reportable: false,
        key: key("not the password"),
        var_binds: vec![VarBind::new(oid(SYS_DESCR), octets("a lie"))],
        ..Message::get(level, SYS_DESCR)
    }
}

/// RFC 3412 7.2 (12): the response to an authentic request is authentic.
#[test]
fn a_response_without_the_key_is_not_taken() {
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv] {
        let stranger = Stranger {
            agent: V3Agent::with_users(),
            forge: |msg_id| Some(forged_response(level, msg_id)),
            passes_on: true,
        };
        let parameters = parameters("signer", auth_no_priv());
        let mut simulation = simulation(configuration(parameters), stranger);
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        assert_eq!(simulation.generator.statistics().unexpected_messages, 1);
    }
}

/// RFC 3412 7.2 (12): at every level it is for who asked, and about the context that was asked about.
#[test]
fn a_response_to_another_user_or_about_another_context_is_not_taken() {
    let changes: [fn(&mut Message); 4] = [
        |message| message.user_name = b"another".to_vec(),
        |message| message.context_engine_id = b"\x80\0\0\0\x06".to_vec(),
        |message| message.context_engine_id = b"\x80\0\0\0\x04another".to_vec(),
        |message| message.context_name = b"vrf".to_vec(),
    ];
    for change in changes {
        let stranger = Eavesdropper {
            agent: V3Agent::with_users(),
            change,
        };
        let parameters = parameters("open", Credentials::NoAuthNoPriv);
        let mut simulation = simulation(configuration(parameters), stranger);
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        assert_eq!(simulation.generator.statistics().unexpected_messages, 1);
    }
}

/// An agent with a stranger before it who answers first. Where nobody signs, he knows all numbers.
struct Eavesdropper {
    agent: V3Agent,
    change: fn(&mut Message),
}

impl simulator::SimulatedAgent for Eavesdropper {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let true_answers = simulator::SimulatedAgent::respond(&mut self.agent, now, message);
        let later = |(_, answer)| (Duration::from_millis(10), answer);
        let answers = true_answers.into_iter().map(later);
        let request = V3Message::decode(message).expect("a message");
        let ScopedPduData::Plaintext(reader) = request.data else {
            panic!("nothing is encrypted");
        };
        let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            panic!("a request");
        };
        if scoped_pdu.context_engine_id.is_empty() {
            return answers.collect();
        }
        let mut response = Message {
            request_id: pdu.request_id,
            user_name: b"open".to_vec(),
            ..forged_response(SecurityLevel::NoAuthNoPriv, request.header.msg_id)
        };
        (self.change)(&mut response);
        std::iter::once((Duration::ZERO, response.encode()))
            .chain(answers)
            .collect()
    }
}

/// A user with the keys of authentication alone cannot answer what was encrypted.
#[test]
fn a_response_below_the_level_of_the_request_is_not_taken() {
    let stranger = Stranger {
        agent: V3Agent::with_users(),
        forge: |msg_id| {
            Some(Message {
                user_name: b"ops".to_vec(),
                key: key("authentication"),
                ..forged_response(SecurityLevel::AuthNoPriv, msg_id)
            })
        },
        passes_on: true,
    };
    let mut simulation = simulation(configuration(parameters("ops", auth_priv())), stranger);
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(simulation.generator.statistics().unexpected_messages, 1);
}

/// What was recorded earlier has another msgID.
#[test]
fn a_replayed_response_is_not_taken() {
    let mut simulation = simulation(
        configuration(parameters("ops", auth_priv())),
        Recorder {
            agent: V3Agent::with_users(),
            recorded: Vec::new(),
        },
    );
    for _ in 0..5 {
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    }
    // All that was recorded comes again.
    let recorded = simulation.agent.recorded.clone();
    for message in recorded {
        let taken = simulation
            .generator
            .handle_message(simulation.now, &message);
        assert!(
            matches!(
                taken,
                Err(GeneratorDiscard::Duplicate(_) | GeneratorDiscard::UnknownRequestId(_))
            ),
            "{taken:?}"
        );
    }
}

struct Recorder {
    agent: V3Agent,
    recorded: Vec<Vec<u8>>,
}

impl simulator::SimulatedAgent for Recorder {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let answers = simulator::SimulatedAgent::respond(&mut self.agent, now, message);
        self.recorded
            .extend(answers.iter().map(|(_, answer)| answer.clone()));
        answers
    }
}

/// A Report that the clock is wrong moves the clock only if it is authentic (RFC 3414 section 4).
#[test]
fn an_unauthentic_report_does_not_move_the_clock() {
    let stranger = Stranger {
        agent: V3Agent::with_users(),
        forge: |msg_id| {
            Some(Message {
                pdu_type: PduType::Report,
                boots: i32::MAX - 1,
                var_binds: vec![VarBind::new(
                    oid("1.3.6.1.6.3.15.1.1.2.0"),
                    varbind_codec::smi::Value::Counter32(1),
                )],
                ..forged_response(SecurityLevel::NoAuthNoPriv, msg_id)
            })
        },
        passes_on: false,
    };
    let mut simulation = simulation(
        configuration(parameters("signer", auth_no_priv())),
        stranger,
    );
    let event = simulation.execute(Command::Get(&[oid(SYS_DESCR)]));
    assert!(matches!(event, GeneratorEvent::Failed(_)));
    let engine = simulation.generator.remote_engine().expect("discovered");
    assert_eq!(
        engine.time(simulation.now).boots,
        varbind_testkit::v3::BOOTS
    );
}
