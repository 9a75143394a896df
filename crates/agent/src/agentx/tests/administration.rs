//! RFC 2741 section 7.1: what subagents ask of the master, in both byte orders.

use varbind_codec::agentx::{
    AgentxPdu, ByteOrder, CloseReason, Packet, Region, ResponseError, WantedIndex,
};
use varbind_codec::smi::{Value, VarBind};
use varbind_testkit::oid;
use varbind_testkit::peers::eventually;
use varbind_testkit::subagent::{Answer, Instances, Subagent, error, region};

use super::{FIRST, Master, SECOND};

fn capability() -> AgentxPdu {
    AgentxPdu::AddAgentCaps {
        id: oid("1.3.6.1.4.1.32473.9"),
        description: b"abc".to_vec(),
    }
}

fn index() -> Vec<VarBind> {
    vec![VarBind::new(oid(SECOND), Value::Integer(4))]
}

fn notification() -> Vec<VarBind> {
    let name = oid("1.3.6.1.6.3.1.1.4.1.0");
    vec![VarBind::new(
        name,
        Value::from(&oid("1.3.6.1.4.1.32473.0.1")),
    )]
}

/// All PDUs that a subagent may send in a session, in an order in which each succeeds.
fn administration() -> Vec<AgentxPdu> {
    let range = Region {
        range: Some((7, 9)),
        ..region(&format!("{FIRST}.2"))
    };
    vec![
        AgentxPdu::Ping,
        AgentxPdu::Register {
            timeout: 2,
            region: range.clone(),
            is_instance: false,
        },
        AgentxPdu::Unregister(range),
        AgentxPdu::IndexAllocate {
            wanted: WantedIndex::Exact,
            indexes: index(),
        },
        AgentxPdu::IndexDeallocate(index()),
        capability(),
        AgentxPdu::RemoveAgentCaps(oid("1.3.6.1.4.1.32473.9")),
        AgentxPdu::Notify(notification()),
        AgentxPdu::Close(CloseReason::ByManager),
    ]
}

#[test]
fn rfc2741_7_1_every_pdu_is_answered_in_the_byte_order_of_its_session() {
    let master = Master::new();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut subagent = Subagent::open(master.connect(), order);
        for pdu in administration() {
            let response = subagent.request(pdu.clone());
            assert_eq!(error(&response), ResponseError::NO_ERROR, "{pdu:?}");
            assert_eq!(response.order, order);
        }
        let notified = master.notifications.lock().unwrap().recv();
        let (trap_oid, _) = notified.unwrap();
        assert_eq!(trap_oid, oid("1.3.6.1.4.1.32473.0.1"));
        // 7.1: without a session nothing is done.
        for pdu in administration() {
            let response = subagent.request(pdu.clone());
            assert_eq!(error(&response), ResponseError::NOT_OPEN, "{pdu:?}");
        }
        // The connection is still there for another session.
        subagent.session = subagent.open_another(1);
        assert_eq!(
            error(&subagent.request(AgentxPdu::Ping)),
            ResponseError::NO_ERROR
        );
    }
}

#[test]
fn rfc2741_7_1_contexts_that_are_not_configured_are_not_supported() {
    let master = Master::new();
    let mut subagent = Subagent::open(master.connect(), ByteOrder::Big);
    for pdu in administration() {
        if matches!(pdu, AgentxPdu::Close(_)) {
            continue;
        }
        let response = subagent.request_in(Some("vrf-red"), pdu.clone());
        assert_eq!(
            error(&response),
            ResponseError::UNSUPPORTED_CONTEXT,
            "{pdu:?}"
        );
    }
    // 6.1.1: an empty name is that of the default context.
    let response = subagent.request_in(Some(""), AgentxPdu::Ping);
    assert_eq!(error(&response), ResponseError::NO_ERROR);
    assert!(master.notifications.lock().unwrap().try_recv().is_err());
}

/// 6.1.1: what is registered in a context is asked for in it, and other contexts have their own.
#[test]
fn rfc2741_7_1_4_contexts_that_are_configured_have_objects_of_their_own() {
    let master = Master::new();
    master.sessions.set_contexts(&["vrf-red".to_owned()]);
    let contexts = [None, Some("vrf-red")];
    let served = contexts.map(|context| {
        let mut subagent = Subagent::open(master.connect(), ByteOrder::Little);
        let response = subagent.request_in(
            context,
            AgentxPdu::Register {
                timeout: 0,
                region: region(FIRST),
                is_instance: false,
            },
        );
        assert_eq!(error(&response), ResponseError::NO_ERROR);
        let indexes = subagent.request_in(
            context,
            AgentxPdu::IndexAllocate {
                wanted: WantedIndex::Exact,
                indexes: index(),
            },
        );
        assert_eq!(error(&indexes), ResponseError::NO_ERROR);
        let expected = context.map(|name| name.as_bytes().to_vec());
        let rows = if context.is_some() { 2 } else { 1 };
        let table = Instances::table(FIRST, 1, rows);
        subagent.serve(move |packet| {
            assert_eq!(packet.context, expected);
            table.answer(&packet.pdu)
        })
    });
    let second = format!("{FIRST}.1.2");
    let mut red = master.agent_in("vrf-red");
    assert_eq!(red.get_bulk(0, 2, &[FIRST]).names()[1], second);
    assert_eq!(
        red.get(&[&second]).bindings()[0].1,
        Value::Gauge32(1_000_002)
    );
    let found = master.agent().get(&[&second]).bindings();
    assert_eq!(found[0].1, Value::NoSuchInstance);
    // 7.1.8: they end with the session.
    drop(served);
    eventually("the session stays open", || master.session_count() == 0);
    assert_eq!(red.get(&[&second]).bindings()[0].1, Value::NoSuchObject);
}

