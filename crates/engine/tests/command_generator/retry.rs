//! Retries and the window.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    AdaptivePolicy, Command, CommandGenerator, FailureReason, GeneratorConfiguration,
    GeneratorEvent, GeneratorOutput, RetryPolicy, TransportFailure,
};
use varbind_engine::clock::Instant;
use varbind_testkit::oid;
use varbind_testkit::simulator::{Link, Rate, Request, Simulation, StandardAgent};

use super::{configuration, generator};

const UP_TIME: &str = "1.3.6.1.2.1.1.3.0";
const EXCHANGES: usize = 1000;

fn agent() -> StandardAgent {
    StandardAgent::new(BTreeMap::from([(oid(UP_TIME), Value::TimeTicks(1))]))
}

fn fixed(milliseconds: u64, retries: u32) -> RetryPolicy {
    RetryPolicy::Fixed {
        timeout: Duration::from_millis(milliseconds),
        retries,
    }
}

/// A round trip of 10.2 ms, on which this share of the exchanges fails.
fn lossy(loss_per_exchange: f64, seed: u64) -> Link {
    let mut link = Link::new(Duration::from_micros(5100), seed);
    link.loss = 1.0 - (1.0 - loss_per_exchange).sqrt();
    link
}

struct Run {
    seconds: f64,
    answers: usize,
    attempts_per_answer: f64,
}

