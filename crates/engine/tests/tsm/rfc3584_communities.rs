//! SNMPv1 and SNMPv2c over secure transports: the sender is who the transport says, whatever the community.

use varbind_codec::message::{SecurityLevel, Version};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::DispatchOutcome;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::{
    Community, CommunityTable, SecurityModel, SecurityName, SourceAddresses,
};
use varbind_engine::statistics::Counter;
use varbind_engine::transport::SecureTransport;
use varbind_testkit::message::Message;
use varbind_testkit::octets;
use varbind_testkit::v3::transport::session;
use varbind_testkit::v3::{SYS_DESCR, V3Agent, access_control};

const VERSIONS: [(Version, SecurityModel); 2] = [
    (Version::V1, SecurityModel::SnmpV1),
    (Version::V2c, SecurityModel::SnmpV2c),
];

/// An agent where the community `public` may do anything without a secure transport.
fn agent(names: &[(SecurityModel, &str)]) -> V3Agent {
    let mut agent = V3Agent::over_tls();
    agent.local.communities = CommunityTable::new(vec![Community {
        name: b"public".to_vec(),
        security_name: SecurityName::new("public"),
        context_name: String::new(),
        sources: SourceAddresses::Any,
    }]);
    agent.local.access_control = access_control(names);
    agent
}

#[track_caller]
fn ask(agent: &mut V3Agent, version: Version, community: &str) -> Message {
    let request = Message::new(PduType::GetRequest, &[SYS_DESCR])
        .with_version(version)
        .with_community(community);
    let outcome = agent.handle(&request.encode());
    assert!(
        matches!(outcome, DispatchOutcome::Respond(_)),
        "{outcome:?}"
    );
    let response = Message::decode_response(agent.octets(&outcome).expect("a response"));
    assert_eq!(response.version, version);
    assert_eq!(response.community, community.as_bytes());
    response
}

#[track_caller]
fn assert_denied(response: &Message) {
    let denied = match response.version {
        Version::V1 => ErrorStatus::NoSuchName,
        _ => ErrorStatus::AuthorizationError,
    };
    assert_eq!(response.status(), denied);
}

#[test]
fn a_group_that_names_version_and_sender_gives_access_whatever_the_community() {
    for (version, model) in VERSIONS {
        let mut agent = agent(&[(model, "alice")]);
        for community in ["", "public", "anything"] {
            let response = ask(&mut agent, version, community);
            assert_eq!(response.values(), [octets("a host")]);
        }
        for (other, _) in VERSIONS.into_iter().filter(|(other, _)| *other != version) {
            assert_denied(&ask(&mut agent, other, "public"));
        }
        assert_eq!(agent.count(Counter::SnmpInBadCommunityUses), 1);
        assert_eq!(agent.count(Counter::SnmpInBadCommunityNames), 0);
    }
}

#[test]
fn a_community_adds_no_right_to_a_transport_identity() {
    for (version, model) in VERSIONS {
        let mut agent = agent(&[
            (model, "public"),
            (SecurityModel::Transport, "alice"),
            (SecurityModel::UserBased, "alice"),
        ]);
        assert_denied(&ask(&mut agent, version, "public"));
        // In the clear it does.
        agent.state = None;
        let response = ask(&mut agent, version, "public");
        assert_eq!(response.values(), [octets("a host")]);
    }
}

#[test]
fn a_name_of_a_transport_is_no_community() {
    for (version, model) in VERSIONS {
        let mut agent = agent(&[(model, "alice")]);
        agent.state = None;
        let request = Message::new(PduType::GetRequest, &[SYS_DESCR])
            .with_version(version)
            .with_community("alice");
        agent.silence(&request.encode(), Discard::BadCommunityName);
    }
}

#[test]
fn the_name_has_the_prefix_of_its_transport_if_names_have_one() {
    let mut agent = agent(&[(SecurityModel::SnmpV2c, "ssh:alice")]);
    agent.local.transport_security_model = Some(TransportSecurityModel { use_prefix: true });
    assert_denied(&ask(&mut agent, Version::V2c, "public"));
    let level = SecurityLevel::AuthPriv;
    agent.state = Some(session(SecureTransport::Ssh, "alice", level));
    let response = ask(&mut agent, Version::V2c, "public");
    assert_eq!(response.values(), [octets("a host")]);
}

/// RFC 3415 3.2: an entry of authPriv is for messages that came protected.
#[test]
fn the_level_is_that_of_the_transport() {
    use varbind_engine::access_control::{AccessEntry, Vacm};
    use varbind_testkit::view::{access, family};

    let mut agent = agent(&[]);
    let entry = AccessEntry {
        security_level: SecurityLevel::AuthPriv,
        ..access("all", "view", "")
    };
    agent.local.access_control = Vacm::builder()
        .context("")
        .access(entry)
        .view("view", family("1.3", "", true))
        .group(SecurityModel::SnmpV2c, SecurityName::new("alice"), "all")
        .group(SecurityModel::SnmpV2c, SecurityName::new("public"), "all")
        .build()
        .expect("the view exists");
    assert_eq!(
        ask(&mut agent, Version::V2c, "").status(),
        ErrorStatus::NoError
    );
    agent.state = Some(session(
        SecureTransport::Tls,
        "alice",
        SecurityLevel::AuthNoPriv,
    ));
    assert_denied(&ask(&mut agent, Version::V2c, ""));
    agent.state = None;
    assert_denied(&ask(&mut agent, Version::V2c, "public"));
}
