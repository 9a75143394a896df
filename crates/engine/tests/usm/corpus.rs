//! The corpus of the fuzz target `agent_v3`, replayed.

use varbind_codec::message::SecurityLevel;
use varbind_testkit::corpus;
use varbind_testkit::v3::user_based::Message;
use varbind_testkit::v3::{SYS_DESCR, V3Agent, check_user_based_message};

#[test]
fn every_scoped_pdu_of_the_corpus_is_handled() {
    let messages = [
        SecurityLevel::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv,
        SecurityLevel::AuthPriv,
    ]
    .map(|level| Message::get(level, SYS_DESCR));
    let mut agent = V3Agent::with_users();
    for (name, octets) in corpus("agent_v3") {
        println!("{name}");
        for message in &messages {
            let message = Message {
                scoped_pdu: Some(octets.get(1..).unwrap_or(&[]).to_vec()),
                ..message.clone()
            };
            check_user_based_message(&mut agent, &message.encode());
        }
    }
}
