//! A message over a secure transport allocates nothing in the agent: who sent it, the session knows already.
#![allow(
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "what the tests build on fails as they do, and this test needs a part of it"
)]

#[path = "tsm/agent.rs"]
mod agent;
#[path = "tsm/craft.rs"]
mod craft;
#[path = "command_responder/fixture/mod.rs"]
mod fixture;
#[path = "simulator/mod.rs"]
mod simulator;

use allocation_counter::measure;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::transport::SecureTransport;

use agent::{Agent, SYS_UP_TIME, session};
use craft::Message;
use fixture::message::Request;

/// The allocations of one message, after another one like it.
fn allocations(agent: &mut Agent, octets: &[u8]) -> u64 {
    assert!(agent.handle(octets).answer().is_some());
    let info = measure(|| {
        assert!(agent.handle(octets).answer().is_some());
    });
    info.count_total
}

#[test]
fn requests_allocate_nothing_with_prefixes_or_without() {
    let mut agent = Agent::for_everybody();
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
            let get = Request::new(PduType::GetRequest, &[SYS_UP_TIME]).version(version);
            assert_eq!(allocations(&mut agent, &get.encode()), 0);
        }
    }
}

#[test]
fn reports_allocate_nothing() {
    let mut agent = Agent::new();
    let level = SecurityLevel::NoAuthNoPriv;
    agent.state = Some(session(SecureTransport::Dtls, "alice", level));
    let message = Message::get(SecurityLevel::AuthPriv, SYS_UP_TIME);
    assert_eq!(allocations(&mut agent, &message.encode()), 0);
}
