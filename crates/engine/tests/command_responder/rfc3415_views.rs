//! RFC 3415 sections 3.2 and 4: what views let through, in each kind of request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, ValueRef};
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, IF_TABLE, SYS_DESCR, SYS_NAME, THRESHOLD, host,
};
use varbind_testkit::view::family;
use varbind_testkit::{octets, oid};

/// All but the interfaces and sysName.
fn families() -> [ViewTreeFamily; 3] {
    [
        family("1.3.6.1", "", true),
        family("1.3.6.1.2.1.2", "", false),
        family(SYS_NAME, "", false),
    ]
}

/// What a walk with GetNext shows.
fn walk(agent: &mut CommunityAgent) -> Vec<String> {
    let mut names = vec!["0.0".to_owned()];
    loop {
        let (name, value) = agent
            .get_next(&[&names[names.len() - 1]])
            .bindings()
            .remove(0);
        if value == Value::EndOfMibView {
            return names.split_off(1);
        }
        names.push(name);
    }
}

#[test]
fn a_get_outside_the_view_gives_no_such_object() {
    let mut agent = CommunityAgent::host(2).with_view(&families());
    for name in [
        format!("{SYS_NAME}.0"),
        SYS_NAME.into(),
        format!("{IF_NUMBER}.0"),
    ] {
        assert_eq!(agent.get(&[&name]).values(), [Value::NoSuchObject]);
    }
    let description = format!("{SYS_DESCR}.0");
    assert_eq!(agent.get(&[&description]).values(), [octets("a host")]);
}

#[test]
fn get_next_passes_what_is_outside_the_view() {
    let mut agent = CommunityAgent::host(2).with_view(&families());
    let next = |agent: &mut CommunityAgent, name: &str| agent.get_next(&[name]).names().remove(0);
    assert_eq!(next(&mut agent, "1.3.6.1.2.1.1.4.0"), "1.3.6.1.2.1.1.6.0");
    assert_eq!(
        next(&mut agent, "1.3.6.1.2.1.1.6.0"),
        "1.3.6.1.2.1.31.1.1.1.102.1"
    );
    assert_eq!(
        next(&mut agent, &format!("{IF_TABLE}.1.5.1")),
        "1.3.6.1.2.1.31.1.1.1.102.1"
    );
}

#[test]
fn a_view_that_ends_early_ends_the_walk() {
    let view = [family("1.3.6.1.2.1.1", "", true)];
    let mut agent = CommunityAgent::host(2).with_view(&view);
    let names = walk(&mut agent);
    assert_eq!(names.len(), 5);
    let bindings = agent.get_bulk(0, 100, &["1.3.6.1.2.1.1.6"]).bindings();
    let location = "1.3.6.1.2.1.1.6.0".to_owned();
    assert_eq!(
        bindings,
        [
            (location.clone(), octets("here")),
            (location, Value::EndOfMibView),
        ]
    );
}

#[test]
fn nothing_is_in_a_view_of_exclusions() {
    let mut agent = CommunityAgent::host(2).with_view(&[family("1.3", "", false)]);
    assert_eq!(walk(&mut agent), [""; 0]);
}

/// RFC 3415 4: ifEntry.*.2, the example of vacmViewTreeFamilyMask.
#[test]
fn a_mask_shows_one_row_of_a_table() {
    let row = family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", true);
    let mut agent = CommunityAgent::host(3).with_view(&[row]);
    let expected: Vec<_> = (1..=22)
        .map(|column| format!("{IF_TABLE}.1.{column}.2"))
        .collect();
    assert_eq!(walk(&mut agent), expected);
    let values = agent
        .get(&[&format!("{IF_TABLE}.1.2.2"), &format!("{IF_TABLE}.1.2.3")])
        .values();
    assert_eq!(values, [octets("interface 2"), Value::NoSuchObject]);
}

#[test]
fn a_mask_hides_one_row_of_a_table() {
    let view = [
        family("1.3.6.1", "", true),
        family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", false),
    ];
    let mut agent = CommunityAgent::host(3).with_view(&view);
    let names = agent.get_bulk(0, 4, &[&format!("{IF_TABLE}.1.1")]).names();
    let cell = |cell: &str| format!("{IF_TABLE}.1.{cell}");
    assert_eq!(names, [cell("1.1"), cell("1.3"), cell("2.1"), cell("2.3")]);
}

#[test]
fn an_inclusion_below_an_exclusion_counts() {
    let view = [
        family("1.3.6.1.2.1", "", true),
        family("1.3.6.1.2.1.2.2", "", false),
        family("1.3.6.1.2.1.2.2.1.7", "", true),
        family("1.3.6.1.2.1.31", "", false),
    ];
    let mut agent = CommunityAgent::host(2).with_view(&view);
    let names = agent.get_bulk(0, 3, &[&format!("{IF_NUMBER}.0")]).names();
    let cell = |cell: &str| format!("{IF_TABLE}.1.{cell}");
    assert_eq!(names, [cell("7.1"), cell("7.2"), cell("7.2")]);
}