#[test]
fn rfc2741_7_1_8_a_close_of_any_reason_ends_all_that_the_session_had() {
    let master = Master::new();
    for reason in [
        CloseReason::Other,
        CloseReason::ParseError,
        CloseReason::ProtocolError,
        CloseReason::Timeouts,
        CloseReason::Shutdown,
        CloseReason::ByManager,
    ] {
        let mut subagent = Subagent::open(master.connect(), ByteOrder::Little);
        subagent.register(FIRST);
        assert_eq!(
            error(&subagent.request(capability())),
            ResponseError::NO_ERROR
        );
        assert_eq!(master.sessions.capabilities().len(), 1);
        let closed = subagent.request(AgentxPdu::Close(reason));
        assert_eq!(error(&closed), ResponseError::NO_ERROR);
        assert_eq!(master.session_count(), 0);
        assert_eq!(master.sessions.find(b"", oid(FIRST).arcs()), None);
        assert!(master.sessions.capabilities().is_empty());
    }
}

/// 7.1.4.1: the longer subtree, then the lower priority; what was hidden appears again.
#[test]
fn rfc2741_7_1_4_1_subagents_take_over_from_each_other() {
    let master = Master::new();
    let mut agent = master.agent();
    let cell = format!("{FIRST}.1.1");
    let mut value = || agent.get(&[&cell]).bindings()[0].1.clone();
    let serve = |subtree: &str, priority: u8, number: u32| {
        let mut subagent = Subagent::open(master.connect(), ByteOrder::Little);
        let response = subagent.request(AgentxPdu::Register {
            timeout: 0,
            region: Region {
                priority,
                ..region(subtree)
            },
            is_instance: false,
        });
        assert_eq!(error(&response), ResponseError::NO_ERROR);
        let mut instances = Instances::default();
        instances.0.insert(oid(&cell), Value::Gauge32(number));
        subagent.serve(move |packet| instances.answer(&packet.pdu))
    };
    let _wide = serve(FIRST, 127, 1);
    assert_eq!(value(), Value::Gauge32(1));
    let worse = serve(FIRST, 200, 2);
    assert_eq!(value(), Value::Gauge32(1));
    let better = serve(FIRST, 10, 3);
    assert_eq!(value(), Value::Gauge32(3));
    let longer = serve(&format!("{FIRST}.1"), 255, 4);
    assert_eq!(value(), Value::Gauge32(4));
    for (gone, left, number) in [(longer, 3, 3), (better, 2, 1), (worse, 1, 1)] {
        drop(gone);
        eventually("the session stays open", || master.session_count() == left);
        assert_eq!(value(), Value::Gauge32(number));
    }
}

/// 7.1.4 with r.range_subid: rows of a table belong to two subagents, in all columns.
#[test]
fn rfc2741_6_2_3_ranges_share_a_table_between_subagents() {
    let master = Master::new();
    let rows: Vec<_> = [1, 2]
        .map(|row| {
            let mut subagent = Subagent::open(master.connect(), ByteOrder::Big);
            let response = subagent.request(AgentxPdu::Register {
                timeout: 0,
                region: Region {
                    range: Some((7, 3)),
                    ..region(&format!("{FIRST}.1.{row}"))
                },
                is_instance: true,
            });
            assert_eq!(error(&response), ResponseError::NO_ERROR);
            let mut instances = Instances::table(FIRST, 3, 2);
            instances
                .0
                .retain(|name, _| name.arcs().last() == Some(&row));
            subagent.serve(move |packet| instances.answer(&packet.pdu))
        })
        .into();
    let names = master.agent().get_bulk(0, 6, &[FIRST]).names();
    let expected = [1, 2, 3].map(|column| [1, 2].map(|row| format!("{FIRST}.{column}.{row}")));
    assert_eq!(names, expected.concat());
    drop(rows);
}

/// 7.2.5.1 (2): an answer with another number, session or transaction is ignored.
#[test]
fn rfc2741_7_2_5_1_an_answer_to_another_question_is_ignored() {
    let master = Master::new();
    let mut subagent = master.subagent(FIRST);
    let other = subagent.open_another(1);
    let table = Instances::table(FIRST, 1, 1);
    let answering = std::thread::spawn(move || {
        let asked = subagent.next_pdu().unwrap();
        let Answer::Variables(mut var_binds) = table.answer(&asked.pdu) else {
            panic!("{asked:?}");
        };
        let right = var_binds.clone();
        var_binds[0].value = Value::Integer(-1);
        let wrong = || Answer::Variables(var_binds.clone());
        let number = asked.number.wrapping_add(7);
        subagent.respond(
            &Packet {
                number,
                ..asked.clone()
            },
            wrong(),
        );
        let transaction = asked.transaction.wrapping_add(7);
        subagent.respond(
            &Packet {
                transaction,
                ..asked.clone()
            },
            wrong(),
        );
        subagent.respond(
            &Packet {
                session: other,
                ..asked.clone()
            },
            wrong(),
        );
        subagent.respond(&asked, Answer::Variables(right));
        subagent
    });
    let found = master.agent().get(&[&format!("{FIRST}.1.1")]).bindings();
    assert_eq!(found[0].1, Value::Gauge32(1_000_001));
    answering.join().unwrap();
}
