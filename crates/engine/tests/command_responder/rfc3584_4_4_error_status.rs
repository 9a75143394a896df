//! RFC 3584 sections 4.2.2 and 4.4: what of an answer SNMPv1 can express.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Value;
use varbind_engine::instrumentation::Scalar;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, Memory, SYS_CONTACT, SYS_DESCR, SYS_NAME, THRESHOLD, host,
};
use varbind_testkit::message::Message;
use varbind_testkit::view::family;
use varbind_testkit::{octets, oid};

#[test]
fn no_such_object_and_no_such_instance_become_no_such_name() {
    let description = format!("{SYS_DESCR}.0");
    let mut agent = CommunityAgent::host(1);
    for missing in ["1.3.7.1", SYS_DESCR] {
        let names = [&*description, &description, missing, "1.3.7.2"];
        agent
            .get_v1(&names)
            .assert_error(ErrorStatus::NoSuchName, 3, &names);
    }
}

#[test]
fn end_of_mib_view_becomes_no_such_name() {
    let names = [SYS_DESCR, "1.3.7", SYS_DESCR];
    CommunityAgent::host(1)
        .get_next_v1(&names)
        .assert_error(ErrorStatus::NoSuchName, 2, &names);
}

#[test]
fn gen_err_stays() {
    let broken = oid("1.3.6.1.4.1.32473.2");
    let scalar = Arc::new(Scalar::new(&broken, |_| None));
    let mut agent = CommunityAgent::new(host(1).register(broken, scalar));
    let names = ["1.3.6.1.2.1.1.1.0", "1.3.6.1.4.1.32473.2.0"];
    agent
        .get_v1(&names)
        .assert_error(ErrorStatus::GenErr, 2, &names);
}

/// RFC 3584 4.2.2.2 (1), RFC 1157 4.1.2: the bindings of tooBig are those of the request.
#[test]
fn too_big_repeats_the_bindings() {
    let description = format!("{SYS_DESCR}.0");
    let names = vec![&*description; 10];
    let mut agent = CommunityAgent::host(1).with_limit(240);
    agent
        .get_v1(&names)
        .assert_error(ErrorStatus::TooBig, 0, &names);
    let v2c = agent.get(&names);
    assert_eq!(v2c.error(), (ErrorStatus::TooBig, 0));
    assert_eq!(v2c.bindings, []);
}

#[test]
fn reasons_not_to_set_become_bad_value_or_no_such_name() {
    let [contact, name, threshold, number] =
        [SYS_CONTACT, SYS_NAME, THRESHOLD, IF_NUMBER].map(|object| format!("{object}.0"));
    let new_instance = format!("{SYS_CONTACT}.1");
    let long = Value::OctetString(vec![0; 256]);
    let cases = [
        (&*contact, Value::Integer(1), ErrorStatus::BadValue),
        (&contact, long, ErrorStatus::BadValue),
        (&threshold, Value::Integer(-1), ErrorStatus::BadValue),
        (&number, Value::Integer(1), ErrorStatus::NoSuchName),
        (&new_instance, octets("x"), ErrorStatus::NoSuchName),
        (&name, octets("x"), ErrorStatus::NoSuchName),
        ("1.3.7", octets("x"), ErrorStatus::NoSuchName),
    ];
    let mut agent = CommunityAgent::host(1)
        .with_view(&[family("1.3.6.1", "", true), family(SYS_NAME, "", false)]);
    for (name, value, status) in cases {
        let request = Message::set(&[(&contact, octets("new")), (name, value)]);
        let response = agent.ask(request.with_version(Version::V1));
        response.assert_error(status, 2, &[&contact, name]);
    }
    assert_eq!(agent.get(&[&contact]).values(), [octets("operators")]);
}

#[test]
fn commit_failed_becomes_gen_err() {
    let memory = Arc::new(Memory::default());
    memory.is_broken.store(true, Ordering::Relaxed);
    let mut agent = CommunityAgent::with_storage(host(1), memory);
    let contact = format!("{SYS_CONTACT}.0");
    let request = Message::set(&[(&contact, octets("new"))]).with_version(Version::V1);
    let response = agent.ask(request);
    response.assert_error(ErrorStatus::GenErr, 1, &[&contact]);
}

#[test]
fn the_version_of_the_response_is_that_of_the_request() {
    let description = format!("{SYS_DESCR}.0");
    let mut agent = CommunityAgent::host(1);
    assert_eq!(agent.get_v1(&[&description]).version, Version::V1);
    assert_eq!(agent.get(&[&description]).version, Version::V2c);
}
