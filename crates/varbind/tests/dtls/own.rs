//! Our manager and our agent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use varbind::engine::applications::command_generator::WalkOptions;
use varbind::manager::Manager;
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, PeerIdentity, TlsClient,
    TlsServer,
};
use varbind::transport::dtls::Counted;
use varbind_testkit::certificates::{Authority, CertificateTemplate, RSA};
use varbind_testkit::oid;

use crate::fixture::relay::Relay;
use crate::fixture::{
    DESCRIPTION, TestAgent, client, description, manager_client, no_trust, open, options, target,
};

#[test]
fn a_manager_asks_and_walks_an_agent_and_resumes_its_session() {
    let authority = Authority::new("authority");
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let client = manager_client(&authority);
    for round in 0..3 {
        let mut manager = open(agent.address, &client).unwrap();
        assert_eq!(description(&mut manager), DESCRIPTION, "{round}");
        let mut objects = 0;
        let roots = [oid("1.3.6.1.4.1.32473")];
        let walked = manager.walk(&roots, WalkOptions::default(), |found| {
            objects += found.len();
            std::ops::ControlFlow::Continue(())
        });
        walked.unwrap();
        assert_eq!(objects, 200);
    }
    let statistics = agent.agent.dtls_statistics(agent.address).unwrap();
    assert_eq!(statistics.counted(Counted::SessionsOpened), 3);
    assert_eq!(statistics.counted(Counted::SessionsResumed), 2);
    let counters = client.statistics();
    assert_eq!(
        (counters.opens.value(), counters.client_closes.value()),
        (3, 3)
    );
    assert_eq!(agent.server.statistics.accepts.value(), 3);
}

#[test]
fn sessions_are_opened_over_ipv6_and_with_the_wildcard_address() {
    let authority = Authority::new("authority");
    let identity = authority.issue_host("agent").identity();
    let client = manager_client(&authority);
    for (bound, asked) in [
        ("[::1]:0", "::1"),
        ("[::]:0", "::1"),
        ("0.0.0.0:0", "127.0.0.1"),
    ] {
        let agent = TestAgent::on(&authority, &identity, bound.parse().unwrap());
        let asked = SocketAddr::new(asked.parse().unwrap(), agent.address.port());
        let mut manager = open(asked, &client).unwrap();
        assert_eq!(description(&mut manager), DESCRIPTION, "{bound}");
    }
}

#[test]
fn a_session_of_a_pinned_certificate_is_resumed_too() {
    let authority = Authority::with_algorithm("authority", RSA);
    let stranger = Authority::new("authority");
    let manager = stranger.issue_host("whoever");
    let row = CertificateMapRow {
        id: 1,
        fingerprint: manager.fingerprint(),
        mapping: Mapping::Specified("manager".to_owned()),
    };
    let identity = authority.issue_host("agent").identity();
    let address = "127.0.0.1:0".parse().unwrap();
    let agent = TestAgent::with_rows(&authority, &identity, vec![row], address);
    let client = Arc::new(client(&authority, &manager.identity()));
    for _ in 0..2 {
        assert_eq!(
            description(&mut open(agent.address, &client).unwrap()),
            DESCRIPTION
        );
    }
    let statistics = agent.agent.dtls_statistics(agent.address).unwrap();
    assert_eq!(statistics.counted(Counted::SessionsResumed), 1);
}

#[test]
fn a_session_of_a_client_below_an_intermediate_authority_is_resumed_too() {
    let authority = Authority::with_algorithm("authority", RSA);
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let intermediate = authority.intermediate("intermediate");
    let manager = intermediate.issue_host("manager").with(&intermediate);
    let client = Arc::new(client(&authority, &manager.identity()));
    for _ in 0..3 {
        let mut manager = open(agent.address, &client).unwrap();
        assert_eq!(description(&mut manager), DESCRIPTION);
    }
    let statistics = agent.agent.dtls_statistics(agent.address).unwrap();
    assert_eq!(statistics.counted(Counted::SessionsResumed), 2);
}

#[test]
fn nothing_is_resumed_where_it_is_not_allowed() {
    let authority = Authority::new("authority");
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let mut server = agent.server.clone();
    server.resumption = false;
    agent.agent.replace_dtls(&server, agent.address).unwrap();
    let client = manager_client(&authority);
    for _ in 0..2 {
        let mut manager = open(agent.address, &client).unwrap();
        assert_eq!(description(&mut manager), DESCRIPTION);
    }
    let statistics = agent.agent.dtls_statistics(agent.address).unwrap();
    assert_eq!(statistics.counted(Counted::SessionsResumed), 0);
}

#[test]
fn an_agent_that_was_killed_and_started_again_is_spoken_to_after_another_handshake() {
    let authority = Authority::new("authority");
    let identity = authority.issue_host("agent").identity();
    let agent = TestAgent::new(&authority, &identity);
    let address = agent.address;
    let client = manager_client(&authority);
    let mut manager = open(address, &client).unwrap();
    assert_eq!(description(&mut manager), DESCRIPTION);
    drop(agent);
    let agent = TestAgent::on(&authority, &identity, address);
    assert_eq!(description(&mut manager), DESCRIPTION);
    drop(agent);
}

