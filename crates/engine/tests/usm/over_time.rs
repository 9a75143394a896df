//! What depends on what came before: replays, salts, changed keys and Sets that are put off.

use std::collections::HashSet;
use std::time::Duration;

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use varbind_codec::message::{UsmSecurityParameters, V3Message};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::DispatchOutcome;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, UserTable, UsmError,
};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::WaitHandling;
use varbind_testkit::v3::user_based::{
    Message, access_control, auth_no_priv, key, password, start, user,
};
use varbind_testkit::v3::{BOOTS, Request, SYS_CONTACT, SYS_DESCR, V3Agent, agent_id};
use varbind_testkit::{octets, oid};

/// What a listener recorded is of use for 150 seconds at most, and not after the agent started again.
#[test]
fn a_replayed_message_is_refused() {
    let recorded = Message::get(AuthPriv, SYS_DESCR);
    let mut agent = V3Agent::with_users();
    agent.ask(&recorded);
    agent.now = start() + Duration::from_secs(150);
    agent.ask(&recorded);
    agent.now = start() + Duration::from_secs(151);
    agent.report(&recorded, UsmError::NotInTimeWindow.into());
    // It starts again, and its time comes round.
    let engine = LocalEngine::new(agent_id(), BOOTS + 1, Instant::ORIGIN, 43);
    let mut restarted = V3Agent::with_engine(engine);
    restarted.report(&recorded, UsmError::NotInTimeWindow.into());
}

/// RFC 3826 3.1.2.1: no initialisation vector comes twice.
#[test]
fn no_two_responses_have_the_same_salt() {
    let mut agent = V3Agent::with_users();
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
    let mut agent = V3Agent::with_users();
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

/// A SetRequest that is put off is checked when it arrives, and protected in both directions by the keys that the user has
/// then.
#[test]
fn a_deferred_set_is_authenticated_and_counted_once() {
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let mut agent = V3Agent::with_users();
        let before = agent.count(Counter::SnmpInPkts);
        let message = Message {
            pdu_type: PduType::SetRequest,
            var_binds: vec![VarBind::new(oid(SYS_CONTACT), octets("somebody"))],
            ..Message::get(level, SYS_DESCR)
        };
        agent.waits = WaitHandling::Defer;
        let DispatchOutcome::Deferred(set) = agent.handle(&message.encode()) else {
            panic!("not deferred");
        };
        assert_eq!(agent.count(Counter::SnmpInPkts), before);
        let users = std::mem::take(&mut agent.local.users);
        let arrived = std::mem::replace(&mut agent.now, start() + Duration::from_secs(1000));
        let outcome = agent.carry_out(&set);
        assert!(
            matches!(outcome, DispatchOutcome::Respond(_)),
            "{outcome:?}"
        );
        let response = agent.octets(&outcome).expect("a response").to_vec();
        assert_eq!(
            message.decode_response(&response).status,
            ErrorStatus::NoError
        );
        assert_eq!(agent.count(Counter::SnmpInPkts), before + 1);
        (agent.local.users, agent.now) = (users, arrived);
        let answer = agent.ask(&Message::get(level, SYS_CONTACT));
        assert_eq!(
            answer.var_binds[0].value,
            Value::OctetString(b"somebody".to_vec())
        );
        assert_eq!(agent.count(Counter::SnmpInSetRequests), 1);
        let of_answered = [
            Counter::SnmpInPkts,
            Counter::SnmpOutPkts,
            Counter::SnmpInSetRequests,
            Counter::SnmpInTotalSetVars,
            Counter::SnmpInGetRequests,
            Counter::SnmpInTotalReqVars,
            Counter::SnmpOutGetResponses,
        ];
        let refused = Counter::ALL
            .into_iter()
            .filter(|counter| !of_answered.contains(counter));
        assert!(
            refused
                .map(|counter| agent.count(counter))
                .all(|count| count == 0)
        );
    }
}

/// What a SetRequest may write is decided when it is carried out.
#[test]
fn a_deferred_set_is_refused_to_whom_access_was_taken_from() {
    let mut agent = V3Agent::with_users();
    agent.waits = WaitHandling::Defer;
    let set = |context_name: &str| Message {
        pdu_type: PduType::SetRequest,
        context_name: context_name.into(),
        var_binds: vec![VarBind::new(oid(SYS_CONTACT), octets("somebody"))],
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let messages = [set(""), set("vrf")];
    let deferred = messages
        .each_ref()
        .map(|message| match agent.handle(&message.encode()) {
            DispatchOutcome::Deferred(set) => set,
            other => panic!("{other:?}"),
        });
    agent.local.access_control = access_control(&["signer"]);
    agent.local.contexts.remove("vrf");
    let outcome = agent.carry_out(&deferred[0]);
    let response = agent.octets(&outcome).expect("a response").to_vec();
    let response = messages[0].decode_response(&response);
    assert_eq!(response.status, ErrorStatus::AuthorizationError);
    let outcome = agent.carry_out(&deferred[1]);
    assert!(matches!(
        outcome,
        DispatchOutcome::Report(_, Discard::UnknownContext)
    ));
    let report = agent.octets(&outcome).expect("a Report").to_vec();
    let (report, _) = messages[1].decode_report(&agent, &report);
    assert_eq!(report.request_id, 99);
}

/// A malformed SetRequest keeps no other waiting.
#[test]
fn a_set_whose_bindings_are_malformed_is_not_deferred() {
    let mut agent = V3Agent::with_users();
    agent.waits = WaitHandling::Defer;
    let message = Message {
        pdu_type: PduType::SetRequest,
        var_binds: vec![VarBind::new(oid(SYS_CONTACT), octets("somebody"))],
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    let mut scoped_pdu = message.encode_scoped_pdu();
    let value = scoped_pdu.len() - "somebody".len() - 1;
    scoped_pdu[value] += 1;
    let message = Message {
        scoped_pdu: Some(scoped_pdu),
        ..message
    };
    let outcome = agent.handle(&message.encode());
    assert!(
        matches!(outcome, DispatchOutcome::Discarded(Discard::Malformed(_))),
        "{outcome:?}"
    );
    assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 1);
}
