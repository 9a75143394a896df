//! The corpus of the fuzz target `agent_handle`, replayed.

use varbind_codec::pdu::ErrorStatus;
use varbind_testkit::command_responder::{check_community_message, fuzzed_agent};
use varbind_testkit::corpus;

#[test]
fn every_message_of_the_corpus_is_handled() {
    let mut agent = fuzzed_agent();
    for (_, message) in corpus("agent_handle") {
        check_community_message(&mut agent, &message);
    }
}

/// The requests that Net-SNMP's tools sent are answered, and those named so without an error.
#[test]
fn requests_of_net_snmp_are_answered() {
    for (name, message) in corpus("agent_handle") {
        if !name.starts_with("netsnmp-") {
            continue;
        }
        let response = check_community_message(&mut fuzzed_agent(), &message).expect(&name);
        let has_failed = response.status() != ErrorStatus::NoError;
        assert_eq!(has_failed, name.contains("refused"), "{name}: {response:?}");
    }
}

/// Every truncation and every changed octet of a real message.
#[test]
fn neighbours_of_the_corpus_are_handled() {
    let mut agent = fuzzed_agent();
    for (_, message) in corpus("agent_handle") {
        for length in 0..message.len() {
            check_community_message(&mut agent, &message[..length]);
        }
        let mut changed = message.clone();
        for at in 0..message.len() {
            for octet in [
                0,
                1,
                0x7f,
                0x80,
                0x82,
                0xff,
                message[at] ^ 1,
                message[at] ^ 0x80,
            ] {
                changed[at] = octet;
                check_community_message(&mut agent, &changed);
            }
            changed[at] = message[at];
        }
    }
}
