//! A collector as a process of its own, which polls 40 targets without a network.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use varbind_collector::cluster::{Cluster, ClusterConfiguration};
use varbind_collector::output::{Outputs, Poll, TargetName, milliseconds};
use varbind_testkit::polls::failure;

/// Name, directory and URL of the server, for the process that is a collector.
const COLLECTOR: &str = "VARBIND_TEST_COLLECTOR";
pub(crate) const LEASE: Duration = Duration::from_secs(3);
/// Time between two polls of a target, in milliseconds.
pub(crate) const INTERVAL: u64 = 500;
pub(crate) const TARGETS: usize = 40;

pub(crate) fn now() -> u64 {
    milliseconds(SystemTime::now())
}

/// A poll as a collector wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) target: String,
    pub(crate) collector: String,
    pub(crate) slot: u64,
    pub(crate) lease: u64,
    /// The lease was held at some time between these two.
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Record {
    pub(crate) fn new(poll: &Value) -> Self {
        let received = poll["time"].as_u64().unwrap();
        // Rounded up.
        let duration = Duration::from_secs_f64(poll["duration"].as_f64().unwrap());
        let duration = u64::try_from(duration.as_millis()).unwrap() + 1;
        Self {
            target: poll["target"].as_str().unwrap().to_owned(),
            collector: poll["labels"]["collector"].as_str().unwrap().to_owned(),
            slot: poll["slot"].as_u64().unwrap(),
            lease: poll["lease"].as_u64().unwrap(),
            sent: received - duration,
            received,
        }
    }

    pub(crate) fn identity(&self) -> String {
        format!("{}/if_mib/{}", self.target, self.slot)
    }
}

pub(crate) struct Collector {
    child: Child,
    file: PathBuf,
}

impl Collector {
    /// Starts a process that does no more than this test, which calls [`run`] first.
    pub(crate) fn start(test: &str, name: &str, directory: &Path, url: &str) -> Self {
        let directory = directory.display();
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", test])
            .env(COLLECTOR, format!("{name} {directory} {url}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        Self {
            child: child.unwrap(),
            file: format!("{directory}/{name}.jsonl").into(),
        }
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// All its polls so far, whether they are delivered or not.
    pub(crate) fn records(&self) -> Vec<Record> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        // The last line may be half written.
        let end = text.rfind('\n').unwrap_or(0);
        text[..end]
            .lines()
            .map(|line| Record::new(&serde_json::from_str(line).unwrap()))
            .collect()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Is a collector, if this process was started as one. It polls the targets of its shards until it is killed.
pub(crate) fn run() -> bool {
    let Ok(collector) = env::var(COLLECTOR) else {
        return false;
    };
    let [name, directory, url] = collector.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{collector}");
    };
    let text = format!(
        "name = {name:?}\nlease = \"{}s\"\n[nats]\n{}",
        LEASE.as_secs(),
        servers(url)
    );
    let configuration: ClusterConfiguration = toml::from_str(&text).unwrap();
    let cluster = Cluster::join(&configuration).unwrap();
    let outputs = outputs(name, directory, url);
    let template = failure("target");
    let mut next = now() / INTERVAL + 1;
    // The test kills it much earlier.
    let end = next + 240_000 / INTERVAL;
    while next < end {
        let wait = (next * INTERVAL).saturating_sub(now());
        thread::sleep(Duration::from_millis(wait));
        for target in 0..TARGETS {
            let target = format!("router{target}");
            let sent = SystemTime::now();
            if let Some(lease) = cluster.lease(&target) {
                let received = SystemTime::now();
                outputs.send(&Arc::new(Poll {
                    target: Arc::new(TargetName {
                        labels: vec![("collector".to_owned(), name.to_owned())],
                        ..TargetName::new(&target)
                    }),
                    slot: next * INTERVAL,
                    time: milliseconds(received),
                    duration: received.duration_since(sent).unwrap_or_default(),
                    lease: Some(lease),
                    ..(*template).clone()
                }));
            }
        }
        next += 1;
    }
    true
}

/// Servers whose URLs have commas between; each has all of the streams.
fn servers(urls: &str) -> String {
    let urls: Vec<_> = urls.split(',').collect();
    format!("servers = {urls:?}\nreplicas = {}", urls.len())
}

fn outputs(name: &str, directory: &str, url: &str) -> Outputs {
    let stream = format!(
        "type = \"nats\"\nlinger = \"20ms\"\nmax-backoff = \"200ms\"\n[nats]\n{}\n[spool]\ndirectory = \"{directory}/{name}\"",
        servers(url)
    );
    let file =
        format!("type = \"json-lines\"\nlinger = \"20ms\"\npath = \"{directory}/{name}.jsonl\"");
    let outputs = [("stream", stream), ("file", file)]
        .map(|(name, settings)| (name.to_owned(), toml::from_str(&settings).unwrap()));
    Outputs::start(&BTreeMap::from(outputs)).unwrap()
}
