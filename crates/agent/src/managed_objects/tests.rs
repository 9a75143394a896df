use varbind::clock::Clock;
use varbind_codec::smi::{ValueRef, VarBind};
use varbind_engine::clock::Instant;
use varbind_engine::instrumentation::{RequestContext, SetError, Storage};

use super::*;
use crate::configuration::AgentConfiguration;
use crate::instrumentation::Instrumentation;
use crate::local_configuration::{Programs, build_registry};
use crate::persistence::Mode;

struct Agent {
    registry: Registry,
    store: Arc<Store>,
}

fn agent(directory: &std::path::Path, mode: Mode) -> Agent {
    let path = directory.join("agent.toml");
    let access = match mode {
        Mode::Read => "read-only",
        Mode::Write => "read-write",
    };
    let text = format!(
        "state-directory = {directory:?}\n[[community]]\nname = \"public\"\naccess = {access:?}"
    );
    std::fs::write(&path, text).unwrap();
    let configuration = AgentConfiguration::load(&path).unwrap();
    let instrumentation = Instrumentation::open(&configuration, Clock::start()).unwrap();
    let programs = Programs::new(&instrumentation, &configuration);
    let described = instrumentation.described_engine(&configuration).unwrap();
    let registry = build_registry(
        &configuration,
        &instrumentation,
        None,
        &described,
        &programs,
    )
    .unwrap();
    let store = Arc::clone(instrumentation.store());
    Agent { registry, store }
}

const NOW: RequestContext<'static> = RequestContext::of_agent(Instant::from_nanos(1_230_000_000));

impl Agent {
    fn read(&self, name: &str) -> Value {
        let name: Oid = name.parse().unwrap();
        self.registry.read(&NOW, name.arcs()).unwrap()
    }

    fn set(&self, name: &str, value: ValueRef<'_>) -> Result<(), SetError> {
        let name: Oid = name.parse().unwrap();
        let object = self.registry.find(name.arcs()).unwrap();
        object
            .prepare_set(&NOW, name.arcs(), value)?
            .commit()
            .unwrap();
        self.store.make_durable().unwrap();
        Ok(())
    }
}

const SYS_CONTACT: &str = "1.3.6.1.2.1.1.4.0";
const SERIAL: &str = "1.3.6.1.6.3.1.1.6.1.0";

fn octets(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

#[test]
fn a_walk_meets_each_instance_once_in_order_and_get_answers_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let agent = agent(directory.path(), Mode::Read);
    let mut name: Oid = "1.3".parse().unwrap();
    let mut count = 0;
    while let Some(VarBind { name: next, value }) =
        agent.registry.read_next(&NOW, name.arcs()).unwrap()
    {
        assert!(next > name, "{next} after {name}");
        let again = agent.registry.read(&NOW, next.arcs()).unwrap();
        // Packets of this test's neighbours are counted meanwhile.
        assert_eq!(
            std::mem::discriminant(&again),
            std::mem::discriminant(&value),
            "{next}"
        );
        name = next;
        count += 1;
    }
    // Loopback alone has 22 + 19 columns and two rows in ifStackTable.
    assert!(count > 80, "{count}");
    assert_eq!(agent.read("1.3.6.1.2.1.2.2.1.2.1"), octets("lo"));
    assert_eq!(agent.read("1.3.6.1.2.1.2.2.1.3.1"), Value::Integer(24));
    assert_eq!(
        agent.read("1.3.6.1.2.1.4.20.1.3.127.0.0.1"),
        Value::IpAddress([255, 0, 0, 0])
    );
    assert_eq!(
        agent.read("1.3.6.1.2.1.4.34.1.3.1.4.127.0.0.1"),
        Value::Integer(1)
    );
    assert_eq!(agent.read("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(123));
}

#[test]
fn a_set_value_is_read_back_and_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let first = agent(directory.path(), Mode::Write);
    assert_eq!(first.read(SYS_CONTACT), octets(""));
    first
        .set(SYS_CONTACT, ValueRef::OctetString(b"ops"))
        .unwrap();
    assert_eq!(first.read(SYS_CONTACT), octets("ops"));
    drop(first);
    assert_eq!(
        agent(directory.path(), Mode::Read).read(SYS_CONTACT),
        octets("ops")
    );
}

#[test]
fn sets_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let agent = agent(directory.path(), Mode::Write);
    let long = [b'x'; 256];
    for (name, value, expected) in [
        (SYS_CONTACT, ValueRef::Integer(1), SetError::WrongType),
        (
            SYS_CONTACT,
            ValueRef::OctetString(&long),
            SetError::WrongLength,
        ),
        (
            "1.3.6.1.2.1.1.4.1",
            ValueRef::OctetString(b""),
            SetError::NoCreation,
        ),
        (
            "1.3.6.1.2.1.1.1.0",
            ValueRef::OctetString(b""),
            SetError::NotWritable,
        ),
        (
            "1.3.6.1.2.1.2.2.1.7.1",
            ValueRef::Integer(2),
            SetError::NotWritable,
        ),
        (
            "1.3.6.1.2.1.11.30.0",
            ValueRef::Integer(3),
            SetError::WrongValue,
        ),
        (SERIAL, ValueRef::Integer(1), SetError::InconsistentValue),
    ] {
        assert_eq!(agent.set(name, value), Err(expected), "{name}");
    }
}

