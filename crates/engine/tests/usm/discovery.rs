//! Discovery and time synchronisation (RFC 3414 section 4 and 3.2 (7) b), and what follows when an agent changes.

use std::ops::ControlFlow;
use std::time::Duration;

use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, DiscardReason, FailureReason, GeneratorConfiguration, GeneratorEvent, ReportReason,
    RetryPolicy,
};
use varbind_engine::clock::Instant;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{
    EngineTime, LocalEngine, MAX_ENGINE_BOOTS, RemoteEngine, UserTable, UsmError, UsmUser,
};
use varbind_engine::statistics::Counter;
use varbind_testkit::v3::user_based::{TIME, auth_no_priv, auth_priv, start};
use varbind_testkit::v3::{BOOTS, SYS_DESCR, SYS_UP_TIME, V3Agent, agent_id};
use varbind_testkit::{octets, oid, simulator};

use crate::exchanges::{changed, configuration, parameters, simulation};

fn ops() -> GeneratorConfiguration {
    configuration(parameters("ops", auth_priv()))
}

/// One more exchange than without security, and no more: what the engine says of its time is tried.
#[test]
fn the_first_request_takes_two_exchanges_and_the_next_one() {
    let mut simulation = simulation(ops(), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    assert_eq!(simulation.now - start(), Duration::from_millis(200));
    assert_eq!(simulation.answers.len(), 2);
    simulation.get(SYS_DESCR);
    assert_eq!(simulation.answers.len(), 3);
    assert_eq!(simulation.agent.count(Counter::UsmStatsUnknownEngineIds), 1);
    assert_eq!(simulation.agent.count(Counter::UsmStatsNotInTimeWindows), 0);
    let engine = simulation.generator.remote_engine().expect("discovered");
    assert_eq!(*engine.id(), agent_id());
    assert!(engine.is_synchronized());
    assert_eq!(engine.max_message_size(), Some(65_507));
    assert_eq!(engine.time(simulation.now).boots, BOOTS);
}

#[test]
fn requests_that_begin_together_share_one_discovery() {
    let mut simulation = simulation(ops(), V3Agent::with_users());
    for _ in 0..5 {
        let command = Command::Get(&[oid(SYS_DESCR)]);
        simulation.generator.send(command).expect("a request");
    }
    let mut responses = 0;
    simulation.run(|_, event| {
        responses += u32::from(matches!(event, GeneratorEvent::Response(_)));
        ControlFlow::Continue(())
    });
    assert_eq!(responses, 5);
    assert_eq!(simulation.agent.count(Counter::UsmStatsUnknownEngineIds), 1);
}

/// RFC 3414 4: boots and time of 0 are answered with an authentic Report.
#[test]
fn a_known_engine_of_unknown_time_is_synchronized() {
    let with = |engine| {
        changed(parameters("ops", auth_priv()), |parameters| {
            parameters.security.user_mut().expect("a user").engine = Some(engine);
        })
    };
    let wrong = EngineTime {
        boots: 9999,
        time: 5,
    };
    for engine in [
        RemoteEngine::new(agent_id()),
        RemoteEngine::new(agent_id()).with_hint(start(), wrong),
    ] {
        let mut simulation = simulation(configuration(with(engine)), V3Agent::with_users());
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        assert_eq!(simulation.answers.len(), 2);
        assert_eq!(simulation.agent.count(Counter::UsmStatsNotInTimeWindows), 1);
    }
    let right = EngineTime {
        boots: BOOTS,
        time: TIME,
    };
    let engine = RemoteEngine::new(agent_id()).with_hint(start(), right);
    let mut simulation = simulation(configuration(with(engine)), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    assert_eq!(simulation.answers.len(), 1);
}

/// No retry is taken from the request for what comes before it.
#[test]
fn discovery_and_synchronization_need_no_retries() {
    let retry = RetryPolicy::Fixed {
        timeout: Duration::from_millis(150),
        retries: 0,
    };
    let stale = changed(parameters("ops", auth_priv()), |parameters| {
        let former = EngineId::new(b"\x80\0\0\0\x04former").expect("an engine ID");
        let user = parameters.security.user_mut().expect("a user");
        user.engine = Some(RemoteEngine::new(former));
    });
    for parameters in [parameters("ops", auth_priv()), stale] {
        let configuration = GeneratorConfiguration {
            retry,
            ..configuration(parameters)
        };
        let mut simulation = simulation(configuration, V3Agent::with_users());
        let GeneratorEvent::Response(response) =
            simulation.execute(Command::Get(&[oid(SYS_UP_TIME)]))
        else {
            panic!("no response");
        };
        assert_eq!(response.attempts, 1);
        assert_eq!(response.round_trip, Duration::from_millis(100));
        assert_eq!(response.elapsed, Duration::from_millis(200));
    }
}

fn engine(boots: i32, started: Instant) -> LocalEngine {
    LocalEngine::new(agent_id(), boots, started, 77)
}

/// RFC 3414 3.2 (7) b: more boots are believed, if the message is authentic.
#[test]
fn an_agent_that_started_again_is_followed() {
    let mut simulation = simulation(ops(), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    for boots in BOOTS + 1..BOOTS + 4 {
        simulation.agent.local.engine = Some(engine(boots, simulation.now).into());
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        let remote = simulation.generator.remote_engine().expect("known");
        assert_eq!(remote.time(simulation.now).boots, boots);
    }
}

/// An agent whose clock is ahead of ours.
struct Ahead {
    agent: V3Agent,
    by: Duration,
}

impl simulator::SimulatedAgent for Ahead {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        simulator::SimulatedAgent::respond(&mut self.agent, now + self.by, message)
    }
}

/// RFC 3414 3.2 (7) b: so is a clock that runs faster than ours.
#[test]
fn a_clock_that_went_forward_is_followed() {
    let ahead = Ahead {
        agent: V3Agent::with_users(),
        by: Duration::ZERO,
    };
    let mut simulation = simulation(ops(), ahead);
    simulation.get(SYS_DESCR);
    for count in 1..4 {
        simulation.agent.by += Duration::from_secs(4000);
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        let agent = &simulation.agent.agent;
        assert_eq!(agent.count(Counter::UsmStatsNotInTimeWindows), count);
    }
    // A drift within the window is followed without a Report.
    for _ in 0..10 {
        simulation.agent.by += Duration::from_secs(100);
        simulation.get(SYS_DESCR);
    }
    let agent = &simulation.agent.agent;
    assert_eq!(agent.count(Counter::UsmStatsNotInTimeWindows), 3);
}

const NOT_IN_TIME_WINDOW: FailureReason =
    FailureReason::Report(ReportReason::Usm(UsmError::NotInTimeWindow));

/// RFC 3414 3.2 (7) b: fewer boots may be a replay, and are told as what they are.
#[test]
fn boots_that_went_backwards_are_not_believed() {
    let mut simulation = simulation(ops(), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    simulation.agent.local.engine = Some(engine(BOOTS - 1, simulation.now).into());
    let began = simulation.now;
    assert_eq!(simulation.failure(SYS_DESCR), NOT_IN_TIME_WINDOW);
    assert!(simulation.now - began < Duration::from_millis(500));
    assert!(NOT_IN_TIME_WINDOW.to_string().contains("went backwards"));
}

/// RFC 3414 2.2.2
#[test]
fn boots_at_their_maximum_are_reported_as_the_time_window() {
    let agent = V3Agent::with_engine(engine(MAX_ENGINE_BOOTS, Instant::ORIGIN));
    let mut simulation = simulation(ops(), agent);
    assert_eq!(simulation.failure(SYS_DESCR), NOT_IN_TIME_WINDOW);
}

/// Another agent at the same address.
#[test]
fn another_engine_id_is_discovered_again() {
    let mut simulation = simulation(ops(), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    let id = EngineId::new(b"\x80\0\0\0\x04another").expect("an engine ID");
    let security = auth_priv().localize(&id).expect("right lengths");
    let ops = UsmUser::new(SecurityName::new("ops"), security).expect("a name");
    let agent = &mut simulation.agent;
    agent.local.users = UserTable::new([ops]);
    agent.local.engine = Some(LocalEngine::new(id, 1, Instant::ORIGIN, 3).into());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    let remote = simulation.generator.remote_engine().expect("known");
    assert_eq!(*remote.id(), id);
}

#[test]
fn a_dead_agent_is_silent_and_one_that_only_says_who_it_is_is_distinguished() {
    let nobody = |_: Instant, _: &[u8]| Vec::new();
    let mut simulation_of_nobody = simulation(ops(), nobody);
    let GeneratorEvent::Failed(failure) =
        simulation_of_nobody.execute(Command::Get(&[oid(SYS_DESCR)]))
    else {
        panic!("a response of nobody");
    };
    assert_eq!(failure.reason, FailureReason::NoAnswer);

    let mut agent = V3Agent::with_users();
    let mut count = 0;
    let discovery_alone = move |now: Instant, message: &[u8]| {
        count += 1;
        if count == 1 {
            simulator::SimulatedAgent::respond(&mut agent, now, message)
        } else {
            Vec::new()
        }
    };
    let mut simulation = simulation(ops(), discovery_alone);
    let objects = [VarBind::new(
        oid(varbind_testkit::v3::SYS_CONTACT),
        octets("x"),
    )];
    let GeneratorEvent::Failed(failure) = simulation.execute(Command::Set(&objects)) else {
        panic!("a response that nobody sent");
    };
    assert_eq!(
        failure.reason,
        FailureReason::NoAnswerToUser(SecurityLevel::AuthPriv)
    );
    assert!(failure.reason.to_string().contains("privacy may be wrong"));
    assert!(failure.may_be_applied);
}

/// As agents do that have another key for the user and answer with it.
#[test]
fn answers_with_a_wrong_digest_are_counted_with_their_likely_cause() {
    let mut agent = V3Agent::with_users();
    let forged = move |now: Instant, message: &[u8]| {
        let mut answers = simulator::SimulatedAgent::respond(&mut agent, now, message);
        for (_, answer) in &mut answers {
            if let Some(last) = answer.last_mut().filter(|_| message.len() > 100) {
                *last ^= 1;
            }
        }
        answers
    };
    let mut simulation = simulation(ops(), forged);
    let GeneratorEvent::Failed(failure) = simulation.execute(Command::Get(&[oid(SYS_DESCR)]))
    else {
        panic!("a response that nobody vouches for");
    };
    assert_eq!(
        failure.reason,
        FailureReason::NoAnswerToUser(SecurityLevel::AuthPriv)
    );
    let reasons: Vec<_> = failure.discarded.iter().map(|(reason, _)| reason).collect();
    assert_eq!(reasons, [DiscardReason::Usm(UsmError::WrongDigest)]);
    assert_eq!(
        failure.discarded.likely_cause(),
        Some("the password or the protocol for authentication may be wrong")
    );
}

/// A `Set` that never was sent was not carried out.
#[test]
fn a_set_that_waited_for_discovery_is_not_applied() {
    let mut simulation = simulation(ops(), |_: Instant, _: &[u8]| Vec::new());
    let objects = [VarBind::new(
        oid(varbind_testkit::v3::SYS_CONTACT),
        octets("x"),
    )];
    let GeneratorEvent::Failed(failure) = simulation.execute(Command::Set(&objects)) else {
        panic!("a response of nobody");
    };
    assert!(!failure.attempts.is_empty());
    assert!(!failure.may_be_applied);
}

/// RFC 3412 6.3: what the engine does not take is not sent.
#[test]
fn a_request_larger_than_the_agent_takes_is_an_error() {
    let small = engine(BOOTS, Instant::ORIGIN).with_max_message_size(484);
    let mut simulation = simulation(
        configuration(parameters("signer", auth_no_priv())),
        V3Agent::with_engine(small),
    );
    let text = Value::OctetString(vec![b'x'; 250]);
    let objects = vec![VarBind::new(oid(varbind_testkit::v3::SYS_CONTACT), text); 2];
    let GeneratorEvent::Failed(failure) = simulation.execute(Command::Set(&objects)) else {
        panic!("a response to what was not sent");
    };
    assert!(matches!(failure.reason, FailureReason::Encode(_)));
    assert!(!failure.may_be_applied);
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
}
