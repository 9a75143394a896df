//! RFC 3416 section 4.2.5: the SetRequest-PDU.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_responder::Principal;
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::{DispatchOutcome, SetRefused};
use varbind_engine::instrumentation::SetError;
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::WaitHandling;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, Memory, SYS_CONTACT, SYS_LOCATION, SYS_NAME, THRESHOLD, host,
};
use varbind_testkit::message::Message;
use varbind_testkit::view::family;
use varbind_testkit::{octets, oid};

use crate::scripted_sets::{NAMES, Script, agent_of, set_all};

const CONTACT: &str = "1.3.6.1.2.1.1.4.0";
const NAME: &str = "1.3.6.1.2.1.1.5.0";
const LOCATION: &str = "1.3.6.1.2.1.1.6.0";
const THRESHOLD_0: &str = "1.3.6.1.4.1.32473.1.0";

fn texts(agent: &mut CommunityAgent) -> Vec<Value> {
    agent.get(&[CONTACT, NAME, LOCATION]).values()
}

#[test]
fn the_constants_name_instances() {
    for (object, instance) in [
        (SYS_CONTACT, CONTACT),
        (SYS_NAME, NAME),
        (SYS_LOCATION, LOCATION),
        (THRESHOLD, THRESHOLD_0),
    ] {
        assert_eq!(format!("{object}.0"), instance);
    }
}

#[test]
fn the_response_equals_the_request_and_the_values_are_changed() {
    let mut agent = CommunityAgent::host(1);
    let bindings = [
        (CONTACT, octets("nobody")),
        (THRESHOLD_0, Value::Integer(99)),
        (LOCATION, octets("")),
    ];
    let expected: Vec<_> = bindings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    assert_eq!(agent.set(&bindings).bindings(), expected);
    let read = agent.get(&[CONTACT, THRESHOLD_0, LOCATION]);
    assert_eq!(read.bindings(), expected);
}

#[test]
fn a_set_is_stored_once_however_many_names_it_has() {
    let memory = Arc::new(Memory::default());
    let mut agent = CommunityAgent::with_storage(host(1), memory.clone());
    agent
        .set(&[(CONTACT, octets("a")), (NAME, octets("b"))])
        .bindings();
    assert_eq!(memory.stored.load(Ordering::Relaxed), 1);
    agent.get(&[CONTACT]).bindings();
    agent.set(&[(CONTACT, Value::Null)]);
    assert_eq!(memory.stored.load(Ordering::Relaxed), 1);
}

#[test]
fn an_empty_set_changes_nothing_and_stores_nothing() {
    let memory = Arc::new(Memory::default());
    let mut agent = CommunityAgent::with_storage(host(1), memory.clone());
    assert_eq!(agent.set(&[]).bindings(), []);
    assert_eq!(memory.stored.load(Ordering::Relaxed), 0);
}

/// Each step of the section with the first name that fails it.
#[test]
fn each_reason_has_its_error_status() {
    let reasons = [
        (
            "1.3.6.1.2.1.31.1.1.1.118.1",
            octets("x"),
            ErrorStatus::NotWritable,
        ),
        ("1.3.6.1.3.1.0", octets("x"), ErrorStatus::NotWritable),
        (CONTACT, Value::Integer(1), ErrorStatus::WrongType),
        (CONTACT, Value::Null, ErrorStatus::WrongType),
        (CONTACT, Value::Opaque(vec![]), ErrorStatus::WrongType),
        (CONTACT, Value::NoSuchInstance, ErrorStatus::WrongType),
        (
            CONTACT,
            Value::OctetString(vec![0; 256]),
            ErrorStatus::WrongLength,
        ),
        (THRESHOLD_0, Value::Integer(101), ErrorStatus::WrongValue),
        ("1.3.6.1.2.1.1.4.1", octets("x"), ErrorStatus::NoCreation),
    ];
    let mut agent = CommunityAgent::host(1);
    let before = texts(&mut agent);
    for (name, value, status) in reasons {
        let bindings = [
            (NAME, octets("new")),
            (name, value),
            (LOCATION, octets("new")),
        ];
        let response = agent.set(&bindings);
        response.assert_error(status, 2, &[NAME, name, LOCATION]);
        assert_eq!(response.bindings[1].value, bindings[1].1);
        assert_eq!(texts(&mut agent), before, "{status}");
    }
}

