//! Agents that repeat, go backwards, never end, answer late, wrongly or not at all.

use std::time::Duration;

use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, DiscardReason, FailureReason, GeneratorDiscard, GeneratorEvent, GeneratorOutput,
    Method, RetryPolicy, Walk, WalkError, WalkOptions,
};
use varbind_engine::clock::Instant;
use varbind_testkit::oid;
use varbind_testkit::simulator::{
    Link, Request, SimulatedAgent, Simulation, StandardAgent, WalkResult, table,
};

use super::generator;

const ROOT: &str = "1.3.6.1.4.1.9";

/// An agent that answers each request with the objects that `answer` makes.
fn agent(mut answer: impl FnMut(&Request) -> Vec<VarBind>) -> impl SimulatedAgent {
    move |_: Instant, message: &[u8]| {
        let request = Request::decode(message);
        let objects = answer(&request);
        vec![(
            Duration::ZERO,
            request.respond(ErrorStatus::NoError, 0, &objects),
        )]
    }
}

fn walk(agent: impl SimulatedAgent, options: WalkOptions) -> WalkResult {
    let link = Link::new(Duration::from_millis(5), 1);
    let mut simulation = Simulation::new(generator(RetryPolicy::default(), 8, 7), agent, &link);
    simulation.walk(Walk::new(&[oid(ROOT)], options))
}

fn object(arcs: &[u32]) -> VarBind {
    VarBind::new(oid(ROOT).child(arcs).expect("short"), 1)
}

fn tolerant(method: Method) -> WalkOptions {
    WalkOptions {
        method,
        tolerate_non_increasing: true,
        ..WalkOptions::default()
    }
}

const BULK: Method = Method::GetBulk {
    max_repetitions: None,
};

#[test]
fn an_agent_that_repeats_an_object_is_reported() {
    let result = walk(agent(|_| vec![object(&[1, 0])]), WalkOptions::default());
    assert_eq!(result.objects, [object(&[1, 0])]);
    let Some(WalkError::NotIncreasing { previous, name }) = result.error else {
        panic!("not {:?}", result.error);
    };
    assert_eq!(
        (previous, name),
        (object(&[1, 0]).name, object(&[1, 0]).name)
    );
}

#[test]
fn an_agent_that_goes_backwards_is_reported_after_what_came_before() {
    let objects = || vec![object(&[1, 0]), object(&[3, 0]), object(&[2, 0])];
    let result = walk(agent(move |_| objects()), WalkOptions::default());
    assert_eq!(result.objects, [object(&[1, 0]), object(&[3, 0])]);
    let text = result.error.expect("an error").to_string();
    assert_eq!(
        text,
        "the agent does not sort its objects: 1.3.6.1.4.1.9.2.0 came behind 1.3.6.1.4.1.9.3.0"
    );
}

/// Answers with what follows in its own order, which is not sorted; behind the last comes `end`.
fn unsorted(order: Vec<VarBind>, end: VarBind) -> impl SimulatedAgent {
    agent(move |request| {
        let [name] = request.names.as_slice() else {
            panic!("one name at a time");
        };
        let from = order
            .iter()
            .position(|object| object.name == *name)
            .map_or(0, |at| at + 1);
        let count = match request.pdu_type {
            PduType::GetBulkRequest => request.max_repetitions,
            _ => 1,
        };
        let mut objects: Vec<VarBind> = order.iter().skip(from).take(count).cloned().collect();
        if objects.len() < count {
            objects.push(end.clone());
        }
        objects
    })
}

#[test]
fn unsorted_agents_are_walked_in_their_own_order_when_that_is_tolerated() {
    let order: Vec<VarBind> = [5, 9, 1, 7, 2].map(|row| object(&[1, row])).to_vec();
    let behind = VarBind::new(oid("1.3.6.1.5.1"), Value::Null);
    for method in [Method::GetNext, BULK] {
        let result = walk(unsorted(order.clone(), behind.clone()), tolerant(method));
        assert!(result.error.is_none(), "{:?}", result.error);
        assert_eq!(result.objects, order);
    }
}

#[test]
fn a_tolerated_agent_that_walks_in_a_circle_is_stopped() {
    let order: Vec<VarBind> = [5, 9, 1, 7, 2].map(|row| object(&[1, row])).to_vec();
    for method in [Method::GetNext, BULK] {
        let result = walk(unsorted(order.clone(), order[1].clone()), tolerant(method));
        assert!(
            matches!(result.error, Some(WalkError::Repeats(_))),
            "{:?}",
            result.error
        );
        assert_eq!(result.objects[..5], order);
        assert!(result.objects.len() < 200);
    }
}

