//! RFC 5590 4: the user-based security model works over secure transports as over all others, and learns nothing of
//! them.

use varbind_codec::message::SecurityLevel;
use varbind_codec::smi::Value;
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorConfiguration, GeneratorEvent, GeneratorOutput,
    MessageProcessing, V3Parameters,
};
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, Password, PrivacyProtocol, UserTable, UsmUser,
};
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::transport::SecureTransport;
use varbind_testkit::v3::transport::session;
use varbind_testkit::v3::{SYS_DESCR, V3Agent, access_control, agent_id};
use varbind_testkit::{octets, oid};

/// Asks with a user until there is an outcome.
fn get(agent: &mut V3Agent, credentials: Credentials) -> Value {
    let parameters = V3Parameters::user(SecurityName::new("ops"), credentials).expect("a name");
    let processing = MessageProcessing::V3(Box::new(parameters));
    let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), 1);
    generator
        .send(Command::Get(&[oid(SYS_DESCR)]))
        .expect("a request");
    let mut buffer = vec![0; 1472];
    for _ in 0..10 {
        match generator.poll_output(agent.now, &mut buffer) {
            GeneratorOutput::Transmit(message) => {
                let outcome = agent.handle(message);
                let answer = agent.octets(&outcome).expect("an answer").to_vec();
                generator
                    .handle_message(agent.now, &answer)
                    .expect("a good answer");
            }
            GeneratorOutput::Event(GeneratorEvent::Response(response)) => {
                return response.var_binds[0].value.clone();
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("no outcome");
}

#[test]
fn users_are_authenticated_by_their_keys_over_any_transport() {
    let password = Password::new("a password").expect("long enough");
    let credentials = Credentials::auth_priv(
        AuthenticationProtocol::Sha256,
        &password,
        PrivacyProtocol::Aes128,
        &password,
    );
    let mut agent = V3Agent::over_tls();
    let security = credentials.localize(&agent_id()).expect("right lengths");
    let user = UsmUser::new(SecurityName::new("ops"), security).expect("a name");
    agent.local.users = UserTable::new([user]);
    agent.local.access_control = access_control(&[(SecurityModel::UserBased, "ops")]);
    let states = [
        None,
        Some(session(
            SecureTransport::Tls,
            "alice",
            SecurityLevel::AuthPriv,
        )),
        // What the user protects, the transport need not.
        Some(session(
            SecureTransport::Tls,
            "alice",
            SecurityLevel::NoAuthNoPriv,
        )),
    ];
    for state in states {
        agent.state = state;
        let value = get(&mut agent, credentials.clone());
        assert_eq!(value, octets("a host"));
    }
}
