//! RFC 5343: how a manager finds out the contextEngineID over a secure transport, and how it does without.

use std::time::Duration;

use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, ContextEngine, FailureReason, GeneratorConfiguration,
    GeneratorEvent, MessageProcessing, ReportReason, TransportParameters, V3Parameters, V3Security,
    Walk, WalkOptions,
};
use varbind_engine::clock::Instant;
use varbind_engine::security::tsm::TsmError;
use varbind_engine::transport::SecureTransport;
use varbind_testkit::simulator::{Link, Simulation};
use varbind_testkit::v3::transport::{Message, SNMP_ENGINE_ID, session};
use varbind_testkit::v3::{SYS_CONTACT, SYS_DESCR, V3Agent, agent_id};
use varbind_testkit::view::{access, family};
use varbind_testkit::{octets, oid, simulator};

const LOCAL: &[u8] = b"\x80\0\0\0\x06";

fn configuration(parameters: V3Parameters) -> GeneratorConfiguration {
    GeneratorConfiguration {
        reliable: true,
        ..GeneratorConfiguration::new(MessageProcessing::V3(Box::new(parameters)))
    }
}

fn about(context_engine: ContextEngine) -> V3Parameters {
    V3Parameters {
        context_engine,
        ..V3Parameters::transport()
    }
}

pub(crate) fn simulation<A: simulator::SimulatedAgent>(
    parameters: V3Parameters,
    agent: A,
) -> Simulation<A> {
    let link = Link::new(Duration::from_millis(50), 1);
    let generator = CommandGenerator::new(configuration(parameters), 42);
    Simulation::new(generator, agent, &link)
}

/// contextEngineID and first name of each request that came.
fn asked(agent: &V3Agent) -> Vec<(Vec<u8>, String)> {
    let asked = |octets: &Vec<u8>| {
        let request = Message::decode(octets);
        assert_eq!(request.security_parameters, b"");
        assert!(request.reportable);
        let name = request.var_binds[0].name.to_string();
        (request.context_engine_id, name)
    };
    agent.requests.iter().map(asked).collect()
}

fn under(engine_id: &[u8], name: &str) -> (Vec<u8>, String) {
    (engine_id.to_vec(), name.to_owned())
}

/// An agent that answers to localEngineID for snmpEngineID.0 alone and drops all else, as Net-SNMP does.
struct ProbeOnly(V3Agent);

impl simulator::SimulatedAgent for ProbeOnly {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let request = Message::decode(message);
        let is_other = request.var_binds[0].name != oid(SNMP_ENGINE_ID);
        if request.context_engine_id == LOCAL && is_other {
            self.0.requests.push(message.to_vec());
            return Vec::new();
        }
        simulator::SimulatedAgent::respond(&mut self.0, now, message)
    }
}

/// 3.2 (3)
#[test]
fn the_engine_id_is_asked_for_once_and_given_from_then_on() {
    let mut simulation = simulation(V3Parameters::transport(), V3Agent::over_tls());
    assert_eq!(simulation.generator.context_engine_id(), None);
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(simulation.get(SYS_CONTACT), octets("operators"));
    let engine_id = agent_id();
    let id = engine_id.as_octets();
    assert_eq!(
        asked(&simulation.agent),
        [
            under(LOCAL, SNMP_ENGINE_ID),
            under(id, SYS_DESCR),
            under(id, SYS_CONTACT),
        ]
    );
    assert_eq!(simulation.generator.context_engine_id(), Some(engine_id));
    assert_eq!(simulation.generator.remote_engine(), None);
}

/// 3.2 (1)
#[test]
fn a_known_engine_id_is_not_asked_for() {
    let parameters = about(ContextEngine::Known(agent_id()));
    let mut simulation = simulation(parameters, V3Agent::over_tls());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(simulation.agent.requests.len(), 1);
}

/// 3.1
#[test]
fn under_the_local_engine_id_one_exchange_is_enough() {
    let parameters = about(ContextEngine::Local);
    let mut simulation = simulation(parameters, V3Agent::over_tls());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(asked(&simulation.agent), [under(LOCAL, SYS_DESCR)]);
    // Who answered once does so again, and then may be told to change something.
    let objects = [VarBind::new(oid(SYS_CONTACT), octets("somebody else"))];
    let GeneratorEvent::Response(response) = simulation.execute(Command::Set(&objects)) else {
        panic!("no response");
    };
    assert_eq!(response.error_status, ErrorStatus::NoError);
    assert_eq!(asked(&simulation.agent)[1..], [under(LOCAL, SYS_CONTACT)]);
    let walk = Walk::new(&[oid("1.3.6.1.2.1.2.2")], WalkOptions::default());
    let result = simulation.walk(walk);
    assert!(result.error.is_none(), "{:?}", result.error);
    assert!(result.objects.len() > 100);
}

