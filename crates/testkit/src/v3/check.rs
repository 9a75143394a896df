//! What must hold whatever a message by a secure transport is made of.

use varbind_codec::message::{
    CommunityMessage, ScopedPdu, ScopedPduData, V3Message, Version, message_version,
};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_engine::dispatcher::Outcome;

use crate::agent::Agent;

/// Lets the agent handle any octets. Without a secure transport, messages of the transport security model have no answer;
/// and with one, answers are within the limits and of the kind of the request.
pub(crate) fn judge(agent: &mut Agent, octets: &[u8]) {
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
    let request = V3Message::decode(octets).expect("only messages are answered");
    let answer_message = V3Message::decode(answer).expect("a message");
    assert_eq!(answer_message.length, answer.len());
    let (asked, answered) = (request.header, answer_message.header);
    assert_eq!(answered.msg_id, asked.msg_id);
    assert_eq!(answered.msg_security_model, asked.msg_security_model);
    assert!(!answered.msg_flags.reportable);
    let most = usize::try_from(asked.msg_max_size).expect("not negative");
    assert!(answer.len() <= most, "{} octets in {most}", answer.len());
    if asked.msg_security_model != V3Message::TRANSPORT_SECURITY_MODEL {
        return;
    }
    assert!(request.security_parameters.rest().is_empty());
    assert!(answer_message.security_parameters.rest().is_empty());
    let state = agent.state.as_ref().expect("a secure transport");
    let ScopedPduData::Plaintext(reader) = answer_message.data else {
        panic!("the transport encrypts, nobody else");
    };
    let Pdu::Common(pdu) = ScopedPdu::decode(reader).expect("a scopedPDU").pdu else {
        panic!("a trap is no answer");
    };
    match outcome {
        Outcome::Respond(_) => {
            assert_eq!(pdu.pdu_type, PduType::Response);
            assert_eq!(
                answered.msg_flags.security_level,
                asked.msg_flags.security_level
            );
            assert!(asked.msg_flags.security_level <= state.security_level());
        }
        _ => assert_eq!(pdu.pdu_type, PduType::Report),
    }
}

/// A session, or none, by number.
pub(crate) fn choose_session(agent: &mut Agent, choice: u8) {
    use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
    use varbind_engine::transport::SecureTransport::{Dtls, Ssh, Tls};
    agent.state = match choice % 6 {
        0 => None,
        1 => Some(crate::agent::session(Tls, "alice", NoAuthNoPriv)),
        2 => Some(crate::agent::session(Dtls, "alice", AuthNoPriv)),
        3 => Some(crate::agent::session(Ssh, "alice", AuthPriv)),
        4 => Some(crate::agent::session(Tls, "mallory", AuthPriv)),
        _ => Some(crate::agent::session(Tls, "", AuthPriv)),
    };
}
