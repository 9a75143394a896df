//! Octets at random, and requests in which a few octets are changed.

use proptest::prelude::*;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::Value;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_TABLE, SYS_CONTACT, SYS_DESCR, THRESHOLD, check_community_message,
};
use varbind_testkit::message::Message;
use varbind_testkit::octets;

fn requests() -> Vec<Vec<u8>> {
    let description = format!("{SYS_DESCR}.0");
    let contact = format!("{SYS_CONTACT}.0");
    let threshold = format!("{THRESHOLD}.0");
    let names = [&*description, IF_TABLE, "1.3.6.1.2.1.31.1.1.1.106.1"];
    let requests = [
        Message::new(PduType::GetRequest, &names),
        Message::new(PduType::GetRequest, &names).with_version(Version::V1),
        Message::new(PduType::GetNextRequest, &names),
        Message::new(PduType::GetNextRequest, &names).with_version(Version::V1),
        Message::get_bulk(1, 10, &names),
        Message::set(&[
            (&contact, octets("someone")),
            (&threshold, Value::Integer(7)),
        ]),
        Message::new(PduType::GetRequest, &names).with_community("stranger"),
    ];
    requests
        .into_iter()
        .map(|request| request.with_request_id(0x1234_5678).encode())
        .collect()
}

#[derive(Clone, Debug)]
enum Mutation {
    Replace(usize, u8),
    Flip(usize, u8),
    Insert(usize, u8),
    Remove(usize),
    Truncate(usize),
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let at = 0_usize..120;
    prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, octet)| Mutation::Replace(at, octet)),
        (at.clone(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        (at.clone(), any::<u8>()).prop_map(|(at, octet)| Mutation::Insert(at, octet)),
        at.clone().prop_map(Mutation::Remove),
        at.prop_map(Mutation::Truncate),
    ]
}

fn mutate(message: &mut Vec<u8>, mutation: &Mutation) {
    let length = message.len().max(1);
    match *mutation {
        Mutation::Insert(at, octet) => message.insert(at.min(message.len()), octet),
        _ if message.is_empty() => {}
        Mutation::Replace(at, octet) => message[at % length] = octet,
        Mutation::Flip(at, bit) => message[at % length] ^= 1 << bit,
        Mutation::Remove(at) => drop(message.remove(at % length)),
        Mutation::Truncate(at) => message.truncate(at),
    }
}

#[test]
fn the_requests_are_answered_before_they_are_changed() {
    let mut agent = CommunityAgent::host(3);
    for request in requests() {
        assert!(check_community_message(&mut agent, &request).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn octets_at_random_are_not_answered(message in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(check_community_message(&mut CommunityAgent::host(3), &message), None);
    }

    #[test]
    fn changed_requests_are_answered_as_what_they_are_or_not_at_all(
        at in 0_usize..7,
        mutations in proptest::collection::vec(any_mutation(), 1..4),
        limit in prop_oneof![Just(1472_usize), 40_usize..200],
    ) {
        let mut message = requests().swap_remove(at);
        for mutation in &mutations {
            mutate(&mut message, mutation);
        }
        check_community_message(&mut CommunityAgent::host(3).with_limit(limit), &message);
    }
}
