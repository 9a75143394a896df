//! Sessions that are cut while a manager asks.

use std::sync::Arc;

use varbind::agent::AgentLimits;
use varbind::transport::tls::TlsVersions;
use varbind_testkit::loopback::{CuttingRelay, SYS_DESCR_0, TABLE, cut_points, walk};
use varbind_testkit::oid;

use crate::agent::{TlsAgent, open, tsm};

#[test]
fn a_walk_goes_on_in_resumed_sessions_where_its_session_was_cut() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let agent = TlsAgent::with(AgentLimits::default(), |it| it.versions = versions);
        let expected = agent.agent.objects(TABLE);
        let client = Arc::new(agent.client(&agent.reader()));
        // In the middle of a handshake too, once there was a session.
        let cuts = CuttingRelay::new(agent.address, |number| match number {
            0 => Some(9_000),
            1 => Some(300),
            _ => cut_points(2_000, 6_000, 8)(number),
        });
        let mut manager = open(cuts.address, &client, tsm()).unwrap();
        let found = walk(&mut manager, TABLE).unwrap();
        assert!(found == expected, "{} of {}", found.len(), expected.len());
        assert!(cuts.connections() > 4, "{}", cuts.connections());
        assert!(manager.opening().is_resumed, "{versions}");
    }
}

#[test]
fn a_session_refused_meanwhile_gets_the_reason() {
    use varbind::transport::certificate::{CertificateMap, ClientAuthentication, TlsServer};

    let agent = TlsAgent::new();
    let client = Arc::new(agent.client(&agent.reader()));
    let cuts = CuttingRelay::new(agent.address, cut_points(30_000, 30_001, 1));
    let mut manager = open(cuts.address, &client, tsm()).unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let nobody = ClientAuthentication::new(agent.authority.trust(), CertificateMap::default());
    let server = TlsServer::new(agent.issued.identity(), nobody);
    agent
        .agent
        .agent
        .replace_tls(&server, agent.address)
        .unwrap();
    let failure = walk(&mut manager, TABLE).unwrap_err().to_string();
    assert!(failure.contains("access_denied"), "{failure}");
}
