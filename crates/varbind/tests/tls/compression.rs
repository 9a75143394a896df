//! Compression within TLS.

use std::ops::ControlFlow;

use varbind::agent::AgentLimits;
use varbind::compression::Compression;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::manager::ManagerOptions;
use varbind_testkit::loopback::{SYS_DESCR_0, TABLE};
use varbind_testkit::oid;

use crate::agent::{TlsAgent, tsm};

/// In SNMPv3 with the transport security model, and in SNMPv2c.
#[test]
fn messages_are_compressed_before_they_are_encrypted() {
    let limits = AgentLimits {
        dictionary_sessions: 3,
        ..AgentLimits::default()
    };
    let agent = TlsAgent::with(limits, |_| {});
    agent.agent.accept(&Compression::ALL);
    let reader = agent.reader();
    for processing in [tsm().processing, ManagerOptions::v2c("any").processing] {
        for compression in Compression::ALL {
            let options = ManagerOptions {
                processing: processing.clone(),
                compression: Some(compression),
                ..ManagerOptions::v2c("any")
            };
            let mut manager = agent.open_with(agent.client(&reader), options).unwrap();
            manager.get(&[oid(SYS_DESCR_0)]).unwrap();
            assert_eq!(manager.compression(), Some(compression));
            let mut objects = Vec::new();
            let walk = manager.walk(&[oid(TABLE)], WalkOptions::default(), |some| {
                objects.extend_from_slice(some);
                ControlFlow::Continue(())
            });
            walk.unwrap();
            assert_eq!(objects, agent.agent.objects(TABLE));
        }
    }
}
