//! RFC 2741 sections 7.2.1 to 7.2.3 and 7.2.5: what requests of managers read of subagents, and by how many PDUs.

use varbind_codec::agentx::AgentxPdu;
use varbind_codec::smi::Value;
use varbind_testkit::command_responder::{SYS_DESCR, THRESHOLD};
use varbind_testkit::peers::eventually;
use varbind_testkit::subagent::{Answer, Instances};

use super::{FIRST, Master, SECOND};

/// Behind the last object of the agent before those of subagents.
const IF_X_TABLE_END: &str = "1.3.6.1.2.1.31.1.1.2";

/// All names from `start` on, by GetBulkRequests for so many rows.
fn walk(
    agent: &mut varbind_testkit::command_responder::CommunityAgent,
    start: &str,
    rows: i32,
) -> Vec<String> {
    let mut names = vec![start.to_owned()];
    loop {
        let last = names.last().unwrap().clone();
        let found = agent.get_bulk(0, rows, &[&last]).bindings();
        for (name, value) in found {
            if value == Value::EndOfMibView {
                return names.split_off(1);
            }
            names.push(name);
        }
    }
}

#[test]
fn a_walk_by_get_bulk_finds_what_one_by_get_next_does() {
    let master = Master::new();
    let (_first, log) = master.serve_table(FIRST, 3, 40);
    let (_second, _) = master.serve_table(SECOND, 1, 5);
    let mut agent = master.agent();
    let by_bulk = walk(&mut agent, "1.3", 25);
    assert_eq!(by_bulk, walk(&mut agent, "1.3", 1));
    assert!(by_bulk.is_sorted_by_key(|name| varbind_testkit::oid(name)));
    let below = |root: &str| by_bulk.iter().filter(|name| name.starts_with(root)).count();
    assert_eq!((below(FIRST), below(SECOND)), (120, 5));
    assert!(below(THRESHOLD) > 0 && below(SYS_DESCR) > 0);
    assert!(log.kinds().contains(&"GetBulk"));
}

/// 7.2.1: all that a request wants of a session goes into one PDU.
#[test]
fn columns_of_a_row_are_fetched_by_one_pdu() {
    let master = Master::new();
    let (_first, log) = master.serve_table(FIRST, 3, 40);
    let (_second, other) = master.serve_table(SECOND, 1, 5);
    let mut agent = master.agent();
    let columns = [1, 2, 3].map(|column| format!("{FIRST}.{column}"));
    let [a, b, c] = columns.each_ref().map(String::as_str);
    let found = agent.get_bulk(1, 20, &[a, b, c]);
    assert_eq!(found.bindings.len(), 1 + 2 * 20);
    let last = found.bindings().pop().unwrap();
    assert_eq!(last, (format!("{FIRST}.3.20"), Value::Gauge32(3_000_020)));
    let [
        AgentxPdu::GetBulk {
            non_repeaters: 1,
            max_repetitions: 20,
            ranges,
        },
    ] = &log.pdus()[..]
    else {
        panic!("{:?}", log.pdus());
    };
    assert_eq!(ranges.len(), 3);
    // Of two subagents each is asked once.
    let cells = [
        format!("{FIRST}.1.1"),
        format!("{SECOND}.1.1"),
        format!("{FIRST}.2.9"),
    ];
    let names = cells.each_ref().map(String::as_str);
    let found = agent.get(&names).bindings();
    assert_eq!(found[2], (cells[2].clone(), Value::Gauge32(2_000_009)));
    assert_eq!(
        (log.kinds(), other.kinds()),
        (vec!["GetBulk", "Get"], vec!["Get"])
    );
    let next = agent.get_next(&names).names();
    assert_eq!(
        next,
        [".1.2", ".1.2", ".2.10"]
            .iter()
            .zip([FIRST, SECOND, FIRST])
            .map(|(cell, root)| format!("{root}{cell}"))
            .collect::<Vec<_>>()
    );
    assert_eq!((log.kinds().len(), other.kinds().len()), (3, 2));
}

#[test]
fn no_more_is_fetched_than_fits_the_response() {
    let master = Master::new();
    let (_first, log) = master.serve_table(FIRST, 1, 1000);
    let mut agent = master.agent().with_limit(484);
    let found = agent.get_bulk(0, 1000, &[FIRST]).bindings.len();
    assert!((10..40).contains(&found), "{found}");
    let [
        AgentxPdu::GetBulk {
            max_repetitions, ..
        },
    ] = &log.pdus()[..]
    else {
        panic!("{:?}", log.pdus());
    };
    assert!((found..=60).contains(&usize::from(*max_repetitions)));
}

/// The end of the last column of a subagent is known without another question.
#[test]
fn what_follows_a_table_costs_no_other_question() {
    let master = Master::new();
    let (_first, log) = master.serve_table(FIRST, 1, 3);
    let mut agent = master.agent();
    let names = agent.get_bulk(0, 5, &[FIRST]).names();
    assert_eq!(names[3..], [format!("{THRESHOLD}.0"), names[4].clone()]);
    assert_eq!(log.kinds(), ["GetBulk"]);
}