/// RFC 3416 4.2.5 (1) comes before all that an object could say.
#[test]
fn a_name_outside_the_view_gives_no_access() {
    let mut agent = CommunityAgent::host(1)
        .with_view(&[family("1.3.6.1", "", true), family(SYS_NAME, "", false)]);
    for value in [octets("x"), Value::Null] {
        agent
            .set(&[(CONTACT, octets("x")), (NAME, value)])
            .assert_error(ErrorStatus::NoAccess, 2, &[CONTACT, NAME]);
    }
    // Nothing tells whether there is an object.
    agent
        .set(&[("1.3.7.1", octets("x"))])
        .assert_error(ErrorStatus::NoAccess, 1, &["1.3.7.1"]);
    assert_eq!(agent.get(&[CONTACT]).values(), [octets("operators")]);
}

#[test]
fn every_reason_of_a_managed_object_has_its_error_status() {
    let reasons = [
        (SetError::NoAccess, ErrorStatus::NoAccess),
        (SetError::NotWritable, ErrorStatus::NotWritable),
        (SetError::WrongType, ErrorStatus::WrongType),
        (SetError::WrongLength, ErrorStatus::WrongLength),
        (SetError::WrongEncoding, ErrorStatus::WrongEncoding),
        (SetError::WrongValue, ErrorStatus::WrongValue),
        (SetError::NoCreation, ErrorStatus::NoCreation),
        (SetError::InconsistentName, ErrorStatus::InconsistentName),
        (SetError::InconsistentValue, ErrorStatus::InconsistentValue),
        (
            SetError::ResourceUnavailable,
            ErrorStatus::ResourceUnavailable,
        ),
        (SetError::Failed, ErrorStatus::GenErr),
    ];
    for (reason, status) in reasons {
        let scripted = Script {
            refusal: Some(reason),
            ..Script::default()
        };
        let (mut agent, journal) = agent_of(&[Script::default(), scripted, Script::default()]);
        set_all(&mut agent, 3).assert_error(status, 2, &NAMES[..3]);
        // What was reserved is released, nothing is committed.
        assert_eq!(journal.take(), ["prepare 1", "prepare 2", "release 1"]);
    }
}

/// RFC 3416 4.2.5: "as if simultaneously", so what does not go together is found when all are known.
#[test]
fn a_conflict_between_variables_is_found_before_anything_changes() {
    let conflicting = Script {
        conflict: Some(SetError::InconsistentValue),
        ..Script::default()
    };
    let (mut agent, journal) = agent_of(&[Script::default(), conflicting, Script::default()]);
    let response = set_all(&mut agent, 3);
    response.assert_error(ErrorStatus::InconsistentValue, 2, &NAMES[..3]);
    let steps = journal.take();
    assert_eq!(
        steps[..4],
        ["prepare 1", "prepare 2", "prepare 3", "refuse 2"]
    );
    assert!(!steps.iter().any(|step| step.starts_with("commit")));
}

#[test]
fn all_is_checked_before_anything_changes_and_stored_before_the_answer() {
    let (mut agent, journal) = agent_of(&[Script::default(), Script::default()]);
    set_all(&mut agent, 2).bindings();
    let steps = journal.take();
    assert_eq!(
        steps[..5],
        ["prepare 1", "prepare 2", "commit 1", "commit 2", "store"]
    );
}

#[test]
fn a_commit_that_fails_takes_back_what_was_committed_last_first() {
    let scripts = [
        Script::default(),
        Script::default(),
        Script {
            commit_fails: true,
            ..Script::default()
        },
        Script::default(),
    ];
    let (mut agent, journal) = agent_of(&scripts);
    set_all(&mut agent, 4).assert_error(ErrorStatus::CommitFailed, 3, &NAMES[..4]);
    let steps = journal.take();
    assert_eq!(
        steps[4..9],
        ["commit 1", "commit 2", "commit 3", "undo 2", "undo 1"]
    );
    assert!(!steps.contains(&"store".to_owned()));
}

