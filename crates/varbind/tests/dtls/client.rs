//! The asynchronous client over DTLS.

use std::future::Future;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::client::{Client, Error, Target};
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, TlsClient, TlsServer,
};
use varbind::transport::{SecurityFailure, SecurityFailureKind, Transport};
use varbind_testkit::certificates::{Authority, CertificateTemplate};
use varbind_testkit::loopback::{
    self, DESCRIPTION, NAME_0, PATIENCE, READER, SYS_DESCR_0, TABLE, WRITER, drop_at_each_await,
};
use varbind_testkit::peers::listen_again;

use crate::fixture::client;
use crate::fixture::relay::Relay;

/// An agent with a table and objects that can be set, and its authority.
struct DtlsAgent {
    authority: Authority,
    server: TlsServer,
    agent: loopback::TestAgent,
    address: SocketAddr,
}

impl DtlsAgent {
    fn new() -> Self {
        let authority = Authority::new("authority");
        let row = CertificateMapRow {
            id: 1,
            fingerprint: authority.fingerprint(),
            mapping: Mapping::AnyAlternativeName,
        };
        let clients = ClientAuthentication::new(authority.trust(), CertificateMap::new(vec![row]));
        let identity = authority.issue(&CertificateTemplate::server()).identity();
        let server = TlsServer::new(identity, clients);
        let agent = loopback::TestAgent::new();
        let any_port = ([127, 0, 0, 1], 0).into();
        let address = agent.agent.listen_dtls(&server, any_port).unwrap();
        Self {
            authority,
            server,
            agent,
            address,
        }
    }

    fn listen_again(&self) {
        let again = listen_again(|| self.agent.agent.listen_dtls(&self.server, self.address));
        assert_eq!(again.unwrap(), self.address);
    }

    /// Another process at the same address, which knows no session of the former.
    fn restart(&mut self) {
        self.agent.agent.close(Transport::Dtls, self.address);
        self.agent = loopback::TestAgent::new();
        self.listen_again();
    }

    fn client(&self, name: &str) -> Arc<TlsClient> {
        let issued = self.authority.issue(&CertificateTemplate::client(name));
        Arc::new(client(&self.authority, &issued.identity()))
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE * 2, test).await });
    outcome.expect("the test ends")
}

fn target(client: &Client, address: SocketAddr, tls: &Arc<TlsClient>) -> Target {
    let target = client.target(&format!("dtls:{address}")).unwrap();
    target.tls_client(Arc::clone(tls))
}

fn described() -> Value {
    Value::OctetString(DESCRIPTION.into())
}

#[track_caller]
fn security_failure(error: &Error) -> Option<SecurityFailureKind> {
    let Error::Open(open) = error else {
        panic!("{error:?}");
    };
    open.security_failure().map(SecurityFailure::kind)
}

#[test]
fn an_agent_is_read_walked_and_set_over_dtls() {
    let agent = DtlsAgent::new();
    let tls = agent.client(WRITER);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, &tls);
        let (a, b) = tokio::join!(target.get(SYS_DESCR_0), target.get(SYS_DESCR_0));
        assert_eq!((a.unwrap(), b.unwrap()), (described(), described()));
        target.set(NAME_0, "over DTLS").await.unwrap();
        assert_eq!(target.get(NAME_0).await.unwrap(), "over DTLS".into());
        let walked = target.walk(TABLE).collect().await.unwrap();
        assert_eq!(walked, agent.agent.objects(TABLE));
        assert_eq!(target.remote(), Some(agent.address));
        // The session ends with the last handle.
        drop(target);
        while tls.statistics().client_closes.value() == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert_eq!(tls.statistics().opens.value(), 1);
    assert_eq!(agent.server.statistics.accepts.value(), 1);
}

#[test]
fn refused_clients_and_servers_are_reported() {
    let agent = DtlsAgent::new();
    let other = DtlsAgent::new();
    run(async {
        let client = Client::new().unwrap();
        let reader = target(&client, agent.address, &agent.client(READER));
        let error = reader.set(NAME_0, "no").await.unwrap_err();
        assert!(matches!(error, Error::ErrorStatus { .. }), "{error:?}");
        // The client's certificate is by another authority.
        let stranger = other.authority.issue(&CertificateTemplate::client(READER));
        let stranger = crate::fixture::client(&agent.authority, &stranger.identity());
        let stranger = target(&client, agent.address, &Arc::new(stranger));
        let error = stranger.get(SYS_DESCR_0).await.unwrap_err();
        let refused = Some(SecurityFailureKind::RefusedByPeer);
        assert_eq!(security_failure(&error), refused, "{error}");
        // The server's certificate is by another authority.
        let wary = other.client(READER);
        let error = target(&client, agent.address, &wary)
            .get(SYS_DESCR_0)
            .await
            .unwrap_err();
        let invalid = Some(SecurityFailureKind::InvalidPeer);
        assert_eq!(security_failure(&error), invalid, "{error}");
        let statistics = wary.statistics();
        assert_eq!(statistics.invalid_server_certificates.value(), 1);
        assert_eq!(statistics.open_errors.value(), 1);
    });
}