/// Only an error in a Response, or a Response without variables, says that a subagent does not know GetBulk.
#[test]
fn a_get_bulk_that_was_not_answered_in_time_is_not_asked_again_by_get_next() {
    let master = Master::new();
    let table = Instances::table(FIRST, 1, 3);
    let mut is_silent = true;
    let (_first, log) = master.serve(FIRST, move |packet| {
        match std::mem::replace(&mut is_silent, false) {
            true => Answer::Silence,
            false => table.answer(&packet.pdu),
        }
    });
    let mut agent = master.agent();
    // The walk goes on behind its rows.
    assert_eq!(
        agent.get_bulk(0, 2, &[FIRST]).names()[0],
        format!("{THRESHOLD}.0")
    );
    assert_eq!(log.kinds(), ["GetBulk"]);
    assert_eq!(
        agent.get_bulk(0, 2, &[FIRST]).names()[1],
        format!("{FIRST}.1.2")
    );
    assert_eq!(log.kinds(), ["GetBulk", "GetBulk"]);
}

#[test]
fn a_subagent_that_refuses_get_bulk_is_asked_by_get_next() {
    for refusal in [
        Answer::Error(5, 1),
        Answer::Error(266, 0),
        Answer::Variables(Vec::new()),
    ] {
        let master = Master::new();
        let table = Instances::table(FIRST, 2, 3);
        let (_first, log) = master.serve(FIRST, move |packet| match &packet.pdu {
            AgentxPdu::GetBulk { .. } => refusal.clone(),
            pdu => table.answer(pdu),
        });
        let mut agent = master.agent();
        let columns = [1, 2].map(|column| format!("{FIRST}.{column}"));
        for _ in 0..3 {
            let names = agent
                .get_bulk(0, 2, &columns.each_ref().map(String::as_str))
                .names();
            assert_eq!(names[3], format!("{FIRST}.2.2"));
        }
        let before = log.kinds();
        assert_eq!(before.iter().filter(|kind| **kind == "GetBulk").count(), 3);
        agent.get_bulk(0, 2, &[FIRST]);
        assert!(
            !log.kinds()[before.len()..].contains(&"GetBulk"),
            "{:?}",
            log.kinds()
        );
    }
}

/// 7.2.5.2: the error is told of the variable that it is about.
#[test]
fn an_error_of_a_get_is_about_its_variable() {
    let master = Master::new();
    let table = Instances::table(FIRST, 1, 3);
    let (_first, _) = master.serve(FIRST, move |packet| match &packet.pdu {
        AgentxPdu::Get(ranges) if ranges.len() == 3 => Answer::Error(5, 2),
        pdu => table.answer(pdu),
    });
    let names = [1, 2, 3].map(|row| format!("{FIRST}.1.{row}"));
    let response = master.agent().get(&names.each_ref().map(String::as_str));
    assert_eq!((response.error_status, response.error_index), (5, 2));
}

/// 7.2.6: SNMPv1 does not know Counter64, and passes it.
#[test]
fn counter64_is_passed_for_snmpv1() {
    let master = Master::new();
    let mut table = Instances::table(FIRST, 1, 3);
    let second = varbind_testkit::oid(&format!("{FIRST}.1.2"));
    table.0.insert(second.clone(), Value::Counter64(5));
    let (_first, _) = master.serve(FIRST, move |packet| table.answer(&packet.pdu));
    let mut agent = master.agent();
    let first = format!("{FIRST}.1.1");
    assert_eq!(
        agent.get_next_v1(&[&first]).names(),
        [format!("{FIRST}.1.3")]
    );
    assert_eq!(agent.get_next(&[&first]).names(), [second.to_string()]);
}

/// While its program is started again, what a session had is known as absent, if that is configured.
#[test]
fn an_ended_session_leaves_errors_behind_for_a_while() {
    let master = Master::new();
    master.sessions.set_grace(super::PATIENCE * 10);
    let mut agent = master.agent();
    let cell = format!("{FIRST}.1.1");
    for _ in 0..2 {
        let (served, _) = master.serve_table(FIRST, 1, 1);
        assert_eq!(
            agent.get(&[&cell]).bindings()[0].1,
            Value::Gauge32(1_000_001)
        );
        drop(served);
        eventually("the session stays open", || master.session_count() == 0);
        for response in [
            agent.get(&[&cell]),
            agent.get_next(&[&cell]),
            agent.get_bulk(0, 1, &[FIRST]),
            agent.get_next(&["1.3.6.1.3"]),
        ] {
            assert_eq!((response.error_status, response.error_index), (5, 1));
        }
        // Neighbours do not suffer: a walk that comes from before these rows goes on behind them.
        let names = agent
            .get_bulk(0, 1, &["1.3.6.1.3.6", IF_X_TABLE_END])
            .names();
        assert_eq!(names, vec![format!("{THRESHOLD}.0"); 2]);
        assert_eq!(agent.get(&[&format!("{THRESHOLD}.0")]).error_status, 0);
    }
}