#[test]
fn an_undo_that_fails_gives_undo_failed_with_index_0_and_the_rest_is_undone() {
    let scripts = [
        Script::default(),
        Script {
            undo_fails: true,
            ..Script::default()
        },
        Script {
            commit_fails: true,
            ..Script::default()
        },
    ];
    let (mut agent, journal) = agent_of(&scripts);
    set_all(&mut agent, 3).assert_error(ErrorStatus::UndoFailed, 0, &NAMES[..3]);
    let steps = journal.take();
    assert_eq!(steps[6..8], ["undo 2", "undo 1"]);
}

#[test]
fn storage_that_fails_takes_everything_back() {
    let memory = Arc::new(Memory::default());
    let mut agent = CommunityAgent::with_storage(host(1), memory.clone());
    let before = texts(&mut agent);
    memory.is_broken.store(true, Ordering::Relaxed);
    let names = [CONTACT, NAME, LOCATION];
    let response = agent.set(&names.map(|name| (name, octets("new"))));
    response.assert_error(ErrorStatus::CommitFailed, 1, &names);
    assert_eq!(texts(&mut agent), before);
    memory.is_broken.store(false, Ordering::Relaxed);
    agent.set(&[(NAME, octets("new"))]).bindings();
    assert_eq!(agent.get(&[NAME]).values(), [octets("new")]);
}

#[test]
fn storage_and_undo_that_fail_give_undo_failed() {
    let script = Script {
        undo_fails: true,
        ..Script::default()
    };
    let (mut agent, journal) = agent_of(&[Script::default(), script]);
    journal.break_storage();
    set_all(&mut agent, 2).assert_error(ErrorStatus::UndoFailed, 0, &NAMES[..2]);
    let steps = journal.take();
    assert_eq!(steps[4..7], ["store", "undo 2", "undo 1"]);
}

#[test]
fn a_response_that_does_not_fit_gives_too_big_before_anything_changes() {
    let text = octets(&"x".repeat(200));
    let bindings = [(CONTACT, text.clone()), (NAME, text)];
    let mut agent = CommunityAgent::host(1);
    let before = texts(&mut agent);
    let mut agent = agent.with_limit(300);
    let response = agent.set(&bindings);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(response.bindings, []);
    assert_eq!(texts(&mut agent), before);
}

#[test]
fn a_read_only_user_gets_authorization_error() {
    let mut agent = CommunityAgent::host(1);
    let request = Message::set(&[(CONTACT, octets("x"))]).with_community("public");
    let response = agent.ask(request);
    response.assert_error(ErrorStatus::AuthorizationError, 0, &[CONTACT]);
    assert_eq!(agent.get(&[CONTACT]).values(), [octets("operators")]);
    assert_eq!(agent.count(Counter::SnmpInBadCommunityUses), 1);
}

#[test]
fn a_set_can_be_deferred_and_counts_once() {
    let mut agent = CommunityAgent::host(1);
    agent.waits = WaitHandling::Defer;
    let message = Message::set(&[(CONTACT, octets("x"))]).encode();
    let Err(DispatchOutcome::Deferred(set)) = agent.handle(&message) else {
        panic!("not deferred");
    };
    assert_eq!(agent.count(Counter::SnmpInPkts), 0);
    let response = Message::decode_response(agent.carry_out(&set).expect("a response"));
    response.assert_error(ErrorStatus::NoError, 0, &[CONTACT]);
    assert_eq!(agent.count(Counter::SnmpInPkts), 1);
    agent.waits = WaitHandling::Defer;
    assert_eq!(agent.get(&[CONTACT]).values(), [octets("x")]);
}

/// Nobody can make others wait by what is not allowed.
#[test]
fn a_set_that_is_not_authorized_is_not_deferred() {
    let mut agent = CommunityAgent::host(1);
    agent.waits = WaitHandling::Defer;
    let request = Message::set(&[(CONTACT, octets("x"))]).with_community("public");
    let response = agent.ask(request);
    response.assert_error(ErrorStatus::AuthorizationError, 0, &[CONTACT]);
}

#[test]
fn one_name_set_twice_is_taken_back_to_its_first_value() {
    let memory = Arc::new(Memory::default());
    memory.is_broken.store(true, Ordering::Relaxed);
    let mut agent = CommunityAgent::with_storage(host(1), memory);
    let names = [CONTACT, CONTACT];
    let response = agent.set(&[(CONTACT, octets("a")), (CONTACT, octets("b"))]);
    response.assert_error(ErrorStatus::CommitFailed, 1, &names);
    assert_eq!(agent.get(&[CONTACT]).values(), [octets("operators")]);
}

