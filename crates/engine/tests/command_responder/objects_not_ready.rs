//! RFC 3416 section 4.2.3 (3): a response to a GetBulkRequest ends before objects that take long, after at least one repetition.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::instrumentation::{ManagedObject, ReadError, Registry, Reply, RequestContext};
use varbind_engine::statistics::Counter;
use varbind_testkit::command_responder::{CommunityAgent, host};
use varbind_testkit::oid;
use varbind_testkit::view::family;

/// When an object is ready.
#[derive(Clone, Copy, Debug)]
enum Ready {
    Always,
    /// From the first time on that it was read.
    OnceRead,
    Never,
}

/// Instances with the numbers from 1 on, which are read when one of them is asked for.
struct Slow {
    root: Oid,
    instances: u32,
    ready: Ready,
    is_read: AtomicBool,
    readings: Arc<AtomicUsize>,
}

impl ManagedObject for Slow {
    fn get(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Err(ReadError::NoSuchInstance)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if !self.is_read.swap(true, Ordering::Relaxed) {
            self.readings.fetch_add(1, Ordering::Relaxed);
        }
        let root = self.root.arcs();
        let latest = match name.strip_prefix(root) {
            Some(instance) => instance.first().copied().unwrap_or(0),
            None if name < root => 0,
            None => u32::MAX,
        };
        if latest < self.instances {
            reply.name().set(root);
            reply.name().push(latest + 1);
            reply.value(ValueRef::Integer(1));
        }
        Ok(())
    }

    fn is_ready(&self) -> bool {
        match self.ready {
            Ready::Always => true,
            Ready::OnceRead => self.is_read.load(Ordering::Relaxed),
            Ready::Never => false,
        }
    }
}

const FIRST: &str = "1.3.6.1.3.1";
const SECOND: &str = "1.3.6.1.3.2";
const THIRD: &str = "1.3.6.1.3.3";

fn instances(root: &str, numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    numbers.map(|number| format!("{root}.{number}")).collect()
}

/// An agent with objects of so many instances each, and how often each was read.
fn agent(ready: Ready, objects: &[(&str, u32)]) -> (CommunityAgent, Vec<Arc<AtomicUsize>>) {
    let mut registry = Registry::builder();
    let mut counts = Vec::new();
    for &(root, instances) in objects {
        let readings = Arc::new(AtomicUsize::new(0));
        counts.push(Arc::clone(&readings));
        let object = Slow {
            root: oid(root),
            instances,
            ready,
            is_read: AtomicBool::new(false),
            readings,
        };
        registry = registry.register(oid(root), Arc::new(object));
    }
    (CommunityAgent::new(registry), counts)
}

fn read(counts: &[Arc<AtomicUsize>]) -> Vec<usize> {
    let count = |readings: &Arc<AtomicUsize>| readings.load(Ordering::Relaxed);
    counts.iter().map(count).collect()
}

#[test]
fn repetitions_behind_the_last_row_read_no_object_that_is_not_ready() {
    let (mut agent, counts) = agent(Ready::OnceRead, &[(FIRST, 3), (SECOND, 2), (THIRD, 1)]);
    let names = agent.get_bulk(0, 10, &[FIRST]).names();
    assert_eq!(names, instances(FIRST, 1..=3));
    assert_eq!(read(&counts), [1, 0, 0]);
    // The first repetition is complete, whatever it takes.
    let names = agent.get_bulk(0, 10, &[&format!("{FIRST}.3")]).names();
    assert_eq!(names, instances(SECOND, 1..=2));
    assert_eq!(read(&counts), [1, 1, 0]);
    let names = agent.get_bulk(0, 4, &[&format!("{FIRST}.2")]).names();
    let ready = [instances(FIRST, 3..=3), instances(SECOND, 1..=2)].concat();
    assert_eq!(names, ready);
    assert_eq!(read(&counts), [1, 1, 0]);
    let names = agent.get_next(&[&format!("{SECOND}.2")]).names();
    assert_eq!(names, instances(THIRD, 1..=1));
}

#[test]
fn an_object_is_read_to_its_end_once_a_response_has_begun_it() {
    let (mut agent, counts) = agent(Ready::Never, &[(FIRST, 5), (SECOND, 2)]);
    let names = agent.get_bulk(0, 10, &[FIRST]).names();
    assert_eq!(names, instances(FIRST, 1..=5));
    assert_eq!(read(&counts), [1, 0]);
}

