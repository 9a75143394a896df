//! Engine against engine, in virtual time: every pair of protocols, and what a network does to messages.

use std::collections::BTreeSet;
use std::time::Duration;

use varbind_codec::message::{SecurityLevel, UsmSecurityParameters, V3Message};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorConfiguration, GeneratorEvent, MessageProcessing,
    RetryPolicy, V3Parameters, Walk, WalkOptions,
};
use varbind_engine::clock::Instant;
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, PrivacyProtocol, UserTable,
};
use varbind_testkit::simulator::{Link, Simulation};
use varbind_testkit::v3::user_based::{auth_priv, password, start, user};
use varbind_testkit::v3::{SYS_CONTACT, SYS_DESCR, V3Agent};
use varbind_testkit::{octets, oid, simulator};

/// A user who asks about the default context.
pub(crate) fn parameters(name: &str, credentials: Credentials) -> V3Parameters {
    V3Parameters::user(SecurityName::new(name), credentials).expect("a name")
}

/// The same with a change.
pub(crate) fn changed(
    mut parameters: V3Parameters,
    change: impl FnOnce(&mut V3Parameters),
) -> V3Parameters {
    change(&mut parameters);
    parameters
}

pub(crate) fn configuration(parameters: V3Parameters) -> GeneratorConfiguration {
    GeneratorConfiguration::new(MessageProcessing::V3(Box::new(parameters)))
}

/// A manager and whatever answers, a tenth of a second apart.
pub(crate) fn simulation<A: simulator::SimulatedAgent>(
    configuration: GeneratorConfiguration,
    agent: A,
) -> Simulation<A> {
    let link = Link::new(Duration::from_millis(50), 1);
    let mut simulation = Simulation::new(CommandGenerator::new(configuration, 42), agent, &link);
    simulation.now = start();
    simulation
}

#[test]
fn every_pair_of_protocols_is_understood_by_both() {
    let privacy = PrivacyProtocol::ALL.into_iter().map(Some).chain([None]);
    let privacy: Vec<_> = privacy.collect();
    for authentication in AuthenticationProtocol::ALL {
        for privacy in &privacy {
            let secret = password("one password");
            let credentials = match *privacy {
                None => Credentials::auth_no_priv(authentication, &secret),
                Some(privacy) => Credentials::auth_priv(authentication, &secret, privacy, &secret),
            };
            let mut agent = V3Agent::with_users();
            agent.local.users = UserTable::new([user("ops", &credentials)]);
            let configuration = configuration(parameters("ops", credentials));
            let mut simulation = simulation(configuration, agent);
            let pair = format!("{authentication}, {privacy:?}");
            assert_eq!(simulation.get(SYS_DESCR), octets("a host"), "{pair}");
            let objects = [VarBind::new(oid(SYS_CONTACT), octets("somebody else"))];
            let GeneratorEvent::Response(response) = simulation.execute(Command::Set(&objects))
            else {
                panic!("{pair}: no response");
            };
            assert_eq!(response.error_status, ErrorStatus::NoError, "{pair}");
            assert_eq!(simulation.get(SYS_CONTACT), octets("somebody else"));
            let walk = Walk::new(&[oid("1.3.6.1.2.1.2.2")], WalkOptions::default());
            let result = simulation.walk(walk);
            assert!(result.error.is_none(), "{pair}: {:?}", result.error);
            assert_eq!(result.objects.len(), 22 * 20, "{pair}");
        }
    }
}

#[test]
fn a_user_without_keys_is_served_as_well() {
    let parameters = parameters("open", Credentials::NoAuthNoPriv);
    let mut simulation = simulation(configuration(parameters), V3Agent::with_users());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
}

/// RFC 3412 6.8
#[test]
fn another_context_is_asked_by_its_name() {
    let parameters = changed(parameters("ops", auth_priv()), |parameters| {
        parameters.context_name = "vrf".to_owned();
    });
    let mut simulation = simulation(configuration(parameters), V3Agent::with_users());
    assert_eq!(simulation.get(SYS_DESCR), octets("a host"));
}

