//! No managed object is trusted: whatever one answers leads to genErr or to the end of its subtree, never to a walk
//! without end, to a name that was not asked for, or to a response that is too large.

use std::sync::Arc;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};
use varbind_testkit::command_responder::{CommunityAgent, THRESHOLD, host};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::view::family;

const ROOT: &str = "1.3.6.1.3.1";
const INSTANCE: &str = "1.3.6.1.3.1.5.0";

type Misbehaviour = fn(&[u32], &mut Reply<'_, '_>) -> Result<(), ReadError>;

struct Bad(Misbehaviour);

impl ManagedObject for Bad {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        (self.0)(name, reply)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        (self.0)(name, reply)
    }
}

fn agent(misbehaviour: Misbehaviour) -> CommunityAgent {
    CommunityAgent::new(host(1).register(oid(ROOT), Arc::new(Bad(misbehaviour))))
}

fn answer(reply: &mut Reply<'_, '_>, name: &str) {
    reply.name().set(oid(name).arcs());
    reply.value(ValueRef::Integer(1));
}

/// What a request that comes to the object must lead to.
#[derive(Clone, Copy)]
enum End {
    GenErr,
    /// The object is passed.
    Next,
    TooBig,
}

const MISBEHAVIOURS: [(&str, Misbehaviour, End); 14] = [
    (
        "answers the name asked for",
        |name, reply| {
            reply.name().set(name);
            reply.value(ValueRef::Integer(1));
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers backwards",
        |_, reply| {
            answer(reply, "1.3.6.1.3.1.4");
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers with its own root",
        |_, reply| {
            answer(reply, ROOT);
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers behind its subtree",
        |_, reply| {
            answer(reply, "1.3.6.1.3.2.0");
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers before its subtree",
        |_, reply| {
            answer(reply, "1.3.6.1.2.1.1.1.0");
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers without a name",
        |_, reply| {
            reply.name().set(&[]);
            reply.value(ValueRef::Integer(1));
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers with a name that cannot be encoded",
        |_, reply| {
            reply.name().set(&[9, 9, 9]);
            reply.value(ValueRef::Integer(1));
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers twice",
        |_, reply| {
            answer(reply, "1.3.6.1.3.1.6");
            answer(reply, "1.3.6.1.3.1.7");
            Ok(())
        },
        End::GenErr,
    ),
    (
        "gives two values",
        |_, reply| {
            answer(reply, "1.3.6.1.3.1.6");
            reply.value(ValueRef::Integer(2));
            Ok(())
        },
        End::GenErr,
    ),
    (
        "changes the name behind the value",
        |_, reply| {
            answer(reply, "1.3.6.1.3.1.7");
            reply.name().set(oid("1.3.6.1.3.1.6").arcs());
            Ok(())
        },
        End::GenErr,
    ),
    (
        "answers and fails",
        |_, reply| {
            answer(reply, "1.3.6.1.3.1.6");
            Err(ReadError::Failed)
        },
        End::GenErr,
    ),
    (
        "answers with an exception",
        |_, reply| {
            reply.name().set(oid("1.3.6.1.3.1.6").arcs());
            reply.value(ValueRef::EndOfMibView);
            Ok(())
        },
        End::GenErr,
    ),
    ("does not answer", |_, _| Ok(()), End::Next),
    (
        "answers with a value that fits no message",
        |_, reply| {
            reply.name().set(oid("1.3.6.1.3.1.6").arcs());
            reply.value(ValueRef::OctetString(&[0; 70_000]));
            Ok(())
        },
        End::TooBig,
    ),
];

fn check(what: &str, end: End, response: &Message, names: &[&str]) {
    match end {
        End::GenErr => response.assert_error(ErrorStatus::GenErr, 1, names),
        End::TooBig => assert_eq!(response.error(), (ErrorStatus::TooBig, 0), "{what}"),
        End::Next => assert_eq!(
            response.bindings[0].name,
            oid(THRESHOLD).child(&[0]).unwrap(),
            "{what}"
        ),
    }
}

#[test]
fn a_get_next_ends_in_gen_err_too_big_or_the_next_object() {
    for (what, misbehaviour, end) in MISBEHAVIOURS {
        let response = agent(misbehaviour).get_next(&[INSTANCE]);
        check(what, end, &response, &[INSTANCE]);
    }
}

#[test]
fn a_get_bulk_ends_in_gen_err_too_big_or_the_next_object() {
    for (what, misbehaviour, end) in MISBEHAVIOURS {
        let response = agent(misbehaviour).get_bulk(0, i32::MAX, &[INSTANCE]);
        check(what, end, &response, &[INSTANCE]);
        let response = agent(misbehaviour).get_bulk(1, i32::MAX, &[INSTANCE]);
        check(what, end, &response, &[INSTANCE]);
    }
}

/// A view that hides the object must not make its walk endless.
#[test]
fn a_walk_past_a_hidden_object_ends() {
    let hidden_by_mask: [ViewTreeFamily; 3] = [
        family("1.3", "", true),
        family("1.3.6.1.3.0", "fb", false),
        family("1.3.6.1.3.1.4294967295", "", true),
    ];
    let hidden = [family("1.3", "", true), family(ROOT, "", false)];
    for (what, misbehaviour, end) in MISBEHAVIOURS {
        for view in [&hidden_by_mask[..], &hidden] {
            let response = agent(misbehaviour).with_view(view).get_next(&[INSTANCE]);
            let is_passed = response.error() == (ErrorStatus::NoError, 0);
            let is_gen_err = response.error() == (ErrorStatus::GenErr, 1);
            assert!(is_passed || is_gen_err, "{what}");
            if let End::Next = end {
                check(what, End::Next, &response, &[INSTANCE]);
            }
        }
    }
}

/// What is read again and again without going forwards would be a loop.
#[test]
fn a_walk_to_the_end_of_the_agent_ends_or_fails() {
    for (what, misbehaviour, _) in MISBEHAVIOURS {
        let mut agent = agent(misbehaviour);
        let mut name = "0.0".to_owned();
        let mut steps = 0;
        loop {
            let response = agent.get_next(&[&name]);
            let has_ended = response.status() != ErrorStatus::NoError
                || response.bindings[0].value == Value::EndOfMibView;
            if has_ended {
                break;
            }
            let next = response.names().remove(0);
            assert!(oid(&next) > oid(&name), "{what}");
            name = next;
            steps += 1;
            assert!(steps < 1000, "{what}");
        }
    }
}

/// A response never has a name that was not asked for.
#[test]
fn a_get_is_answered_under_the_name_asked_for_or_with_an_error() {
    for (what, misbehaviour, end) in MISBEHAVIOURS {
        let response = agent(misbehaviour).get(&[INSTANCE]);
        match response.status() {
            ErrorStatus::NoError => {
                let names: Vec<&Oid> = response
                    .bindings
                    .iter()
                    .map(|binding| &binding.name)
                    .collect();
                assert_eq!(names, [&oid(INSTANCE)], "{what}");
            }
            ErrorStatus::TooBig => assert!(matches!(end, End::TooBig), "{what}"),
            status => assert_eq!(
                (status, response.error_index),
                (ErrorStatus::GenErr, 1),
                "{what}"
            ),
        }
    }
}

#[test]
fn a_get_that_is_answered_and_then_denied_gives_one_binding() {
    for error in [ReadError::NoSuchInstance, ReadError::NoSuchObject] {
        let misbehaviour: Misbehaviour = match error {
            ReadError::NoSuchInstance => |_, reply| {
                reply.value(ValueRef::Integer(1));
                Err(ReadError::NoSuchInstance)
            },
            _ => |_, reply| {
                reply.value(ValueRef::Integer(1));
                Err(ReadError::NoSuchObject)
            },
        };
        let response = agent(misbehaviour).get(&[INSTANCE]);
        assert!(matches!(
            response.values()[..],
            [Value::NoSuchInstance | Value::NoSuchObject]
        ));
    }
}

#[test]
fn a_get_that_is_not_answered_gives_gen_err() {
    agent(|_, _| Ok(()))
        .get(&[INSTANCE])
        .assert_error(ErrorStatus::GenErr, 1, &[INSTANCE]);
}

/// What comes before a value that fits no message is still answered.
#[test]
fn a_bulk_response_is_cut_before_a_value_that_fits_no_message() {
    let response = agent(|_, reply| {
        reply.name().set(oid("1.3.6.1.3.1.6").arcs());
        reply.value(ValueRef::OctetString(&[0; 70_000]));
        Ok(())
    })
    .get_bulk(0, 100, &["1.3.6.1.2.1.31.1.1.1.118"]);
    assert_eq!(response.names(), ["1.3.6.1.2.1.31.1.1.1.118.1"]);
}
