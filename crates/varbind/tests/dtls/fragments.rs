//! Datagrams on a path that carries no fragments.

use std::ops::ControlFlow;

use varbind::agent::AgentLimits;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::transport::certificate::{CertificateMapRow, Mapping};
use varbind_testkit::certificates::{Authority, ECDSA, RSA};
use varbind_testkit::oid;

use crate::fixture::relay::Relay;
use crate::fixture::{DESCRIPTION, TestAgent, description, manager_client, open};

/// The largest datagram, in octets.
const DATAGRAM: usize = 600;

/// More of the objects of 100 octets than fit.
fn many() -> Vec<Oid> {
    let object = |at| oid(&format!("1.3.6.1.4.1.32473.7.{at}.0"));
    (1..=10).map(object).collect()
}

#[test]
fn responses_that_would_be_fragmented_come_in_parts_where_that_is_not_allowed() {
    for (dtls_fragments, algorithm) in [(false, ECDSA), (false, RSA), (true, ECDSA)] {
        let authority = Authority::with_algorithm("authority", algorithm);
        let rows = vec![CertificateMapRow {
            id: 1,
            fingerprint: authority.fingerprint(),
            mapping: Mapping::CommonName,
        }];
        let limits = AgentLimits {
            dtls_datagram: DATAGRAM,
            dtls_fragments,
            ..AgentLimits::default()
        };
        let identity = authority.issue_host("agent").identity();
        let any = "127.0.0.1:0".parse().unwrap();
        let agent = TestAgent::with_limits(&authority, &identity, rows, any, limits);
        let relay = Relay::start(agent.address);
        let client = manager_client(&authority);
        let mut manager = open(relay.address, &client).unwrap();
        assert_eq!(description(&mut manager), DESCRIPTION);
        let roots = [oid("1.3.6.1.4.1.32473")];
        let mut objects = 0;
        let walked = manager.walk(&roots, WalkOptions::default(), |found| {
            objects += found.len();
            ControlFlow::Continue(())
        });
        walked.unwrap();
        assert_eq!(objects, 200);
        assert!(relay.largest() <= DATAGRAM, "{}", relay.largest());
        // The agent answers tooBig, and the manager asks for half of the objects.
        let response = manager.get(&many()).unwrap();
        assert_eq!(response.error_status, ErrorStatus::NoError);
        assert_eq!(response.var_binds.len(), 10);
        assert_eq!(
            relay.largest() > DATAGRAM,
            dtls_fragments,
            "{}",
            relay.largest()
        );
    }
}
