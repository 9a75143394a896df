//! Certificates and rules that change while the agent runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use varbind::transport::certificate::{CertificateMap, ClientAuthentication, Mapping, TlsServer};
use varbind_testkit::certificates::{Authority, CertificateTemplate};
use varbind_testkit::loopback::{SYS_DESCR_0, SetOnDrop};
use varbind_testkit::oid;

use crate::agent::{TlsAgent, ask, by_alternative_name, described, open, rule, tsm};

#[test]
fn a_rule_that_is_taken_away_holds_for_open_and_resumed_sessions_too() {
    let agent = TlsAgent::new();
    let client = Arc::new(agent.client(&agent.reader()));
    let mut manager = open(agent.address, &client, tsm()).unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let nobody = ClientAuthentication::new(agent.authority.trust(), CertificateMap::default());
    let server = TlsServer::new(agent.issued.identity(), nobody);
    agent
        .agent
        .agent
        .replace_tls(&server, agent.address)
        .unwrap();
    // The open session ends, and no new one is opened, although there is a ticket for it.
    let error = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(error.contains("access_denied"), "{error}");
    let mut other = match open(agent.address, &client, tsm()) {
        Ok(other) => other,
        Err(error) => panic!("in TLS 1.3 a client learns it later: {error}"),
    };
    let error = other.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(error.contains("access_denied"), "{error}");
    assert_eq!(server.statistics.invalid_client_certificates.value(), 2);
}

#[test]
fn another_certificate_is_shown_to_new_sessions() {
    let agent = TlsAgent::new();
    let former = agent.client(&agent.reader());
    assert_eq!(ask(agent.address, former, tsm()), Ok(described()));
    let authority = Authority::new("new authority");
    let issued = authority.issue(&CertificateTemplate::server());
    let server = TlsServer::new(issued.identity(), by_alternative_name(&agent.authority));
    agent
        .agent
        .agent
        .replace_tls(&server, agent.address)
        .unwrap();
    let error = ask(agent.address, agent.client(&agent.reader()), tsm()).unwrap_err();
    assert!(error.contains("new authority"), "{error}");
}

#[test]
fn sessions_open_while_certificates_change() {
    let agent = TlsAgent::new();
    let is_over = AtomicBool::new(false);
    let rows = |id| {
        let row = rule(
            id,
            agent.authority.fingerprint(),
            Mapping::AnyAlternativeName,
        );
        CertificateMap::new(vec![row])
    };
    std::thread::scope(|scope| {
        let over = SetOnDrop(&is_over);
        let managers: Vec<_> = (0..4)
            .map(|_| {
                let client = Arc::new(agent.client(&agent.reader()));
                let (agent, is_over) = (&agent, &is_over);
                scope.spawn(move || {
                    let mut sessions = 0;
                    while !is_over.load(Ordering::Relaxed) || sessions < 20 {
                        let mut manager = open(agent.address, &client, tsm()).unwrap();
                        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
                        sessions += 1;
                    }
                    sessions
                })
            })
            .collect();
        for id in 1..=100 {
            let issued = agent.authority.issue(&CertificateTemplate::server());
            let clients = ClientAuthentication::new(agent.authority.trust(), rows(id));
            let server = TlsServer::new(issued.identity(), clients);
            agent
                .agent
                .agent
                .replace_tls(&server, agent.address)
                .unwrap();
        }
        drop(over);
        for manager in managers {
            assert!(manager.join().unwrap() >= 20);
        }
    });
}
