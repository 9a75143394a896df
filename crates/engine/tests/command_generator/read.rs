//! Reads of more names than a message holds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{
    CommandGenerator, FailureReason, GeneratorConfiguration, MessageProcessing, Read, ReadFailure,
    Response,
};
use varbind_testkit::oid;
use varbind_testkit::simulator::{Link, SimulatedAgent, Simulation, StandardAgent};

use super::configuration;

const COLUMN: &str = "1.3.6.1.4.1.9.1.1.1";

/// A column of texts of 100 octets.
fn texts(rows: u32) -> BTreeMap<Oid, Value> {
    (1..=rows)
        .map(|row| {
            let name = oid(COLUMN).child(&[row]).expect("short");
            (name, Value::OctetString(vec![b'x'; 100]))
        })
        .collect()
}

fn names(objects: &BTreeMap<Oid, Value>) -> Vec<Oid> {
    objects.keys().cloned().collect()
}

/// Runs a read to its end.
fn run<A: SimulatedAgent>(
    simulation: &mut Simulation<A>,
    mut read: Read,
) -> Result<Response, ReadFailure> {
    let mut outcome = read.poll(&mut simulation.generator);
    simulation.run(|generator, event| {
        assert!(read.handle_event(event).is_none(), "nobody else asks");
        outcome = read.poll(generator);
        match outcome {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    });
    outcome.expect("an outcome")
}

fn simulation<A: SimulatedAgent>(configuration: GeneratorConfiguration, agent: A) -> Simulation<A> {
    let link = Link::new(Duration::from_millis(5), 1);
    Simulation::new(CommandGenerator::new(configuration, 7), agent, &link)
}

fn v1() -> GeneratorConfiguration {
    let community = b"public".to_vec();
    GeneratorConfiguration::new(MessageProcessing::V1 { community })
}

#[test]
fn names_that_exceed_a_request_go_into_several_and_come_back_in_order() {
    let objects = texts(300);
    for configuration in [configuration(), v1()] {
        let mut simulation = simulation(configuration, StandardAgent::new(objects.clone()));
        let response = run(&mut simulation, Read::get(&names(&objects))).expect("a response");
        assert_eq!(response.error_status, ErrorStatus::NoError);
        let expected: Vec<_> = objects.clone().into_iter().map(VarBind::from).collect();
        assert_eq!(response.var_binds, expected);
        assert!((4..=6).contains(&simulation.agent.requests));
        assert_eq!(simulation.generator.outstanding(), 0);
    }
}

#[test]
fn get_next_of_many_names_brings_all_successors_in_order() {
    let objects = texts(300);
    let mut simulation = simulation(configuration(), StandardAgent::new(objects.clone()));
    let mut asked = names(&objects);
    asked.insert(0, oid(COLUMN));
    asked.pop();
    let response = run(&mut simulation, Read::get_next(&asked)).expect("a response");
    let expected: Vec<_> = objects.into_iter().map(VarBind::from).collect();
    assert_eq!(response.var_binds, expected);
}

#[test]
fn names_whose_response_is_too_big_are_asked_for_in_halves() {
    let objects = texts(100);
    for max_size in [200, 484, 1472] {
        let mut agent = StandardAgent::new(objects.clone());
        agent.max_size = max_size;
        let mut simulation = simulation(configuration(), agent);
        let response = run(&mut simulation, Read::get(&names(&objects))).expect("a response");
        let expected: Vec<_> = objects.clone().into_iter().map(VarBind::from).collect();
        assert_eq!(response.var_binds, expected);
    }
}

#[test]
fn a_single_value_that_is_too_big_is_the_answer() {
    let objects = texts(3);
    let mut agent = StandardAgent::new(objects.clone());
    agent.max_size = 100;
    let mut simulation = simulation(configuration(), agent);
    let response = run(&mut simulation, Read::get(&names(&objects))).expect("a response");
    assert_eq!(response.error_status, ErrorStatus::TooBig);
    assert_eq!(response.var_binds.len(), 3);
}

/// RFC 1157 4.1.2: an agent of SNMPv1 answers nothing when one name is missing.
#[test]
fn the_error_index_counts_all_names() {
    let objects = texts(300);
    for missing in [0, 150, 299] {
        let mut asked = names(&objects);
        let name = oid("1.3.6.1.9");
        asked[missing] = name.clone();
        let mut simulation = simulation(v1(), StandardAgent::new(objects.clone()));
        let response = run(&mut simulation, Read::get(&asked)).expect("a response");
        assert_eq!(response.error_status, ErrorStatus::NoSuchName);
        assert_eq!(usize::try_from(response.error_index), Ok(missing + 1));
        assert_eq!(response.var_binds.len(), 300);
        assert_eq!(response.var_binds[missing].name, name);
    }
}

#[test]
fn the_first_of_several_errors_is_the_answer() {
    let objects = texts(300);
    let mut asked = names(&objects);
    asked[280] = oid("1.3.6.1.9");
    asked[20] = oid("1.3.6.1.9");
    let mut simulation = simulation(v1(), StandardAgent::new(objects));
    let response = run(&mut simulation, Read::get(&asked)).expect("a response");
    assert_eq!(response.error_index, 21);
}

#[test]
fn an_error_of_one_object_is_not_taken_for_one_of_size() {
    let objects = texts(10);
    let mut agent = StandardAgent::new(objects.clone());
    agent.unreadable = names(&objects).get(6).cloned();
    let mut simulation = simulation(configuration(), agent);
    let response = run(&mut simulation, Read::get(&names(&objects))).expect("a response");
    assert_eq!(response.error_status, ErrorStatus::GenErr);
    assert_eq!(response.error_index, 7);
    assert_eq!(simulation.agent.requests, 1);
}

#[test]
fn a_part_without_an_answer_fails_the_read_and_ends_the_others() {
    let objects = texts(300);
    let mut standard = StandardAgent::new(objects.clone());
    let last = names(&objects).pop().expect("a name");
    let agent = move |now, message: &[u8]| {
        let request = varbind_testkit::simulator::Request::decode(message);
        assert_eq!(request.version, Version::V2c);
        if request.names.contains(&last) {
            return Vec::new();
        }
        standard.respond(now, message)
    };
    let mut simulation = simulation(configuration(), agent);
    let outcome = run(&mut simulation, Read::get(&names(&objects)));
    let Err(ReadFailure::Failed(failure)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(failure.reason, FailureReason::NoAnswer);
    assert_eq!(simulation.generator.outstanding(), 0);
}

#[test]
fn a_read_of_nothing_is_one_request() {
    let mut simulation = simulation(configuration(), StandardAgent::new(texts(1)));
    let response = run(&mut simulation, Read::get(&[])).expect("a response");
    assert!(response.var_binds.is_empty());
    assert_eq!(simulation.agent.requests, 1);
}