#[test]
fn a_set_is_not_sent_to_find_out_whether_the_agent_listens() {
    let parameters = about(ContextEngine::Local);
    let mut simulation = simulation(parameters, V3Agent::over_tls());
    let objects = [VarBind::new(oid(SYS_CONTACT), octets("somebody else"))];
    let event = simulation.execute(Command::Set(&objects));
    assert!(matches!(event, GeneratorEvent::Response(_)), "{event:?}");
    assert_eq!(
        asked(&simulation.agent),
        [
            under(LOCAL, SNMP_ENGINE_ID),
            under(agent_id().as_octets(), SYS_CONTACT),
        ]
    );
}

#[test]
fn a_context_with_a_name_needs_the_engine_id() {
    let parameters = V3Parameters {
        context_name: "vrf".to_owned(),
        ..about(ContextEngine::Local)
    };
    let mut simulation = simulation(parameters, V3Agent::over_tls());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    let requests = &simulation.agent.requests;
    let names = requests
        .iter()
        .map(|octets| Message::decode(octets).context_name);
    assert_eq!(names.collect::<Vec<_>>(), [&b""[..], b"vrf"]);
    assert_eq!(asked(&simulation.agent)[0], under(LOCAL, SNMP_ENGINE_ID));
}

#[test]
fn an_agent_that_drops_what_is_asked_under_the_local_engine_id_is_asked_for_its_own() {
    let parameters = about(ContextEngine::Local);
    let mut simulation = simulation(parameters, ProbeOnly(V3Agent::over_tls()));
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(
        asked(&simulation.agent.0),
        [
            under(LOCAL, SYS_DESCR),
            under(LOCAL, SNMP_ENGINE_ID),
            under(agent_id().as_octets(), SYS_DESCR),
        ]
    );
    assert_eq!(simulation.generator.context_engine_id(), Some(agent_id()));
}

#[test]
fn an_agent_that_refuses_the_local_engine_id_is_asked_for_its_own() {
    let mut requests = Vec::new();
    let agent = |_: Instant, message: &[u8]| {
        let request = Message::decode(message);
        requests.push(request.context_engine_id.clone());
        let is_discovery = request.var_binds[0].name == oid(SNMP_ENGINE_ID);
        let answer = if request.context_engine_id == agent_id().as_octets() {
            request.respond(
                ErrorStatus::NoError,
                &[VarBind::new(oid(SYS_DESCR), octets("a host"))],
            )
        } else if is_discovery {
            let id = Value::OctetString(agent_id().as_octets().to_vec());
            request.respond(
                ErrorStatus::NoError,
                &[VarBind::new(oid(SNMP_ENGINE_ID), id)],
            )
        } else {
            request.report("1.3.6.1.6.3.11.2.1.3.0")
        };
        vec![(Duration::ZERO, answer.encode())]
    };
    let mut simulation = simulation(about(ContextEngine::Local), agent);
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
    assert_eq!(requests, [LOCAL, LOCAL, agent_id().as_octets()]);
}

/// Whoever may not see snmpEngineID.0 has been answered under localEngineID, so that will do; but not for another context.
#[test]
fn an_agent_that_does_not_show_its_engine_id_is_asked_under_the_local_one() {
    let hidden = || {
        use varbind_engine::access_control::{AccessEntry, ContextMatch, Vacm};
        use varbind_engine::security::{SecurityModel, SecurityName};
        let mut agent = V3Agent::over_tls();
        let entry = AccessEntry {
            context_match: ContextMatch::Prefix,
            ..access("all", "view", "")
        };
        agent.local.access_control = Vacm::builder()
            .context("")
            .context("vrf")
            .access(entry)
            .view("view", family("1.3.6.1.2.1", "", true))
            .group(SecurityModel::Transport, SecurityName::new("alice"), "all")
            .build()
            .expect("the view exists");
        agent
    };
    let mut shown = simulation(V3Parameters::transport(), hidden());
    assert_eq!(shown.get(SYS_DESCR), octets("a host"));
    assert_eq!(asked(&shown.agent)[1], under(LOCAL, SYS_DESCR));
    let parameters = V3Parameters {
        context_name: "vrf".to_owned(),
        ..V3Parameters::transport()
    };
    let mut unknown = simulation(parameters, hidden());
    let reason = unknown.failure(SYS_DESCR);
    assert_eq!(
        reason,
        FailureReason::NoContextEngineId(ErrorStatus::NoError)
    );
    assert!(reason.to_string().contains("does not show its engine ID"));
}

