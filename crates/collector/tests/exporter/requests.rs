//! Requests to the exporter.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use varbind::Value;
use varbind::client::Client;
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, PeerIdentity,
    ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind_collector::agents::{Agents, SecureSessions};
use varbind_collector::exporter::{Exporter, ExporterOptions};
use varbind_collector::module::ModuleConfiguration;
use varbind_testkit::certificates::CertificateTemplate;
use varbind_testkit::http::{get, send};
use varbind_testkit::loopback::{READER, TestAgent};
use varbind_web::{Listen, WebServer};

use crate::agent::{Objects, serve};

const MODULES: &str = "
auths:
  public_v2: {community: public}
  public_v1: {community: public, version: 1}
  wrong: {community: secret-word}
modules:
  if_mib:
    walk: [1.3.6.1.2.1.1.3, 1.3.6.1.2.1.2.2.1.2, 1.3.6.1.2.1.2.2.1.10]
    retries: 0
    timeout: 300ms
    metrics:
    - {name: sysUpTime, oid: 1.3.6.1.2.1.1.3, type: gauge, help: Time}
    - name: ifInOctets
      oid: 1.3.6.1.2.1.2.2.1.10
      type: counter
      help: Octets
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
  single:
    get: [1.3.6.1.2.1.1.3.0, 1.3.6.1.2.1.1.99.0]
    metrics: [{name: sysUpTime, oid: 1.3.6.1.2.1.1.3, type: gauge, help: Time}]
  instance:
    walk: [1.3.6.1.2.1.2.2.1.10.2]
    metrics: [{name: ifInOctets, oid: 1.3.6.1.2.1.2.2.1.10, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}]
  long:
    walk: [1.3.6.1.2.1.2.2.1.10]
    metrics: [{name: ifInOctets, oid: 1.3.6.1.2.1.2.2.1.10, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}]
  long_in_parts:
    max_repetitions: 25
    walk: [1.3.6.1.2.1.2.2.1.10]
    metrics: [{name: ifInOctets, oid: 1.3.6.1.2.1.2.2.1.10, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}]
  filtered:
    walk: [1.3.6.1.2.1.2.2.1.10]
    metrics: [{name: ifInOctets, oid: 1.3.6.1.2.1.2.2.1.10, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}]
    filters:
    - {oid: 1.3.6.1.2.1.2.2.1.2, targets: [1.3.6.1.2.1.2.2.1.10], values: ['^eth']}
";

struct Fixture {
    exporter: Exporter,
    server: WebServer,
    _runtime: Runtime,
}

impl Fixture {
    fn new(
        load: impl Fn() -> Result<ModuleConfiguration, varbind_collector::module::Error>
        + Send
        + Sync
        + 'static,
        secure: SecureSessions,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let client = runtime.block_on(async { Client::new() }).unwrap();
        let agents = Agents::new(client, secure);
        let exporter = Exporter::new(
            Box::new(load),
            agents,
            ExporterOptions::default(),
            runtime.handle().clone(),
        )
        .unwrap();
        let server = exporter
            .serve(&[Listen::Http(([127, 0, 0, 1], 0).into())], Vec::new())
            .unwrap();
        Self {
            exporter,
            server,
            _runtime: runtime,
        }
    }

    fn usual() -> Self {
        Self::new(
            || ModuleConfiguration::parse(MODULES),
            SecureSessions::default(),
        )
    }

    fn address(&self) -> SocketAddr {
        self.server.addresses()[0]
    }

    fn get(&self, path: &str) -> (u16, String) {
        get(self.address(), path)
    }
}