#[test]
fn get_bulk_and_get_next_show_the_same() {
    for view in [
        families().to_vec(),
        vec![family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", true)],
        vec![
            family("1.3.6.1.2.1.31", "", true),
            family("1.3.6.1.4", "", true),
        ],
    ] {
        let mut agent = CommunityAgent::host(3).with_view(&view);
        let mut names = agent.get_bulk(0, 10_000, &["0.0"]).names();
        names.pop();
        assert_eq!(names, walk(&mut agent));
    }
}

#[test]
fn a_set_outside_the_view_gives_no_access() {
    let mut agent = CommunityAgent::host(2).with_view(&families());
    let name = format!("{SYS_NAME}.0");
    agent
        .set(&[(&name, octets("x"))])
        .assert_error(ErrorStatus::NoAccess, 1, &[&name]);
}

/// Very many instances that count how often they are read.
struct Large {
    reads: Arc<AtomicUsize>,
    base: Vec<u32>,
    instances: u32,
}

impl ManagedObject for Large {
    fn get(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Err(ReadError::NoSuchInstance)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let next = match name.strip_prefix(self.base.as_slice()) {
            Some([]) => 0,
            Some([at, ..]) => at.saturating_add(1),
            None if name < self.base.as_slice() => 0,
            None => u32::MAX,
        };
        if next < self.instances {
            self.reads.fetch_add(1, Ordering::Relaxed);
            reply.name().set(&self.base);
            reply.name().push(next);
            reply.value(ValueRef::Integer(0));
        }
        Ok(())
    }
}

const LARGE: &str = "1.3.6.1.3.1";

fn agent_with_a_large_object(instances: u32) -> (CommunityAgent, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let large = Large {
        reads: Arc::clone(&reads),
        base: oid(LARGE).arcs().to_vec(),
        instances,
    };
    let agent = CommunityAgent::new(host(1).register(oid(LARGE), Arc::new(large)));
    (agent, reads)
}

#[test]
fn a_large_subtree_outside_the_view_is_passed_without_reading_it() {
    let view = [family("1.3.6.1", "", true), family("1.3.6.1.3", "", false)];
    let (agent, reads) = agent_with_a_large_object(1_000_000);
    let mut agent = agent.with_view(&view);
    let names = agent.get_next(&["1.3.6.1.3"]).names();
    assert_eq!(names, [format!("{THRESHOLD}.0")]);
    assert_eq!(reads.load(Ordering::Relaxed), 1);
    let response = agent.get_bulk(0, 2000, &["0.0"]);
    assert_eq!(response.error(), (ErrorStatus::NoError, 0));
    assert_eq!(reads.load(Ordering::Relaxed), 2);
}

/// Most views name what is in them, not what is outside.
#[test]
fn what_no_family_includes_is_passed_without_reading_it() {
    let view = [
        family("1.3.6.1.2.1.1", "", true),
        family(THRESHOLD, "", true),
    ];
    let (agent, reads) = agent_with_a_large_object(1_000_000);
    let mut agent = agent.with_view(&view);
    let names = agent.get_bulk(0, 10, &["1.3.6.1.2.1.1.6"]).names();
    let expected = [
        "1.3.6.1.2.1.1.6.0",
        "1.3.6.1.4.1.32473.1.0",
        "1.3.6.1.4.1.32473.1.0",
    ];
    assert_eq!(names, expected);
    assert_eq!(reads.load(Ordering::Relaxed), 0);
}

/// Only a mask makes instances be passed one by one.
#[test]
fn the_work_of_one_request_is_bounded() {
    let view = [
        family("1.3.6.1", "", true),
        family(&format!("{LARGE}.0"), "fd", false),
        family(&format!("{LARGE}.0.1"), "", true),
    ];
    let (agent, reads) = agent_with_a_large_object(u32::MAX);
    let mut agent = agent.with_view(&view);
    let names = ["1.3.6.1.3", "1.3.6.1.3"];
    agent
        .get_next(&names)
        .assert_error(ErrorStatus::GenErr, 1, &names);
    assert!(reads.load(Ordering::Relaxed) <= (1 << 20) + 1);
}

/// RFC 3416 4.2.3: a response may end behind a complete repetition if it takes too long.
#[test]
fn a_bulk_response_ends_where_the_work_becomes_too_much() {
    let view = [
        family("1.3.6.1", "", true),
        family(&format!("{LARGE}.0"), "fd", false),
        family(&format!("{LARGE}.0.1"), "", true),
    ];
    let (agent, _) = agent_with_a_large_object(u32::MAX);
    let mut agent = agent.with_view(&view);
    let response = agent.get_bulk(0, 10, &["1.3.6.1.2.1.31.1.1.1.118", SYS_DESCR]);
    assert_eq!(
        response.names(),
        [
            "1.3.6.1.2.1.31.1.1.1.118.1".to_owned(),
            format!("{SYS_DESCR}.0")
        ]
    );
    let names = [SYS_DESCR, "1.3.6.1.3"];
    agent
        .get_bulk(1, 10, &names)
        .assert_error(ErrorStatus::GenErr, 2, &names);
}

/// A repeater that has ended is not searched again.
#[test]
fn an_end_behind_many_hidden_instances_is_looked_for_once() {
    let view = [
        family("1.3.6.1.2", "", true),
        family(&format!("{LARGE}.0.1"), "fd", true),
    ];
    let (agent, reads) = agent_with_a_large_object(1000);
    let mut agent = agent.with_view(&view);
    let response = agent.get_bulk(0, 20, &["1.3.6.1.2.1.31.1.1.1.118.1", IF_TABLE]);
    assert_eq!(response.bindings().len(), 40);
    assert_eq!(reads.load(Ordering::Relaxed), 1000);
}
