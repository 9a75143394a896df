//! Records to Apache Kafka itself: one node without ZooKeeper (KRaft).

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rskafka::client::ClientBuilder;
use rskafka::client::partition::UnknownTopicHandling;
use rskafka::record::Record;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Builder;
use varbind_collector::output::Poll;
use varbind_testkit::certificates::Authority;
use varbind_testkit::peers;
use varbind_testkit::polls::{LARGE, PATIENCE, metric, poll, start, wait};

/// Where Kafka's programs are: what `scripts/fetch-kafka` makes of the packages of Maven.
fn jars() -> Option<PathBuf> {
    let named = env::var_os("VARBIND_KAFKA_DIRECTORY").map(PathBuf::from);
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kafka");
    let found = named.into_iter().chain([usual]).find(|directory| {
        let files = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names.any(|name| name.starts_with("kafka-server-"))
    });
    if found.is_none() {
        peers::skip(
            "no Kafka: scripts/fetch-kafka DIR fetches it, and VARBIND_KAFKA_DIRECTORY names DIR",
        );
    }
    found
}

/// The password of the user `ops`.
const PASSWORD: &str = "sesame-word";

struct Kafka {
    child: Option<Child>,
    directory: TempDir,
    jars: PathBuf,
    address: SocketAddr,
    /// Where users come in over TLS, if the settings say so.
    secure_address: SocketAddr,
}

impl Kafka {
    /// Starts with further settings; `None`, and a visible skip, where something is missing.
    fn start(settings: &str) -> Option<Self> {
        let mut kafka = Self::new()?;
        kafka.configure(settings);
        // The identity that Kafka's own tool would write there.
        let identity = "version=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAQ\nnode.id=1\n";
        fs::create_dir(kafka.path("data")).unwrap();
        fs::write(kafka.path("data/meta.properties"), identity).unwrap();
        kafka.restart();
        Some(kafka)
    }