#[test]
fn an_agent_that_crashed_and_started_again_is_spoken_to_after_another_handshake() {
    let authority = Authority::new("authority");
    let identity = authority.issue_host("agent").identity();
    let agent = TestAgent::new(&authority, &identity);
    let address = agent.address;
    let relay = Relay::start(address);
    let client = manager_client(&authority);
    let mut manager = open(relay.address, &client).unwrap();
    assert_eq!(description(&mut manager), DESCRIPTION);
    // Its last words are not heard.
    relay.cut(true);
    drop(agent);
    let _agent = TestAgent::on(&authority, &identity, address);
    relay.cut(false);
    assert_eq!(description(&mut manager), DESCRIPTION);
    assert_eq!(client.statistics().opens.value(), 2);
}

#[test]
fn a_walk_goes_on_when_the_agent_forgets_its_session() {
    let authority = Authority::new("authority");
    let identity = authority.issue_host("agent").identity();
    let mut agent = Some(TestAgent::new(&authority, &identity));
    let address = agent.as_ref().unwrap().address;
    let relay = Relay::start(address);
    let client = manager_client(&authority);
    for is_silent in [false, true] {
        let mut manager = open(relay.address, &client).unwrap();
        let mut found = Vec::new();
        let mut restarts = 0;
        let roots = [oid("1.3.6.1.4.1.32473")];
        let walked = manager.walk(&roots, WalkOptions::default(), |objects| {
            found.extend(objects.iter().map(|object| object.name.clone()));
            if found.len() > 40 * (restarts + 1) && restarts < 2 {
                restarts += 1;
                // Its last words may not be heard.
                relay.cut(is_silent);
                drop(agent.take());
                agent = Some(TestAgent::on(&authority, &identity, address));
                relay.cut(false);
            }
            std::ops::ControlFlow::Continue(())
        });
        walked.unwrap();
        assert_eq!(restarts, 2);
        let expected: Vec<_> = (1..=200)
            .map(|at| oid(&format!("1.3.6.1.4.1.32473.7.{at}.0")))
            .collect();
        assert_eq!(found, expected, "{is_silent}");
    }
}

#[test]
fn errors_name_the_certificate_and_what_to_do() {
    let authority = Authority::new("authority");
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let manager = authority.issue_host("manager").identity();
    let told = |client| {
        let mut options = options(&Arc::new(client));
        options.connect_timeout = Duration::from_secs(10);
        let error = Manager::open(&target(agent.address), options).unwrap_err();
        error.to_string()
    };
    let stranger = Authority::new("authority");
    let error = told(client(
        &authority,
        &stranger.issue_host("manager").identity(),
    ));
    assert!(error.contains("does not know the authority"), "{error}");
    let error = told(client(
        &authority,
        &authority
            .issue(&CertificateTemplate::host("manager").years(2020, 2021))
            .identity(),
    ));
    assert!(error.contains("expired"), "{error}");
    let error = told(client(&stranger, &manager));
    assert!(error.contains("not trusted"), "{error}");
    let trustless = varbind::transport::certificate::ServerAuthentication {
        trust: no_trust(),
        ..Default::default()
    };
    let error = told(TlsClient::new(manager, trustless));
    assert!(error.contains("no authority is trusted"), "{error}");
}

#[test]
fn an_agent_whose_certificate_is_out_of_date_or_of_another_name_is_refused() {
    let authority = Authority::new("authority");
    let manager = authority.issue_host("manager").identity();
    for (issued, name, part) in [
        (
            authority.issue(&CertificateTemplate::host("agent").years(2020, 2021)),
            None,
            "has expired, at 2021-01-01",
        ),
        (
            authority.issue(&CertificateTemplate::host("agent").years(2080, 2090)),
            None,
            "is not valid before 2080-01-01",
        ),
        (
            authority.issue_host("agent"),
            Some("router.example"),
            "is not that of router.example",
        ),
    ] {
        let agent = TestAgent::new(&authority, &issued.identity());
        let known = varbind::transport::certificate::ServerAuthentication {
            trust: authority.trust(),
            identity: name.map_or(PeerIdentity::Target, |it| PeerIdentity::Name(it.to_owned())),
        };
        let client = Arc::new(TlsClient::new(manager.clone(), known));
        let error = open(agent.address, &client).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.contains("\"CN=agent\""), "{error}");
        let invalid = &client.statistics().invalid_server_certificates;
        assert_eq!(invalid.value(), 1);
        assert_eq!(agent.server.statistics.accepts.value(), 0);
    }
}

#[test]
fn sessions_open_while_certificates_change() {
    let authority = Authority::new("authority");
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let manager = authority.issue_host("manager").identity();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let managers: Vec<_> = (0..3)
            .map(|_| {
                let client = Arc::new(client(&authority, &manager));
                let (agent, is_over) = (&agent, &is_over);
                scope.spawn(move || {
                    let mut sessions = 0;
                    while !is_over.load(Ordering::Relaxed) || sessions < 20 {
                        let mut manager = open(agent.address, &client).unwrap();
                        assert_eq!(description(&mut manager), DESCRIPTION);
                        sessions += 1;
                    }
                })
            })
            .collect();
        for id in 1..=60 {
            let row = CertificateMapRow {
                id,
                fingerprint: authority.fingerprint(),
                mapping: Mapping::CommonName,
            };
            let map = CertificateMap::new(vec![row]);
            let clients = ClientAuthentication::new(authority.trust(), map);
            let server = TlsServer::new(authority.issue_host("agent").identity(), clients);
            agent.agent.replace_dtls(&server, agent.address).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        for manager in managers {
            manager.join().unwrap();
        }
    });
}