fn objects() -> Objects {
    let name = |name: &str| name.parse::<varbind::Oid>().unwrap().arcs().to_vec();
    let text = |text: &str| Value::OctetString(text.into());
    [
        (name("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(4711)),
        (name("1.3.6.1.2.1.2.2.1.2.1"), text("lo")),
        (name("1.3.6.1.2.1.2.2.1.2.2"), text("eth0")),
        (name("1.3.6.1.2.1.2.2.1.10.1"), Value::Counter32(10)),
        (name("1.3.6.1.2.1.2.2.1.10.2"), Value::Counter32(20)),
    ]
    .into()
}

/// The lines of samples that are not about the scrape.
fn samples(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines
        .filter(|line| !line.starts_with('#') && !line.starts_with("snmp_scrape_"))
        .collect()
}

#[test]
fn modules_are_scraped_alone_and_together() {
    let (_agent, agent) = serve(&objects());
    let fixture = Fixture::usual();
    let interfaces = [
        "ifInOctets{ifDescr=\"lo\",ifIndex=\"1\"} 10",
        "ifInOctets{ifDescr=\"eth0\",ifIndex=\"2\"} 20",
        "sysUpTime 4711",
    ];
    let (status, text) = fixture.get(&format!("/snmp?target={agent}"));
    assert_eq!(
        (status, samples(&text)),
        (200, interfaces.to_vec()),
        "{text}"
    );
    assert!(
        text.contains("# HELP ifInOctets Octets\n# TYPE ifInOctets counter\n"),
        "{text}"
    );
    assert!(
        text.contains("snmp_scrape_pdus_returned{module=\"if_mib\"} 5\n"),
        "{text}"
    );
    let (status, text) = fixture.get(&format!("/snmp?target=udp://{agent}&module=if_mib,single"));
    assert_eq!(
        (status, samples(&text)),
        (200, interfaces.to_vec()),
        "{text}"
    );
    assert!(
        text.contains("snmp_scrape_pdus_returned{module=\"single\"} 1\n"),
        "{text}"
    );
    let (_, metrics) = fixture.get("/metrics");
    assert!(
        metrics.contains("snmp_collection_duration_seconds_count{module=\"if_mib\"} 2\n"),
        "{metrics}"
    );
    assert!(metrics.contains("snmp_request_in_flight 0\n"), "{metrics}");
}

#[test]
fn a_module_without_max_repetitions_needs_fewer_messages() {
    let column = |row: u32| [1, 3, 6, 1, 2, 1, 2, 2, 1, 10, row].to_vec();
    let objects: Objects = (1..=300)
        .map(|row| (column(row), Value::Counter32(row)))
        .collect();
    let (_agent, agent) = serve(&objects);
    let fixture = Fixture::usual();
    let scrape = |module: &str| {
        let (status, text) = fixture.get(&format!("/snmp?target={agent}&module={module}"));
        assert_eq!((status, samples(&text).len()), (200, 300), "{text}");
        let figure = |name: &str| {
            let start = format!("snmp_scrape_{name}{{module=\"{module}\"}} ");
            let mut lines = text.lines();
            let value = lines.find_map(|line| line.strip_prefix(&start)).unwrap();
            value.parse::<u32>().unwrap()
        };
        let messages = figure("packets_sent") - figure("packets_retried");
        let series: Vec<_> = samples(&text).into_iter().map(str::to_owned).collect();
        (messages, series)
    };
    let (messages, series) = scrape("long");
    let (messages_in_parts, series_in_parts) = scrape("long_in_parts");
    assert_eq!(series, series_in_parts);
    assert!(messages_in_parts >= 12, "{messages_in_parts}");
    assert!(
        messages < messages_in_parts,
        "{messages} and {messages_in_parts}"
    );
}

#[test]
fn an_agent_of_snmpv1_is_asked_for_one_name_at_a_time() {
    let (_agent, agent) = serve(&objects());
    let fixture = Fixture::usual();
    for module in ["single", "if_mib"] {
        let (status, text) = fixture.get(&format!(
            "/snmp?target={agent}&module={module}&auth=public_v1"
        ));
        assert_eq!(status, 200, "{text}");
        assert!(text.contains("\nsysUpTime 4711\n"), "{text}");
    }
}

#[test]
fn instances_are_walked_and_filters_choose_rows() {
    let (_agent, agent) = serve(&objects());
    let fixture = Fixture::usual();
    for module in ["instance", "filtered"] {
        let (status, text) = fixture.get(&format!("/snmp?target={agent}&module={module}"));
        assert_eq!(
            (status, samples(&text)),
            (200, vec!["ifInOctets{ifIndex=\"2\"} 20"]),
            "{text}"
        );
    }
}

#[test]
fn an_agent_that_does_not_answer_is_an_error_that_says_why() {
    let (_agent, agent) = serve(&objects());
    let fixture = Fixture::usual();
    let (status, text) = fixture.get(&format!("/snmp?target={agent}&auth=wrong"));
    assert_eq!(status, 500);
    assert!(
        text.starts_with("An error has occurred while serving metrics:\n"),
        "{text}"
    );
    assert!(
        text.contains("module if_mib: ") && text.contains("no answer"),
        "{text}"
    );
    assert!(!text.contains("secret-word"), "{text}");
}

#[test]
fn the_time_that_prometheus_waits_is_kept() {
    // Nobody reads what arrives here.
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let text = MODULES.replace("timeout: 300ms", "timeout: 100s");
    let fixture = Fixture::new(
        move || ModuleConfiguration::parse(&text),
        SecureSessions::default(),
    );
    let started = Instant::now();
    let path = format!("/snmp?target={}", silent.local_addr().unwrap());
    let (status, text) = send(
        fixture.address(),
        "GET",
        &path,
        "X-Prometheus-Scrape-Timeout-Seconds: 0.4\r\n",
    );
    assert_eq!(status, 500);
    assert!(text.contains("not finished within 360ms"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn wrong_requests_are_refused_and_counted() {
    let fixture = Fixture::usual();
    for path in [
        "/snmp",
        "/snmp?target=a&module=nothing",
        "/snmp?target=a&auth=nobody",
    ] {
        assert_eq!(fixture.get(path).0, 400, "{path}");
    }
    let (status, text) = fixture.get("/snmp?target=unix:x");
    assert_eq!(status, 500, "{text}");
    assert!(
        fixture
            .get("/metrics")
            .1
            .contains("snmp_request_errors_total 3\n")
    );
    assert_eq!(fixture.get("/elsewhere").0, 404);
}

#[test]
fn the_configuration_is_shown_without_secrets_and_read_again() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&is_broken);
    let load = move || match broken.load(Ordering::Relaxed) {
        true => ModuleConfiguration::parse("modules: {a: {wlak: []}}"),
        false => ModuleConfiguration::parse(MODULES),
    };
    let fixture = Fixture::new(load, SecureSessions::default());
    let (status, text) = fixture.get("/config");
    assert_eq!(status, 200);
    assert!(
        text.contains("<secret>") && !text.contains("secret-word"),
        "{text}"
    );
    assert_eq!(fixture.get("/-/healthy"), (200, "Healthy".to_owned()));
    assert_eq!(fixture.get("/").0, 200);
    assert_eq!(fixture.get("/-/reload").0, 400);
    let reload = || send(fixture.address(), "POST", "/-/reload", "");
    assert_eq!(reload().0, 200);
    is_broken.store(true, Ordering::Relaxed);
    let (status, text) = reload();
    assert_eq!(status, 500);
    assert!(
        text.contains("failed to reload config") && text.contains("wlak"),
        "{text}"
    );
    assert!(
        fixture
            .exporter
            .configuration()
            .modules
            .contains_key("if_mib")
    );
}

#[test]
fn agents_are_asked_over_tls() {
    let agent = CertificateTemplate::new("agent").self_signed();
    let manager = CertificateTemplate::new("manager").self_signed();
    let map = CertificateMap::new(vec![CertificateMapRow {
        id: 1,
        fingerprint: manager.fingerprint(),
        mapping: Mapping::Specified(READER.to_owned()),
    }]);
    let clients = ClientAuthentication::new(TrustAnchors::default(), map);
    let server = TlsServer::new(agent.identity(), clients);
    let authentication = ServerAuthentication {
        identity: PeerIdentity::Fingerprint(agent.fingerprint()),
        ..ServerAuthentication::default()
    };
    let client = TlsClient::new(manager.identity(), authentication);
    let agent = TestAgent::new();
    let address = agent
        .agent
        .listen_tls(&server, ([127, 0, 0, 1], 0).into())
        .unwrap();
    let text = "auths: {public_v2: {}}\nmodules: {system: {walk: [1.3.6.1.2.1.1], metrics: [{name: sysDescr, oid: 1.3.6.1.2.1.1.1, \
                type: DisplayString}]}}";
    let secure = SecureSessions {
        tls: Some(Arc::new(client)),
        ..SecureSessions::default()
    };
    let fixture = Fixture::new(move || ModuleConfiguration::parse(text), secure);
    let (status, text) = fixture.get(&format!("/snmp?target=tls:{address}&module=system"));
    assert_eq!(status, 200, "{text}");
    assert!(
        text.contains("sysDescr{sysDescr=\"an agent for tests\"} 1\n"),
        "{text}"
    );
    let without = Fixture::usual();
    let (status, text) = without.get(&format!("/snmp?target=tls:{address}"));
    assert_eq!(status, 500);
    assert!(text.contains("certificate"), "{text}");
}
