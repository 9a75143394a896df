//! RFC 3418: the counters of the snmp group. Each message raises snmpInPkts, each discarded one exactly one more.

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::Value;
use varbind_engine::discard::Discard;
use varbind_engine::security::SourceAddresses;
use varbind_engine::statistics::Counter;
use varbind_testkit::command_responder::{CommunityAgent, SYS_DESCR};
use varbind_testkit::message::Message;
use varbind_testkit::octets;

const COUNTERS: [Counter; 9] = [
    Counter::SnmpInPkts,
    Counter::SnmpInBadVersions,
    Counter::SnmpInBadCommunityNames,
    Counter::SnmpInBadCommunityUses,
    Counter::SnmpInAsnParseErrs,
    Counter::SnmpSilentDrops,
    Counter::SnmpProxyDrops,
    Counter::SnmpUnknownPduHandlers,
    Counter::SnmpUnknownContexts,
];

/// What is not 0.
fn counts(agent: &CommunityAgent) -> Vec<(Counter, u64)> {
    COUNTERS
        .into_iter()
        .map(|counter| (counter, agent.count(counter)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn get() -> Message {
    Message::new(PduType::GetRequest, &[SYS_DESCR])
}

#[test]
fn an_answered_request_raises_snmp_in_pkts_alone() {
    let mut agent = CommunityAgent::host(1);
    agent.get(&[SYS_DESCR, "1.3.7"]);
    agent.get_next_v1(&["1.3.7"]);
    assert_eq!(counts(&agent), [(Counter::SnmpInPkts, 2)]);
}

/// RFC 1213 section 6. A GetBulkRequest-PDU, which is younger, is neither a GetRequest-PDU nor a GetNextRequest-PDU.
#[test]
fn what_was_carried_out_is_counted_by_its_kind_and_its_outcome() {
    const DESCRIPTION: &str = "1.3.6.1.2.1.1.1.0";
    const CONTACT: &str = "1.3.6.1.2.1.1.4.0";
    let mut agent = CommunityAgent::host(1);
    agent.get(&[DESCRIPTION, "1.3.7"]);
    agent.get_next(&[SYS_DESCR]);
    agent.get_bulk(0, 2, &[SYS_DESCR]);
    agent.set(&[(CONTACT, octets("nobody"))]);
    agent.get_v1(&["1.3.7"]);
    let wrong = Message::set(&[(CONTACT, Value::Integer(1))]);
    agent.ask(wrong.with_version(Version::V1));
    let mut agent = agent.with_limit(60);
    agent.ask(Message::new(PduType::GetRequest, &[DESCRIPTION; 4]));
    for (counter, expected) in [
        (Counter::SnmpInPkts, 7),
        (Counter::SnmpOutPkts, 7),
        (Counter::SnmpOutGetResponses, 7),
        (Counter::SnmpInGetRequests, 3),
        (Counter::SnmpInGetNexts, 1),
        (Counter::SnmpInSetRequests, 2),
        (Counter::SnmpInTotalReqVars, 4),
        (Counter::SnmpInTotalSetVars, 1),
        (Counter::SnmpOutNoSuchNames, 1),
        (Counter::SnmpOutBadValues, 1),
        (Counter::SnmpOutTooBigs, 1),
        (Counter::SnmpOutGenErrs, 0),
    ] {
        assert_eq!(agent.count(counter), expected, "{counter:?}");
    }
}

#[test]
fn each_discard_raises_one_counter_and_snmp_in_pkts() {
    let mut of_version_2 = get().encode();
    of_version_2[4] = 2;
    let malformed = get().encode()[..10].to_vec();
    let mut malformed_binding = get().encode();
    let at = malformed_binding.len() - 1;
    malformed_binding[at] = 1;
    let cases = [
        (of_version_2, Counter::SnmpInBadVersions),
        (malformed, Counter::SnmpInAsnParseErrs),
        (malformed_binding, Counter::SnmpInAsnParseErrs),
        (
            get().with_community("secret").encode(),
            Counter::SnmpInBadCommunityNames,
        ),
        (
            get().with_community("").encode(),
            Counter::SnmpInBadCommunityNames,
        ),
        (
            get().with_community("elsewhere").encode(),
            Counter::SnmpUnknownContexts,
        ),
        (
            Message::new(PduType::TrapV2, &[SYS_DESCR]).encode(),
            Counter::SnmpUnknownPduHandlers,
        ),
    ];
    for (message, counter) in cases {
        let mut agent = CommunityAgent::host(1);
        let discard = agent.refusal(&message);
        assert_eq!(discard.counter(), counter);
        assert_eq!(counts(&agent), [(Counter::SnmpInPkts, 1), (counter, 1)]);
    }
}

#[test]
fn a_source_that_is_not_allowed_is_a_bad_community_name() {
    let mut agent = CommunityAgent::host(1);
    let mut rows = agent.local.communities.rows().to_vec();
    for row in &mut rows {
        row.sources = SourceAddresses::loopback();
    }
    agent.local.communities = varbind_engine::security::CommunityTable::new(rows);
    assert_eq!(agent.refusal(&get().encode()), Discard::SourceNotAllowed);
    let expected = [
        (Counter::SnmpInPkts, 1),
        (Counter::SnmpInBadCommunityNames, 1),
    ];
    assert_eq!(counts(&agent), expected);
}

#[test]
fn a_response_that_is_too_big_in_any_form_is_a_silent_drop() {
    let expected = [(Counter::SnmpInPkts, 1), (Counter::SnmpSilentDrops, 1)];
    let mut agent = CommunityAgent::host(1).with_limit(30);
    assert_eq!(agent.refusal(&get().encode()), Discard::ResponseTooBig);
    assert_eq!(counts(&agent), expected);
    // SNMPv1 has no tooBig without bindings.
    let mut agent = CommunityAgent::host(1).with_limit(60);
    let request = get().with_version(Version::V1).encode();
    assert_eq!(agent.refusal(&request), Discard::ResponseTooBig);
    assert_eq!(counts(&agent), expected);
    // Nor is it counted as anything else.
    let mut agent = CommunityAgent::host(1).with_limit(30);
    let request = get().with_community("stranger").encode();
    assert_eq!(agent.refusal(&request), Discard::ResponseTooBig);
    assert_eq!(counts(&agent), expected);
}

#[test]
fn an_operation_that_is_not_allowed_is_a_bad_community_use() {
    let mut agent = CommunityAgent::host(1);
    agent.ask(get().with_community("stranger"));
    let expected = [
        (Counter::SnmpInPkts, 1),
        (Counter::SnmpInBadCommunityUses, 1),
    ];
    assert_eq!(counts(&agent), expected);
}
