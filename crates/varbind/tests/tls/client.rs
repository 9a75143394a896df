//! The asynchronous client over TLS.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use varbind::agent::{Agent, AgentLimits};
use varbind::client::{Client, Error, Target};
use varbind::transport::certificate::TlsClient;
use varbind::transport::tls::TlsVersions;
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files};
use varbind_testkit::loopback::{
    CuttingRelay, NAME_0, PATIENCE, SYS_DESCR_0, TABLE, cut_points, drop_at_each_await,
};

use crate::agent::{TlsAgent, described};

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE * 2, test).await });
    outcome.expect("the test ends")
}

fn target(client: &Client, address: SocketAddr, tls: TlsClient) -> Target {
    let target = client.target(&format!("tls:{address}")).unwrap();
    target.tls_client(Arc::new(tls))
}

#[test]
fn an_agent_is_read_walked_and_set_over_tls() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let agent = TlsAgent::with(AgentLimits::default(), |server| server.versions = versions);
        run(async {
            let client = Client::new().unwrap();
            let tls = agent.client(&agent.writer());
            let target = target(&client, agent.address, tls);
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
            target.set(NAME_0, "over TLS").await.unwrap();
            assert_eq!(target.get(NAME_0).await.unwrap(), "over TLS".into());
            let walked = target.walk(TABLE).collect().await.unwrap();
            assert_eq!(walked, agent.agent.objects(TABLE));
        });
        assert_eq!(agent.statistics.accepts.value(), 1);
    }
}

#[test]
fn certificates_of_files_are_credentials() {
    let agent = TlsAgent::new();
    let files = Files::with_certificates(&agent.authority, &[("ops", &agent.reader())]);
    let [chain, key, ca] = ["ops.pem", "ops.key", "ca.pem"].map(|name| files.path(name));
    let address = format!("tls:{}", agent.address);
    run(async {
        let target = Client::new().unwrap().target(&address).unwrap();
        let target = target.certificate(&chain, &key, &ca).unwrap();
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        let error = target.certificate(files.path("missing"), &key, &ca);
        assert!(matches!(error, Err(Error::Certificate(_))), "{error:?}");
    });
    let client = varbind::blocking::Client::new().unwrap();
    let target = client.target(&address).unwrap();
    let target = target.certificate(chain, key, ca).unwrap();
    assert_eq!(target.get(SYS_DESCR_0).unwrap(), described());
}

#[test]
fn a_built_agent_listens_with_certificates_of_files() {
    let authority = Authority::new("authority");
    let issued = authority.issue(&CertificateTemplate::server());
    let clients = ["reader", "writer", "stranger"];
    let clients = clients.map(|name| (name, authority.issue(&CertificateTemplate::client(name))));
    let mut certificates = vec![("agent", &issued)];
    certificates.extend(clients.iter().map(|(name, issued)| (*name, issued)));
    let files = Files::with_certificates(&authority, &certificates);
    let paths = |name: &str| {
        let names = [
            format!("{name}.pem"),
            format!("{name}.key"),
            "ca.pem".into(),
        ];
        names.map(|name| files.path(&name))
    };
    let [chain, key, ca] = paths("agent");
    let agent = Agent::builder()
        .certificate(chain, key, ca)
        .transport_user("reader")
        .write_transport_user("writer")
        .scalar(varbind::oid!("1.3.6.1.2.1.1.5"), || "switch7")
        .listen("tls:127.0.0.1:0")
        .listen("dtls:127.0.0.1:0")
        .start()
        .unwrap();
    assert_eq!(agent.addresses().len(), 2);
    let client = varbind::blocking::Client::new().unwrap();
    for address in agent.addresses() {
        let ask = |name| {
            let [chain, key, ca] = paths(name);
            let target = client.target_at(address.clone());
            target.certificate(chain, key, ca).unwrap().get(NAME_0)
        };
        for name in ["reader", "writer"] {
            assert_eq!(ask(name).unwrap(), "switch7".into());
        }
        assert!(ask("stranger").is_err());
    }
}

#[test]
fn refused_writes_and_untrusted_peers_are_reported() {
    let agent = TlsAgent::new();
    let other = TlsAgent::new();
    run(async {
        let client = Client::new().unwrap();
        let reader = target(&client, agent.address, agent.client(&agent.reader()));
        let error = reader.set(NAME_0, "no").await.unwrap_err();
        assert!(matches!(error, Error::ErrorStatus { .. }), "{error:?}");
        // The client's certificate is by another authority: in TLS 1.3 that is told after the handshake.
        let stranger = target(&client, agent.address, agent.client(&other.reader()));
        let error = stranger.get(SYS_DESCR_0).await.unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
        // So is the server's.
        let wary = target(&client, agent.address, other.client(&other.reader()));
        let error = wary.get(SYS_DESCR_0).await.unwrap_err();
        let Error::Open(open) = &error else {
            panic!("{error:?}");
        };
        assert!(open.security_failure().is_some(), "{error}");
    });
}

#[test]
fn a_walk_goes_on_in_other_sessions_where_its_session_was_cut() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let agent = TlsAgent::with(AgentLimits::default(), |server| server.versions = versions);
        let expected = agent.agent.objects(TABLE);
        // In the middle of a handshake too, once there was a session.
        let cuts = CuttingRelay::new(agent.address, |number| match number {
            0 => Some(9_000),
            1 => Some(300),
            _ => cut_points(2_000, 6_000, 8)(number),
        });
        run(async {
            let client = Client::new().unwrap();
            let target = target(&client, cuts.address, agent.client(&agent.reader()));
            let found = target.walk(TABLE).collect().await.unwrap();
            assert!(found == expected, "{} of {}", found.len(), expected.len());
        });
        assert!(cuts.connections() > 4, "{}", cuts.connections());
    }
}

#[test]
fn operations_over_tls_can_be_dropped_at_each_await() {
    let agent = TlsAgent::new();
    let objects = agent.agent.objects(TABLE);
    run(async {
        let client = Client::new().unwrap();
        let writer = Arc::new(agent.client(&agent.writer()));
        let target = || {
            let target = client.target(&format!("tls:{}", agent.address)).unwrap();
            target
                .tls_client(Arc::clone(&writer))
                .max_message_size(5000)
        };
        let dropped = drop_at_each_await(&client, target, &objects).await;
        assert!(dropped > 50, "{dropped}");
    });
}