/// 3.2 (4)
#[test]
fn an_agent_that_answers_to_nothing_is_reported_with_its_reason() {
    let refusing = |_: Instant, message: &[u8]| {
        let report = Message::decode(message).report("1.3.6.1.6.3.11.2.1.3.0");
        vec![(Duration::ZERO, report.encode())]
    };
    for context_engine in [ContextEngine::Peer, ContextEngine::Local] {
        let mut simulation = simulation(about(context_engine), refusing);
        let reason = simulation.failure(SYS_DESCR);
        let refused = FailureReason::Report(ReportReason::UnknownPduHandler);
        assert_eq!(reason, refused);
    }
    let mut silent = simulation(V3Parameters::transport(), |_: Instant, _: &[u8]| Vec::new());
    assert_eq!(silent.failure(SYS_DESCR), FailureReason::NoAnswer);
}

/// Whatever an agent says is its name, some answer comes of it.
#[test]
fn what_is_no_engine_id_is_not_taken_for_one() {
    for (name, value) in [
        (SNMP_ENGINE_ID, Value::OctetString(LOCAL.to_vec())),
        (SNMP_ENGINE_ID, Value::OctetString(b"four".to_vec())),
        (SNMP_ENGINE_ID, Value::OctetString(vec![0; 12])),
        (SNMP_ENGINE_ID, Value::Integer(7)),
        (SNMP_ENGINE_ID, Value::NoSuchInstance),
        (
            SYS_DESCR,
            Value::OctetString(agent_id().as_octets().to_vec()),
        ),
    ] {
        let agent = |_: Instant, message: &[u8]| {
            let request = Message::decode(message);
            assert_eq!(request.context_engine_id, LOCAL);
            let answer = if request.var_binds[0].name == oid(SNMP_ENGINE_ID) {
                request.respond(
                    ErrorStatus::NoError,
                    &[VarBind::new(oid(name), value.clone())],
                )
            } else {
                let object = VarBind::new(oid(SYS_DESCR), octets("a host"));
                request.respond(ErrorStatus::NoError, &[object])
            };
            vec![(Duration::ZERO, answer.encode())]
        };
        let mut simulation = simulation(V3Parameters::transport(), agent);
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        assert_eq!(simulation.generator.context_engine_id(), None);
    }
}

/// RFC 5591 5.2 (4)
#[test]
fn a_session_that_provides_too_little_is_reported() {
    let mut agent = V3Agent::over_tls();
    let level = SecurityLevel::AuthNoPriv;
    agent.state = Some(session(SecureTransport::Tls, "alice", level));
    let mut simulation = simulation(V3Parameters::transport(), agent);
    let reason = simulation.failure(SYS_DESCR);
    let expected = ReportReason::Tsm(TsmError::InadequateSecurityLevel);
    assert_eq!(reason, FailureReason::Report(expected));
    assert!(reason.to_string().contains("asks for more"));
}

#[test]
fn requests_have_the_level_that_is_chosen() {
    for security_level in [
        SecurityLevel::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv,
        SecurityLevel::AuthPriv,
    ] {
        let security = V3Security::Transport(TransportParameters { security_level });
        let mut simulation = simulation(V3Parameters::new(security), V3Agent::over_tls());
        assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
        for octets in &simulation.agent.requests {
            assert_eq!(Message::decode(octets).level, security_level);
        }
    }
}

/// Over DTLS messages are lost.
#[test]
fn discovery_survives_loss() {
    for context_engine in [ContextEngine::Peer, ContextEngine::Local] {
        for seed in 0..50 {
            let mut link = Link::new(Duration::from_millis(10), seed);
            link.loss = 0.2;
            let configuration = GeneratorConfiguration {
                reliable: false,
                ..configuration(about(context_engine))
            };
            let generator = CommandGenerator::new(configuration, 42);
            let mut simulation = Simulation::new(generator, V3Agent::over_tls(), &link);
            let walk = Walk::new(&[oid("1.3.6.1.2.1.1")], WalkOptions::default());
            let result = simulation.walk(walk);
            assert!(result.error.is_none(), "{seed}: {:?}", result.error);
            assert_eq!(result.objects.len(), 5);
        }
    }
}

/// A Set may have been carried out only if it was sent.
#[test]
fn a_set_that_waited_for_the_engine_id_was_not_applied() {
    let mut simulation = simulation(V3Parameters::transport(), |_: Instant, _: &[u8]| Vec::new());
    let objects = [VarBind::new(oid(SYS_CONTACT), octets("somebody else"))];
    let GeneratorEvent::Failed(failure) = simulation.execute(Command::Set(&objects)) else {
        panic!("nobody answers");
    };
    assert!(!failure.may_be_applied);
}