#[test]
fn an_agent_that_does_not_answer_is_given_up_within_the_connect_timeout() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let agent = DtlsAgent::new();
    let tls = agent.client(READER);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, silent.local_addr().unwrap(), &tls)
            .connect_timeout(Duration::from_millis(300));
        let begun = Instant::now();
        let error = target.get(SYS_DESCR_0).await.unwrap_err();
        assert_eq!(security_failure(&error), None);
        assert!(error.to_string().contains("no answer"), "{error}");
        let taken = begun.elapsed();
        assert!(taken >= Duration::from_millis(300), "{taken:?}");
        assert!(taken < PATIENCE / 2, "{taken:?}");
        // Nothing listens there any more.
        drop(silent);
        let error = target.get(SYS_DESCR_0).await.unwrap_err();
        assert!(error.to_string().contains("connection refused"), "{error}");
    });
}

#[test]
fn a_session_that_the_agent_ended_is_reopened() {
    let mut agent = DtlsAgent::new();
    let tls = agent.client(READER);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, &tls);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        for _ in 0..2 {
            agent.agent.agent.close(Transport::Dtls, agent.address);
            agent.listen_again();
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        }
        agent.restart();
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
    });
    assert_eq!(tls.statistics().opens.value(), 4);
}

#[test]
fn an_agent_that_is_away_for_a_while_is_found_again() {
    let agent = DtlsAgent::new();
    let tls = agent.client(READER);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, &tls);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        agent.agent.agent.close(Transport::Dtls, agent.address);
        let (found, ()) = tokio::join!(target.get(SYS_DESCR_0), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            agent.listen_again();
        });
        assert_eq!(found.unwrap(), described());
    });
}

#[test]
fn an_agent_that_crashed_and_started_again_is_asked_in_another_session() {
    let mut agent = DtlsAgent::new();
    let relay = Relay::start(agent.address);
    let tls = agent.client(READER);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, relay.address, &tls);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        // Its close_notify is lost.
        relay.cut(true);
        agent.restart();
        relay.cut(false);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
    });
    assert_eq!(tls.statistics().opens.value(), 2);
}

#[test]
fn a_late_response_is_accepted_while_and_after_another_session_is_opened() {
    for is_opened in [true, false] {
        let agent = DtlsAgent::new();
        let relay = Relay::start(agent.address);
        let tls = agent.client(WRITER);
        run(async {
            let client = Client::new().unwrap();
            let target = target(&client, relay.address, &tls).connect_timeout(PATIENCE * 4);
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
            if !is_opened {
                relay.ignore_new_peers();
            }
            agent.agent.memory.hold();
            let accepts = &agent.server.statistics.accepts;
            let (set, ()) = tokio::join!(target.set(NAME_0, "late"), async {
                while tls.statistics().opens.value() == 1 || is_opened && accepts.value() == 1 {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                agent.agent.memory.release();
            });
            set.unwrap();
            assert_eq!(target.get(NAME_0).await.unwrap(), "late".into());
            assert_eq!(accepts.value(), if is_opened { 2 } else { 1 });
        });
        assert_eq!(tls.statistics().opens.value(), 2);
    }
}

#[test]
fn a_path_that_was_cut_is_used_again_while_no_other_session_can_be_opened() {
    let agent = DtlsAgent::new();
    let relay = Relay::start(agent.address);
    let tls = agent.client(READER);
    run(async {
        let client = Client::new().unwrap();
        let policy = RetryPolicy::Fixed {
            timeout: Duration::from_millis(100),
            retries: u32::MAX,
        };
        let target = target(&client, relay.address, &tls);
        let target = target.connect_timeout(PATIENCE * 4).retry(policy);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), described());
        relay.ignore_new_peers();
        relay.cut(true);
        let (description, ()) = tokio::join!(target.get(SYS_DESCR_0), async {
            // Another session is being opened, and will not be.
            while tls.statistics().opens.value() == 1 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            relay.cut(false);
        });
        assert_eq!(description.unwrap(), described());
    });
    assert_eq!(agent.server.statistics.accepts.value(), 1);
}

#[test]
fn a_walk_goes_on_when_the_agent_forgets_its_session() {
    let mut agent = DtlsAgent::new();
    let relay = Relay::start(agent.address);
    let tls = agent.client(READER);
    for is_silent in [false, true] {
        run(async {
            let client = Client::new().unwrap();
            let mut walk = target(&client, relay.address, &tls).walk(TABLE);
            let expected = agent.agent.objects(TABLE);
            let mut found = Vec::new();
            while let Some(object) = walk.next().await {
                found.push(object.unwrap());
                if found.len() == expected.len() / 4 {
                    relay.cut(is_silent);
                    agent.restart();
                    relay.cut(false);
                }
            }
            assert!(found == expected, "{} of {}", found.len(), expected.len());
        });
    }
}

#[test]
fn handshakes_and_walks_survive_the_loss_of_datagrams() {
    let agent = DtlsAgent::new();
    let relay = Relay::start(agent.address);
    let tls = agent.client(READER);
    for percent in [5, 15] {
        relay.lose(percent);
        run(async {
            let client = Client::new().unwrap();
            let target = target(&client, relay.address, &tls).connect_timeout(PATIENCE);
            let walked = target.walk(TABLE).collect().await.unwrap();
            assert_eq!(walked, agent.agent.objects(TABLE), "{percent} %");
        });
    }
}

#[test]
fn operations_over_dtls_can_be_dropped_at_each_await() {
    let agent = DtlsAgent::new();
    let objects = agent.agent.objects(TABLE);
    run(async {
        let client = Client::new().unwrap();
        let writer = agent.client(WRITER);
        let target = || {
            let target = client.target(&format!("dtls:{}", agent.address)).unwrap();
            target
                .tls_client(Arc::clone(&writer))
                .max_message_size(5000)
        };
        let dropped = drop_at_each_await(&client, target, &objects).await;
        assert!(dropped > 50, "{dropped}");
    });
}
