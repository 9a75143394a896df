//! What subagents ask is answered whatever others do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use varbind_codec::agentx::{AgentxPdu, ByteOrder, ResponseError};
use varbind_testkit::command_responder::THRESHOLD;
use varbind_testkit::peers::eventually;
use varbind_testkit::subagent::{Subagent, error};

use super::{FIRST, LONG, Master, SECOND};

#[test]
fn ping_open_and_register_are_answered_while_a_subagent_hangs() {
    let master = Master::new();
    let mut hanging = Subagent::open_with_timeout(master.connect(), ByteOrder::Little, LONG);
    hanging.register(FIRST);
    let is_answered = AtomicBool::new(false);
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let response = master.agent().get(&[&format!("{FIRST}.1.1")]);
            is_answered.store(true, Ordering::Release);
            response
        });
        // It was asked, and keeps its answer.
        hanging.next_pdu().unwrap();
        let mut other = Subagent::open(master.connect(), ByteOrder::Big);
        for number in 0..100 {
            assert_eq!(
                error(&other.request(AgentxPdu::Ping)),
                ResponseError::NO_ERROR
            );
            let subtree = format!("{SECOND}.{number}");
            assert_eq!(other.register(&subtree), ResponseError::NO_ERROR);
        }
        // The one that hangs may ask something itself, too.
        assert_eq!(
            error(&hanging.request(AgentxPdu::Ping)),
            ResponseError::NO_ERROR
        );
        let own = master.agent().get(&[&format!("{THRESHOLD}.0")]);
        assert_eq!(own.error_status, 0);
        assert!(!is_answered.load(Ordering::Acquire));
        drop(hanging);
        assert_eq!(asking.join().unwrap().error_status, 5);
    });
}

#[test]
fn ping_is_answered_under_a_load_of_a_hundred_sessions() {
    let master = Master::new();
    let tables: Vec<_> = (1..=100)
        .map(|number| master.serve_table(&format!("{FIRST}.{number}"), 1, 5))
        .collect();
    assert_eq!(master.session_count(), tables.len());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut agent = master.agent();
                while !is_over.load(Ordering::Relaxed) {
                    let names = agent.get_bulk(0, 50, &[FIRST]).names();
                    assert!(names[0].starts_with(FIRST));
                }
            });
        }
        let mut other = Subagent::open(master.connect(), ByteOrder::Little);
        for _ in 0..200 {
            assert_eq!(
                error(&other.request(AgentxPdu::Ping)),
                ResponseError::NO_ERROR
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn two_hundred_restarts_leave_nothing_behind() {
    let master = Master::new();
    for number in 0..200 {
        let mut subagent = Subagent::open(master.connect(), ByteOrder::Little);
        assert_eq!(subagent.register(FIRST), ResponseError::NO_ERROR);
        if number % 2 == 0 {
            assert_eq!(subagent.close(), ResponseError::NO_ERROR);
        }
        drop(subagent);
        // Until then its registration is a duplicate.
        eventually("the session stays open", || master.session_count() == 0);
    }
    let connections = || master.sessions.look(|_, connections| connections.count());
    eventually("the connection stays open", || connections() == 0);
    let (_served, _) = master.serve_table(FIRST, 1, 1);
    let names = master.agent().get_next(&[FIRST]).names();
    assert_eq!(names, [format!("{FIRST}.1.1")]);
}

/// A session that is slow does not take another session of its connection with it.
#[test]
fn sessions_of_one_connection_are_given_up_one_by_one() {
    let master = Master::new();
    let mut subagent = Subagent::open_with_timeout(master.connect(), ByteOrder::Little, 1);
    subagent.register(FIRST);
    let slow = subagent.session;
    let good = subagent.open_another(1);
    subagent.session = good;
    subagent.register(SECOND);
    let table = varbind_testkit::subagent::Instances::table(SECOND, 1, 1);
    let _served = subagent.serve_all(move |packet| match packet.session == slow {
        true => varbind_testkit::subagent::Answer::Silence,
        false => table.answer(&packet.pdu),
    });
    let mut agent = master.agent();
    for _ in 0..3 {
        let [bad, well] = [FIRST, SECOND].map(|root| agent.get(&[&format!("{root}.1.1")]));
        assert_eq!((bad.error_status, well.error_status), (5, 0));
    }
    assert_eq!(master.session_count(), 1);
    assert_eq!(agent.get(&[&format!("{SECOND}.1.1")]).error_status, 0);
}
