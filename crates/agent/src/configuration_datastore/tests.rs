//! What the engine is given after Sets of the tables, without sockets.

use std::path::Path;

use varbind::agent::{Agent, AgentLimits};
use varbind::clock::Clock;
use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::access_control::{AccessDenied, AccessRequest, ViewType};
use varbind_engine::clock::Instant;
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::{PreparedSet, RequestContext, Requester, SetError};
use varbind_engine::security::usm::{
    AuthenticationProtocol, LocalizedKey, MasterKey, Password, PrivacyProtocol, UserSecurity,
    UsmUser,
};
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use super::*;
use crate::configuration::AgentConfiguration;
use crate::instrumentation::Instrumentation;

const CONFIGURATION: &str = r#"
[engine]
id = "8000000005010203"
[[user]]
name = "admin"
authentication = { protocol = "SHA-256", password = "maplesyrup" }
privacy = { protocol = "AES-256", password = "maplesyrup" }
access = "read-write"
view = "everything"
"#;
const SHA_256: AuthenticationProtocol = AuthenticationProtocol::Sha256;

struct Fixture {
    instrumentation: Instrumentation,
    agent: Agent,
    engine_id: EngineId,
}

impl Fixture {
    fn open(directory: &Path) -> Self {
        let state = directory.join("state");
        let text = format!("state-directory = {state:?}\n{CONFIGURATION}");
        let configuration = AgentConfiguration::parse_in(&text, directory).unwrap();
        let clock = Clock::start();
        let instrumentation = Instrumentation::open(&configuration, clock).unwrap();
        let local = instrumentation.local_configuration(configuration).unwrap();
        let engine_id = *local.engine.as_ref().unwrap().id();
        let statistics = Arc::clone(instrumentation.statistics());
        let storage = instrumentation.storage();
        let agent =
            Agent::start(local, statistics, storage, AgentLimits::default(), clock).unwrap();
        let current = agent.current_configuration();
        instrumentation.datastore.attach(current);
        Self {
            instrumentation,
            agent,
            engine_id,
        }
    }

    fn current(&self) -> Arc<LocalConfiguration> {
        self.agent.current_configuration().load_full()
    }