/// What was prepared still holds when it is committed.
#[test]
fn sets_from_several_threads_come_one_after_the_other() {
    const SETS: usize = 100;
    let (agent, journal) = agent_of(&[Script::default(), Script::default()]);
    let bindings = NAMES[..2].iter().map(|&name| (name, octets("x")));
    let message = Message::set(&bindings.collect::<Vec<_>>()).encode();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut requester = agent.another_requester();
                let received = agent.received(&message);
                for _ in 0..SETS {
                    let response = requester.handle(&agent.dispatcher, &agent.local, &received);
                    assert!(response.is_ok());
                }
            });
        }
    });
    let steps = journal.take();
    let one_set = &steps[..7];
    assert_eq!(steps.len(), 4 * SETS * one_set.len());
    assert!(steps.chunks(one_set.len()).all(|steps| steps == one_set));
}

#[test]
fn a_malformed_binding_behind_others_changes_nothing() {
    let mut message = Message::set(&[(CONTACT, octets("x")), (NAME, Value::Null)]).encode();
    // The tag of NULL becomes one that is not a value.
    let at = message.len() - 2;
    assert_eq!(message[at..], [5, 0]);
    message[at] = 0x1e;
    let mut agent = CommunityAgent::host(1);
    agent.refusal(&message);
    assert_eq!(agent.get(&[CONTACT]).values(), [octets("operators")]);
}

#[test]
fn snmpv1_sets_as_well() {
    let mut agent = CommunityAgent::host(1);
    let request = Message::set(&[(CONTACT, octets("x"))]).with_version(Version::V1);
    assert_eq!(agent.ask(request).values(), [octets("x")]);
    assert_eq!(agent.get(&[IF_NUMBER]).values(), [Value::NoSuchInstance]);
}

/// Other protocols set objects without a message.
#[test]
fn objects_set_without_a_message_are_set_as_by_a_set_request() {
    let long = octets(&"x".repeat(256));
    let refusals: [(&str, Vec<(&str, Value)>); 5] = [
        (
            "private",
            vec![(CONTACT, octets("a")), (NAME, Value::Integer(1))],
        ),
        ("private", vec![(CONTACT, octets("a")), (NAME, long)]),
        (
            "private",
            vec![(CONTACT, octets("a")), (IF_NUMBER, Value::Integer(1))],
        ),
        ("public", vec![(CONTACT, octets("a"))]),
        ("stranger", vec![(CONTACT, octets("a"))]),
    ];
    for (community, objects) in refusals {
        let mut agent = CommunityAgent::host(1);
        let before = texts(&mut agent);
        let response = agent.ask(Message::set(&objects).with_community(community));
        let (status, index) = response.error();
        assert_ne!(status, ErrorStatus::NoError);
        let refused = set_objects(&agent, community, "", &objects).expect_err("refused");
        assert_eq!(refused.status, status, "{objects:?}");
        assert_eq!(i32::try_from(refused.index), Ok(index), "{objects:?}");
        assert_eq!(texts(&mut agent), before);
    }
    let mut agent = CommunityAgent::host(1);
    let objects = [(CONTACT, octets("a")), (NAME, octets("b"))];
    assert_eq!(set_objects(&agent, "private", "", &objects), Ok(()));
    assert_eq!(texts(&mut agent)[..2], [octets("a"), octets("b")]);
    let elsewhere = set_objects(&agent, "private", "nowhere", &objects);
    let status = ErrorStatus::NoAccess;
    assert_eq!(elsewhere, Err(SetRefused { status, index: 0 }));
}

fn set_objects(
    agent: &CommunityAgent,
    security_name: &str,
    context_name: &str,
    objects: &[(&str, Value)],
) -> Result<(), SetRefused> {
    let principal = Principal {
        security_model: SecurityModel::SnmpV2c,
        security_name: SecurityName::new(security_name),
        security_level: SecurityLevel::NoAuthNoPriv,
        context_name: context_name.to_owned(),
    };
    let objects: Vec<_> = objects
        .iter()
        .map(|(name, value)| VarBind::new(oid(name), value.clone()))
        .collect();
    agent
        .dispatcher
        .set_objects(&agent.local, &principal, Instant::ORIGIN, &objects)
}
