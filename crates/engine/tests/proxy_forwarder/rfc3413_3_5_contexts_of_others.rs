//! RFC 3413 section 3.5: contexts of other engines.

use std::sync::Arc;

use varbind_codec::message::SecurityLevel::{AuthPriv, NoAuthNoPriv};
use varbind_codec::pdu::ErrorStatus;
use varbind_engine::access_control::Vacm;
use varbind_engine::applications::proxy_forwarder::ForwardedResponse;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::{DispatchOutcome, response_buffer_length};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::Registry;
use varbind_engine::local_configuration::ProxiedContext;
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::WaitHandling;
use varbind_testkit::v3::user_based::Message;
use varbind_testkit::v3::{Request, SYS_DESCR, V3Agent};
use varbind_testkit::view::{access, family};

use crate::{NoObjects, Target, integer};

fn other_engine() -> EngineId {
    EngineId::new(b"\x80\x00\x7e\xd9\x04other").unwrap()
}

/// `ops` may use the other engine's default context, `signer` the agent's own alone.
fn agent() -> V3Agent {
    let mut agent = V3Agent::with_users();
    agent.waits = WaitHandling::Defer;
    let objects = Registry::builder()
        .dynamic(Arc::new(NoObjects))
        .proxy(None, Target::read_only());
    agent.local.proxied_contexts = vec![ProxiedContext {
        engine_id: other_engine(),
        context_name: String::new(),
        access_context: "other".into(),
        registry: Arc::new(objects.build().unwrap()),
    }];
    let mut of_other = access("operators", "view", "view");
    of_other.context_prefix = "other".into();
    let group = |name| (SecurityModel::UserBased, SecurityName::new(name));
    let (model, ops) = group("ops");
    let (_, signer) = group("signer");
    agent.local.access_control = Vacm::builder()
        .context("")
        .context("other")
        .group(model, ops, "operators")
        .group(model, signer, "signers")
        .access(access("signers", "view", "view"))
        .access(of_other)
        .view("view", family("1.3", "", true))
        .build()
        .unwrap();
    agent
}

fn to_other(context_name: &str) -> Message {
    Message {
        context_engine_id: other_engine().as_octets().to_vec(),
        context_name: context_name.as_bytes().to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    }
}

#[test]
fn a_request_for_a_proxied_engine_is_passed_on_and_answered_in_its_context() {
    let mut agent = agent();
    let request = to_other("");
    let DispatchOutcome::Deferred(put_off) = agent.handle(&request.encode()) else {
        panic!("not put off");
    };
    assert!(put_off.proxy_target().is_some());
    let mut buffer = vec![0; response_buffer_length(agent.limits.message)];
    let response = ForwardedResponse::values(vec![integer(SYS_DESCR, 7)]);
    let outcome = agent
        .dispatcher
        .respond_forwarded(&agent.local, agent.now, &put_off, &response, &mut buffer)
        .unwrap();
    let range = outcome.answer().unwrap();
    let answer = request.decode_response(&buffer[range]);
    assert_eq!(answer.context_engine_id, other_engine().as_octets());
    assert_eq!(answer.var_binds, [integer(SYS_DESCR, 7)]);
}

/// 3.5.1.1: there is no translation for it.
#[test]
fn another_context_of_a_proxied_engine_is_reported_as_a_proxy_drop() {
    let mut agent = agent();
    agent.report(&to_other("vrf"), Discard::NoProxyTarget);
    assert_eq!(agent.count(Counter::SnmpProxyDrops), 1);
}

#[test]
fn an_engine_that_is_not_proxied_stays_unknown() {
    let mut agent = agent();
    let request = Message {
        context_engine_id: b"\x80\x00\x7e\xd9\x04third".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    agent.report(&request, Discard::UnknownContextEngineId);
}

/// The name that stands for a context of another engine in access control is not a context of this one.
#[test]
fn a_proxied_engine_is_reached_by_its_engine_id_alone() {
    let mut agent = agent();
    let request = Message {
        context_name: b"other".to_vec(),
        ..Message::get(AuthPriv, SYS_DESCR)
    };
    agent.report(&request, Discard::UnknownContext);
}

#[test]
fn requests_without_access_are_not_forwarded() {
    let mut agent = agent();
    let request = Message {
        user_name: b"open".to_vec(),
        level: NoAuthNoPriv,
        ..to_other("")
    };
    let outcome = agent.handle(&request.encode());
    assert!(
        matches!(outcome, DispatchOutcome::Respond(_)),
        "{outcome:?}"
    );
    let answer = request.decode_response(agent.octets(&outcome).unwrap());
    assert_eq!(answer.status, ErrorStatus::AuthorizationError);
}
