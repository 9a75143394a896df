//! RFC 3413 section 3.5.1: which requests are passed on as a whole, and what their senders get.

use std::sync::Arc;

use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::proxy_forwarder::{ForwardedResponse, Operation, ProxyTarget};
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::{DispatchOutcome, response_buffer_length};
use varbind_engine::instrumentation::{Registry, RegistryBuilder};
use varbind_engine::message_processing::DeferredRequest;
use varbind_engine::statistics::Counter;
use varbind_engine::transport::WaitHandling;
use varbind_testkit::command_responder::{CommunityAgent, SYS_DESCR, host};
use varbind_testkit::message::Message;
use varbind_testkit::view::family;
use varbind_testkit::{octets, oid};

use crate::{NoObjects, Target, integer};

/// squid's objects.
const ROOT: &str = "1.3.6.1.4.1.3495.1";
const ONE: &str = "1.3.6.1.4.1.3495.1.1.0";
const TWO: &str = "1.3.6.1.4.1.3495.1.2.0";
const BEHIND: &str = "1.3.6.1.4.1.3495.2.0";

fn subtree(target: Arc<dyn ProxyTarget>) -> RegistryBuilder {
    host(1)
        .register(oid(ROOT), Arc::new(NoObjects))
        .proxy(Some(oid(ROOT)), target)
}

fn whole_context(target: Arc<dyn ProxyTarget>) -> RegistryBuilder {
    Registry::builder()
        .dynamic(Arc::new(NoObjects))
        .proxy(None, target)
}

fn agent(objects: RegistryBuilder) -> CommunityAgent {
    let mut agent = CommunityAgent::new(objects);
    agent.waits = WaitHandling::Defer;
    agent
}

/// The request as it is put off; `None` if it is answered at once.
fn deferred(agent: &mut CommunityAgent, request: &Message) -> Option<Box<DeferredRequest>> {
    match agent.handle(&request.encode()) {
        Err(DispatchOutcome::Deferred(request)) => Some(request),
        _ => None,
    }
}

fn is_passed_on(agent: &mut CommunityAgent, request: &Message) -> bool {
    deferred(agent, request).is_some_and(|request| request.proxy_target().is_some())
}

/// What the sender gets for a response of the target; `None` if the objects are to be asked one by one.
fn answer(
    agent: &mut CommunityAgent,
    request: &Message,
    response: &ForwardedResponse,
) -> Option<Message> {
    let put_off = deferred(agent, request).unwrap();
    let mut buffer = vec![0; response_buffer_length(agent.limits.message)];
    let outcome = agent.dispatcher.respond_forwarded(
        &agent.local,
        Instant::from_nanos(80_000_000),
        &put_off,
        response,
        &mut buffer,
    )?;
    let DispatchOutcome::Respond(range) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(range.len() <= agent.limits.message);
    let message = Message::decode_response(&buffer[range]);
    assert_eq!(message.request_id, request.request_id);
    Some(message)
}

#[test]
fn a_request_for_one_target_alone_is_passed_on_as_it_is() {
    let mut agent = agent(subtree(Target::read_write()));
    let bulk = Message::get_bulk(1, 20, &[ONE, TWO]).with_request_id(7);
    let request = deferred(&mut agent, &bulk).unwrap().forwarded();
    assert_eq!(
        request.operation,
        Operation::GetBulk {
            non_repeaters: 1,
            max_repetitions: 20
        }
    );
    assert_eq!(request.var_binds, bulk.bindings);
    let set = Message::set(&[(ONE, Value::Integer(1)), (TWO, octets("x"))]);
    let request = deferred(&mut agent, &set).unwrap().forwarded();
    assert_eq!(request.operation, Operation::Set);
    assert_eq!(request.var_binds, set.bindings);
    let debug = format!("{request:?}");
    assert!(debug.contains(ONE) && !debug.contains('x'), "{debug}");
}

#[test]
fn a_request_for_others_too_is_the_command_responders() {
    let mut agent = agent(subtree(Target::read_write()));
    for names in [
        &[ONE, SYS_DESCR][..],
        &[SYS_DESCR],
        &[BEHIND],
        &["1.3.6"],
        &[],
    ] {
        for pdu_type in [PduType::GetRequest, PduType::GetNextRequest] {
            let request = Message::new(pdu_type, names);
            assert!(!is_passed_on(&mut agent, &request), "{names:?}");
        }
    }
    assert!(is_passed_on(&mut agent, &Message::get(1, ONE)));
    // Objects of the agent itself in a context that is passed on.
    let objects =
        whole_context(Target::read_only()).register(oid("1.3.6.1.6.3.10.2.1"), Arc::new(NoObjects));
    let mut agent = self::agent(objects);
    assert!(is_passed_on(&mut agent, &Message::get(1, SYS_DESCR)));
    let engine_id = Message::get(1, "1.3.6.1.6.3.10.2.1.1.0");
    assert!(!is_passed_on(&mut agent, &engine_id));
}

/// 4.3, snmpProxyType
#[test]
fn a_target_for_reading_takes_no_set() {
    let set = Message::set(&[(ONE, Value::Integer(1))]);
    assert!(is_passed_on(
        &mut agent(subtree(Target::read_write())),
        &set
    ));
    let mut agent = agent(subtree(Target::read_only()));
    assert!(!is_passed_on(&mut agent, &set));
    let put_off = deferred(&mut agent, &set).unwrap();
    let response = Message::decode_response(agent.carry_out(&put_off).unwrap());
    assert_eq!(response.error(), (ErrorStatus::NotWritable, 1));
}

