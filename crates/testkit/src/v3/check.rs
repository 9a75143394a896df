//! What must hold whatever a message of SNMPv3 is made of; shared by tests and fuzz targets.

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::message::{
    CommunityMessage, ScopedPdu, ScopedPduData, V3Message, Version, message_version,
};
use varbind_codec::pdu::PduType;
use varbind_engine::dispatcher::DispatchOutcome;
use varbind_engine::transport::SecureTransport::{Dtls, Ssh, Tls};

use super::V3Agent;
use super::transport::session;

/// Lets the agent handle any octets. What it answers is a message of SNMPv3 to the same msgID, no larger than the sender
/// takes, and a response is protected as the request was.
pub fn check_user_based_message(agent: &mut V3Agent, octets: &[u8]) {
    let outcome = agent.handle(octets);
    let Some(answer) = agent.octets(&outcome) else {
        assert!(
            matches!(outcome, DispatchOutcome::Discarded(_)),
            "{outcome:?}"
        );
        return;
    };
    let (request, answer) = decode(octets, answer);
    let (asked, answered) = (
        request.header.msg_flags.security_level,
        answer.header.msg_flags.security_level,
    );
    if matches!(outcome, DispatchOutcome::Respond(_)) {
        assert_eq!(answered, asked);
    } else {
        assert!(answered <= asked);
        assert_eq!(pdu_type(answer), PduType::Report);
    }
}

/// Lets the agent handle any octets. Without a secure transport, messages of the transport security model have no answer;
/// and with one, answers are within the limits and of the kind of the request.
pub fn check_transport_message(agent: &mut V3Agent, octets: &[u8]) {
    let outcome = agent.handle(octets);
    let Some(answer) = agent.octets(&outcome) else {
        return;
    };
    assert!(answer.len() <= agent.limits.message);
    let (version, _) = message_version(octets).expect("only messages are answered");
    if version != Version::V3 {
        let request = CommunityMessage::decode(octets).expect("only requests are answered");
        let answer = CommunityMessage::decode(answer).expect("a message");
        assert_eq!(answer.version, request.version);
        assert_eq!(answer.community, request.community);
        assert_eq!(answer.pdu.pdu_type(), PduType::Response);
        return;
    }
    let (request, answer) = decode(octets, answer);
    let (asked, answered) = (request.header, answer.header);
    assert_eq!(answered.msg_security_model, asked.msg_security_model);
    if asked.msg_security_model != V3Message::TRANSPORT_SECURITY_MODEL {
        return;
    }
    assert!(request.security_parameters.rest().is_empty());
    assert!(answer.security_parameters.rest().is_empty());
    let state = agent.state.as_ref().expect("a secure transport");
    let pdu_type = pdu_type(answer);
    if matches!(outcome, DispatchOutcome::Respond(_)) {
        assert_eq!(pdu_type, PduType::Response);
        let level = asked.msg_flags.security_level;
        assert_eq!(answered.msg_flags.security_level, level);
        assert!(level <= state.security_level());
    } else {
        assert_eq!(pdu_type, PduType::Report);
    }
}

/// A request and its answer, which has the same msgID and is no larger than the sender takes.
fn decode<'a>(request: &'a [u8], answer: &'a [u8]) -> (V3Message<'a>, V3Message<'a>) {
    let request = V3Message::decode(request).expect("only messages are answered");
    let most = usize::try_from(request.header.msg_max_size).expect("not negative");
    assert!(answer.len() <= most, "{} octets in {most}", answer.len());
    let length = answer.len();
    let answer = V3Message::decode(answer).expect("an answer is a message");
    assert_eq!(answer.length, length);
    assert_eq!(answer.header.msg_id, request.header.msg_id);
    assert!(!answer.header.msg_flags.reportable);
    (request, answer)
}

fn pdu_type(answer: V3Message<'_>) -> PduType {
    let ScopedPduData::Plaintext(reader) = answer.data else {
        panic!("neither a Report nor a message over a secure transport is encrypted");
    };
    let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
    scoped_pdu.pdu.pdu_type()
}

/// Changes the session that messages arrive over, or takes it away, by number.
pub fn choose_session(agent: &mut V3Agent, choice: u8) {
    agent.state = match choice % 6 {
        0 => None,
        1 => Some(session(Tls, "alice", NoAuthNoPriv)),
        2 => Some(session(Dtls, "alice", AuthNoPriv)),
        3 => Some(session(Ssh, "alice", AuthPriv)),
        4 => Some(session(Tls, "mallory", AuthPriv)),
        _ => Some(session(Tls, "", AuthPriv)),
    };
}
