//! Polls of a collector, and outputs that take them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use varbind::{Value, VarBind};
use varbind_collector::module::ModuleConfiguration;
use varbind_collector::output::{Outcome, Outputs, Poll, TargetName, milliseconds};
use varbind_collector::scrape::{Objects, Samples, samples};

/// How long a receiver may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

const MODULE: &str = "
modules:
  if_mib:
    metrics:
    - name: ifHCInOctets
      oid: 1.3.6.1.2.1.31.1.1.1.6
      type: counter
      help: Octets received
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
    - name: ifMtu
      oid: 1.3.6.1.2.1.2.2.1.4
      type: gauge
      help: Largest packet
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
";

/// A name with all that formats have to escape.
pub const DESCRIPTION: &str = "Gi 0/0,\"=\\x";
/// A counter that double precision does not have.
pub const LARGE: u64 = (1 << 53) + 5;

fn interfaces() -> Samples {
    let module = Arc::clone(&ModuleConfiguration::parse(MODULE).unwrap().modules["if_mib"]);
    let objects = [
        (
            "1.3.6.1.2.1.2.2.1.2.1",
            Value::OctetString(DESCRIPTION.as_bytes().to_vec()),
        ),
        (
            "1.3.6.1.2.1.2.2.1.2.2",
            Value::OctetString(b"eth1".to_vec()),
        ),
        ("1.3.6.1.2.1.2.2.1.4.1", Value::Integer(1500)),
        ("1.3.6.1.2.1.31.1.1.1.6.1", Value::Counter64(LARGE)),
        ("1.3.6.1.2.1.31.1.1.1.6.2", Value::Counter64(17)),
    ];
    let objects = objects.map(|(name, value)| VarBind::new(name.parse().unwrap(), value));
    samples(&module, &Objects::new(objects.to_vec()))
}

/// A poll of now.
pub fn poll(target: &str) -> Arc<Poll> {
    let now = milliseconds(SystemTime::now());
    Arc::new(Poll {
        target: Arc::new(TargetName {
            labels: vec![("site".to_owned(), "north hall".to_owned())],
            ..TargetName::new(target)
        }),
        module: "if_mib".into(),
        slot: now - now % 1000,
        time: now,
        duration: Duration::from_millis(125),
        outcome: Outcome::Success,
        samples: Some(interfaces()),
        lease: Some(7),
    })
}

/// A poll of now that failed.
pub fn failure(target: &str) -> Arc<Poll> {
    let poll = (*poll(target)).clone();
    Arc::new(Poll {
        outcome: Outcome::Failure {
            reason: "timeout",
            message: "no response".to_owned(),
        },
        samples: None,
        ..poll
    })
}

/// Starts the output `test` with these settings.
///
/// # Panics
///
/// If the settings are wrong.
pub fn start(settings: &str) -> Outputs {
    let output = toml::from_str(settings).unwrap();
    Outputs::start(&BTreeMap::from([("test".to_owned(), output)])).unwrap()
}

/// Waits until something is so.
///
/// # Panics
///
/// If it is not after [`PATIENCE`].
#[track_caller]
pub fn wait<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "{what}: not within {PATIENCE:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The value of a metric of the output.
///
/// # Panics
///
/// If there is no such metric.
pub fn metric(outputs: &Outputs, name: &str) -> u64 {
    let mut text = String::new();
    outputs.write_metrics(&mut text);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix("{output=\"test\""));
    let line = line.unwrap_or_else(|| panic!("{name} in {text}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}
