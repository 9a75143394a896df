//! RFC 3416 section 4.2.1: the GetRequest-PDU.

use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::Value;
use varbind_engine::instrumentation::Scalar;
use varbind_engine::statistics::Counter;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, IF_TABLE, SYS_CONTACT, SYS_DESCR, SYS_UP_TIME, host,
};
use varbind_testkit::message::Message;
use varbind_testkit::{octets, oid};

/// A scalar that cannot be read.
const BROKEN: &str = "1.3.6.1.4.1.32473.2";

fn agent_with_a_broken_scalar() -> CommunityAgent {
    let broken = std::sync::Arc::new(Scalar::new(&oid(BROKEN), |_| None));
    CommunityAgent::new(host(3).register(oid(BROKEN), broken))
}

#[test]
fn values_come_in_the_order_of_the_request() {
    let names = [
        "1.3.6.1.2.1.2.2.1.2.3",
        "1.3.6.1.2.1.1.3.0",
        "1.3.6.1.2.1.1.1.0",
        "1.3.6.1.2.1.2.2.1.2.1",
    ];
    let response = CommunityAgent::host(3).get(&names);
    let values = [
        octets("interface 3"),
        Value::TimeTicks(7),
        octets("a host"),
        octets("interface 1"),
    ];
    let expected: Vec<_> = names.map(String::from).into_iter().zip(values).collect();
    assert_eq!(response.bindings(), expected);
}

#[test]
fn one_name_asked_for_twice_is_answered_twice() {
    let name = format!("{SYS_UP_TIME}.0");
    let values = CommunityAgent::host(1).get(&[&name, &name]).values();
    assert_eq!(values, [Value::TimeTicks(7), Value::TimeTicks(7)]);
}

#[test]
fn a_name_below_no_object_gives_no_such_object() {
    let no_objects = [
        "1.3.6.1.2.1.1.2.0",
        "1.3.6.1.2.1.1",
        "1.3.6.1.2.1.2.2",
        "1.3.6.1.2.1.2.2.1",
        "1.3.6.1.2.1.2.2.1.23.1",
        "1.3.6.1.2.1.2.2.2.1.1",
        "0.0",
        "2.4294967295",
    ];
    let mut agent = CommunityAgent::host(3);
    for name in no_objects {
        let response = agent.get(&[name]);
        assert_eq!(response.bindings(), [(name.into(), Value::NoSuchObject)]);
    }
}

#[test]
fn an_object_without_that_instance_gives_no_such_instance() {
    let no_instances = [
        SYS_DESCR.to_owned(),
        format!("{SYS_DESCR}.1"),
        format!("{SYS_DESCR}.0.0"),
        format!("{SYS_CONTACT}.1"),
        format!("{IF_TABLE}.1.1"),
        format!("{IF_TABLE}.1.1.0"),
        format!("{IF_TABLE}.1.1.4"),
        format!("{IF_TABLE}.1.1.1.0"),
    ];
    let mut agent = CommunityAgent::host(3);
    for name in no_instances {
        let response = agent.get(&[&name]);
        assert_eq!(response.bindings(), [(name, Value::NoSuchInstance)]);
    }
}

#[test]
fn an_exception_does_not_keep_the_other_values_back() {
    let number = format!("{IF_NUMBER}.0");
    let values = CommunityAgent::host(3)
        .get(&[&number, "1.3.6.1.3", &number, IF_NUMBER])
        .values();
    let expected = [
        Value::Integer(3),
        Value::NoSuchObject,
        Value::Integer(3),
        Value::NoSuchInstance,
    ];
    assert_eq!(values, expected);
}

#[test]
fn an_empty_list_gives_an_empty_list() {
    assert_eq!(CommunityAgent::host(1).get(&[]).bindings(), []);
}

#[test]
fn the_values_in_the_request_are_ignored() {
    let mut request = Message::new(PduType::GetRequest, &[&format!("{IF_NUMBER}.0")]);
    request.bindings[0].value = octets("nonsense");
    let values = CommunityAgent::host(3).ask(request).values();
    assert_eq!(values, [Value::Integer(3)]);
}

#[test]
fn error_status_and_error_index_in_the_request_are_ignored() {
    let mut request = Message::new(PduType::GetRequest, &[&format!("{IF_NUMBER}.0")]);
    request.error_status = 5;
    request.error_index = 1;
    let values = CommunityAgent::host(3).ask(request).values();
    assert_eq!(values, [Value::Integer(3)]);
}

#[test]
fn a_value_that_cannot_be_read_gives_gen_err_with_its_index_and_the_bindings_of_the_request() {
    let number = format!("{IF_NUMBER}.0");
    let broken = format!("{BROKEN}.0");
    let names = [&*number, "1.3.6.1.3", &broken, &broken];
    let response = agent_with_a_broken_scalar().get(&names);
    response.assert_error(ErrorStatus::GenErr, 3, &names);
    assert!(
        response
            .bindings
            .iter()
            .all(|binding| binding.value == Value::Null)
    );
}

#[test]
fn a_response_that_does_not_fit_gives_too_big_without_bindings() {
    let description = format!("{SYS_DESCR}.0");
    let names = vec![&*description; 20];
    let mut agent = CommunityAgent::host(1);
    let fits = agent.get(&names);
    let length = fits.bindings.len();
    assert_eq!(length, 20);
    let response = agent.with_limit(300).get(&names);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(response.bindings, []);
}

/// The limit counts the whole message, headers included.
#[test]
fn the_largest_response_that_is_allowed_is_sent() {
    let description = format!("{SYS_DESCR}.0");
    let names = vec![&*description; 20];
    let mut smallest = None;
    for limit in (100..1000).rev() {
        let mut agent = CommunityAgent::host(1).with_limit(limit);
        let request = Message::new(PduType::GetRequest, &names).encode();
        let length = agent.handle(&request).expect("an answer").len();
        assert!(length <= limit);
        if agent.get(&names).error() == (ErrorStatus::NoError, 0) {
            smallest = Some((limit, length));
        }
    }
    // Headers are counted at their largest: four lengths of 5 octets, and a request-id of 6.
    let (limit, length) = smallest.expect("20 values fit 1000 octets");
    assert!(limit - length <= HEADERS_AT_MOST, "{length} in {limit}");
}

const HEADERS_AT_MOST: usize = varbind_engine::message_processing::HEADER_OCTETS;

#[test]
fn a_message_is_dropped_if_not_even_too_big_fits() {
    let mut agent = CommunityAgent::host(1).with_limit(20);
    let request = Message::new(PduType::GetRequest, &[&format!("{SYS_DESCR}.0")]);
    agent.refusal(&request.encode());
    assert_eq!(agent.count(Counter::SnmpSilentDrops), 1);
}

#[test]
fn an_echo_that_does_not_fit_gives_too_big() {
    let broken = format!("{BROKEN}.0");
    let names = vec![&*broken; 30];
    let response = agent_with_a_broken_scalar().with_limit(200).get(&names);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(response.bindings, []);
}

#[test]
fn names_of_128_sub_identifiers_are_answered() {
    let name = format!("{IF_TABLE}.1.1{}", ".4294967295".repeat(118));
    assert_eq!(oid(&name).arcs().len(), 128);
    let response = CommunityAgent::host(3).get(&[&name]);
    assert_eq!(response.bindings(), [(name, Value::NoSuchInstance)]);
}
