//! What depends on what came before: replays, salts, changed keys and Sets that are put off.

use std::collections::HashSet;
use std::time::Duration;

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::message::{UsmSecurityParameters, V3Message};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::Outcome;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, UserTable, UsmError,
};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::SetHandling;
use varbind_testkit::v3::user_based::{Message, auth_no_priv, key, password, start, user};
use varbind_testkit::v3::{Agent, BOOTS, SYS_CONTACT, SYS_DESCR, agent_id};
use varbind_testkit::{octets, oid};

/// What a listener recorded is of use for 150 seconds at most, and not after the agent started again.
#[test]
fn a_replayed_message_is_refused() {
    let recorded = Message::get(AuthPriv, SYS_DESCR);
    let mut agent = Agent::with_users();
    agent.ask(&recorded);
    agent.now = start() + Duration::from_secs(150);
    agent.ask(&recorded);
    agent.now = start() + Duration::from_secs(151);
    agent.report(&recorded, UsmError::NotInTimeWindow.into());
    // It starts again, and its time comes round.
    let engine = LocalEngine::new(agent_id(), BOOTS + 1, Instant::ORIGIN, 43);
    let mut restarted = Agent::with_engine(engine);
    restarted.report(&recorded, UsmError::NotInTimeWindow.into());
}

/// RFC 3826 3.1.2.1: no initialisation vector comes twice.
#[test]
fn no_two_responses_have_the_same_salt() {
    let mut agent = Agent::with_users();
    let mut salts = HashSet::new();
    for _ in 0..100 {
        let outcome = agent.handle(&Message::get(AuthPriv, SYS_DESCR).encode());
        let octets = agent.octets(&outcome).expect("a response");
        let message = V3Message::decode(octets).expect("a message");
        let parameters =
            UsmSecurityParameters::decode(message.security_parameters).expect("parameters");
        assert!(salts.insert(parameters.privacy_parameters.to_vec()));
    }
}

/// A password that was changed is good at once, and the old one no more.
#[test]
fn changed_keys_count_from_the_next_configuration_on() {
    let mut agent = Agent::with_users();
    let old = Message::get(AuthNoPriv, SYS_DESCR);
    let new = Message {
        key: key("a new password"),
        ..old.clone()
    };
    agent.ask(&old);
    agent.report(&new, UsmError::WrongDigest.into());
    let credentials =
        Credentials::auth_no_priv(AuthenticationProtocol::Sha256, &password("a new password"));
    agent.local.users = UserTable::new([user("signer", &credentials)]);
    agent.ask(&new);
    agent.report(&old, UsmError::WrongDigest.into());
    let open = Message::get(NoAuthNoPriv, SYS_DESCR);
    agent.report(&open, UsmError::UnknownUserName.into());
    agent.local.users = UserTable::new([user("signer", &auth_no_priv())]);
    agent.ask(&old);
}

/// A SetRequest that is put off is checked twice and counted once.
#[test]
fn a_deferred_set_is_counted_once() {
    let mut agent = Agent::with_users();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let before = agent.count(Counter::SnmpInPkts);
        let message = Message {
            pdu_type: PduType::SetRequest,
            var_binds: vec![VarBind::new(oid(SYS_CONTACT), octets("somebody"))],
            ..Message::get(level, SYS_DESCR)
        };
        agent.sets = SetHandling::Defer;
        assert_eq!(agent.handle(&message.encode()), Outcome::Deferred);
        assert_eq!(agent.count(Counter::SnmpInPkts), before);
        agent.sets = SetHandling::Now;
        assert_eq!(agent.ask(&message).status, ErrorStatus::NoError);
        assert_eq!(agent.count(Counter::SnmpInPkts), before + 1);
        let answer = agent.ask(&Message::get(level, SYS_CONTACT));
        assert_eq!(
            answer.var_binds[0].value,
            Value::OctetString(b"somebody".to_vec())
        );
    }
    let refused = Counter::ALL
        .into_iter()
        .filter(|counter| *counter != Counter::SnmpInPkts);
    assert!(
        refused
            .map(|counter| agent.count(counter))
            .all(|count| count == 0)
    );
}
