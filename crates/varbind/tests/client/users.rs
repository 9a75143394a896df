//! SNMPv3 with users.

use std::sync::Arc;

use varbind::agent::{Agent, AgentLimits, BuildError};
use varbind::client::{Client, Error, User};
use varbind::clock::Clock;
use varbind::engine::access_control::Vacm;
use varbind::engine::applications::command_generator::{FailureReason, ReportReason};
use varbind::engine::clock::Instant;
use varbind::engine::instrumentation::{NotStored, Registry, Scalar, Storage};
use varbind::engine::local_configuration::LocalConfiguration;
use varbind::engine::security::SecurityName;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol, UserTable,
    UsmError, UsmUser,
};
use varbind::transport::Transport;
use varbind::{Value, oid};
use varbind_testkit::loopback::engine_id;

use super::{at, run};

struct Nothing;

impl Storage for Nothing {
    fn make_durable(&self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// An agent with the user `ops`, who may read.
fn agent() -> (Agent, String) {
    let password = |text: &str| Password::new(text).unwrap();
    let credentials = Credentials::auth_priv(
        AuthenticationProtocol::Sha256,
        &password("maple syrup"),
        PrivacyProtocol::Aes128,
        &password("apple sauce"),
    );
    let keys = credentials.localize(&engine_id()).unwrap();
    let object = oid!("1.3.6.1.2.1.1.5");
    let scalar = Scalar::new(&object, |_: &_| Some(Value::from("switch7")));
    let registry = Registry::builder().register(object, Arc::new(scalar));
    let local = LocalConfiguration {
        engine: Some(Arc::new(LocalEngine::new(
            engine_id(),
            1,
            Instant::ORIGIN,
            1,
        ))),
        users: UserTable::new([UsmUser::new(SecurityName::new("ops"), keys).unwrap()]),
        access_control: Vacm::read_only("ops"),
        contexts: [(String::new(), Arc::new(registry.build().unwrap()))].into(),
        ..LocalConfiguration::default()
    };
    let (limits, clock) = (AgentLimits::default(), Clock::start());
    let agent = Agent::start(local, Arc::default(), Arc::new(Nothing), limits, clock).unwrap();
    let address = agent.listen(Transport::Udp, ([127, 0, 0, 1], 0).into());
    (agent, at("udp", address.unwrap()))
}

#[test]
fn targets_of_one_user_discover_their_engine_and_keep_it() {
    let (_agent, address) = agent();
    let ops = User::new("ops").sha256("maple syrup").aes128("apple sauce");
    run(async {
        let client = Client::new().unwrap();
        // Targets with one address are told apart by their msgIDs, whatever their keys.
        let targets: Vec<_> = (0..20)
            .map(|_| client.target(&address).unwrap().user(&ops).unwrap())
            .collect();
        let mut tasks = tokio::task::JoinSet::new();
        for target in &targets {
            let target = target.clone();
            tasks.spawn(async move {
                for _ in 0..5 {
                    let name = target.get("1.3.6.1.2.1.1.5.0").await.unwrap();
                    assert_eq!(name, "switch7".into());
                }
            });
        }
        tasks.join_all().await;
        for target in targets {
            // One exchange finds the engine out, and one its time.
            let statistics = target.statistics().unwrap();
            assert_eq!(statistics.responses, 5);
            assert!(statistics.attempts >= 6, "{statistics:?}");
        }
    });
}

#[test]
fn wrong_passwords_and_unknown_users_are_distinguished() {
    let (_agent, address) = agent();
    let refusal = |user: User| {
        run(async {
            let client = Client::new().unwrap();
            let target = client.target(&address).unwrap().user(&user).unwrap();
            let error = target.get("1.3.6.1.2.1.1.5.0").await.unwrap_err();
            let Error::Unanswered(unanswered) = error else {
                panic!("{error:?}");
            };
            unanswered.failure.reason
        })
    };
    let unknown = User::new("nobody")
        .sha256("maple syrup")
        .aes128("apple sauce");
    let wrong = User::new("ops").sha256("maple sugar").aes128("apple sauce");
    for (user, error) in [
        (unknown, UsmError::UnknownUserName),
        (wrong, UsmError::WrongDigest),
    ] {
        assert_eq!(
            refusal(user),
            FailureReason::Report(ReportReason::Usm(error))
        );
    }
    // Of messages that cannot be decrypted an agent tells that alone.
    let wrong = User::new("ops").sha256("maple syrup").aes128("apple juice");
    assert_ne!(refusal(wrong), FailureReason::NoAnswer);
}

/// An agent of the builder with the users `ops` and `auditor`, the latter without privacy.
fn built() -> Agent {
    let ops = User::new("ops").sha256("maple syrup").aes128("apple sauce");
    let auditor = User::new("auditor").sha512("maple trees");
    Agent::builder()
        .user(ops)
        .write_user(auditor)
        .scalar(oid!("1.3.6.1.2.1.1.5"), || "switch7")
        .listen("udp:127.0.0.1:0")
        .start()
        .unwrap()
}

#[test]
fn users_of_a_built_agent_are_served_as_well_protected_as_their_passwords_allow() {
    let agent = built();
    let address = agent.addresses()[0].to_string();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&address).unwrap();
        let name = oid!("1.3.6.1.2.1.1.5.0");
        let ops = User::new("ops").sha256("maple syrup");
        let whole = target.user(&ops.clone().aes128("apple sauce")).unwrap();
        assert_eq!(whole.get(name.clone()).await.unwrap(), "switch7".into());
        let auditor = User::new("auditor").sha512("maple trees");
        let signed = target.user(&auditor).unwrap();
        assert_eq!(signed.get(name.clone()).await.unwrap(), "switch7".into());
        // Not encrypted, though the user has a password for it, and not signed.
        for user in [ops, User::new("auditor")] {
            let error = target.user(&user).unwrap().get(name.clone()).await;
            let error = error.unwrap_err();
            assert!(error.to_string().contains("authorizationError"), "{error}");
        }
        let wrong = User::new("ops").sha256("maple wood").aes128("apple sauce");
        let error = target.user(&wrong).unwrap().get(name).await.unwrap_err();
        assert!(matches!(error, Error::Unanswered(_)), "{error:?}");
    });
}

#[test]
fn users_that_cannot_be_are_reported_when_the_agent_is_built() {
    let start = |user| Agent::builder().user(user).start().unwrap_err();
    let error = start(User::new("ops"));
    assert!(
        matches!(error, BuildError::NoAuthentication { .. }),
        "{error}"
    );
    let error = start(User::new("ops").sha256("short"));
    assert!(matches!(error, BuildError::Key { .. }), "{error}");
    let error = start(User::new("").sha256("maple syrup"));
    assert!(matches!(error, BuildError::UserName { .. }), "{error}");
}