/// The same objects in the same order, whatever the network does.
#[test]
fn a_walk_over_a_bad_network_is_complete() {
    for seed in 0..10 {
        let mut link = Link::new(Duration::from_millis(20), seed);
        link.loss = 0.2;
        link.duplication = 0.1;
        link.jitter = Duration::from_millis(60);
        let configuration = configuration(parameters("ops", auth_priv()));
        let generator = CommandGenerator::new(configuration, 42);
        let mut simulation = Simulation::new(generator, V3Agent::with_users(), &link);
        simulation.now = start();
        let walk = Walk::new(&[oid("1.3.6.1.2.1.2.2")], WalkOptions::default());
        let result = simulation.walk(walk);
        assert!(result.error.is_none(), "{:?}", result.error);
        assert_eq!(result.objects.len(), 22 * 20);
        assert!(result.objects.is_sorted_by(|a, b| a.name < b.name));
    }
}

/// An agent whose first answers take their time, with all that it was asked.
struct Slow {
    agent: V3Agent,
    delays: Vec<Duration>,
    messages: Vec<Vec<u8>>,
}

impl simulator::SimulatedAgent for Slow {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        self.messages.push(message.to_vec());
        let answers = simulator::SimulatedAgent::respond(&mut self.agent, now, message);
        let delay = match self.delays.is_empty() {
            true => Duration::ZERO,
            false => self.delays.remove(0),
        };
        answers
            .into_iter()
            .map(|(_, answer)| (delay, answer))
            .collect()
    }
}

/// RFC 3412 6.2: each attempt has its own msgID, and RFC 3826 3.1.2.1: its own salt.
#[test]
fn a_late_answer_to_an_earlier_attempt_is_accepted() {
    let slow = Slow {
        agent: V3Agent::with_users(),
        delays: vec![Duration::ZERO, Duration::from_millis(950)],
        messages: Vec::new(),
    };
    let retry = RetryPolicy::Fixed {
        timeout: Duration::from_millis(600),
        retries: 2,
    };
    let configuration = GeneratorConfiguration {
        retry,
        ..configuration(parameters("ops", auth_priv()))
    };
    let mut simulation = simulation(configuration, slow);
    // After 600 ms it is sent again; after 1050 ms the first answer comes.
    let objects = [VarBind::new(oid(SYS_CONTACT), octets("late"))];
    let GeneratorEvent::Response(response) = simulation.execute(Command::Set(&objects)) else {
        panic!("no response");
    };
    assert_eq!(response.attempts, 2);
    let messages = &simulation.agent.messages;
    assert_eq!(messages.len(), 3, "discovery and two attempts");
    let headers: Vec<_> = messages
        .iter()
        .map(|octets| V3Message::decode(octets).expect("a message"))
        .collect();
    let ids: BTreeSet<i32> = headers
        .iter()
        .map(|message| message.header.msg_id)
        .collect();
    assert_eq!(ids.len(), 3);
    let salts: BTreeSet<&[u8]> = headers
        .iter()
        .map(|message| {
            UsmSecurityParameters::decode(message.security_parameters)
                .expect("parameters")
                .privacy_parameters
        })
        .collect();
    assert_eq!(salts.len(), 3, "one of them empty");
}

#[test]
fn requests_have_the_level_of_the_credentials() {
    let slow = Slow {
        agent: V3Agent::with_users(),
        delays: Vec::new(),
        messages: Vec::new(),
    };
    let mut simulation = simulation(configuration(parameters("ops", auth_priv())), slow);
    simulation.get(SYS_DESCR);
    let levels: Vec<SecurityLevel> = simulation
        .agent
        .messages
        .iter()
        .map(|octets| V3Message::decode(octets).expect("a message"))
        .map(|message| message.header.msg_flags.security_level)
        .collect();
    assert_eq!(
        levels,
        [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthPriv]
    );
}
