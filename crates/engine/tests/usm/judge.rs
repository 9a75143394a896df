//! What must hold whatever a message is made of; the fuzz target shares it.

use varbind_codec::message::{ScopedPduData, V3Message};
use varbind_codec::pdu::PduType;
use varbind_engine::dispatcher::Outcome;

use crate::agent::Agent;

/// Lets the agent handle any octets. What it answers is a message of SNMPv3 to the same msgID, no larger than the sender
/// takes, and a response is protected as the request was.
pub(crate) fn judge(agent: &mut Agent, octets: &[u8]) {
    let outcome = agent.handle(octets);
    let Some(answer) = agent.octets(&outcome) else {
        assert!(matches!(outcome, Outcome::Discarded(_)), "{outcome:?}");
        return;
    };
    let request = V3Message::decode(octets).expect("only messages are answered");
    let answer_message = V3Message::decode(answer).expect("an answer is a message");
    assert_eq!(answer_message.length, answer.len());
    assert_eq!(answer_message.header.msg_id, request.header.msg_id);
    assert!(!answer_message.header.msg_flags.reportable);
    let (asked, answered) = (
        request.header.msg_flags.security_level,
        answer_message.header.msg_flags.security_level,
    );
    let most = usize::try_from(request.header.msg_max_size).expect("not negative");
    assert!(answer.len() <= most, "{} octets in {most}", answer.len());
    match outcome {
        Outcome::Respond(_) => assert_eq!(answered, asked),
        _ => {
            assert!(answered <= asked);
            let ScopedPduData::Plaintext(reader) = answer_message.data else {
                panic!("a Report is not encrypted");
            };
            let report = varbind_codec::message::ScopedPdu::decode(reader).expect("a scopedPDU");
            assert_eq!(report.pdu.pdu_type(), PduType::Report);
        }
    }
}
