//! Our agent and our manager.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::manager::ManagerOptions;
use varbind::transport::Observation;
use varbind::transport::certificate::{
    CertificateMap, ClientAuthentication, Mapping, PeerIdentity, ServerAuthentication, TlsClient,
    TrustAnchors,
};
use varbind::transport::tls::TlsVersions;
use varbind_testkit::certificates::{Authority, CertificateTemplate, ECDSA, RSA};
use varbind_testkit::command_responder::IF_COLUMNS;
use varbind_testkit::loopback::{NAME_0, SYS_DESCR_0, TABLE};
use varbind_testkit::oid;

use crate::agent::{TlsAgent, ask, await_that, described, open, rule, tsm};

fn text(text: &str) -> Value {
    Value::OctetString(text.into())
}

#[test]
fn a_manager_reads_with_the_transport_security_model() {
    let agent = TlsAgent::new();
    for versions in [TlsVersions::All, TlsVersions::Only12, TlsVersions::Only13] {
        let client = agent.client(&agent.reader()).with_versions(versions);
        assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
    }
    assert_eq!(agent.statistics.accepts.value(), 3);
}

#[test]
fn a_manager_reads_with_snmpv2c_in_its_own_name() {
    let agent = TlsAgent::new();
    let client = agent.client(&agent.reader());
    let options = ManagerOptions::v2c("private");
    let mut manager = agent.open_with(client, options).unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    // The community of those who may write makes it no writer.
    let response = manager
        .set(&[VarBind::new(oid(NAME_0), text("x"))])
        .unwrap();
    assert_ne!(response.error_status, ErrorStatus::NoError);
}

#[test]
fn rights_are_those_of_the_name_in_the_certificate() {
    let agent = TlsAgent::new();
    for (issued, expected) in [
        (agent.reader(), ErrorStatus::AuthorizationError),
        (agent.writer(), ErrorStatus::NoError),
    ] {
        let mut manager = agent.open(agent.client(&issued)).unwrap();
        let response = manager
            .set(&[VarBind::new(oid(NAME_0), text("new"))])
            .unwrap();
        assert_eq!(response.error_status, expected);
    }
}

#[test]
fn a_walk_brings_what_the_agent_serves() {
    let agent = TlsAgent::new();
    let mut manager = agent.open(agent.client(&agent.reader())).unwrap();
    let mut objects = Vec::new();
    manager
        .walk(&[oid(TABLE)], WalkOptions::default(), |some| {
            objects.extend_from_slice(some);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(objects.len(), 50 * IF_COLUMNS.len());
    assert_eq!(objects, agent.agent.objects(TABLE));
}

#[test]
fn certificates_of_all_kinds_of_keys_work() {
    let algorithms = [
        ECDSA,
        &rcgen::PKCS_ECDSA_P384_SHA384,
        &rcgen::PKCS_ED25519,
        RSA,
    ];
    for algorithm in algorithms {
        let authority = Authority::with_algorithm("authority", algorithm);
        let server = authority.issue(&CertificateTemplate::server().algorithm(algorithm));
        let clients = crate::agent::by_alternative_name(&authority);
        let agent = TlsAgent::with(AgentLimits::default(), |it| {
            it.identity = server.identity();
            it.clients = Arc::new(clients);
        });
        for versions in [TlsVersions::Only12, TlsVersions::Only13] {
            let issued =
                authority.issue(&CertificateTemplate::client("reader").algorithm(algorithm));
            let server = ServerAuthentication {
                trust: authority.trust(),
                identity: PeerIdentity::Target,
            };
            let client = TlsClient::new(issued.identity(), server).with_versions(versions);
            assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
        }
    }
}

#[test]
fn the_key_exchange_withstands_quantum_computers_where_it_was_built_so() {
    let agent = TlsAgent::new();
    let observation = Arc::new(Observation::default());
    let client = agent.client(&agent.reader());
    let client = client.observed_by(Arc::clone(&observation));
    assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
    let expected = if cfg!(feature = "post-quantum") {
        "X25519MLKEM768"
    } else {
        "X25519"
    };
    assert_eq!(observation.take().key_exchange.as_deref(), Some(expected));
}

#[test]
fn self_signed_certificates_are_known_by_their_fingerprints() {
    let manager = CertificateTemplate::new("manager").self_signed();
    let server = CertificateTemplate::new("agent").self_signed();
    let rows = vec![rule(
        1,
        manager.fingerprint(),
        Mapping::Specified("reader".into()),
    )];
    let agent = TlsAgent::with(AgentLimits::default(), |it| {
        it.identity = server.identity();
        let map = CertificateMap::new(rows);
        it.clients = Arc::new(ClientAuthentication::new(TrustAnchors::default(), map));
    });
    let known = ServerAuthentication {
        trust: TrustAnchors::default(),
        identity: PeerIdentity::Fingerprint(server.fingerprint()),
    };
    let client = TlsClient::new(manager.identity(), known);
    assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
}

#[test]
fn an_authority_in_the_middle_counts_like_the_one_above() {
    let root = Authority::new("root");
    let middle = root.intermediate("middle");
    let issued = middle
        .issue(&CertificateTemplate::client("reader"))
        .with(&middle);
    for fingerprint in [root.fingerprint(), middle.fingerprint()] {
        let row = rule(1, fingerprint, Mapping::AnyAlternativeName);
        let agent = TlsAgent::with(AgentLimits::default(), |it| {
            let map = CertificateMap::new(vec![row]);
            it.clients = Arc::new(ClientAuthentication::new(root.trust(), map));
        });
        let client = agent.client(&issued);
        assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
    }
}

#[test]
fn a_session_that_the_agent_ended_is_reopened() {
    let agent = TlsAgent::with(
        AgentLimits {
            tcp_idle: Duration::from_millis(50),
            ..AgentLimits::default()
        },
        |_| {},
    );
    let client = Arc::new(agent.client(&agent.writer()));
    let mut manager = open(agent.address, &client, tsm()).unwrap();
    for round in 1..=3 {
        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
        await_that("the agent ends the session", || {
            agent.statistics.server_closes.value() == 2 * round - 1
        });
        // A Set too: it was not sent before the session was reopened.
        let response = manager
            .set(&[VarBind::new(oid(NAME_0), text("x"))])
            .unwrap();
        assert_eq!(response.error_status, ErrorStatus::NoError);
        await_that("the agent ends the session", || {
            agent.statistics.server_closes.value() == 2 * round
        });
    }
}

#[test]
fn sessions_are_counted_on_both_sides() {
    let agent = TlsAgent::new();
    let client = Arc::new(agent.client(&agent.reader()));
    for _ in 0..3 {
        let mut manager = open(agent.address, &client, tsm()).unwrap();
        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    }
    let own = client.statistics();
    assert_eq!(own.opens.value(), 3);
    assert_eq!(own.client_closes.value(), 3);
    assert_eq!(own.open_errors.value(), 0);
    assert_eq!(agent.statistics.accepts.value(), 3);
}
