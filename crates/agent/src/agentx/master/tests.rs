use varbind_codec::agentx::{Region, WantedIndex};

use super::*;

const UP_TIME: u32 = 77;
const NOW: Moment = Moment {
    now: Instant::ORIGIN,
    up_time: UP_TIME,
};

fn oid(arcs: &[u32]) -> Oid {
    Oid::new(arcs).unwrap()
}

fn packet(session: SessionId, pdu: AgentxPdu) -> Packet {
    Packet {
        order: ByteOrder::Big,
        session,
        transaction: 5,
        number: 6,
        context: None,
        pdu,
    }
}

fn open() -> AgentxPdu {
    AgentxPdu::Open {
        timeout: 3,
        id: None,
        description: b"a subagent".to_vec(),
    }
}

fn register(arcs: &[u32]) -> AgentxPdu {
    AgentxPdu::Register {
        timeout: 0,
        region: Region {
            subtree: oid(arcs),
            priority: 127,
            range: None,
        },
        is_instance: false,
    }
}

/// The error of the answer, and the session that it names.
#[track_caller]
fn ask(master: &mut Master, connection: ConnectionId, packet: Packet) -> (u16, SessionId) {
    let is_own = |name: &Oid| name.arcs().starts_with(&[1, 3, 6, 1, 2, 1, 1]);
    let outcome = master.handle(connection, packet, NOW, is_own);
    let Outcome::Answer(answer) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((answer.transaction, answer.number), (5, 6));
    let AgentxPdu::Response { error, up_time, .. } = answer.pdu else {
        panic!("{answer:?}");
    };
    assert_eq!(up_time, UP_TIME);
    (error.0, answer.session)
}

#[test]
fn a_session_has_what_it_registered_until_it_ends() {
    let mut master = Master::default();
    let (error, first) = ask(&mut master, 1, packet(0, open()));
    assert_eq!((error, first), (0, 1));
    let (_, second) = ask(&mut master, 1, packet(0, open()));
    assert_eq!(second, 2);
    let subtree = register(&[1, 3, 6, 1, 9]);
    assert_eq!(ask(&mut master, 1, packet(first, subtree.clone())).0, 0);
    let again = ask(&mut master, 1, packet(second, subtree.clone()));
    assert_eq!(again.0, ResponseError::DUPLICATE_REGISTRATION.0);
    let found = master.find(b"", &[1, 3, 6, 1, 9, 1]).unwrap();
    assert_eq!(found.session, first);
    assert_eq!(master.timeout(&found), Duration::from_secs(3));
    let close = packet(first, AgentxPdu::Close(CloseReason::Shutdown));
    assert_eq!(ask(&mut master, 1, close).0, 0);
    assert_eq!(master.find(b"", &[1, 3, 6, 1, 9, 1]), None);
    let late = ask(&mut master, 1, packet(first, AgentxPdu::Ping));
    assert_eq!(late.0, ResponseError::NOT_OPEN.0);
    assert_eq!(ask(&mut master, 1, packet(second, subtree)).0, 0);
    master.close_connection(1, NOW);
    assert_eq!(master.sessions().count(), 0);
    assert_eq!(master.next(b"", &[1], true, None), None);
}

/// RFC 2741 section 7.1.5: what is taken back is named as it was registered.
#[test]
fn a_part_of_a_range_is_not_unregistered() {
    let mut master = Master::default();
    let (_, session) = ask(&mut master, 1, packet(0, open()));
    let range = Region {
        subtree: oid(&[1, 3, 6, 1, 9, 1, 7]),
        priority: 127,
        range: Some((6, 3)),
    };
    let register = AgentxPdu::Register {
        timeout: 0,
        region: range.clone(),
        is_instance: true,
    };
    assert_eq!(ask(&mut master, 1, packet(session, register)).0, 0);
    let unknown = ResponseError::UNKNOWN_REGISTRATION.0;
    let part = Region {
        subtree: oid(&[1, 3, 6, 1, 9, 2, 7]),
        range: None,
        ..range.clone()
    };
    let other = Region {
        priority: 126,
        ..range.clone()
    };
    for wrong in [part, other] {
        let wrong = packet(session, AgentxPdu::Unregister(wrong));
        assert_eq!(ask(&mut master, 1, wrong).0, unknown);
    }
    assert!(master.find(b"", &[1, 3, 6, 1, 9, 2, 7]).is_some());
    let whole = || packet(session, AgentxPdu::Unregister(range.clone()));
    assert_eq!(ask(&mut master, 1, whole()).0, 0);
    assert_eq!(master.find(b"", &[1, 3, 6, 1, 9, 2, 7]), None);
    assert_eq!(ask(&mut master, 1, whole()).0, unknown);
}