#[test]
fn an_endless_agent_is_stopped_at_the_limit() {
    let mut row = 0;
    let endless = agent(move |request| {
        let count = u32::try_from(request.max_repetitions).expect("few");
        row += count;
        (row - count..row).map(|row| object(&[1, row])).collect()
    });
    let options = WalkOptions {
        max_objects: 10_000,
        sequential: true,
        ..WalkOptions::default()
    };
    let result = walk(endless, options);
    assert!(matches!(
        result.error,
        Some(WalkError::TooManyObjects(10_000))
    ));
    assert_eq!(result.objects.len(), 10_000);
}

/// Whatever it is asked, it invents the next names, so that every guess comes true.
#[test]
fn an_endless_agent_does_not_fill_the_memory_of_a_parallel_walk() {
    let endless = agent(|request| {
        let name = request.names.first().expect("a name");
        let mut arcs = name.arcs().to_vec();
        if arcs.len() < 12 {
            arcs.resize(12, 1);
        }
        let last = arcs.len() - 1;
        let from = arcs[last];
        (1..=u32::try_from(request.max_repetitions).expect("few"))
            .map(|row| {
                arcs[last] = from + row;
                VarBind::new(Oid::new(&arcs).expect("a name"), 1)
            })
            .collect()
    });
    let options = WalkOptions {
        max_objects: 50_000,
        max_buffered_objects: 1000,
        ..WalkOptions::default()
    };
    let result = walk(endless, options);
    assert!(matches!(
        result.error,
        Some(WalkError::TooManyObjects(50_000))
    ));
    // All but what was ahead has been told.
    assert!(result.objects.len() > 45_000, "{}", result.objects.len());
    assert!(result.summary.segments < 1000);
}

#[test]
fn an_answer_without_objects_ends_the_walk() {
    let result = walk(agent(|_| Vec::new()), WalkOptions::default());
    let Some(WalkError::EmptyAnswer(name)) = result.error else {
        panic!("not {:?}", result.error);
    };
    assert_eq!(name, oid(ROOT));
}

#[test]
fn an_agent_that_wraps_around_is_walked_completely() {
    let order: Vec<VarBind> = (1..=40).map(|row| object(&[1, row])).collect();
    let first = VarBind::new(oid("1.3.6.1.2.1.1.1.0"), 1);
    let expected = order.clone();
    let result = walk(
        agent(move |request| {
            let name = request.names.first().expect("a name");
            let behind = order.iter().filter(|object| object.name > *name).cloned();
            behind
                .chain([first.clone()])
                .take(request.max_repetitions)
                .collect()
        }),
        WalkOptions::default(),
    );
    assert!(result.error.is_none(), "{:?}", result.error);
    assert_eq!(result.objects, expected);
}

#[test]
fn guesses_that_an_agent_refuses_cost_nothing_but_a_request() {
    // Answers genErr to names that are neither the root nor its own, or goes backwards, or says noSuchName.
    let objects = table("1.3.6.1.4.1.9.1.1", 8, 100);
    for behaviour in 0..4 {
        let mut standard = StandardAgent::new(objects.clone());
        let known = objects.clone();
        let picky = move |now: Instant, message: &[u8]| {
            let request = Request::decode(message);
            let name = request.names.first().expect("a name");
            if known.contains_key(name) || *name == oid(ROOT) {
                return standard.respond(now, message);
            }
            let answer = match behaviour {
                0 => request.respond(ErrorStatus::GenErr, 1, &[]),
                1 => request.respond(ErrorStatus::NoSuchName, 1, &[]),
                2 => request.respond(ErrorStatus::NoError, 0, &[object(&[1])]),
                _ => return Vec::new(),
            };
            vec![(Duration::ZERO, answer)]
        };
        let result = walk(picky, WalkOptions::default());
        assert!(result.error.is_none(), "{behaviour}: {:?}", result.error);
        let expected: Vec<VarBind> = objects.clone().into_iter().map(VarBind::from).collect();
        assert_eq!(result.objects, expected, "{behaviour}");
    }
}

