//! RFC 3584 section 5.2: which community counts, and from where (snmpCommunityTransportTag).

use std::net::SocketAddr;

use varbind_codec::pdu::PduType;
use varbind_engine::discard::Discard;
use varbind_engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};
use varbind_testkit::command_responder::{CommunityAgent, SYS_CONTACT};
use varbind_testkit::message::Message;
use varbind_testkit::octets;

fn community(name: &str, security_name: &str, sources: &[&str]) -> Community {
    let filters = sources.iter().map(|source| source.parse().unwrap());
    Community {
        name: name.into(),
        security_name: SecurityName::new(security_name),
        context_name: String::new(),
        sources: SourceAddresses::Within(filters.collect()),
    }
}

fn agent(communities: Vec<Community>) -> CommunityAgent {
    let mut agent = CommunityAgent::host(1);
    agent.local.communities = CommunityTable::new(communities);
    agent
}

fn from(agent: &mut CommunityAgent, remote: &str, request: &Message) -> Result<Message, Discard> {
    agent.remote = SocketAddr::new(remote.parse().unwrap(), 40_000);
    let message = request.encode();
    match agent.handle(&message) {
        Ok(response) => Ok(Message::decode_response(response)),
        Err(_) => Err(agent.refusal(&message)),
    }
}

fn get(community: &str) -> Message {
    Message::new(PduType::GetRequest, &[SYS_CONTACT]).with_community(community)
}

#[test]
fn a_community_counts_from_its_sources_only() {
    let sources = ["192.0.2.0/25", "2001:db8::/64"];
    let mut agent = agent(vec![community("public", "public", &sources)]);
    for inside in ["192.0.2.127", "2001:db8::ffff", "::ffff:192.0.2.1"] {
        assert!(from(&mut agent, inside, &get("public")).is_ok(), "{inside}");
    }
    for outside in ["192.0.2.128", "2001:db8:0:1::", "::ffff:192.0.2.128", "::1"] {
        let refusal = from(&mut agent, outside, &get("public"));
        assert_eq!(refusal, Err(Discard::SourceNotAllowed), "{outside}");
    }
}

#[test]
fn names_are_compared_as_octets() {
    let mut agent = agent(vec![community("public", "public", &["0.0.0.0/0"])]);
    for other in ["Public", "publi", "public ", "public\0", ""] {
        let refusal = from(&mut agent, "192.0.2.1", &get(other));
        assert_eq!(refusal, Err(Discard::BadCommunityName), "{other:?}");
    }
}

#[test]
fn one_name_can_stand_for_different_rights_from_different_sources() {
    let mut agent = agent(vec![
        community("shared", "private", &["192.0.2.1"]),
        community("shared", "public", &["192.0.2.0/24"]),
    ]);
    let contact = format!("{SYS_CONTACT}.0");
    let set = Message::set(&[(&contact, octets("x"))]).with_community("shared");
    let writer = from(&mut agent, "192.0.2.1", &set).unwrap();
    assert_eq!(writer.error().1, 0);
    assert_eq!(writer.values(), [octets("x")]);
    let reader = from(&mut agent, "192.0.2.2", &set).unwrap();
    assert_eq!(
        reader.status(),
        varbind_codec::pdu::ErrorStatus::AuthorizationError
    );
    let stranger = from(&mut agent, "198.51.100.1", &set);
    assert_eq!(stranger, Err(Discard::SourceNotAllowed));
}

#[test]
fn loopback_is_loopback_in_both_families() {
    let mut local = community("public", "public", &[]);
    local.sources = SourceAddresses::loopback();
    let mut agent = agent(vec![local]);
    for inside in ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"] {
        assert!(from(&mut agent, inside, &get("public")).is_ok(), "{inside}");
    }
    for outside in ["128.0.0.1", "126.255.255.255", "::2", "::", "0.0.0.0"] {
        assert!(
            from(&mut agent, outside, &get("public")).is_err(),
            "{outside}"
        );
    }
}

/// Nobody is let in where nothing is configured.
#[test]
fn an_empty_list_of_sources_admits_no_address() {
    let mut agent = agent(vec![community("public", "public", &[])]);
    assert!(from(&mut agent, "127.0.0.1", &get("public")).is_err());
}

#[test]
fn a_community_of_any_octets_is_repeated_in_the_response() {
    let name: Vec<u8> = (0..=255).cycle().take(600).collect();
    let mut row = community("", "public", &["0.0.0.0/0"]);
    row.name.clone_from(&name);
    let mut agent = agent(vec![row]);
    let mut request = get("");
    request.community.clone_from(&name);
    assert_eq!(agent.ask(request.clone()).community, name);
    // It counts against the largest message.
    let mut agent = agent.with_limit(500);
    assert_eq!(agent.refusal(&request.encode()), Discard::ResponseTooBig);
}
