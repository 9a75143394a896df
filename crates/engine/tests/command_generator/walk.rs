//! Walks of agents that follow the standard.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{
    CommandGenerator, GeneratorConfiguration, MessageProcessing, Method, RetryPolicy, Walk,
    WalkError, WalkOptions,
};
use varbind_testkit::oid;
use varbind_testkit::simulator::{Link, Simulation, StandardAgent, WalkResult, table};

use super::{configuration, generator};

const IF_TABLE: &str = "1.3.6.1.2.1.2.2";
const IF_ENTRY: &str = "1.3.6.1.2.1.2.2.1";

fn link() -> Link {
    Link::new(Duration::from_micros(5100), 1)
}

fn walk_of(objects: &BTreeMap<Oid, Value>, root: &str, options: WalkOptions) -> WalkResult {
    let agent = StandardAgent::new(objects.clone());
    let generator = generator(RetryPolicy::default(), 8, 7);
    let mut simulation = Simulation::new(generator, agent, &link());
    simulation.walk(Walk::new(&[oid(root)], options))
}

fn below(objects: &BTreeMap<Oid, Value>, roots: &[Oid]) -> Vec<VarBind> {
    objects
        .iter()
        .filter(|(name, _)| {
            let is_below = |root: &Oid| root.is_prefix_of(name.arcs()) && *name != root;
            roots.iter().any(is_below)
        })
        .map(|(name, value)| VarBind::new(name.clone(), value.clone()))
        .collect()
}

/// Asserts that a walk gave all that is below the root, and tells what it took.
fn assert_whole(what: &str, result: &WalkResult, objects: &BTreeMap<Oid, Value>, root: &str) {
    assert!(result.error.is_none(), "{what}: {:?}", result.error);
    assert_eq!(result.objects, below(objects, &[oid(root)]), "{what}");
    eprintln!(
        "{what}: {} objects, {} requests, {:?}, {:?}",
        result.objects.len(),
        result.summary.requests,
        result.elapsed,
        result.summary
    );
}

fn sequential() -> WalkOptions {
    WalkOptions {
        sequential: true,
        ..WalkOptions::default()
    }
}

/// A host with a few groups and an interface table.
fn host(rows: u32) -> BTreeMap<Oid, Value> {
    let mut objects = table(IF_ENTRY, 22, rows);
    for scalar in 1..=7 {
        let name = oid("1.3.6.1.2.1.1").child(&[scalar, 0]).expect("short");
        objects.insert(name, Value::OctetString(b"a text of some length".to_vec()));
    }
    objects.insert(oid("1.3.6.1.2.1.2.1.0"), Value::Integer(2));
    objects.extend(table("1.3.6.1.2.1.1.9.1", 4, 10));
    objects.extend(table("1.3.6.1.2.1.4.20.1", 5, 3));
    objects.extend(table("1.3.6.1.2.1.31.1.1.1", 19, rows));
    objects.extend(table("1.3.6.1.6.3.15.1.2.2.1", 13, 2));
    objects
}

#[test]
fn a_table_is_walked_several_columns_at_a_time() {
    let objects = host(64);
    let parallel = walk_of(&objects, IF_TABLE, WalkOptions::default());
    assert_whole("ifTable of 64", &parallel, &objects, IF_TABLE);
    let old = walk_of(&objects, IF_TABLE, sequential());
    assert_whole("ifTable of 64, sequential", &old, &objects, IF_TABLE);
    assert!(parallel.elapsed * 2 < old.elapsed);

    let boundaries = (1..=22).map(|column| oid(IF_ENTRY).child(&[column]).expect("short"));
    let options = WalkOptions {
        boundaries: boundaries.collect(),
        ..WalkOptions::default()
    };
    let told = walk_of(&objects, IF_TABLE, options);
    assert_whole("ifTable of 64, known columns", &told, &objects, IF_TABLE);
    assert!(told.elapsed <= parallel.elapsed);
}

#[test]
fn a_large_table_takes_a_fraction_of_the_time() {
    let objects = host(500);
    let parallel = walk_of(&objects, IF_TABLE, WalkOptions::default());
    assert_whole("ifTable of 500", &parallel, &objects, IF_TABLE);
    let old = walk_of(&objects, IF_TABLE, sequential());
    assert_whole("ifTable of 500, sequential", &old, &objects, IF_TABLE);
    assert!(parallel.elapsed * 5 < old.elapsed);
    assert!(parallel.summary.requests < old.summary.requests * 5 / 4);
}