#[test]
fn no_right_is_widened_by_passing_on() {
    let visible = [family("1.3", "", true), family(TWO, "", false)];
    let mut agent = agent(subtree(Target::read_write())).with_view(&visible);
    assert!(is_passed_on(&mut agent, &Message::get(1, ONE)));
    // Names outside of the view are not even told to the target.
    assert!(!is_passed_on(&mut agent, &Message::get(1, TWO)));
    let set = Message::set(&[(ONE, Value::Integer(1)), (TWO, Value::Integer(1))]);
    assert!(!is_passed_on(&mut agent, &set));
    // Who may not write at all, and who belongs to no group.
    let set = Message::set(&[(ONE, Value::Integer(1))]);
    assert!(!is_passed_on(
        &mut agent,
        &set.clone().with_community("public")
    ));
    assert!(!is_passed_on(&mut agent, &set.with_community("stranger")));
    // What comes back and may not be seen.
    let next = Message::new(PduType::GetNextRequest, &[ONE]);
    let hidden = ForwardedResponse::values(vec![integer(TWO, 2)]);
    assert!(answer(&mut agent, &next, &hidden).is_none());
}

#[test]
fn what_lies_behind_a_subtree_is_not_the_targets() {
    let mut agent = agent(subtree(Target::read_only()));
    let next = Message::new(PduType::GetNextRequest, &[TWO]);
    let end = VarBind::new(oid(TWO), Value::EndOfMibView);
    for found in [integer(BEHIND, 1), end.clone()] {
        let response = ForwardedResponse::values(vec![found]);
        assert!(answer(&mut agent, &next, &response).is_none());
    }
    // Of a whole context the end is the end.
    let mut agent = self::agent(whole_context(Target::read_only()));
    let response = ForwardedResponse::values(vec![end.clone()]);
    let message = answer(&mut agent, &next, &response).unwrap();
    assert_eq!(message.bindings, [end]);
}

#[test]
fn the_response_of_the_target_is_the_senders() {
    let mut agent = agent(whole_context(Target::read_write()));
    let get = Message::new(PduType::GetRequest, &[ONE, TWO]).with_request_id(77);
    let found = vec![integer(ONE, 1), integer(TWO, 2)];
    let response = ForwardedResponse::values(found.clone());
    let message = answer(&mut agent, &get, &response).unwrap();
    assert_eq!(message.bindings, found);
    for (status, index) in [
        (ErrorStatus::GenErr, 0),
        (ErrorStatus::ResourceUnavailable, 2),
    ] {
        let response = ForwardedResponse::error(status, index);
        let message = answer(&mut agent, &get, &response).unwrap();
        let error_index = i32::try_from(index).unwrap();
        assert_eq!(message.error(), (status, error_index));
        assert_eq!(message.bindings, get.bindings);
    }
    assert_eq!(agent.count(Counter::SnmpInGetRequests), 3);
    assert_eq!(agent.count(Counter::SnmpInTotalReqVars), 2);
    let set = Message::set(&[(ONE, Value::Integer(1))]);
    let response = ForwardedResponse::values(Vec::new());
    let message = answer(&mut agent, &set, &response).unwrap();
    assert_eq!(message.bindings, set.bindings);
}

/// RFC 3584 4.4 and 4.2.2.1
#[test]
fn a_v1_manager_gets_an_error_status_of_v1() {
    let mut agent = agent(whole_context(Target::read_write()));
    let get = Message::new(PduType::GetRequest, &[ONE, TWO]).with_version(Version::V1);
    for value in [
        Value::NoSuchInstance,
        Value::NoSuchObject,
        Value::Counter64(1),
    ] {
        let found = vec![integer(ONE, 1), VarBind::new(oid(TWO), value)];
        let response = ForwardedResponse::values(found);
        let message = answer(&mut agent, &get, &response).unwrap();
        assert_eq!(message.error(), (ErrorStatus::NoSuchName, 2));
        assert_eq!(message.bindings, get.bindings);
    }
    let response = ForwardedResponse::error(ErrorStatus::WrongLength, 2);
    let message = answer(&mut agent, &get, &response).unwrap();
    assert_eq!(message.error(), (ErrorStatus::BadValue, 2));
}

/// RFC 3416 4.2.3: the target may take larger messages than the sender.
#[test]
fn a_response_that_is_too_large_is_cut_or_too_big() {
    let mut agent = agent(whole_context(Target::read_only())).with_limit(600);
    let long = |name: &str| VarBind::new(oid(name), octets(&"x".repeat(200)));
    let rows = vec![long(ONE), long(TWO), long(BEHIND)];
    let response = ForwardedResponse::values(rows.clone());
    let bulk = Message::get_bulk(0, 3, &[ROOT]);
    let message = answer(&mut agent, &bulk, &response).unwrap();
    assert_eq!(message.bindings, rows[..2]);
    let get = Message::new(PduType::GetRequest, &[ONE, TWO, BEHIND]);
    let message = answer(&mut agent, &get, &response).unwrap();
    assert_eq!(message.error(), (ErrorStatus::TooBig, 0));
}
