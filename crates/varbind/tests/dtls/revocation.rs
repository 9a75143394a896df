//! Certificates that were revoked, in both roles.

use std::sync::Arc;

use varbind::manager::Manager;
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, OverdueLists, PeerIdentity,
    RevocationLists, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind_testkit::certificates::{Authority, Files, Issued, RSA};
use varbind_testkit::peers::is_installed;

use crate::fixture::processes::Process;
use crate::fixture::{DESCRIPTION, TestAgent, client, description, open, options, target};
use crate::openssl::s_client;

/// When the next list is due.
const LATER: i32 = 2080;

fn lists(authority: &Authority, revoked: &[&Issued], due: i32) -> RevocationLists {
    let revoked: Vec<_> = revoked.iter().map(|issued| &issued.chain[0]).collect();
    RevocationLists::new(&[authority.revokes(&revoked, due)], OverdueLists::Refuse).unwrap()
}

/// Has an agent know what was revoked.
fn revoke(agent: &TestAgent, lists: RevocationLists) {
    let former = &agent.server.clients;
    let trust = former.trust().clone().with_revocation_lists(lists);
    let map = CertificateMap::new(former.map().rows().to_vec());
    let mut server = TlsServer::new(
        agent.server.identity.clone(),
        ClientAuthentication::new(trust, map),
    );
    server.statistics = Arc::clone(&agent.server.statistics);
    agent.agent.replace_dtls(&server, agent.address).unwrap();
}

#[test]
fn a_revoked_client_is_refused_and_resumes_nothing() {
    let authority = Authority::new("authority");
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let (revoked, other) = (
        authority.issue_host("manager"),
        authority.issue_host("manager"),
    );
    let revoked_client = Arc::new(client(&authority, &revoked.identity()));
    let mut manager = open(agent.address, &revoked_client).unwrap();
    assert_eq!(description(&mut manager), DESCRIPTION);
    drop(manager);
    revoke(&agent, lists(&authority, &[&revoked], LATER));
    // It would resume its session.
    let error = open(agent.address, &revoked_client)
        .unwrap_err()
        .to_string();
    assert!(error.contains("our certificate is revoked"), "{error}");
    let other = Arc::new(client(&authority, &other.identity()));
    let mut manager = open(agent.address, &other).unwrap();
    assert_eq!(description(&mut manager), DESCRIPTION);
    let statistics = &agent.server.statistics;
    assert_eq!(statistics.invalid_client_certificates.value(), 1);
}

/// A certificate below an authority that the list of the root revokes, and that list.
fn of_a_revoked_branch(root: &Authority, name: &str) -> (Issued, RevocationLists) {
    let branch = root.intermediate("intermediate");
    let revoked = root.revokes(&[&branch.certificate], LATER);
    let lists = RevocationLists::new(&[revoked], OverdueLists::Refuse).unwrap();
    (branch.issue_host(name).with(&branch), lists)
}

#[test]
fn a_pinned_client_of_a_revoked_authority_is_refused() {
    let root = Authority::new("authority");
    let (manager, revoked) = of_a_revoked_branch(&root, "manager");
    let agent = TestAgent::new(&root, &root.issue_host("agent").identity());
    let client = Arc::new(client(&root, &manager.identity()));
    for trust in [root.trust(), TrustAnchors::default()] {
        for (lists, is_served) in [(RevocationLists::default(), true), (revoked.clone(), false)] {
            let row = CertificateMapRow {
                id: 1,
                fingerprint: manager.fingerprint(),
                mapping: Mapping::CommonName,
            };
            let trust = trust.clone().with_revocation_lists(lists);
            let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
            let server = TlsServer::new(agent.server.identity.clone(), clients);
            agent.agent.replace_dtls(&server, agent.address).unwrap();
            match open(agent.address, &client) {
                Ok(mut manager) => {
                    assert!(is_served);
                    assert_eq!(description(&mut manager), DESCRIPTION);
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(!is_served, "{error}");
                    assert!(error.contains("our certificate is revoked"), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_manager_refuses_a_pinned_agent_of_a_revoked_authority() {
    let root = Authority::new("authority");
    let (issued, revoked) = of_a_revoked_branch(&root, "agent");
    let agent = TestAgent::new(&root, &issued.identity());
    let manager = root.issue_host("manager");
    for trust in [root.trust(), TrustAnchors::default()] {
        let known = |trust| ServerAuthentication {
            trust,
            identity: PeerIdentity::Fingerprint(issued.fingerprint()),
        };
        let opened = |trust| {
            let client = Arc::new(TlsClient::new(manager.identity(), known(trust)));
            open(agent.address, &client)
        };
        assert_eq!(
            description(&mut opened(trust.clone()).unwrap()),
            DESCRIPTION
        );
        let error = opened(trust.with_revocation_lists(revoked.clone())).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("\"CN=intermediate\" was revoked"), "{error}");
    }
}

#[test]
fn a_manager_refuses_a_revoked_agent() {
    let authority = Authority::with_algorithm("authority", RSA);
    let issued = authority.issue_host("agent");
    let agent = TestAgent::new(&authority, &issued.identity());
    let manager = authority.issue_host("manager");
    for (due, part) in [(LATER, "was revoked at 2025-02-03"), (2021, "was revoked")] {
        let known = ServerAuthentication {
            trust: authority
                .trust()
                .with_revocation_lists(lists(&authority, &[&issued], due)),
            identity: PeerIdentity::Target,
        };
        let client = Arc::new(TlsClient::new(manager.identity(), known));
        let error = Manager::open(&target(agent.address), options(&client)).unwrap_err();
        let error = error.to_string();
        let fingerprint = issued.fingerprint().to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.contains(&fingerprint), "{error}");
    }
    assert_eq!(agent.server.statistics.accepts.value(), 0);
}

#[test]
fn s_client_with_a_revoked_certificate_gets_an_alert() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::new("authority");
    let revoked = authority.issue_host("manager");
    let files = Files::with_certificates(&authority, &[("manager", &revoked)]);
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    revoke(&agent, lists(&authority, &[&revoked], LATER));
    let client = Process::start(&mut s_client(&agent, &files, "manager", &[]));
    client.await_output(b"alert certificate revoked");
}