#[test]
fn a_small_subtree_costs_at_most_two_requests_more() {
    for rows in [1, 2, 3, 5, 10, 30] {
        let objects = host(rows);
        for root in [
            "1.3.6.1.2.1.1",
            IF_TABLE,
            "1.3.6.1.2.1.2",
            "1.3.6.1.2.1.4.20",
        ] {
            let parallel = walk_of(&objects, root, WalkOptions::default());
            assert_whole(&format!("{root} of {rows}"), &parallel, &objects, root);
            // The old way: GetBulk of 25, and of 10 as snmpbulkwalk does.
            let old = WalkOptions {
                method: Method::GetBulk {
                    max_repetitions: Some(25),
                },
                ..sequential()
            };
            let old = walk_of(&objects, root, old);
            assert_whole(&format!("{root} of {rows}, old"), &old, &objects, root);
            assert!(parallel.summary.requests <= old.summary.requests + 2);
            assert!(parallel.elapsed <= old.elapsed);
        }
    }
}

#[test]
fn a_single_column_is_walked_as_it_always_was() {
    let objects = host(500);
    for column in [1, 2, 22] {
        let root = format!("{IF_ENTRY}.{column}");
        let parallel = walk_of(&objects, &root, WalkOptions::default());
        assert_whole("a column", &parallel, &objects, &root);
        let old = walk_of(&objects, &root, sequential());
        assert_eq!(parallel.summary.requests, old.summary.requests);
        assert_eq!(parallel.summary.segments, 1);
    }
}

#[test]
fn a_whole_agent_is_walked_faster_than_by_one_request_at_a_time() {
    let objects = host(200);
    let parallel = walk_of(&objects, "1.3.6.1", WalkOptions::default());
    assert_whole("a host", &parallel, &objects, "1.3.6.1");
    let old = walk_of(&objects, "1.3.6.1", sequential());
    assert_whole("a host, sequential", &old, &objects, "1.3.6.1");
    assert!(parallel.elapsed * 3 < old.elapsed);
}

#[test]
fn v1_walks_many_columns_with_one_get_next() {
    let objects = host(64);
    for root in [IF_TABLE, "1.3.6.1.6.3.15", "1.3.6.1"] {
        let agent = StandardAgent::new(objects.clone());
        let community = b"public".to_vec();
        let configuration = GeneratorConfiguration::new(MessageProcessing::V1 { community });
        let generator = CommandGenerator::new(configuration, 7);
        let mut simulation = Simulation::new(generator, agent, &link());
        let result = simulation.walk(Walk::new(&[oid(root)], WalkOptions::default()));
        assert_whole("SNMPv1", &result, &objects, root);
        if root == IF_TABLE {
            assert!(result.summary.requests < 200);
        }
    }
}

#[test]
fn responses_stay_below_the_largest_message() {
    let mut objects = BTreeMap::new();
    for column in 1..=6_u32 {
        for row in 1..=300 {
            let name = oid("1.3.6.1.4.1.9.1.1")
                .child(&[column, row])
                .expect("short");
            let value = match column {
                3 => Value::OctetString(vec![b'x'; 100]),
                _ => Value::Counter32(row),
            };
            objects.insert(name, value);
        }
    }
    let mut simulation = Simulation::new(
        generator(RetryPolicy::default(), 8, 7),
        StandardAgent::new(objects.clone()),
        &link(),
    );
    let result = simulation.walk(Walk::new(&[oid("1.3.6.1.4.1.9")], WalkOptions::default()));
    assert_whole(
        "columns of different size",
        &result,
        &objects,
        "1.3.6.1.4.1.9",
    );
    // Nobody can know the size of a column before its first response, nor where the first columns end.
    let large = simulation.answers.iter().filter(|&&octets| octets > 1472);
    let large: Vec<_> = large.collect();
    eprintln!("answers larger than a packet: {large:?}");
    assert!(large.len() <= 3);
}

/// Net-SNMP's agent answers genErr to a GetBulk whose response is too large.
#[test]
fn an_agent_that_refuses_large_responses_is_asked_for_less() {
    let objects = host(100);
    for status in [ErrorStatus::TooBig, ErrorStatus::GenErr] {
        for (max_repetitions, sequential) in [
            (None, false),
            (None, true),
            (Some(50), false),
            (Some(50), true),
        ] {
            let mut agent = StandardAgent::new(objects.clone());
            agent.max_size = 484;
            agent.never_truncates = Some(status);
            let generator = generator(RetryPolicy::default(), 8, 7);
            let mut simulation = Simulation::new(generator, agent, &link());
            let options = WalkOptions {
                method: Method::GetBulk { max_repetitions },
                sequential,
                ..WalkOptions::default()
            };
            let result = simulation.walk(Walk::new(&[oid("1.3.6.1")], options));
            assert_whole(&format!("{status}"), &result, &objects, "1.3.6.1");
        }
    }
}

