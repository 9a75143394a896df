//! The corpus of the fuzz target `agent_tsm`, replayed over every kind of session.

use varbind_testkit::corpus;
use varbind_testkit::v3::{V3Agent, check_transport_message, choose_session};

#[test]
fn every_message_of_the_corpus_is_handled() {
    let mut agent = V3Agent::over_tls_in_all_versions();
    for (name, octets) in corpus("agent_tsm") {
        println!("{name}");
        for choice in 0..6 {
            choose_session(&mut agent, choice);
            check_transport_message(&mut agent, octets.get(1..).unwrap_or(&[]));
        }
    }
}