#[test]
fn the_serial_number_is_raised_by_who_knows_it() {
    let directory = tempfile::tempdir().unwrap();
    let agent = agent(directory.path(), Mode::Write);
    agent.set(SERIAL, ValueRef::Integer(0)).unwrap();
    assert_eq!(
        agent.set(SERIAL, ValueRef::Integer(0)),
        Err(SetError::InconsistentValue)
    );
    agent.set(SERIAL, ValueRef::Integer(1)).unwrap();
    assert_eq!(agent.read(SERIAL), Value::Integer(2));
}

#[test]
fn a_change_that_is_undone_is_as_if_it_never_was() {
    let directory = tempfile::tempdir().unwrap();
    let agent = agent(directory.path(), Mode::Write);
    agent
        .set(SYS_CONTACT, ValueRef::OctetString(b"before"))
        .unwrap();
    let name: Oid = SYS_CONTACT.parse().unwrap();
    let object = agent.registry.find(name.arcs()).unwrap();
    let mut change = object
        .prepare_set(&NOW, name.arcs(), ValueRef::OctetString(b"after"))
        .unwrap();
    change.commit().unwrap();
    assert_eq!(agent.read(SYS_CONTACT), octets("after"));
    change.undo().unwrap();
    assert_eq!(agent.read(SYS_CONTACT), octets("before"));
    agent.store.make_durable().unwrap();
    let kept = std::fs::read_to_string(directory.path().join("values")).unwrap();
    assert!(kept.contains("before") && !kept.contains("after"));
}

#[test]
fn where_nothing_can_be_kept_nothing_can_be_set() {
    let directory = tempfile::tempdir().unwrap();
    let agent = agent(directory.path(), Mode::Read);
    let refused = agent.set(SYS_CONTACT, ValueRef::OctetString(b"ops"));
    assert_eq!(refused, Err(SetError::ResourceUnavailable));
}

#[test]
fn a_scalar_must_not_hide_other_objects() {
    let configuration = format!(
        "[[scalar]]\noid = \"{}\"\ntype = \"integer\"\nvalue = 1",
        "1.3.6.1.2.1.1.5"
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.toml");
    std::fs::write(&path, configuration).unwrap();
    let configuration = AgentConfiguration::load(&path).unwrap();
    let instrumentation = Instrumentation::open(&configuration, Clock::start()).unwrap();
    let programs = Programs::new(&instrumentation, &configuration);
    let described = instrumentation.described_engine(&configuration).unwrap();
    let error = build_registry(
        &configuration,
        &instrumentation,
        None,
        &described,
        &programs,
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("1.3.6.1.2.1.1.5") && error.contains("[[scalar]]"),
        "{error}"
    );
}

#[test]
fn what_was_read_of_the_host_survives_a_reload_that_does_not_concern_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.toml");
    let configuration = |text: &str| {
        let text = format!("state-directory = {:?}\n{text}", directory.path());
        std::fs::write(&path, text).unwrap();
        AgentConfiguration::load(&path).unwrap()
    };
    let first = configuration("[system]\nname = \"first\"");
    let instrumentation = Instrumentation::open_as(&first, Clock::start(), Mode::Read).unwrap();
    let host = instrumentation.host(&first);
    let renamed = instrumentation.host(&configuration("[system]\nname = \"second\""));
    assert!(Arc::ptr_eq(&host, &renamed));
    let watching = configuration("[[host.process]]\nname = \"sshd\"");
    let watching = instrumentation.host(&watching);
    assert!(!Arc::ptr_eq(&host, &watching));
}