    /// One that lets `ops` in with [`PASSWORD`], over TLS with a certificate of an authority.
    fn start_secure(authority: &Authority) -> Option<Self> {
        let mut kafka = Self::new()?;
        let host = authority.issue_host("kafka");
        let identity = format!("{}{}", host.key_pem(), host.pem);
        fs::write(kafka.path("kafka.pem"), identity).unwrap();
        let module = "org.apache.kafka.common.security";
        kafka.configure(&format!(
            "listeners=PLAINTEXT://{address},SECURE://{secure},CONTROLLER://127.0.0.1:{controller}\n\
             advertised.listeners=PLAINTEXT://{address},SECURE://{secure}\n\
             controller.quorum.voters=1@127.0.0.1:{controller}\n\
             listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL\n\
             ssl.keystore.type=PEM\nssl.keystore.location={pem}\n\
             listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
             listener.name.secure.plain.sasl.jaas.config={module}.plain.PlainLoginModule required user_ops=\"{PASSWORD}\";\n\
             listener.name.secure.scram-sha-256.sasl.jaas.config={module}.scram.ScramLoginModule required;\n\
             listener.name.secure.scram-sha-512.sasl.jaas.config={module}.scram.ScramLoginModule required;\n",
            address = kafka.address,
            secure = kafka.secure_address,
            controller = peers::free_port(),
            pem = kafka.path("kafka.pem").display(),
        ));
        let mut format = kafka.java("kafka.tools.StorageTool");
        format.args([
            "format",
            "--cluster-id",
            "AAAAAAAAAAAAAAAAAAAAAQ",
            "--config",
        ]);
        format.arg(kafka.path("server.properties"));
        for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
            let user = format!("{mechanism}=[name=ops,password={PASSWORD}]");
            format.args(["--add-scram".to_owned(), user]);
        }
        let output = format.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        kafka.restart();
        Some(kafka)
    }

    fn new() -> Option<Self> {
        if !peers::is_installed("java") {
            return None;
        }
        Some(Self {
            child: None,
            directory: tempfile::tempdir().unwrap(),
            jars: jars()?,
            address: ([127, 0, 0, 1], peers::free_port()).into(),
            secure_address: ([127, 0, 0, 1], peers::free_port()).into(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes its settings. The last line with a name counts.
    fn configure(&self, settings: &str) {
        let (address, controller) = (self.address, peers::free_port());
        let data = self.path("data");
        let properties = format!(
            "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
             listeners=PLAINTEXT://{address},CONTROLLER://127.0.0.1:{controller}\nadvertised.listeners=PLAINTEXT://{address}\n\
             controller.listener.names=CONTROLLER\nlistener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n\
             log.dirs={}\noffsets.topic.replication.factor=1\n{settings}",
            data.display()
        );
        fs::write(self.path("server.properties"), properties).unwrap();
    }

    /// One of its programs.
    fn java(&self, class: &str) -> Command {
        let mut command = peers::command("java");
        command
            .args([
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
            ])
            .arg(self.jars.join("*"))
            .arg(class)
            .stdin(Stdio::null());
        command
    }

    /// Ends it as a crash would.
    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it with what it had on disk.
    fn restart(&mut self) {
        self.kill();
        let mut command = self.java("kafka.Kafka");
        command.arg(self.path("server.properties"));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(child.unwrap());
        wait("Kafka", || {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "Kafka ended: {ended:?}");
            TcpStream::connect(self.address).ok()
        });
    }

    /// All records of a topic, by partition.
    fn records(&self, topic: &str) -> BTreeMap<i32, Vec<Record>> {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = ClientBuilder::new(vec![self.address.to_string()])
                .build()
                .await;
            let client = client.unwrap();
            let topics = client.list_topics().await.unwrap();
            let partitions = topics
                .into_iter()
                .find(|known| known.name == topic)
                .unwrap()
                .partitions;
            let mut found = BTreeMap::new();
            for number in partitions {
                let partition = client.partition_client(topic, number, UnknownTopicHandling::Retry);
                let partition = partition.await.unwrap();
                let records: &mut Vec<Record> = found.entry(number).or_default();
                loop {
                    let offset = i64::try_from(records.len()).unwrap();
                    let (batch, end) = partition
                        .fetch_records(offset, 1..10_000_000, 1000)
                        .await
                        .unwrap();
                    records.extend(batch.into_iter().map(|found| found.record));
                    if i64::try_from(records.len()).unwrap() >= end {
                        break;
                    }
                }
            }
            found
        })
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        self.kill();
    }
}

fn json(record: &Record) -> Value {
    serde_json::from_slice(record.value.as_deref().unwrap()).unwrap()
}

fn polls(targets: std::ops::Range<u32>) -> Vec<Arc<Poll>> {
    targets
        .map(|target| poll(&format!("router {target}")))
        .collect()
}

