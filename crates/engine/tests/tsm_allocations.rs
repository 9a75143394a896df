//! A message over a secure transport allocates nothing in the agent: who sent it, the session knows already.

use allocation_counter::measure;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::transport::SecureTransport;
use varbind_testkit::message::Message as CommunityMessage;
use varbind_testkit::v3::transport::{Message, session};
use varbind_testkit::v3::{SYS_UP_TIME, V3Agent};

/// The allocations of one message, after another one like it.
fn allocations(agent: &mut V3Agent, octets: &[u8]) -> u64 {
    assert!(agent.handle(octets).answer().is_some());
    let info = measure(|| {
        assert!(agent.handle(octets).answer().is_some());
    });
    info.count_total
}

#[test]
fn requests_allocate_nothing_with_prefixes_or_without() {
    let mut agent = V3Agent::over_tls_in_all_versions();
    for use_prefix in [false, true] {
        agent.local.transport_security_model = Some(TransportSecurityModel { use_prefix });
        for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthPriv] {
            let get = Message::get(level, SYS_UP_TIME);
            assert_eq!(allocations(&mut agent, &get.encode()), 0);
            let bulk = Message {
                pdu_type: PduType::GetBulkRequest,
                max_repetitions: 50,
                ..Message::get(level, "1.3.6.1.2.1.2.2")
            };
            assert_eq!(allocations(&mut agent, &bulk.encode()), 0);
        }
        for version in [Version::V1, Version::V2c] {
            let get =
                CommunityMessage::new(PduType::GetRequest, &[SYS_UP_TIME]).with_version(version);
            assert_eq!(allocations(&mut agent, &get.encode()), 0);
        }
    }
}

#[test]
fn reports_allocate_nothing() {
    let mut agent = V3Agent::over_tls();
    let level = SecurityLevel::NoAuthNoPriv;
    agent.state = Some(session(SecureTransport::Dtls, "alice", level));
    let message = Message::get(SecurityLevel::AuthPriv, SYS_UP_TIME);
    assert_eq!(allocations(&mut agent, &message.encode()), 0);
}