#[test]
fn an_error_status_names_the_object_and_all_before_is_reported() {
    let objects = table("1.3.6.1.4.1.9.1.1", 8, 100);
    let broken = oid("1.3.6.1.4.1.9.1.1.5.50");
    let mut standard = StandardAgent::new(objects.clone());
    let limit = broken.clone();
    let failing = move |now: Instant, message: &[u8]| {
        let request = Request::decode(message);
        let answers = standard.respond(now, message);
        if objects_of(&answers[0].1).contains(&limit) {
            return vec![(Duration::ZERO, request.respond(ErrorStatus::GenErr, 1, &[]))];
        }
        answers
    };
    let result = walk(failing, WalkOptions::default());
    let Some(WalkError::ErrorStatus { status, name }) = result.error else {
        panic!("not {:?}", result.error);
    };
    assert_eq!(status, ErrorStatus::GenErr);
    assert!(
        name < broken && name > oid("1.3.6.1.4.1.9.1.1.4.100"),
        "{name}"
    );
    let told: Vec<VarBind> = objects
        .iter()
        .filter(|(other, _)| **other <= name)
        .map(|(name, value)| VarBind::new(name.clone(), value.clone()))
        .collect();
    assert_eq!(result.objects, told);
}

/// The names in a message.
fn objects_of(message: &[u8]) -> Vec<Oid> {
    Request::decode(message).names
}

#[test]
fn a_dead_agent_is_reported_by_a_walk_in_the_time_of_one_request() {
    let silent = |_: Instant, _: &[u8]| Vec::new();
    for policy in [
        RetryPolicy::default(),
        RetryPolicy::Fixed {
            timeout: Duration::from_secs(1),
            retries: 5,
        },
        RetryPolicy::Fixed {
            timeout: Duration::from_secs(1),
            retries: 0,
        },
    ] {
        let link = Link::new(Duration::from_millis(5), 1);
        let mut simulation = Simulation::new(generator(policy, 8, 7), silent, &link);
        let options = WalkOptions {
            boundaries: (1..20).map(|column| object(&[column]).name).collect(),
            ..WalkOptions::default()
        };
        let result = simulation.walk(Walk::new(&[oid(ROOT)], options));
        let Some(WalkError::Failed { failure, name }) = result.error else {
            panic!("not {:?}", result.error);
        };
        assert_eq!(failure.reason, FailureReason::NoAnswer);
        assert_eq!(name, oid(ROOT));
        let limits = policy.limits();
        assert_eq!(result.elapsed, limits.give_up_after);
        assert_eq!(failure.elapsed, limits.give_up_after);
        assert!(failure.attempts.is_sorted());
        assert!(failure.attempts.len() <= limits.max_attempts as usize);
        eprintln!("{policy:?}: attempts at {:?}", failure.attempts);
    }
}

#[test]
fn unexpected_responses_are_counted_and_ignored() {
    let mut generator = generator(RetryPolicy::default(), 8, 7);
    let name = oid("1.3.6.1.2.1.1.3.0");
    generator.send(Command::Get(&[name])).expect("short");
    let mut buffer = [0; 1472];
    let GeneratorOutput::Transmit(message) = generator.poll_output(Instant::ORIGIN, &mut buffer)
    else {
        panic!("the request is due");
    };
    let request = Request::decode(message);
    let message = message.to_vec();
    let now = Instant::ORIGIN + Duration::from_millis(3);

    let mut stranger = request.clone();
    stranger.request_id = 17;
    let answer = stranger.respond(ErrorStatus::NoError, 0, &[object(&[1])]);
    assert_eq!(
        generator.handle_message(now, &answer),
        Err(GeneratorDiscard::UnknownRequestId(17))
    );
    assert_eq!(
        generator.handle_message(now, &message),
        Err(GeneratorDiscard::NotAResponse(PduType::GetRequest))
    );
    let mut other = request.clone();
    other.version = varbind_codec::message::Version::V1;
    let answer = other.respond(ErrorStatus::NoError, 0, &[]);
    assert!(matches!(
        generator.handle_message(now, &answer),
        Err(GeneratorDiscard::WrongVersion(_))
    ));
    for length in 0..message.len() {
        assert!(matches!(
            generator.handle_message(now, &message[..length]),
            Err(GeneratorDiscard::Undecodable(_))
        ));
    }
    let answer = request.respond(ErrorStatus::NoError, 0, &[object(&[1])]);
    assert_eq!(generator.handle_message(now, &answer), Ok(()));
    assert!(matches!(
        generator.handle_message(now, &answer),
        Err(GeneratorDiscard::Duplicate(_))
    ));
    let output = generator.poll_output(now, &mut buffer);
    assert!(matches!(
        output,
        GeneratorOutput::Event(GeneratorEvent::Response(_))
    ));
    assert!(matches!(
        generator.poll_output(now, &mut buffer),
        GeneratorOutput::Idle
    ));
    let statistics = generator.statistics();
    assert_eq!(statistics.unknown_request_ids, 1);
    assert_eq!(statistics.unexpected_messages, 2);
    assert_eq!(statistics.undecodable_messages, message.len() as u64);
    assert_eq!(statistics.duplicates, 1);
    assert_eq!(statistics.retries, 0);
}