/// Makes 1000 exchanges, `parallel` of them at the same time.
fn exchanges(policy: RetryPolicy, parallel: u16, link: &Link, agent: StandardAgent) -> Run {
    let name = [oid(UP_TIME)];
    let mut simulation = Simulation::new(generator(policy, parallel, 7), agent, link);
    let mut sent = 0;
    let mut answers = 0;
    let next = |generator: &mut CommandGenerator, sent: &mut usize| {
        if *sent < EXCHANGES {
            *sent += 1;
            generator
                .send(Command::Get(&name))
                .expect("a short request");
        }
    };
    for _ in 0..parallel {
        next(&mut simulation.generator, &mut sent);
    }
    simulation.run(|generator, event| {
        answers += usize::from(matches!(event, GeneratorEvent::Response(_)));
        next(generator, &mut sent);
        if generator.outstanding() == 0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let attempts = simulation.generator.statistics().attempts;
    Run {
        seconds: (simulation.now - Instant::ORIGIN).as_secs_f64(),
        answers,
        attempts_per_answer: attempts as f64 / answers as f64,
    }
}

#[test]
fn late_timers_take_no_attempt_away() {
    let mut generator = generator(fixed(50, 9), 8, 1);
    generator
        .send(Command::Get(&[oid(UP_TIME)]))
        .expect("a short request");
    let mut buffer = [0; 1472];
    let mut now = Instant::ORIGIN;
    let mut attempts = 0;
    loop {
        match generator.poll_output(now, &mut buffer) {
            GeneratorOutput::Transmit(_) => attempts += 1,
            GeneratorOutput::WaitUntil(until) => now = until + Duration::from_millis(20),
            GeneratorOutput::Event(GeneratorEvent::Failed(failure)) => {
                assert_eq!(failure.reason, FailureReason::NoAnswer);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(attempts, 10);
}

/// The mean over several seeds.
fn mean_seconds(policy: RetryPolicy, parallel: u16, loss: f64) -> f64 {
    let runs = (1..=5).map(|seed| {
        let run = exchanges(policy, parallel, &lossy(loss, seed), agent());
        assert_eq!(run.answers, EXCHANGES);
        run.seconds
    });
    runs.sum::<f64>() / 5.0
}

#[test]
fn adaptive_retries_come_near_the_geometric_bound() {
    for loss in [0.0, 0.097, 0.189, 0.294, 0.437, 0.64] {
        let bound = EXCHANGES as f64 * 0.0102 / (1.0 - loss);
        let seconds = mean_seconds(RetryPolicy::default(), 1, loss);
        eprintln!("loss {loss}: {seconds:.2} s, bound {bound:.2} s");
        assert!(
            seconds < if loss < 0.5 { 1.15 } else { 1.2 } * bound,
            "loss {loss}: {seconds} s, bound {bound} s"
        );
    }
}

#[test]
fn fixed_time_outs_follow_the_formula() {
    for (timeout, loss) in [(50, 0.097), (50, 0.294), (200, 0.294), (1000, 0.189)] {
        let seconds = mean_seconds(fixed(timeout, 100), 1, loss);
        let wait = timeout as f64 / 1000.0;
        let expected = EXCHANGES as f64 * (0.0102 + wait * loss / (1.0 - loss));
        eprintln!("time-out {timeout} ms, loss {loss}: {seconds:.2} s, formula {expected:.2} s");
        assert!((seconds / expected - 1.0).abs() < 0.07);
    }
}

#[test]
fn requests_in_flight_together_hide_the_loss() {
    let lossless = mean_seconds(RetryPolicy::default(), 8, 0.0);
    let lossy = mean_seconds(RetryPolicy::default(), 8, 0.294);
    eprintln!("8 in flight: {lossless:.2} s without loss, {lossy:.2} s at 29.4 %");
    assert!(lossless < 1.45);
    assert!(lossy < 2.3);
}

#[test]
fn a_narrow_link_is_not_flooded() {
    let mut link = Link::new(Duration::from_micros(5100), 1);
    link.rate = Some(Rate {
        bits_per_second: 128_000,
        longest_queue: Duration::from_millis(250),
    });
    let adaptive = exchanges(RetryPolicy::default(), 32, &link, agent());
    let fixed = exchanges(fixed(50, 100), 32, &link, agent());
    eprintln!(
        "128 kbit/s, 32 in flight: adaptive {:.2} s with {:.2} messages per exchange, fixed 50 ms {:.2} s with {:.2}",
        adaptive.seconds, adaptive.attempts_per_answer, fixed.seconds, fixed.attempts_per_answer
    );
    assert_eq!(adaptive.answers, EXCHANGES);
    assert!(adaptive.attempts_per_answer < 1.1);
    assert!(adaptive.seconds < fixed.seconds);
}

#[test]
fn an_agent_that_becomes_slow_is_not_flooded() {
    let mut slow = agent();
    slow.one_at_a_time = true;
    slow.delay = Duration::from_millis(1);
    let name = [oid(UP_TIME)];
    let link = Link::new(Duration::from_micros(200), 1);
    let mut simulation = Simulation::new(generator(RetryPolicy::default(), 8, 7), slow, &link);
    for _ in 0..100 {
        simulation
            .generator
            .send(Command::Get(&name))
            .expect("short");
    }
    simulation.run(|_, _| ControlFlow::Continue(()));
    let before = simulation.generator.statistics().attempts;
    simulation.agent.delay = Duration::from_secs(2);
    simulation
        .generator
        .send(Command::Get(&name))
        .expect("short");
    let mut answered = false;
    simulation.run(|_, event| {
        answered |= matches!(event, GeneratorEvent::Response(_));
        ControlFlow::Continue(())
    });
    let attempts = simulation.generator.statistics().attempts - before;
    eprintln!("{attempts} attempts until an agent answers after 2 s");
    assert!(answered);
    assert!(attempts <= 6);
}

#[test]
fn duplicates_and_late_answers_cause_no_resends() {
    let mut link = lossy(0.1, 3);
    link.duplication = 0.2;
    link.jitter = Duration::from_millis(3);
    let run = exchanges(RetryPolicy::default(), 1, &link, agent());
    assert_eq!(run.answers, EXCHANGES);
    assert!(
        run.attempts_per_answer < 1.25,
        "{}",
        run.attempts_per_answer
    );
}

#[test]
fn a_dead_agent_is_reported_with_the_times_of_all_attempts() {
    let silent = |_: Instant, _: &[u8]| Vec::new();
    let link = Link::new(Duration::from_millis(5), 1);
    for (policy, expected) in [
        (
            RetryPolicy::default(),
            vec![0, 250, 500, 750, 1000, 1500, 2500, 3500, 4500],
        ),
        (fixed(1000, 2), vec![0, 1000, 2000]),
    ] {
        let mut simulation = Simulation::new(generator(policy, 8, 7), silent, &link);
        let handle = simulation
            .generator
            .send(Command::Get(&[oid(UP_TIME)]))
            .expect("short");
        let mut failures = Vec::new();
        simulation.run(|_, event| {
            if let GeneratorEvent::Failed(failure) = event {
                failures.push(failure);
            }
            ControlFlow::Continue(())
        });
        let [failure] = failures.as_slice() else {
            panic!("one failure, not {failures:?}");
        };
        assert_eq!(failure.handle, handle);
        assert_eq!(failure.reason, FailureReason::NoAnswer);
        let attempts: Vec<u128> = failure.attempts.iter().map(Duration::as_millis).collect();
        assert_eq!(attempts, expected);
        let limits = policy.limits();
        assert_eq!(failure.elapsed, limits.give_up_after);
        assert!(!failure.may_be_applied);
    }
}

#[test]
fn an_answer_to_an_earlier_attempt_is_accepted_and_teaches_the_round_trip() {
    // Slower than the first time-out: the first attempt is answered after the second was sent.
    let link = Link::new(Duration::from_millis(200), 1);
    let mut simulation = Simulation::new(generator(RetryPolicy::default(), 1, 7), agent(), &link);
    let name = [oid(UP_TIME)];
    simulation
        .generator
        .send(Command::Get(&name))
        .expect("short");
    let mut attempts = 0;
    simulation.run(|_, event| {
        if let GeneratorEvent::Response(response) = event {
            assert_eq!(response.round_trip, Duration::from_millis(400));
            attempts = response.attempts;
        }
        ControlFlow::Continue(())
    });
    assert_eq!(attempts, 2);
    // The answer to the second attempt comes later, and is counted.
    simulation
        .generator
        .send(Command::Get(&name))
        .expect("short");
    simulation.run(|_, _| ControlFlow::Continue(()));
    let statistics = *simulation.generator.statistics();
    assert_eq!(statistics.responses_to_earlier_attempts, 1);
    assert_eq!(statistics.late_answers, 1);
    assert_eq!(statistics.retries, 1);
    assert!(simulation.generator.timeout() > Duration::from_millis(400));
}

#[test]
fn every_attempt_has_a_request_id_of_its_own_but_those_of_a_set_are_the_same_message() {
    let link = Link::new(Duration::from_millis(5), 1);
    for is_set in [false, true] {
        let mut seen = Vec::new();
        let recorder = |_: Instant, message: &[u8]| {
            seen.push(message.to_vec());
            Vec::new()
        };
        let policy = AdaptivePolicy::default();
        let policy = RetryPolicy::Adaptive(policy);
        let mut simulation = Simulation::new(generator(policy, 8, 7), recorder, &link);
        let object = [VarBind::new(oid(UP_TIME), Value::Integer(1))];
        let command = if is_set {
            Command::Set(&object)
        } else {
            Command::Get(&[oid(UP_TIME)])
        };
        simulation.generator.send(command).expect("short");
        let mut may_be_applied = None;
        simulation.run(|_, event| {
            if let GeneratorEvent::Failed(failure) = event {
                may_be_applied = Some(failure.may_be_applied);
            }
            ControlFlow::Continue(())
        });
        assert_eq!(may_be_applied, Some(is_set));
        drop(simulation);
        let attempts = if is_set { 5 } else { 9 };
        assert_eq!(seen.len(), attempts);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), if is_set { 1 } else { attempts });
    }
}

#[test]
fn a_refused_port_fails_at_once() {
    let mut generator = generator(RetryPolicy::default(), 8, 7);
    let handle = generator
        .send(Command::Get(&[oid(UP_TIME)]))
        .expect("short");
    let mut buffer = [0; 1472];
    let _ = generator.poll_output(Instant::ORIGIN, &mut buffer);
    let later = Instant::ORIGIN + Duration::from_millis(1);
    let refused = TransportFailure::undelivered(io::Error::from(io::ErrorKind::ConnectionRefused));
    generator.handle_transport_failure(later, refused.clone());
    let output = generator.poll_output(later, &mut buffer);
    let GeneratorOutput::Event(GeneratorEvent::Failed(failure)) = output else {
        panic!("a failure, not {output:?}");
    };
    assert_eq!(failure.handle, handle);
    assert_eq!(failure.reason, FailureReason::Transport(refused));
    assert_eq!(failure.attempts, [Duration::ZERO]);
}

#[test]
fn all_requests_fail_with_their_session_over_a_lossy_transport_too() {
    for is_end in [false, true] {
        let mut generator = generator(RetryPolicy::default(), 1, 7);
        let handles = [(); 2].map(|()| {
            let sent = generator.send(Command::Get(&[oid(UP_TIME)]));
            sent.expect("short")
        });
        let mut buffer = [0; 1472];
        let _ = generator.poll_output(Instant::ORIGIN, &mut buffer);
        let later = Instant::ORIGIN + Duration::from_millis(1);
        let closed = TransportFailure::new(io::Error::from(io::ErrorKind::UnexpectedEof));
        match is_end {
            true => generator.handle_session_end(later, closed),
            false => generator.handle_transport_failure(later, closed),
        }
        let mut failed = Vec::new();
        while let GeneratorOutput::Event(GeneratorEvent::Failed(failure)) =
            generator.poll_output(later, &mut buffer)
        {
            failed.push(failure.handle);
        }
        // Without the end of the session, the one that waited is sent.
        let expected = if is_end { &handles[..] } else { &handles[..1] };
        assert_eq!(failed, expected);
    }
}

#[test]
fn requests_in_flight_are_resent_when_the_path_changes() {
    let policy = RetryPolicy::Fixed {
        timeout: Duration::from_secs(60),
        retries: 1,
    };
    let mut generator = generator(policy, 1, 7);
    let names = [oid(UP_TIME)];
    let handle = generator.send(Command::Get(&names)).expect("short");
    let mut buffer = [0; 1472];
    let mut is_sent = |generator: &mut CommandGenerator| {
        let output = generator.poll_output(Instant::ORIGIN, &mut buffer);
        matches!(output, GeneratorOutput::Transmit(_))
    };
    assert!(is_sent(&mut generator));
    assert!(!is_sent(&mut generator));
    generator.repeat();
    assert!(is_sent(&mut generator));
    // The policy sends it twice at most.
    generator.repeat();
    assert!(!is_sent(&mut generator));
    assert!(generator.cancel(handle));
}

#[test]
fn nothing_is_resent_on_a_reliable_transport() {
    let mut asked = 0;
    let silent = |_: Instant, message: &[u8]| {
        asked += 1;
        assert!(!Request::decode(message).names.is_empty());
        Vec::new()
    };
    let configuration = GeneratorConfiguration {
        reliable: true,
        ..configuration()
    };
    let generator = CommandGenerator::new(configuration, 7);
    let link = Link::new(Duration::from_millis(5), 1);
    let mut simulation = Simulation::new(generator, silent, &link);
    for _ in 0..3 {
        simulation
            .generator
            .send(Command::Get(&[oid(UP_TIME)]))
            .expect("short");
    }
    let mut failures = 0;
    simulation.run(|_, event| {
        failures += usize::from(matches!(event, GeneratorEvent::Failed(_)));
        ControlFlow::Continue(())
    });
    assert_eq!(simulation.now, Instant::ORIGIN + Duration::from_secs(5));
    assert_eq!(failures, 3);
    drop(simulation);
    assert_eq!(asked, 3);
}

#[test]
fn a_get_exchange_allocates_little() {
    let mut generator = generator(RetryPolicy::default(), 8, 7);
    let name = [oid(UP_TIME)];
    let mut buffer = [0; 1472];
    let mut now = Instant::ORIGIN;
    let mut answer = agent();
    let refused = TransportFailure::undelivered(io::Error::from(io::ErrorKind::ConnectionRefused));
    let mut exchange = || {
        generator.send(Command::Get(&name)).expect("short");
        let GeneratorOutput::Transmit(message) = generator.poll_output(now, &mut buffer) else {
            panic!("the request is due");
        };
        let answer = answer.answer(&Request::decode(message));
        now = now + Duration::from_millis(1);
        let counted = allocation_counter::measure(|| {
            generator.handle_message(now, &answer).expect("an answer");
            let output = generator.poll_output(now, &mut buffer);
            assert!(matches!(
                output,
                GeneratorOutput::Event(GeneratorEvent::Response(_))
            ));
            drop(output);
            generator.send(Command::Get(&name)).expect("short");
            let output = generator.poll_output(now, &mut buffer);
            assert!(matches!(output, GeneratorOutput::Transmit(_)));
        });
        generator.handle_transport_failure(now, refused.clone());
        let _ = generator.poll_output(now, &mut buffer);
        counted.count_total
    };
    let counts: Vec<u64> = (0..300).map(|_| exchange()).collect();
    eprintln!("allocations per exchange: {:?}", counts.iter().max());
    assert!(counts[200..].iter().all(|&count| count <= 11));
}

#[test]
fn copies_are_sent_where_much_is_lost_and_nowhere_else() {
    let hedged = RetryPolicy::Adaptive(AdaptivePolicy {
        max_copies: 4,
        ..AdaptivePolicy::default()
    });
    let run = |loss| exchanges(hedged, 1, &lossy(loss, 1), agent());
    let quiet = run(0.0);
    assert_eq!(quiet.answers, EXCHANGES);
    assert!(quiet.attempts_per_answer < 1.01);
    let lossy = run(0.29);
    assert_eq!(lossy.answers, EXCHANGES);
    // A round trip is 10.2 ms; without copies it takes 14.4 s at least.
    assert!(lossy.seconds < 11.5, "{} s", lossy.seconds);
    let attempts = lossy.attempts_per_answer;
    assert!((2.0..4.2).contains(&attempts), "{attempts}");
}
