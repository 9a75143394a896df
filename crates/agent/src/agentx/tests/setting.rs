//! RFC 2741 sections 7.2.4 and 7.2.5.4 to 7.2.5.6: a SetRequest changes the objects of two subagents and of the agent, or none.

use std::sync::atomic::Ordering;
use std::thread;

use varbind_codec::smi::Value;
use varbind_testkit::command_responder::SYS_NAME;
use varbind_testkit::octets;
use varbind_testkit::peers::eventually;
use varbind_testkit::subagent::Answer;

use super::{FIRST, Log, Master, SECOND};

/// Which subagent fails, by which PDU, and how.
#[derive(Clone, Copy, Debug)]
struct Failure(&'static str, &'static str, How);

#[derive(Clone, Copy, Debug)]
enum How {
    Error(u16),
    Silence,
}

/// What comes of a SetRequest for an object of the first, one of the agent and one of the second subagent.
struct Case {
    failures: &'static [Failure],
    is_disk_broken: bool,
    status: i32,
    index: i32,
    first: &'static [&'static str],
    second: &'static [&'static str],
}

const CLEAN: &[&str] = &["TestSet", "CleanupSet"];
const DONE: &[&str] = &["TestSet", "CommitSet", "CleanupSet"];
const UNDONE: &[&str] = &["TestSet", "CommitSet", "UndoSet"];

const fn case(
    failures: &'static [Failure],
    (status, index): (i32, i32),
    first: &'static [&'static str],
    second: &'static [&'static str],
) -> Case {
    Case {
        failures,
        is_disk_broken: false,
        status,
        index,
        first,
        second,
    }
}

const fn on_broken_disk(failures: &'static [Failure], told: (i32, i32)) -> Case {
    Case {
        is_disk_broken: true,
        ..case(failures, told, UNDONE, UNDONE)
    }
}

const CASES: [Case; 17] = [
    case(&[], (0, 0), DONE, DONE),
    case(
        &[Failure(FIRST, "TestSet", How::Error(10))],
        (10, 1),
        CLEAN,
        &[],
    ),
    case(
        &[Failure(FIRST, "TestSet", How::Error(268))],
        (5, 1),
        CLEAN,
        &[],
    ),
    case(
        &[Failure(FIRST, "TestSet", How::Silence)],
        (5, 1),
        CLEAN,
        &[],
    ),
    case(
        &[Failure(SECOND, "TestSet", How::Error(17))],
        (17, 3),
        CLEAN,
        CLEAN,
    ),
    case(
        &[Failure(SECOND, "TestSet", How::Silence)],
        (5, 3),
        CLEAN,
        CLEAN,
    ),
    case(
        &[Failure(FIRST, "CommitSet", How::Error(14))],
        (14, 1),
        UNDONE,
        CLEAN,
    ),
    case(
        &[Failure(FIRST, "CommitSet", How::Silence)],
        (14, 1),
        UNDONE,
        CLEAN,
    ),
    case(
        &[Failure(SECOND, "CommitSet", How::Error(14))],
        (14, 3),
        UNDONE,
        UNDONE,
    ),
    case(
        &[Failure(SECOND, "CommitSet", How::Silence)],
        (14, 3),
        UNDONE,
        UNDONE,
    ),
    case(
        &[
            Failure(FIRST, "CommitSet", How::Error(14)),
            Failure(FIRST, "UndoSet", How::Error(15)),
        ],
        (15, 0),
        UNDONE,
        CLEAN,
    ),
    case(
        &[
            Failure(SECOND, "CommitSet", How::Error(14)),
            Failure(FIRST, "UndoSet", How::Error(15)),
        ],
        (15, 0),
        UNDONE,
        UNDONE,
    ),
    case(
        &[
            Failure(SECOND, "CommitSet", How::Error(14)),
            Failure(FIRST, "UndoSet", How::Silence),
        ],
        (15, 0),
        UNDONE,
        UNDONE,
    ),
    case(
        &[
            Failure(SECOND, "CommitSet", How::Error(14)),
            Failure(SECOND, "UndoSet", How::Silence),
        ],
        (15, 0),
        UNDONE,
        UNDONE,
    ),
    on_broken_disk(&[], (14, 1)),
    on_broken_disk(&[Failure(SECOND, "UndoSet", How::Error(15))], (15, 0)),
    on_broken_disk(&[Failure(FIRST, "UndoSet", How::Silence)], (15, 0)),
];

fn serve(master: &Master, subtree: &'static str, failures: &'static [Failure]) -> (impl Drop, Log) {
    master.serve(subtree, move |packet| {
        let kind = super::kind(&packet.pdu);
        let mut failures = failures.iter();
        match failures.find(|Failure(who, pdu, _)| *who == subtree && *pdu == kind) {
            Some(Failure(_, _, How::Error(error))) => Answer::Error(*error, 1),
            Some(Failure(_, _, How::Silence)) => Answer::Silence,
            None => Answer::Variables(Vec::new()),
        }
    })
}

fn run(case: &Case) {
    let master = Master::new();
    let (_first, first) = serve(&master, FIRST, case.failures);
    let (_second, second) = serve(&master, SECOND, case.failures);
    master
        .storage
        .is_broken
        .store(case.is_disk_broken, Ordering::Relaxed);
    let mut agent = master.agent();
    let own = format!("{SYS_NAME}.0");
    let before = agent.get(&[&own]).bindings();
    let [one, other] = [FIRST, SECOND].map(|root| format!("{root}.1.1"));
    let response = agent.set(&[
        (&one, Value::Integer(1)),
        (&own, octets("changed")),
        (&other, Value::Integer(2)),
    ]);
    let failures = case.failures;
    let told = (response.error_status, response.error_index);
    assert_eq!(told, (case.status, case.index), "{failures:?}");
    eventually("PDUs are missing", || {
        first.kinds() == case.first && second.kinds() == case.second
    });
    let after = agent.get(&[&own]).bindings();
    assert_eq!(after == before, case.status != 0, "{failures:?}");
}

#[test]
fn every_failure_in_every_phase_leaves_all_or_nothing() {
    thread::scope(|scope| {
        for case in &CASES {
            scope.spawn(move || run(case));
        }
    });
}

/// 7.2.4: one TestSet has all variables of a session, and all PDUs of a request have one transaction.
#[test]
fn the_variables_of_a_session_are_set_together() {
    let master = Master::new();
    let (_first, log) = serve(&master, FIRST, &[]);
    let [a, b] = ["1.1", "1.2"].map(|cell| format!("{FIRST}.{cell}"));
    let assignments = [
        (a.as_str(), Value::Integer(1)),
        (b.as_str(), Value::Integer(2)),
    ];
    assert_eq!(master.agent().set(&assignments).error_status, 0);
    eventually("PDUs are missing", || log.kinds() == DONE);
    let varbind_codec::agentx::AgentxPdu::TestSet(var_binds) = &log.pdus()[0] else {
        panic!("{:?}", log.pdus());
    };
    assert_eq!(var_binds.len(), 2);
}
