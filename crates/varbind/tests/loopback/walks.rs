//! Managers that walk agents.

use std::ops::ControlFlow;

use varbind::agent::AgentLimits;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::{Method, WalkOptions};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{LARGE_TEXT, SYS_DESCR, TABLE, TestAgent, target};
use varbind_testkit::oid;

const TRANSPORTS: [(Transport, &str); 4] = [
    (Transport::Udp, "127.0.0.1"),
    (Transport::Tcp, "127.0.0.1"),
    (Transport::Udp, "::1"),
    (Transport::Tcp, "::1"),
];

fn walk(manager: &mut Manager, roots: &[&str], options: WalkOptions) -> Vec<VarBind> {
    let roots: Vec<_> = roots.iter().map(|root| oid(root)).collect();
    let mut found = Vec::new();
    let summary = manager
        .walk(&roots, options, |objects| {
            found.extend_from_slice(objects);
            ControlFlow::Continue(())
        })
        .expect("a whole walk");
    assert_eq!(summary.objects, u64::try_from(found.len()).unwrap());
    found
}

/// Not with `assert_eq`, which would print thousands of objects.
#[track_caller]
fn assert_same(found: &[VarBind], expected: &[VarBind]) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn a_walk_finds_all_objects_of_a_large_table_in_order() {
    let agent = TestAgent::with(500, AgentLimits::default());
    let expected = agent.objects(TABLE);
    assert_eq!(expected.len(), 500 * 22);
    for (transport, ip) in TRANSPORTS {
        let address = agent.listen(transport, ip);
        for sequential in [false, true] {
            let options = WalkOptions {
                sequential,
                ..WalkOptions::default()
            };
            let manager = ManagerOptions::v2c("public");
            let mut manager = Manager::open(&target(transport, address), manager).unwrap();
            assert_same(&walk(&mut manager, &[TABLE], options), &expected);
        }
    }
}

#[test]
fn a_walk_with_get_next_finds_the_same() {
    let agent = TestAgent::new();
    let expected = agent.objects(TABLE);
    let without_counter64: Vec<_> = expected
        .iter()
        .filter(|object| !matches!(object.value, Value::Counter64(_)))
        .cloned()
        .collect();
    for (transport, ip) in TRANSPORTS {
        let agent = target(transport, agent.listen(transport, ip));
        for sequential in [false, true] {
            let options = WalkOptions {
                sequential,
                method: Method::GetNext,
                ..WalkOptions::default()
            };
            let mut v2c = Manager::open(&agent, ManagerOptions::v2c("public")).unwrap();
            assert_same(&walk(&mut v2c, &[TABLE], options.clone()), &expected);
            let mut v1 = Manager::open(&agent, ManagerOptions::v1("public")).unwrap();
            assert_same(&walk(&mut v1, &[TABLE], options), &without_counter64);
        }
    }
}

#[test]
fn several_subtrees_are_walked_in_the_order_of_their_names() {
    let agent = TestAgent::new();
    let roots = [LARGE_TEXT, SYS_DESCR, TABLE];
    let mut expected: Vec<_> = roots.iter().flat_map(|root| agent.objects(root)).collect();
    expected.sort_by(|one, other| one.name.cmp(&other.name));
    for (transport, ip) in TRANSPORTS {
        let address = agent.listen(transport, ip);
        let manager = ManagerOptions::v2c("public");
        let mut manager = Manager::open(&target(transport, address), manager).unwrap();
        let found = walk(&mut manager, &roots, WalkOptions::default());
        assert_same(&found, &expected);
    }
}

#[test]
fn whatever_is_asked_for_at_once_a_walk_finds_the_same() {
    let agent = TestAgent::new();
    let expected = agent.objects("1.3");
    let address = agent.udp();
    for (max_repetitions, max_window, max_message_size) in [
        (Some(1), 1, None),
        (Some(500), 8, None),
        (None, 64, Some(65_507)),
        (None, 3, Some(484)),
    ] {
        let options = ManagerOptions {
            max_window,
            max_message_size,
            ..ManagerOptions::v2c("public")
        };
        let mut manager = Manager::open(&target(Transport::Udp, address), options).unwrap();
        let options = WalkOptions {
            method: Method::GetBulk { max_repetitions },
            ..WalkOptions::default()
        };
        assert_same(&walk(&mut manager, &["1.3"], options), &expected);
    }
}

#[test]
fn a_walk_that_is_broken_off_leaves_the_manager_usable() {
    let agent = TestAgent::new();
    for (transport, ip) in TRANSPORTS {
        let address = agent.listen(transport, ip);
        let manager = ManagerOptions::v2c("public");
        let mut manager = Manager::open(&target(transport, address), manager).unwrap();
        for _ in 0..5 {
            let mut found = 0;
            manager
                .walk(&[oid(TABLE)], WalkOptions::default(), |objects| {
                    found += objects.len();
                    ControlFlow::Break(())
                })
                .unwrap();
            assert!(found > 0);
        }
        let found = walk(&mut manager, &[TABLE], WalkOptions::default());
        assert_same(&found, &agent.objects(TABLE));
    }
}