#[test]
fn sessions_of_others_own_objects_and_contexts_are_refused() {
    let mut master = Master::default();
    let (_, session) = ask(&mut master, 1, packet(0, open()));
    let other = ask(&mut master, 2, packet(session, AgentxPdu::Ping));
    assert_eq!(other.0, ResponseError::NOT_OPEN.0);
    let own = ask(
        &mut master,
        1,
        packet(session, register(&[1, 3, 6, 1, 2, 1, 1, 5])),
    );
    assert_eq!(own.0, ResponseError::DUPLICATE_REGISTRATION.0);
    let in_context = Packet {
        context: Some(b"other".to_vec()),
        ..packet(session, register(&[1, 3, 6, 1, 9]))
    };
    assert_eq!(
        ask(&mut master, 1, in_context).0,
        ResponseError::UNSUPPORTED_CONTEXT.0
    );
    let question = ask(&mut master, 1, packet(session, AgentxPdu::CommitSet));
    assert_eq!(question.0, ResponseError::PROCESSING_ERROR.0);
}

#[test]
fn capabilities_and_indexes_are_those_of_a_session() {
    let mut master = Master::default();
    let (_, session) = ask(&mut master, 1, packet(0, open()));
    let id = oid(&[1, 3, 6, 1, 9]);
    let add = AgentxPdu::AddAgentCaps {
        id: id.clone(),
        description: b"x".to_vec(),
    };
    assert_eq!(ask(&mut master, 1, packet(session, add)).0, 0);
    let capabilities = &master.session(session).unwrap().capabilities;
    assert_eq!(capabilities[0].since, UP_TIME);
    let remove = || packet(session, AgentxPdu::RemoveAgentCaps(id.clone()));
    assert_eq!(ask(&mut master, 1, remove()).0, 0);
    let again = ask(&mut master, 1, remove()).0;
    assert_eq!(again, ResponseError::UNKNOWN_AGENT_CAPS.0);
    let allocate = AgentxPdu::IndexAllocate {
        wanted: WantedIndex::Any,
        indexes: vec![VarBind::new(id, Value::Integer(0))],
    };
    let outcome = master.handle(1, packet(session, allocate), NOW, |_| false);
    let Outcome::Answer(Packet {
        pdu: AgentxPdu::Response { var_binds, .. },
        ..
    }) = outcome
    else {
        panic!("{outcome:?}");
    };
    assert_eq!(var_binds[0].value, Value::Integer(1));
}

#[test]
fn notifications_and_responses_are_handed_on() {
    let mut master = Master::default();
    let (_, session) = ask(&mut master, 1, packet(0, open()));
    let told = vec![VarBind::new(oid(&[1, 3, 6, 1, 9]), Value::Integer(1))];
    let name = VarBind::new(oid(&SNMP_TRAP_OID), Value::from(&oid(&[1, 3, 6, 1, 7])));
    let up_time = VarBind::new(oid(&SYS_UP_TIME), Value::TimeTicks(5));
    for before in [vec![name.clone()], vec![up_time.clone(), name]] {
        let notify = packet(session, AgentxPdu::Notify([before, told.clone()].concat()));
        let outcome = master.handle(1, notify, NOW, |_| false);
        let Outcome::Notify(_, trap_oid, var_binds) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!((trap_oid, var_binds), (oid(&[1, 3, 6, 1, 7]), told.clone()));
    }
    let nameless = packet(session, AgentxPdu::Notify(vec![up_time]));
    let refused = ask(&mut master, 1, nameless).0;
    assert_eq!(refused, ResponseError::PROCESSING_ERROR.0);
    let response = packet(
        session,
        AgentxPdu::Response {
            up_time: 0,
            error: ResponseError::NO_ERROR,
            index: 0,
            var_binds: told,
        },
    );
    let outcome = master.handle(1, response.clone(), NOW, |_| false);
    assert_eq!(outcome, Outcome::Response(response));
}
