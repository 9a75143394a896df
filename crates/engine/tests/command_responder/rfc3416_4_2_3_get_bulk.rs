//! RFC 3416 section 4.2.3: the GetBulkRequest-PDU.

use std::sync::Arc;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Value;
use varbind_engine::instrumentation::Scalar;
use varbind_engine::transport::ResponseLimits;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_TABLE, SYS_DESCR, SYS_UP_TIME, THRESHOLD, host,
};
use varbind_testkit::message::Message;
use varbind_testkit::{octets, oid};

const COLUMN_1: &str = "1.3.6.1.2.1.2.2.1.1";
const COLUMN_10: &str = "1.3.6.1.2.1.2.2.1.10";

/// The names of rows of two columns.
fn cells(rows: std::ops::RangeInclusive<u32>) -> Vec<String> {
    rows.flat_map(|row| [format!("{COLUMN_1}.{row}"), format!("{COLUMN_10}.{row}")])
        .collect()
}

#[test]
fn repeaters_come_row_by_row() {
    let names = CommunityAgent::host(5)
        .get_bulk(0, 3, &[COLUMN_1, COLUMN_10])
        .names();
    assert_eq!(names, cells(1..=3));
}

#[test]
fn non_repeaters_come_once_and_first() {
    let response =
        CommunityAgent::host(5).get_bulk(2, 2, &[SYS_DESCR, SYS_UP_TIME, COLUMN_1, COLUMN_10]);
    let mut expected = vec![format!("{SYS_DESCR}.0"), format!("{SYS_UP_TIME}.0")];
    expected.extend(cells(1..=2));
    assert_eq!(response.names(), expected);
}

#[test]
fn a_negative_number_of_non_repeaters_is_none() {
    let mut agent = CommunityAgent::host(5);
    for non_repeaters in [-1, i32::MIN] {
        let response = agent.get_bulk(non_repeaters, 2, &[COLUMN_1, COLUMN_10]);
        assert_eq!(response.names(), cells(1..=2));
    }
}

#[test]
fn a_negative_number_of_repetitions_is_none() {
    let mut agent = CommunityAgent::host(5);
    for max_repetitions in [0, -1, i32::MIN] {
        let names = [SYS_DESCR, COLUMN_1];
        let response = agent.get_bulk(1, max_repetitions, &names);
        assert_eq!(response.names(), [format!("{SYS_DESCR}.0")]);
        let response = agent.get_bulk(0, max_repetitions, &names);
        assert_eq!(response.names(), [""; 0]);
    }
}

#[test]
fn more_non_repeaters_than_names_make_a_get_next() {
    let mut agent = CommunityAgent::host(5);
    for non_repeaters in [2, 3, i32::MAX] {
        let response = agent.get_bulk(non_repeaters, 10, &[COLUMN_1, COLUMN_10]);
        assert_eq!(response.names(), cells(1..=1));
    }
}

#[test]
fn an_empty_list_gives_an_empty_list() {
    let response = CommunityAgent::host(5).get_bulk(0, i32::MAX, &[]);
    assert_eq!(response.bindings(), []);
}