/// An object that the agent cannot read, whatever the size of the response.
#[test]
fn an_error_that_remains_ends_the_walk_behind_the_last_object_before_it() {
    let mut objects = host(100);
    let broken = oid("1.3.6.1.2.1.2.2.1.9.50");
    let mut agent = StandardAgent::new(objects.clone());
    agent.unreadable = Some(broken.clone());
    let generator = generator(RetryPolicy::default(), 8, 7);
    let mut simulation = Simulation::new(generator, agent, &link());
    let result = simulation.walk(Walk::new(&[oid(IF_TABLE)], WalkOptions::default()));
    assert!(matches!(
        &result.error,
        Some(WalkError::ErrorStatus { status: ErrorStatus::GenErr, name })
            if *name == oid("1.3.6.1.2.1.2.2.1.9.49")
    ));
    objects.retain(|name, _| *name < broken);
    assert_eq!(result.objects, below(&objects, &[oid(IF_TABLE)]));
}

#[test]
fn responses_that_never_come_through_are_asked_for_in_parts() {
    let objects = host(100);
    for largest in [200, 484, 900] {
        let mut link = link();
        link.largest_message = largest;
        let agent = StandardAgent::new(objects.clone());
        let generator = generator(RetryPolicy::default(), 8, 7);
        let mut simulation = Simulation::new(generator, agent, &link);
        let result = simulation.walk(Walk::new(&[oid(IF_TABLE)], WalkOptions::default()));
        assert_whole(&format!("at most {largest}"), &result, &objects, IF_TABLE);
        assert!(result.elapsed < Duration::from_secs(10));
    }
}

#[test]
fn an_empty_subtree_is_asked_for_as_an_object() {
    let objects = host(3);
    let scalar = "1.3.6.1.2.1.1.1.0";
    let result = walk_of(&objects, scalar, WalkOptions::default());
    assert!(result.error.is_none());
    let names: Vec<_> = result
        .objects
        .iter()
        .map(|object| object.name.clone())
        .collect();
    assert_eq!(names, [oid(scalar)]);

    let result = walk_of(&objects, "1.3.6.1.2.1.99", WalkOptions::default());
    assert!(result.error.is_none());
    assert!(result.objects.is_empty());

    let options = WalkOptions {
        include_root: true,
        ..WalkOptions::default()
    };
    let result = walk_of(&objects, scalar, options);
    assert_eq!(result.objects.len(), 1);
}

#[test]
fn columns_given_singly_are_walked_together() {
    let objects = host(50);
    let roots = [4, 2, 10].map(|column| oid(IF_ENTRY).child(&[column]).expect("short"));
    let agent = StandardAgent::new(objects.clone());
    let generator = generator(RetryPolicy::default(), 8, 7);
    let mut simulation = Simulation::new(generator, agent, &link());
    let result = simulation.walk(Walk::new(&roots, WalkOptions::default()));
    assert!(result.error.is_none());
    assert_eq!(result.objects, below(&objects, &roots));
}

#[test]
fn a_limit_of_objects_ends_the_walk() {
    let objects = host(100);
    let options = WalkOptions {
        max_objects: 1000,
        ..sequential()
    };
    let result = walk_of(&objects, "1.3.6.1", options);
    assert_eq!(result.objects.len(), 1000);
    let text = result.error.expect("too many").to_string();
    assert!(text.contains("more than 1000 objects"), "{text}");
}

#[test]
fn on_a_reliable_transport_responses_may_be_large() {
    let objects = host(500);
    let configuration = GeneratorConfiguration {
        reliable: true,
        max_message_size: 8192,
        ..configuration()
    };
    let generator = CommandGenerator::new(configuration, 7);
    let mut simulation = Simulation::new(generator, StandardAgent::new(objects.clone()), &link());
    let result = simulation.walk(Walk::new(&[oid(IF_TABLE)], WalkOptions::default()));
    assert_whole("TCP", &result, &objects, IF_TABLE);
    assert!(result.summary.largest_repetitions == 200);
}

/// Names that lie close together, so that tables, gaps and names below names come about.
fn model() -> impl Strategy<Value = BTreeMap<Oid, Value>> {
    let arcs = prop::collection::vec(
        prop_oneof![4 => 0..4_u32, 1 => 0..40_u32, 1 => Just(u32::MAX)],
        1..5,
    );
    let columns = (1..6_u32, 0..60_u32, 0..3_u32);
    (
        prop::collection::vec((arcs, 0..30_usize), 0..120),
        prop::collection::vec(columns, 0..4),
    )
        .prop_map(|(names, tables)| {
            let mut objects = BTreeMap::new();
            for (arcs, length) in names {
                let name = oid("1.3.6.1").child(&arcs).expect("short");
                objects.insert(name, Value::OctetString(vec![7; length]));
            }
            for (columns, rows, place) in tables {
                let entry = oid("1.3.6.1.1").child(&[place, 1]).expect("short");
                objects.extend(table(&entry.to_string(), columns, rows));
            }
            objects
        })
}