#[test]
fn a_malformed_binding_fails_the_request_at_once_and_tells_where() {
    let mut generator = generator(RetryPolicy::default(), 8, 7);
    generator
        .send(Command::Get(&[oid("1.3.6.1.2.1.1.3.0")]))
        .expect("short");
    let mut buffer = [0; 1472];
    let GeneratorOutput::Transmit(message) = generator.poll_output(Instant::ORIGIN, &mut buffer)
    else {
        panic!("the request is due");
    };
    let mut answer = Request::decode(message).respond(ErrorStatus::NoError, 0, &[object(&[1])]);
    let value = answer.len() - 3;
    // No value has this tag.
    answer[value] = 0x1e;
    assert_eq!(generator.handle_message(Instant::ORIGIN, &answer), Ok(()));
    let GeneratorOutput::Event(GeneratorEvent::Failed(failure)) =
        generator.poll_output(Instant::ORIGIN, &mut buffer)
    else {
        panic!("a failure");
    };
    let FailureReason::MalformedAnswer(error) = failure.reason else {
        panic!("not {:?}", failure.reason);
    };
    assert_eq!(error.offset, value);
}

#[test]
fn a_failure_counts_the_messages_that_were_no_answer() {
    let objects = table(ROOT, 1, 3);
    let mut standard = StandardAgent::new(objects);
    let mut count = 0;
    let agent = move |_: Instant, message: &[u8]| {
        count += 1;
        let mut request = Request::decode(message);
        if count <= 2 {
            // Answered as it should be, once and a second time.
            let answer = standard.answer(&request);
            return vec![(Duration::ZERO, answer.clone()), (Duration::ZERO, answer)];
        }
        request.request_id ^= 1;
        let wrong = standard.answer(&request);
        vec![(Duration::ZERO, wrong), (Duration::ZERO, vec![0x30, 0x05])]
    };
    let policy = RetryPolicy::Fixed {
        timeout: Duration::from_millis(100),
        retries: 2,
    };
    let link = Link::new(Duration::from_millis(5), 1);
    let mut simulation = Simulation::new(generator(policy, 1, 7), agent, &link);
    let name = oid(ROOT).child(&[1, 1]).expect("short");
    let mut ask = || {
        simulation
            .generator
            .send(Command::Get(std::slice::from_ref(&name)))
            .expect("short");
        let mut outcome = None;
        simulation.run(|_, event| {
            outcome = Some(event);
            std::ops::ControlFlow::Continue(())
        });
        outcome.expect("an outcome")
    };
    assert!(matches!(ask(), GeneratorEvent::Response(_)));
    assert!(matches!(ask(), GeneratorEvent::Response(_)));
    let GeneratorEvent::Failed(failure) = ask() else {
        panic!("a wrong request-id is not an answer");
    };
    let counts: Vec<_> = failure.discarded.iter().collect();
    let expected = [
        (DiscardReason::WrongRequestId, 3),
        (DiscardReason::Undecodable, 3),
    ];
    assert_eq!(counts, expected);
    assert_eq!(
        failure.discarded.to_string(),
        "6 messages were not valid responses: 3 wrong request-id, 3 not decodable"
    );
    // Those that came before do not count.
    let GeneratorEvent::Failed(failure) = ask() else {
        panic!("a wrong request-id is not an answer");
    };
    assert_eq!(
        failure
            .discarded
            .iter()
            .map(|(_, count)| count)
            .sum::<u64>(),
        6
    );
    let all: u64 = simulation
        .generator
        .discarded()
        .iter()
        .map(|(_, count)| count)
        .sum();
    assert_eq!(all, 12);
}
