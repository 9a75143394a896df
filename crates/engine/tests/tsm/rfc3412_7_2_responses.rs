//! RFC 3412 7.2 (12): a response is one only if all of it fits the request.

use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, ContextEngine, GeneratorConfiguration, GeneratorDiscard,
    GeneratorEvent, GeneratorOutput, MessageProcessing, V3Parameters,
};
use varbind_engine::clock::Instant;
use varbind_testkit::v3::transport::Message;
use varbind_testkit::v3::{SYS_DESCR, agent_id};
use varbind_testkit::{octets, oid};

fn generator() -> CommandGenerator {
    let parameters = V3Parameters {
        context_engine: ContextEngine::Known(agent_id()),
        context_name: "vrf".to_owned(),
        ..V3Parameters::transport()
    };
    let processing = MessageProcessing::V3(Box::new(parameters));
    CommandGenerator::new(GeneratorConfiguration::new(processing), 7)
}

/// What a manager says to a changed response; it takes the right one after it.
#[track_caller]
fn discarded(change: impl FnOnce(&mut Message)) -> GeneratorDiscard {
    let mut generator = generator();
    generator
        .send(Command::Get(&[oid(SYS_DESCR)]))
        .expect("a request");
    let mut buffer = vec![0; 1472];
    let now = Instant::ORIGIN;
    let GeneratorOutput::Transmit(request) = generator.poll_output(now, &mut buffer) else {
        panic!("the request is due");
    };
    let object = VarBind::new(oid(SYS_DESCR), octets("a host"));
    let response = Message::decode(request).respond(ErrorStatus::NoError, &[object]);
    let mut changed = response.clone();
    change(&mut changed);
    let discard = generator
        .handle_message(now, &changed.encode())
        .expect_err("a wrong response");
    generator
        .handle_message(now, &response.encode())
        .expect("the right one");
    let GeneratorOutput::Event(GeneratorEvent::Response(_)) =
        generator.poll_output(now, &mut buffer)
    else {
        panic!("it is told");
    };
    discard
}

#[test]
fn a_response_about_another_context_is_none() {
    for context_engine_id in [&b""[..], b"\x80\0\0\0\x06", b"\x80\0\0\0\x04another"] {
        let discard = discarded(|message| message.context_engine_id = context_engine_id.to_vec());
        assert_eq!(discard, GeneratorDiscard::WrongContext);
    }
    for context_name in [&b""[..], b"VRF", b"vrf2"] {
        let discard = discarded(|message| message.context_name = context_name.to_vec());
        assert_eq!(discard, GeneratorDiscard::WrongContext);
    }
}

#[test]
fn a_response_of_another_level_is_none() {
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv] {
        let discard = discarded(|message| message.level = level);
        assert_eq!(discard, GeneratorDiscard::WrongSecurityLevel(level));
    }
}

#[test]
fn a_response_of_another_model_is_none() {
    for model in [1, 2, 5] {
        // Their msgData would be encrypted at the other level.
        let discard = discarded(|message| {
            message.security_model = model;
            message.level = SecurityLevel::AuthNoPriv;
        });
        assert_eq!(discard, GeneratorDiscard::WrongSecurityModel(model));
    }
}

#[test]
fn a_response_with_security_parameters_is_none() {
    let discard = discarded(|message| message.security_parameters = vec![0]);
    assert!(
        matches!(discard, GeneratorDiscard::Undecodable(_)),
        "{discard:?}"
    );
}

#[test]
fn a_response_to_another_request_is_none() {
    let discard = discarded(|message| message.request_id ^= 1);
    assert!(matches!(discard, GeneratorDiscard::UnknownRequestId(_)));
    let discard = discarded(|message| message.msg_id ^= 1);
    assert!(matches!(discard, GeneratorDiscard::UnknownRequestId(_)));
}
