use std::ops::ControlFlow;

use varbind::client::WalkFailure;
use varbind::codec::pdu::PduType;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{Method, WalkError, WalkOptions};
use varbind_testkit::loopback::TABLE;
use varbind_testkit::oid;

use super::{Datagrams, patient};

/// Walks an agent that answers each name with the one that `next` makes of its last number.
#[track_caller]
fn walk(
    options: WalkOptions,
    next: impl Fn(u32) -> Option<u32> + Send + 'static,
) -> (Vec<Oid>, Box<WalkFailure>) {
    let agent = Datagrams::new(move |socket, request, from, _| {
        let repetitions = match request.pdu_type {
            PduType::GetBulkRequest => request.error_index,
            _ => 1,
        };
        let mut objects = Vec::new();
        let root = oid(TABLE);
        for binding in &request.bindings {
            let mut number = match binding.name.arcs().strip_prefix(root.arcs()) {
                Some([number, ..]) => *number,
                _ => 0,
            };
            for _ in 0..repetitions.min(20) {
                let Some(following) = next(number) else { break };
                number = following;
                let name = root.child(&[number]).unwrap();
                objects.push(VarBind::new(name, 1));
            }
        }
        let octets = request.response(objects).encode();
        socket.send_to(&octets, from).unwrap();
    });
    let mut found = Vec::new();
    let failure = agent
        .manager(patient())
        .walk(&[oid(TABLE)], options, |objects| {
            found.extend(objects.iter().map(|object| object.name.clone()));
            ControlFlow::Continue(())
        })
        .expect_err("the end of a walk without end");
    assert_eq!(failure.summary.objects, u64::try_from(found.len()).unwrap());
    let text = failure.to_string();
    let agent = format!("udp:{}: the agent ", agent.address);
    assert!(text.starts_with(&agent), "{text}");
    assert!(
        text.ends_with(&format!("({} objects came before)", found.len())),
        "{text}"
    );
    (found, failure)
}

/// All ways to walk.
fn ways() -> Vec<WalkOptions> {
    let methods = [
        Method::GetNext,
        Method::GetBulk {
            max_repetitions: None,
        },
    ];
    let mut ways = Vec::new();
    for method in methods {
        for sequential in [false, true] {
            ways.push(WalkOptions {
                method,
                sequential,
                max_objects: 3000,
                ..WalkOptions::default()
            });
        }
    }
    ways
}

#[test]
fn an_agent_that_repeats_the_same_name_is_found_out() {
    for options in ways() {
        let (_, failure) = walk(options, |_| Some(7));
        let error = &failure.error;
        assert!(
            matches!(
                error,
                WalkError::NotIncreasing { .. } | WalkError::Repeats(_)
            ),
            "{error:?}"
        );
        assert!(failure.to_string().contains(&format!("{TABLE}.7")));
    }
}

#[test]
fn an_agent_that_goes_backwards_is_found_out() {
    for options in ways() {
        // 1 to 10, and then 5 again.
        let (found, failure) = walk(options, |number| {
            Some(if number < 10 { number + 1 } else { 5 })
        });
        let WalkError::NotIncreasing { previous, name } = &failure.error else {
            panic!("{failure}");
        };
        assert!(name <= previous);
        assert!(found.len() <= 10);
        assert!(found.is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn even_where_order_is_not_asked_for_a_circle_is_found_out() {
    for method in [
        Method::GetNext,
        Method::GetBulk {
            max_repetitions: Some(10),
        },
    ] {
        let options = WalkOptions {
            method,
            tolerate_non_increasing: true,
            ..WalkOptions::default()
        };
        let (found, failure) = walk(options, |number| {
            Some(if number < 10 { number + 1 } else { 5 })
        });
        assert!(matches!(failure.error, WalkError::Repeats(_)), "{failure}");
        assert!(found.len() >= 10);
    }
}

#[test]
fn an_agent_that_counts_without_end_is_stopped_at_the_limit() {
    for options in ways() {
        let limit = options.max_objects;
        let (found, failure) = walk(options, |number| number.checked_add(1));
        assert!(
            matches!(failure.error, WalkError::TooManyObjects(at) if at == limit),
            "{failure}"
        );
        assert!(found.len() <= 3000, "{}", found.len());
        assert!(found.is_sorted_by(|a, b| a < b));
        assert!(failure.to_string().contains("more than 3000 objects"));
    }
}

#[test]
fn an_agent_that_answers_without_objects_is_found_out() {
    for options in ways() {
        let (found, failure) = walk(options, |_| None);
        assert!(
            matches!(failure.error, WalkError::EmptyAnswer(_)),
            "{failure}"
        );
        assert!(found.is_empty());
    }
}
