//! Subagents that are gone, slow or lie: their own rows suffer, and nothing else.

use std::io::{Read, Write};
use std::thread;

use varbind_codec::agentx::{AgentxPdu, ByteOrder};
use varbind_codec::smi::{Value, VarBind};
use varbind_testkit::command_responder::THRESHOLD;
use varbind_testkit::oid;
use varbind_testkit::peers::eventually;
use varbind_testkit::subagent::{Answer, Instances, Subagent};

use super::{FIRST, Master, SECOND};

type Lie = fn(&AgentxPdu, Answer) -> Answer;

fn instance(name: &str) -> VarBind {
    VarBind::new(oid(name), Value::Integer(0))
}

fn changed(answer: Answer, change: impl Fn(&mut Vec<VarBind>)) -> Answer {
    match answer {
        Answer::Variables(mut var_binds) => {
            change(&mut var_binds);
            Answer::Variables(var_binds)
        }
        other => other,
    }
}

/// What a subagent makes of a good answer.
const LIES: [(&str, Lie); 14] = [
    ("an error", |_, _| Answer::Error(5, 1)),
    ("an error without a place", |_, _| Answer::Error(268, 0)),
    ("an error about nothing", |_, _| Answer::Error(5, 99)),
    ("no variables", |_, _| Answer::Variables(Vec::new())),
    ("too few", |_, answer| {
        changed(answer, |all| all.truncate(all.len() / 2))
    }),
    ("too many", |_, answer| {
        changed(answer, |all| all.extend(vec![instance(FIRST); 5000]))
    }),
    ("a name before the start", |_, answer| {
        changed(answer, |all| {
            all.iter_mut()
                .for_each(|one| *one = instance("1.3.6.1.2.1.1.1.0"));
        })
    }),
    ("a name behind the end", |_, answer| {
        changed(answer, |all| {
            all.iter_mut()
                .for_each(|one| *one = instance("1.3.6.1.3.9.1"));
        })
    }),
    ("names of another subagent", |_, answer| {
        changed(answer, |all| {
            all.iter_mut()
                .for_each(|one| one.name = oid(&format!("{SECOND}.1.1")));
        })
    }),
    ("the names backwards", |_, answer| {
        changed(answer, |all| all.reverse())
    }),
    ("one name without end", |_, answer| {
        changed(answer, |all| {
            let first = all.first().cloned();
            all.iter_mut()
                .zip(first.iter().cycle())
                .for_each(|(one, first)| *one = first.clone());
        })
    }),
    ("a payload that is not a variable", |_, _| {
        Answer::Payload(vec![0xff; 40])
    }),
    ("a payload that is cut off", |_, _| {
        Answer::Payload(vec![0; 4])
    }),
    ("exceptions as values", |_, answer| {
        changed(answer, |all| {
            all.iter_mut()
                .for_each(|one| one.value = Value::NoSuchObject);
        })
    }),
];

#[test]
fn a_lie_never_leads_a_walk_backwards_nor_astray() {
    for (what, lie) in LIES {
        let master = Master::new();
        let table = Instances::table(FIRST, 2, 6);
        let (_first, _) = master.serve(FIRST, move |packet| {
            lie(&packet.pdu, table.answer(&packet.pdu))
        });
        let (_second, _) = master.serve_table(SECOND, 1, 2);
        let mut agent = master.agent();
        for rows in [1, 7] {
            let mut last = "1.3.6.1.3".to_owned();
            let mut names = Vec::new();
            while names.len() < 100 {
                let mut found = agent.get_bulk(0, rows, &[&last]).bindings();
                found.retain(|(_, value)| *value != Value::EndOfMibView);
                let Some((name, _)) = found.last() else {
                    break;
                };
                last.clone_from(name);
                names.extend(found.into_iter().map(|(name, _)| name));
            }
            assert!(
                names.is_sorted_by(|a, b| oid(a) < oid(b)),
                "{what}: {names:?}"
            );
            let others: Vec<_> = names
                .iter()
                .filter(|name| !name.starts_with(FIRST))
                .collect();
            let expected = [
                format!("{SECOND}.1.1"),
                format!("{SECOND}.1.2"),
                format!("{THRESHOLD}.0"),
            ];
            assert_eq!(others, expected.each_ref(), "{what}");
        }
    }
}

#[test]
fn a_lie_about_an_instance_is_an_error_or_no_value() {
    for (what, lie) in LIES {
        let master = Master::new();
        let table = Instances::table(FIRST, 2, 6);
        let (_first, _) = master.serve(FIRST, move |packet| {
            lie(&packet.pdu, table.answer(&packet.pdu))
        });
        let mut agent = master.agent();
        let [first, last] = ["1.1", "2.6"].map(|cell| format!("{FIRST}.{cell}"));
        let own = format!("{THRESHOLD}.0");
        let response = agent.get(&[&own, &first, &last]);
        match response.error_status {
            5 => assert!(response.error_index > 1, "{what}"),
            0 => {
                let found = response.bindings();
                assert_eq!(found[0].1, Value::Integer(50));
                for (name, value) in &found[1..] {
                    let is_true = match name == &first {
                        true => *value == Value::Gauge32(1_000_001),
                        false => *value == Value::Gauge32(2_000_006),
                    };
                    assert!(
                        is_true || value.as_value_ref().is_exception(),
                        "{what}: {found:?}"
                    );
                }
            }
            other => panic!("{what}: {other}"),
        }
        assert_eq!(agent.get(&[&own]).error_status, 0, "{what}");
    }
}