#[test]
fn a_repeater_that_has_ended_gives_end_of_mib_view_with_its_last_name() {
    let response =
        CommunityAgent::host(2).get_bulk(0, 3, &["1.3.6.1.2.1.31.1.1.1.118.1", COLUMN_1]);
    let threshold = format!("{THRESHOLD}.0");
    let expected = [
        ("1.3.6.1.2.1.31.1.1.1.118.2".to_owned(), false),
        (format!("{COLUMN_1}.1"), false),
        (threshold.clone(), false),
        (format!("{COLUMN_1}.2"), false),
        (threshold, true),
        (format!("{IF_TABLE}.1.2.1"), false),
    ];
    let found: Vec<_> = response
        .bindings()
        .into_iter()
        .map(|(name, value)| (name, value == Value::EndOfMibView))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_row_of_end_of_mib_view_alone_is_the_last() {
    let response = CommunityAgent::host(1).get_bulk(0, i32::MAX, &[THRESHOLD, "1.3.7"]);
    let threshold = format!("{THRESHOLD}.0");
    let end = Value::EndOfMibView;
    let expected = [
        (threshold.clone(), Value::Integer(50)),
        ("1.3.7".to_owned(), end.clone()),
        (threshold, end.clone()),
        ("1.3.7".to_owned(), end),
    ];
    assert_eq!(response.bindings(), expected);
}

#[test]
fn a_non_repeater_behind_the_last_instance_gives_end_of_mib_view() {
    let response = CommunityAgent::host(1).get_bulk(1, 1, &["1.3.7", SYS_DESCR]);
    assert_eq!(
        response.names(),
        ["1.3.7".to_owned(), format!("{SYS_DESCR}.0")]
    );
}

#[test]
fn the_whole_of_an_agent_fits_one_request() {
    let response = CommunityAgent::host(20).get_bulk(0, i32::MAX, &["0.0"]);
    // 7 scalars, 22 columns of ifTable and 7 of ifXTable, and endOfMibView.
    assert_eq!(response.bindings().len(), 7 + 20 * 29 + 1);
}

/// The number of variable bindings that are left out has no relation to rows or columns.
#[test]
fn a_response_is_cut_behind_the_last_binding_that_fits() {
    let names = [COLUMN_1, COLUMN_10, IF_TABLE];
    let whole = CommunityAgent::host(50).get_bulk(0, 50, &names).bindings();
    let mut lengths = Vec::new();
    for limit in 100..=600 {
        let cut = CommunityAgent::host(50)
            .with_limit(limit)
            .get_bulk(0, 50, &names);
        let cut = cut.bindings();
        assert_eq!(cut, whole[..cut.len()], "limit {limit}");
        lengths.push(cut.len());
    }
    assert!(lengths.is_sorted());
    lengths.dedup();
    let steps: Vec<_> = (lengths[0]..=lengths[lengths.len() - 1]).collect();
    assert_eq!(lengths, steps, "some number of bindings is never reached");
}

#[test]
fn the_limit_of_bulk_responses_cuts_them_below_the_largest_message() {
    let mut agent = CommunityAgent::host(50);
    agent.limits = ResponseLimits {
        message: 1400,
        bulk: 484,
    };
    let request = Message::get_bulk(0, 50, &[COLUMN_1]);
    let length = agent.handle(&request.encode()).expect("an answer").len();
    assert!((430..=484).contains(&length), "{length}");
}

/// A walk must come past a long value.
#[test]
fn a_value_beyond_the_limit_of_bulk_responses_comes_alone() {
    let long = oid("1.3.6.1.2.1.3");
    let value = octets(&"x".repeat(600));
    let scalar = Arc::new(Scalar::new(&long, move |_| Some(value.clone())));
    let mut agent = CommunityAgent::new(host(5).register(long.clone(), scalar));
    agent.limits = ResponseLimits {
        message: 800,
        bulk: 484,
    };
    let before = format!("{IF_TABLE}.1.22.4");
    let names = agent.get_bulk(0, 5, &[&before, SYS_DESCR]).names();
    assert_eq!(names.len(), 2, "the long value follows in the second row");
    let last = names[0].clone();
    for non_repeaters in [0, 1] {
        let response = agent.get_bulk(non_repeaters, 5, &[&last, SYS_DESCR]);
        assert_eq!(response.names(), [format!("{long}.0")]);
    }
    let next = agent.get_bulk(0, 1, &[&format!("{long}.0")]).names();
    assert_eq!(next, ["1.3.6.1.2.1.31.1.1.1.102.1"]);
    agent.limits.message = 600;
    let response = agent.get_bulk(0, 5, &[&last, SYS_DESCR]);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(response.bindings, []);
}

/// An error is not a bulk response.
#[test]
fn the_bindings_of_an_error_may_be_longer_than_a_bulk_response() {
    let names = vec![SYS_DESCR; 30];
    let request = Message::get_bulk(0, 1, &names).with_community("stranger");
    let mut agent = CommunityAgent::host(1);
    agent.limits.bulk = 200;
    agent
        .ask(request)
        .assert_error(ErrorStatus::AuthorizationError, 0, &names);
}

#[test]
fn non_repeaters_are_cut_as_well() {
    let names = vec![SYS_DESCR; 40];
    let response = CommunityAgent::host(1)
        .with_limit(200)
        .get_bulk(40, 0, &names);
    let length = response.bindings().len();
    assert!((1..40).contains(&length), "{length}");
}

#[test]
fn a_request_of_which_nothing_fits_gives_too_big() {
    let mut agent = CommunityAgent::host(1).with_limit(60);
    for non_repeaters in [0, 1] {
        let response = agent.get_bulk(non_repeaters, 10, &[SYS_DESCR]);
        assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
        assert_eq!(response.bindings, []);
    }
}

#[test]
fn a_value_that_cannot_be_read_gives_gen_err_with_the_index_in_the_request() {
    let broken = oid("1.3.6.1.2.1.1.2");
    let scalar = Arc::new(Scalar::new(&broken, |_| None));
    let mut agent = CommunityAgent::new(host(1).register(broken, scalar));
    // The first, the second and the third repetition of the third name meet it.
    for name in ["1.3.6.1.2.1.1.1.0", SYS_DESCR, "1.3.6.1.2.1.1.0"] {
        let names = [SYS_DESCR, COLUMN_1, name];
        agent
            .get_bulk(1, 5, &names)
            .assert_error(ErrorStatus::GenErr, 3, &names);
    }
    let names = [SYS_DESCR, "1.3.6.1.2.1.1.1.0", COLUMN_1];
    agent
        .get_bulk(2, 5, &names)
        .assert_error(ErrorStatus::GenErr, 2, &names);
}

/// What was not asked for cannot fail.
#[test]
fn a_response_that_is_cut_before_a_value_that_cannot_be_read_has_no_error() {
    let broken = oid("1.3.6.1.2.1.3");
    let scalar = Arc::new(Scalar::new(&broken, |_| None));
    let mut agent = CommunityAgent::new(host(5).register(broken, scalar)).with_limit(300);
    let response = agent.get_bulk(0, 10_000, &[COLUMN_1]);
    assert_eq!(response.error(), (ErrorStatus::NoError, 0));
}