#[test]
fn a_response_ends_with_a_complete_repetition() {
    let objects = [(FIRST, 2), (SECOND, 2), (THIRD, 5)];
    let (mut agent, counts) = agent(Ready::OnceRead, &objects);
    let names = agent.get_bulk(0, 10, &[THIRD, FIRST]).names();
    let rows = (1..=2).flat_map(|row| [format!("{THIRD}.{row}"), format!("{FIRST}.{row}")]);
    assert_eq!(names, rows.collect::<Vec<_>>());
    assert_eq!(read(&counts), [1, 0, 1]);
    assert_eq!(agent.count(Counter::SnmpInTotalReqVars), 4);
}

#[test]
fn non_repeaters_are_read_whether_they_are_ready_or_not() {
    let objects = [(FIRST, 2), (SECOND, 2), (THIRD, 1)];
    let (mut agent, counts) = agent(Ready::OnceRead, &objects);
    let names = agent.get_bulk(2, 10, &[SECOND, THIRD, FIRST]).names();
    let expected = [
        instances(SECOND, 1..=1),
        instances(THIRD, 1..=1),
        instances(FIRST, 1..=2),
        instances(SECOND, 1..=2),
        // endOfMibView with the last name.
        [instances(THIRD, 1..=1), instances(THIRD, 1..=1)].concat(),
    ];
    assert_eq!(names, expected.concat());
    assert_eq!(read(&counts), [1, 1, 1]);
}

#[test]
fn objects_behind_the_end_of_a_view_are_not_read() {
    let objects = [(FIRST, 2), (SECOND, 2), (THIRD, 2)];
    let (agent, counts) = agent(Ready::OnceRead, &objects);
    let mut agent = agent.with_view(&[family(FIRST, "", true)]);
    let last = format!("{FIRST}.2");
    // endOfMibView.
    assert_eq!(agent.get_bulk(0, 10, &[&last]).names(), [&*last]);
    // An instance of the second object shows where the view continues: nowhere.
    assert_eq!(read(&counts), [1, 1, 0]);
}

/// The names that a walk with GetBulkRequests finds.
fn walk(agent: &mut CommunityAgent, repetitions: i32) -> Vec<String> {
    let mut names = vec!["0.0".to_owned()];
    loop {
        let last = names[names.len() - 1].clone();
        let found = agent.get_bulk(0, repetitions, &[&last]).bindings();
        assert!(!found.is_empty(), "behind {last}");
        for (name, value) in found {
            if value == Value::EndOfMibView {
                return names.split_off(1);
            }
            names.push(name);
        }
    }
}

#[test]
fn a_walk_meets_all_instances_whether_objects_are_ready_or_not() {
    let roots = [
        "1.3.6.1.2.1.0",
        "1.3.6.1.2.1.1.2",
        "1.3.6.1.2.1.2.0",
        "1.3.6.1.2.1.2.3",
        FIRST,
        SECOND,
        THIRD,
        "1.3.6.1.5",
    ];
    for sizes in [
        [0; 8],
        [1; 8],
        [3, 0, 0, 7, 0, 1, 2, 0],
        [0, 4, 1, 0, 9, 0, 0, 5],
    ] {
        let agent = |ready| {
            let mut registry = host(2);
            for (root, instances) in roots.into_iter().zip(sizes) {
                let object = Slow {
                    root: oid(root),
                    instances,
                    ready,
                    is_read: AtomicBool::new(false),
                    readings: Arc::default(),
                };
                registry = registry.register(oid(root), Arc::new(object));
            }
            CommunityAgent::new(registry)
        };
        let expected = walk(&mut agent(Ready::Always), 10_000);
        let slow = sizes.iter().sum::<u32>();
        assert!(expected.len() > usize::try_from(slow).unwrap());
        for repetitions in [1, 2, 3, 5, 8, 50, 10_000] {
            for ready in [Ready::Always, Ready::OnceRead, Ready::Never] {
                let found = walk(&mut agent(ready), repetitions);
                assert_eq!(found, expected, "{sizes:?}, {repetitions}, {ready:?}");
            }
        }
    }
}
