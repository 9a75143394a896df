//! RFC 3413 section 3.2: what a command responder does before it processes a PDU.

use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_engine::discard::Discard;
use varbind_engine::statistics::Counter;
use varbind_testkit::command_responder::{CommunityAgent, SYS_DESCR};
use varbind_testkit::message::Message;

const TYPES: [PduType; 4] = [
    PduType::GetRequest,
    PduType::GetNextRequest,
    PduType::GetBulkRequest,
    PduType::SetRequest,
];

/// RFC 3413 3.2 (4): noGroupName.
#[test]
fn a_user_without_group_gets_authorization_error() {
    let mut agent = CommunityAgent::host(1);
    let names = [SYS_DESCR, "1.3.7"];
    for pdu_type in TYPES {
        let request = Message::new(pdu_type, &names).with_community("stranger");
        let response = agent.ask(request);
        response.assert_error(ErrorStatus::AuthorizationError, 0, &names);
    }
    assert_eq!(agent.count(Counter::SnmpInBadCommunityUses), 4);
    assert_eq!(agent.count(Counter::SnmpInPkts), 4);
}

/// RFC 3584 4.4 maps authorizationError to noSuchName, which has an index.
#[test]
fn snmpv1_says_no_such_name_for_it() {
    let request = Message::new(PduType::GetRequest, &[SYS_DESCR, "1.3.7"])
        .with_community("stranger")
        .with_version(Version::V1);
    let response = CommunityAgent::host(1).ask(request);
    response.assert_error(ErrorStatus::NoSuchName, 1, &[SYS_DESCR, "1.3.7"]);
}

#[test]
fn an_authorization_error_that_does_not_fit_is_too_big() {
    let names = vec![SYS_DESCR; 30];
    let request = Message::new(PduType::GetRequest, &names).with_community("stranger");
    let response = CommunityAgent::host(1).with_limit(200).ask(request);
    assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
}

/// RFC 3413 3.2 (2): a community cannot be told of it by a Report-PDU.
#[test]
fn a_context_that_does_not_exist_is_counted_and_not_answered() {
    let mut agent = CommunityAgent::host(1);
    for pdu_type in TYPES {
        let request = Message::new(pdu_type, &[SYS_DESCR]).with_community("elsewhere");
        assert_eq!(agent.refusal(&request.encode()), Discard::UnknownContext);
    }
    assert_eq!(agent.count(Counter::SnmpUnknownContexts), 4);
    assert_eq!(agent.count(Counter::SnmpInPkts), 4);
}

/// The context must also be known to access control (RFC 3415 section 3.2, step 1).
#[test]
fn a_context_that_access_control_does_not_know_is_unknown_as_well() {
    let mut agent = CommunityAgent::host(1);
    let registry = agent.local.contexts[""].clone();
    agent.local.contexts.insert("elsewhere".into(), registry);
    let request = Message::new(PduType::GetRequest, &[SYS_DESCR]).with_community("elsewhere");
    assert_eq!(agent.refusal(&request.encode()), Discard::UnknownContext);
}

#[test]
fn each_context_has_its_own_objects() {
    use std::sync::Arc;
    use varbind_codec::smi::Value;
    use varbind_engine::access_control::{AccessEntry, Vacm};
    use varbind_engine::instrumentation::{Registry, Scalar};
    use varbind_engine::security::{SecurityModel, SecurityName};

    use varbind_testkit::oid;
    use varbind_testkit::view::{access, family};

    let mut agent = CommunityAgent::host(1);
    let scalar = Arc::new(Scalar::new(&oid(SYS_DESCR), |_| Some(Value::Integer(2))));
    let other = Registry::builder().register(oid(SYS_DESCR), scalar);
    let other = Arc::new(other.build().unwrap());
    agent.local.contexts.insert("elsewhere".into(), other);
    let entry = AccessEntry {
        context_prefix: "elsewhere".into(),
        ..access("all", "view", "")
    };
    let mut tables = Vacm::builder()
        .context("")
        .context("elsewhere")
        .access(access("all", "view", ""))
        .access(entry)
        .view("view", family("1.3", "", true));
    for name in ["public", "elsewhere"] {
        tables = tables.group(SecurityModel::SnmpV2c, SecurityName::new(name), "all");
    }
    agent.local.access_control = tables.build().unwrap();
    let instance = format!("{SYS_DESCR}.0");
    let request = Message::new(PduType::GetRequest, &[&instance]);
    let here = agent.ask(request.clone()).values();
    let elsewhere = agent.ask(request.with_community("elsewhere")).values();
    assert_eq!(here, [varbind_testkit::octets("a host")]);
    assert_eq!(elsewhere, [Value::Integer(2)]);
}