    /// Prepares, checks and makes the changes of one SetRequest; they are not durable yet.
    fn commit(
        &self,
        who: (SecurityModel, &str),
        assignments: &[(Vec<u32>, ValueRef<'_>)],
    ) -> Result<Vec<Box<dyn PreparedSet>>, SetError> {
        let local = self.current();
        let registry = local.registry("").unwrap();
        let name = SecurityName::new(who.1);
        let request = RequestContext {
            now: Instant::ORIGIN,
            requester: Some(Requester {
                security_model: who.0,
                security_name: &name,
            }),
            transaction: None,
        };
        let prepare = |(name, value): &(Vec<u32>, ValueRef<'_>)| {
            registry
                .find(name)
                .unwrap()
                .prepare_set(&request, name, *value)
        };
        let mut prepared: Vec<_> = assignments.iter().map(prepare).collect::<Result<_, _>>()?;
        for set in &mut prepared {
            set.check()?;
        }
        prepared.iter_mut().for_each(|set| set.commit().unwrap());
        Ok(prepared)
    }

    fn set(
        &self,
        who: (SecurityModel, &str),
        assignments: &[(Vec<u32>, ValueRef<'_>)],
    ) -> Result<(), SetError> {
        self.commit(who, assignments)?;
        self.instrumentation.storage().make_durable().unwrap();
        Ok(())
    }

    /// A variable of usmUserTable.
    fn cell(&self, column: u32, user: &str) -> Vec<u32> {
        let mut name = vec![1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, column];
        for octets in [self.engine_id.as_octets(), user.as_bytes()] {
            name.push(u32::try_from(octets.len()).unwrap());
            name.extend(octets.iter().copied().map(u32::from));
        }
        name
    }

    fn key(&self, password: &str) -> LocalizedKey {
        MasterKey::derive(SHA_256, &Password::new(password).unwrap()).localize(&self.engine_id)
    }

    /// Makes bob, with these KeyChanges of his.
    fn make_bob(&self, auth: &[u8], privacy: &[u8]) {
        let from = Oid::new(&self.cell(3, "admin")).unwrap();
        let from = Value::from(&from);
        let rows = [
            // Whatever the order.
            (self.cell(13, "bob"), ValueRef::Integer(4)),
            (self.cell(9, "bob"), ValueRef::OctetString(privacy)),
            (self.cell(6, "bob"), ValueRef::OctetString(auth)),
            (self.cell(4, "bob"), from.as_value_ref()),
        ];
        self.set(ADMIN, &rows).unwrap();
    }
}

const ADMIN: (SecurityModel, &str) = (SecurityModel::UserBased, "admin");
const BOB: (SecurityModel, &str) = (SecurityModel::UserBased, "bob");

/// RFC 3414 section 5: a row that has everything in one SetRequest, and the keys that it leads to.
#[test]
fn a_user_is_cloned_and_has_the_keys_that_its_key_changes_make() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::open(directory.path());
    let (auth, privacy) = ([7; 64], [9; 64]);
    fixture.make_bob(&auth, &privacy);
    let check = |fixture: &Fixture, auth_key: &LocalizedKey, privacy_key: &LocalizedKey| {
        let current = fixture.current();
        let Some(UserSecurity::AuthPriv(auth, privacy)) =
            current.users.find(b"bob").map(UsmUser::security)
        else {
            panic!("bob has no keys");
        };
        assert_eq!(auth.protocol(), SHA_256);
        assert_eq!(privacy.protocol().name(), "AES-256");
        assert!(auth.key() == auth_key && privacy.key() == privacy_key);
    };
    // Both passwords of the administrator are the same.
    let cloned = fixture.key("maplesyrup");
    assert_eq!(
        cloned.expose_octets().len(),
        PrivacyProtocol::ALL[5].key_length()
    );
    let auth_key = cloned.changed(SHA_256, &auth).unwrap();
    let privacy_key = cloned.changed(SHA_256, &privacy).unwrap();
    check(&fixture, &auth_key, &privacy_key);
    // His own key, by himself.
    let own = [(fixture.cell(7, "bob"), ValueRef::OctetString(&privacy))];
    for who in [
        ADMIN,
        (SecurityModel::SnmpV2c, "bob"),
        (SecurityModel::Transport, "bob"),
    ] {
        assert_eq!(fixture.set(who, &own), Err(SetError::NoAccess), "{who:?}");
    }
    fixture.set(BOB, &own).unwrap();
    let auth_key = auth_key.changed(SHA_256, &privacy).unwrap();
    check(&fixture, &auth_key, &privacy_key);
    drop(fixture);
    let fixture = Fixture::open(directory.path());
    check(&fixture, &auth_key, &privacy_key);
    // Not while he is out of service.
    let rest = [(fixture.cell(13, "bob"), ValueRef::Integer(2))];
    fixture.set(ADMIN, &rest).unwrap();
    assert!(fixture.current().users.find(b"bob").is_none());
    let own = [(fixture.cell(7, "bob"), ValueRef::OctetString(&auth))];
    assert_eq!(fixture.set(BOB, &own), Err(SetError::InconsistentValue));
}

/// RFC 3414 section 5, usmUserCloneFrom: once, and from a user who is active.
#[test]
fn a_user_is_cloned_once() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::open(directory.path());
    fixture.make_bob(&[7; 64], &[9; 64]);
    let before = fixture.current();
    let from = |user| Value::from(&Oid::new(&fixture.cell(3, user)).unwrap());
    let admin = from("admin");
    let again = [(fixture.cell(4, "bob"), admin.as_value_ref())];
    fixture.set(ADMIN, &again).unwrap();
    let key = |local: &LocalConfiguration| match local.users.find(b"bob").unwrap().security() {
        UserSecurity::AuthPriv(auth, _) => auth.key().clone(),
        _ => panic!("bob has no keys"),
    };
    assert!(key(&before) == key(&fixture.current()));
    let bob = from("bob");
    let rest = [(fixture.cell(13, "bob"), ValueRef::Integer(2))];
    fixture.set(ADMIN, &rest).unwrap();
    let carol = [
        (fixture.cell(13, "carol"), ValueRef::Integer(5)),
        (fixture.cell(4, "carol"), bob.as_value_ref()),
    ];
    assert_eq!(fixture.set(ADMIN, &carol), Err(SetError::InconsistentName));
}

/// What was made and taken back was never in effect.
#[test]
fn rows_are_in_effect_when_they_are_durable_and_not_before() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::open(directory.path());
    let eve = SecurityName::new("eve");
    let access = |fixture: &Fixture| {
        let request = AccessRequest {
            security_model: SecurityModel::UserBased,
            security_name: &eve,
            security_level: SecurityLevel::AuthPriv,
            view_type: ViewType::Write,
            context_name: "",
        };
        fixture.current().access_control.view(&request).map(|_| ())
    };
    let group = |column| {
        [
            &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, column, 3, 3][..],
            &[101, 118, 101],
        ]
        .concat()
    };
    let rows = [
        (group(3), ValueRef::OctetString(b"user-1")),
        (group(5), ValueRef::Integer(4)),
    ];
    let mut prepared = fixture.commit(ADMIN, &rows).unwrap();
    assert_eq!(access(&fixture), Err(AccessDenied::NoGroupName));
    prepared
        .iter_mut()
        .rev()
        .for_each(|set| set.undo().unwrap());
    fixture.instrumentation.storage().make_durable().unwrap();
    assert_eq!(access(&fixture), Err(AccessDenied::NoGroupName));
    fixture.set(ADMIN, &rows).unwrap();
    assert_eq!(access(&fixture), Ok(()));
    fixture
        .set(ADMIN, &[(group(5), ValueRef::Integer(6))])
        .unwrap();
    assert_eq!(access(&fixture), Err(AccessDenied::NoGroupName));
}