fn options() -> impl Strategy<Value = WalkOptions> {
    let method = prop_oneof![
        Just(Method::GetNext),
        Just(Method::GetBulk {
            max_repetitions: None
        }),
        (1..40_u16).prop_map(|count| Method::GetBulk {
            max_repetitions: Some(count)
        }),
    ];
    let boundary = prop::collection::vec(0..5_u32, 1..4);
    let boundaries = prop::collection::vec(boundary, 0..6);
    (method, any::<bool>(), boundaries, 1..200_usize).prop_map(
        |(method, sequential, boundaries, max_buffered_objects)| WalkOptions {
            method,
            sequential,
            boundaries: boundaries
                .iter()
                .map(|arcs| oid("1.3.6.1").child(arcs).expect("short"))
                .collect(),
            root_if_empty: false,
            max_buffered_objects,
            ..WalkOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// However the range is divided and whatever gets lost, a walk gives what is below its roots, in order, once.
    #[test]
    fn a_walk_gives_exactly_the_range(
        objects in model(),
        options in options(),
        roots in prop::collection::vec(prop::collection::vec(0..4_u32, 0..3), 1..4),
        loss in prop_oneof![Just(0.0), 0.0..0.5],
        duplication in prop_oneof![Just(0.0), 0.0..0.3],
        jitter in 0..20_u64,
        max_size in 300..1500_usize,
        is_v1 in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut link = Link::new(Duration::from_millis(5), seed);
        link.loss = loss;
        link.duplication = duplication;
        link.jitter = Duration::from_millis(jitter);
        let community = b"public".to_vec();
        let processing = if is_v1 {
            MessageProcessing::V1 { community }
        } else {
            MessageProcessing::V2c { community }
        };
        let mut configuration = GeneratorConfiguration::new(processing);
        // So long that no request fails for bad luck.
        configuration.retry = RetryPolicy::Fixed { timeout: Duration::from_millis(100), retries: 200 };
        let mut agent = StandardAgent::new(objects.clone());
        agent.max_size = max_size;
        let generator = CommandGenerator::new(configuration, seed);
        let mut simulation = Simulation::new(generator, agent, &link);
        let roots: Vec<Oid> = roots
            .iter()
            .map(|arcs| oid("1.3.6.1").child(arcs).expect("short"))
            .collect();
        let result = simulation.walk(Walk::new(&roots, options));
        prop_assert!(result.error.is_none(), "{:?}", result.error);
        prop_assert_eq!(result.objects, below(&objects, &roots));
    }
}

#[test]
fn loss_slows_a_walk_hardly() {
    let objects = host(64);
    let mut seconds = Vec::new();
    for seed in 1..=5 {
        let mut link = Link::new(Duration::from_micros(5100), seed);
        link.loss = 0.16;
        let agent = StandardAgent::new(objects.clone());
        let generator = generator(RetryPolicy::default(), 8, seed);
        let mut simulation = Simulation::new(generator, agent, &link);
        let result = simulation.walk(Walk::new(&[oid("1.3.6.1")], WalkOptions::default()));
        assert!(result.error.is_none(), "{:?}", result.error);
        assert_eq!(result.objects, below(&objects, &[oid("1.3.6.1")]));
        seconds.push(result.elapsed.as_secs_f64());
    }
    eprintln!("a host at 29.4 % loss: {seconds:.2?} s");
    // One request at a time takes 0.5 s without any loss, with time-outs of 1 s about 20 s.
    assert!(seconds.iter().all(|&seconds| seconds < 1.5));
}

#[test]
fn an_agent_that_does_one_thing_at_a_time_is_not_pressed() {
    let objects = host(200);
    let mut agent = StandardAgent::new(objects.clone());
    agent.one_at_a_time = true;
    agent.delay_per_object = Duration::from_micros(500);
    let generator = generator(RetryPolicy::default(), 8, 7);
    let mut simulation =
        Simulation::new(generator, agent, &Link::new(Duration::from_micros(200), 1));
    let result = simulation.walk(Walk::new(&[oid(IF_TABLE)], WalkOptions::default()));
    assert_whole("a slow agent", &result, &objects, IF_TABLE);
    let statistics = simulation.generator.statistics();
    eprintln!("{statistics:?}, {:?}", simulation.generator.round_trip());
    assert_eq!(statistics.retries, 0);
    assert!(statistics.window_reductions > 0);
    // All of its time is work: 4400 objects take 2.2 s.
    assert!(result.elapsed < Duration::from_millis(3000));
}
