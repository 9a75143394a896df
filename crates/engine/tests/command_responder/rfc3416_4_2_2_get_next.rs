//! RFC 3416 section 4.2.2: the GetNextRequest-PDU.

use std::sync::Arc;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Value;
use varbind_engine::instrumentation::Scalar;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, IF_TABLE, SYS_DESCR, THRESHOLD, host,
};
use varbind_testkit::{octets, oid};

#[test]
fn the_first_instance_behind_a_name_is_answered() {
    let table = |cell: &str| format!("{IF_TABLE}.1.{cell}");
    let steps = [
        ("0.0".to_owned(), format!("{SYS_DESCR}.0")),
        ("1.3.6.1.2.1".to_owned(), format!("{SYS_DESCR}.0")),
        (SYS_DESCR.to_owned(), format!("{SYS_DESCR}.0")),
        (format!("{SYS_DESCR}.0"), "1.3.6.1.2.1.1.3.0".to_owned()),
        (
            "1.3.6.1.2.1.1.2.7".to_owned(),
            "1.3.6.1.2.1.1.3.0".to_owned(),
        ),
        (format!("{IF_NUMBER}.0"), table("1.1")),
        (IF_TABLE.to_owned(), table("1.1")),
        (table("0"), table("1.1")),
        (table("1.0"), table("1.1")),
        (table("1.1"), table("1.2")),
        (table("1.1.0"), table("1.2")),
        (table("1.2.4294967295"), table("1.3")),
        (table("1.3"), table("2.1")),
        (table("22.2"), table("22.3")),
    ];
    let mut agent = CommunityAgent::host(3);
    for (name, next) in steps {
        assert_eq!(agent.get_next(&[&name]).names(), [next]);
    }
}

#[test]
fn a_table_is_followed_by_the_next_object() {
    let last = format!("{IF_TABLE}.1.22.3");
    let names = CommunityAgent::host(3).get_next(&[&last]).names();
    assert_eq!(names, ["1.3.6.1.2.1.31.1.1.1.102.1"]);
}

#[test]
fn an_empty_table_is_passed() {
    let number = format!("{IF_NUMBER}.0");
    let bindings = CommunityAgent::host(0).get_next(&[&number]).bindings();
    assert_eq!(bindings, [(format!("{THRESHOLD}.0"), Value::Integer(50))]);
}

#[test]
fn behind_the_last_instance_comes_end_of_mib_view_with_the_name_of_the_request() {
    let last = format!("{THRESHOLD}.0");
    let mut agent = CommunityAgent::host(3);
    for name in [&*last, "1.3.6.1.4.1.32473.1.1", "1.3.7", "2.4294967295"] {
        let bindings = agent.get_next(&[name]).bindings();
        assert_eq!(bindings, [(name.to_owned(), Value::EndOfMibView)]);
    }
}

#[test]
fn each_name_is_answered_for_itself_in_the_order_of_the_request() {
    let last = format!("{THRESHOLD}.0");
    let names = [&*last, SYS_DESCR, IF_TABLE, SYS_DESCR];
    let bindings = CommunityAgent::host(3).get_next(&names).bindings();
    let expected = [
        (last.clone(), Value::EndOfMibView),
        (format!("{SYS_DESCR}.0"), octets("a host")),
        (format!("{IF_TABLE}.1.1.1"), Value::Integer(1)),
        (format!("{SYS_DESCR}.0"), octets("a host")),
    ];
    assert_eq!(bindings, expected);
}

#[test]
fn a_walk_passes_every_instance_once_in_order_and_ends() {
    let mut agent = CommunityAgent::host(4);
    let mut name = "0.0".to_owned();
    let mut walked = Vec::new();
    loop {
        let (next, value) = agent.get_next(&[&name]).bindings().remove(0);
        if value == Value::EndOfMibView {
            break;
        }
        walked.push(oid(&next));
        name = next;
    }
    // 7 scalars, 22 columns of ifTable and 7 of ifXTable with 4 rows.
    assert_eq!(walked.len(), 7 + 4 * (22 + 7));
    assert!(walked.is_sorted_by(|one, next| one < next));
}

#[test]
fn a_value_that_cannot_be_read_gives_gen_err_with_its_index() {
    let broken = oid("1.3.6.1.2.1.1.2");
    let scalar = Arc::new(Scalar::new(&broken, |_| None));
    let mut agent = CommunityAgent::new(host(1).register(broken, scalar));
    let names = ["1.3.6.1.2.1.1", "1.3.6.1.2.1.1.1.0"];
    agent
        .get_next(&names)
        .assert_error(ErrorStatus::GenErr, 2, &names);
}

#[test]
fn a_response_that_does_not_fit_gives_too_big_without_bindings() {
    let names = vec![SYS_DESCR; 20];
    let response = CommunityAgent::host(1).with_limit(300).get_next(&names);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(response.bindings, []);
}

#[test]
fn end_of_mib_view_that_does_not_fit_gives_too_big() {
    let names = vec!["1.3.7"; 20];
    let response = CommunityAgent::host(1).with_limit(150).get_next(&names);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
}

#[test]
fn an_empty_list_gives_an_empty_list() {
    assert_eq!(CommunityAgent::host(1).get_next(&[]).bindings(), []);
}