/// A kind of PDU that is not answered costs its request a second, and after three in a row the session.
#[test]
fn silence_on_each_kind_of_request_costs_the_rows_of_the_subagent_alone() {
    thread::scope(|scope| {
        for kind in ["Get", "GetNext", "GetBulk", "TestSet"] {
            scope.spawn(move || {
                let master = Master::new();
                let table = Instances::table(FIRST, 1, 3);
                let (_first, log) = master.serve(FIRST, move |packet| {
                    match super::kind(&packet.pdu) == kind {
                        true => Answer::Silence,
                        false => table.answer(&packet.pdu),
                    }
                });
                let (_second, _) = master.serve_table(SECOND, 1, 2);
                let mut agent = master.agent();
                let cell = format!("{FIRST}.1.1");
                let mut ask = || match kind {
                    "Get" => agent.get(&[&cell]),
                    "GetNext" => agent.get_next(&[&cell]),
                    "GetBulk" => agent.get_bulk(0, 2, &[&cell]),
                    _ => agent.set(&[(&cell, Value::Gauge32(1))]),
                };
                for _ in 0..3 {
                    let response = ask();
                    match kind {
                        "Get" | "TestSet" => assert_eq!(response.error_status, 5),
                        _ => assert_eq!(response.names()[0], format!("{SECOND}.1.1")),
                    }
                }
                assert_eq!(log.kinds().iter().filter(|one| **one == kind).count(), 3);
                eventually("the session stays open", || master.session_count() == 1);
                assert_eq!(agent.get_next(&[&cell]).names(), [format!("{SECOND}.1.1")]);
            });
        }
    });
}

/// The session has more time than the test, so that nothing but the response ends the requests.
#[test]
fn a_response_that_cannot_be_read_ends_its_request_at_once() {
    let master = Master::new();
    let mut subagent = Subagent::open_with_timeout(master.connect(), ByteOrder::Big, super::LONG);
    subagent.register(FIRST);
    let _served = subagent.serve(|_| Answer::Payload(vec![0xff; 40]));
    let mut agent = master.agent();
    let cell = format!("{FIRST}.1.1");
    assert_eq!(agent.get(&[&cell]).error_status, 5);
    assert_eq!(agent.set(&[(&cell, Value::Integer(1))]).error_status, 5);
    let behind = [format!("{THRESHOLD}.0")];
    assert_eq!(agent.get_next(&[&cell]).names(), behind);
    assert_eq!(agent.get_bulk(0, 1, &[&cell]).names(), behind);
    assert_eq!(master.session_count(), 1);
}

/// What comes after octets that are no PDU cannot be told apart, so that the connection ends; others stay.
#[test]
fn octets_that_are_no_pdu_end_their_connection_alone() {
    let master = Master::new();
    let (_served, _) = master.serve_table(FIRST, 1, 1);
    let connections = || master.sessions.look(|_, connections| connections.count());
    let mut too_long = [0; 20];
    too_long[..4].copy_from_slice(&[1, 13, 0x10, 0]);
    too_long[16..].copy_from_slice(&[0xff; 4]);
    for octets in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        &[0; 20],
        &too_long,
    ] {
        let mut stream = master.connect();
        stream.write_all(octets).unwrap();
        let mut answer = Vec::new();
        // It may also be reset, since not all was read.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{octets:?}: {answer:?}");
        eventually("the connection stays open", || connections() == 1);
    }
    let names = master.agent().get_next(&[FIRST]).names();
    assert_eq!(names, [format!("{FIRST}.1.1")]);
}

/// A subagent that is killed while it is asked.
#[test]
fn a_connection_that_is_lost_ends_the_request_at_once() {
    for kind in ["Get", "GetNext", "GetBulk"] {
        let master = Master::new();
        let mut subagent =
            Subagent::open_with_timeout(master.connect(), ByteOrder::Big, super::LONG);
        subagent.register(FIRST);
        let killed = thread::spawn(move || {
            subagent.next_pdu().unwrap();
            drop(subagent);
        });
        let mut agent = master.agent();
        let cell = format!("{FIRST}.1.1");
        let response = match kind {
            "Get" => agent.get(&[&cell]),
            "GetNext" => agent.get_next(&[&cell]),
            _ => agent.get_bulk(0, 1, &[&cell]),
        };
        match kind {
            "Get" => assert_eq!(response.error_status, 5),
            _ => assert_eq!(response.names(), [format!("{THRESHOLD}.0")]),
        }
        killed.join().unwrap();
        eventually("the session stays open", || master.session_count() == 0);
    }
}