#[test]
fn each_poll_is_in_the_topic_although_the_broker_crashes() {
    // Ten polls together are too large for the topic, one of them is not.
    let settings = "num.partitions=3\nmessage.max.bytes=3000\n";
    let Some(mut kafka) = Kafka::start(settings) else {
        return;
    };
    let samples = poll("r").len();
    let spool = kafka.directory.path().join("spool").display().to_string();
    let outputs = start(&format!(
        "type = \"kafka\"\ncompression = \"none\"\nlinger = \"5ms\"\nmax-backoff = \"200ms\"\nbatch-samples = {}\n\
         [kafka]\nbrokers = [\"{}\"]\n[spool]\ndirectory = {spool:?}",
        10 * samples,
        kafka.address,
    ));
    let delivered = || metric(&outputs, "varbind_output_delivered_polls_total");
    let all = polls(0..60);
    all[..30].iter().for_each(|poll| outputs.send(poll));
    wait("the first polls", || (delivered() == 30).then_some(()));
    kafka.kill();
    all[30..].iter().for_each(|poll| outputs.send(poll));
    wait("a failure", || {
        (metric(&outputs, "varbind_output_failing") == 1).then_some(())
    });
    kafka.restart();
    wait("all polls", || (delivered() == 60).then_some(()));
    // One that no topic takes is told, and holds up no other.
    let large = Arc::new(Poll {
        module: "m".repeat(4000).into(),
        ..(*poll("large")).clone()
    });
    outputs.send(&large);
    outputs.send(&poll("router 0"));
    wait("the last poll", || (delivered() == 61).then_some(()));
    let mut text = String::new();
    outputs.write_metrics(&mut text);
    let lost = "varbind_output_lost_polls_total{output=\"test\",reason=\"refused\"} 1\n";
    assert!(text.contains(lost), "{text}");
    outputs.stop(PATIENCE);

    let records = kafka.records("varbind.polls");
    assert_eq!(records.len(), 3);
    let mut partitions: BTreeMap<Vec<u8>, BTreeSet<i32>> = BTreeMap::new();
    let mut identities = BTreeSet::new();
    for (number, records) in &records {
        for record in records {
            let value = json(record);
            let key = record.key.clone().unwrap();
            assert_eq!(value["target"].as_str().unwrap().as_bytes(), key);
            assert_eq!(value["rows"][0]["values"]["ifHCInOctets"], LARGE);
            partitions.entry(key).or_default().insert(*number);
            identities.insert(String::from_utf8(record.headers["id"].clone()).unwrap());
        }
    }
    assert!(partitions.values().all(|numbers| numbers.len() == 1));
    assert!(records.values().all(|records| !records.is_empty()));
    let expected: BTreeSet<_> = all.iter().map(|poll| poll.identity()).collect();
    assert!(identities.is_superset(&expected));
    assert!(identities.len() <= expected.len() + 1, "{identities:?}");
}

#[test]
fn users_are_let_in_over_tls() {
    let authority = Authority::new("authority");
    let Some(kafka) = Kafka::start_secure(&authority) else {
        return;
    };
    let ca = kafka.path("ca.pem");
    fs::write(&ca, &authority.pem).unwrap();
    let output = |mechanism: &str, password: &str| {
        let file = kafka.path(&format!("password-{password}"));
        fs::write(&file, password).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        start(&format!(
            "type = \"kafka\"\nlinger = \"1ms\"\nmax-backoff = \"50ms\"\n\
             [kafka]\nbrokers = [\"{}\"]\ntls = true\nca-file = {ca:?}\nusername = \"ops\"\npassword-file = {file:?}\n\
             mechanism = \"{mechanism}\"",
            kafka.secure_address
        ))
    };
    let mechanisms = ["plain", "scram-sha-256", "scram-sha-512"];
    for mechanism in mechanisms {
        let outputs = output(mechanism, PASSWORD);
        outputs.send(&poll(mechanism));
        wait(mechanism, || {
            (metric(&outputs, "varbind_output_delivered_polls_total") == 1).then_some(())
        });
        outputs.stop(PATIENCE);
        let outputs = output(mechanism, "another-word");
        outputs.send(&poll("stranger"));
        wait("a refusal", || {
            (metric(&outputs, "varbind_output_failing") == 1).then_some(())
        });
        outputs.stop(Duration::from_millis(1));
    }
    let records = kafka.records("varbind.polls");
    let targets: Vec<_> = records
        .values()
        .flatten()
        .map(|record| json(record)["target"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(targets, mechanisms);
}

#[test]
fn broker_that_is_away_costs_a_bounded_queue() {
    let samples = poll("r").len();
    let outputs = start(&format!(
        "type = \"kafka\"\nlinger = \"1ms\"\nmax-backoff = \"50ms\"\nqueue-samples = {}\n[kafka]\nbrokers = [\"127.0.0.1:{}\"]",
        5 * samples,
        peers::free_port(),
    ));
    polls(0..200).iter().for_each(|poll| outputs.send(poll));
    let lost = metric(&outputs, "varbind_output_lost_polls_total");
    assert!(lost >= 190, "{lost}");
    outputs.stop(Duration::from_millis(1));
}
