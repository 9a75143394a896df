//! Polls for tests.

use std::sync::Arc;
use std::time::Duration;

use varbind::{Value, VarBind};

use super::{Outcome, Poll, TargetName};
use crate::module::ModuleConfiguration;
use crate::scrape::{Objects, Samples, samples};

const MODULE: &str = "
modules:
  if_mib:
    metrics:
    - {name: sysUpTime, oid: 1.3.6.1.2.1.1.3, type: gauge, help: Time since the restart}
    - name: ifHCInOctets
      oid: 1.3.6.1.2.1.31.1.1.1.6
      type: counter
      help: Octets received
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
    - name: ifSpeedFactor
      oid: 1.3.6.1.2.1.31.1.1.1.15
      type: gauge
      help: Half the speed
      scale: 0.5
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
";

/// Series of two interfaces, the first of which has a counter beyond double precision and a name full of special characters.
pub(super) fn interfaces() -> Samples {
    let module = Arc::clone(&ModuleConfiguration::parse(MODULE).unwrap().modules["if_mib"]);
    let objects = [
        ("1.3.6.1.2.1.1.3.0", Value::TimeTicks(4711)),
        (
            "1.3.6.1.2.1.2.2.1.2.1",
            Value::OctetString(b"eth 0,\"=\\x".to_vec()),
        ),
        (
            "1.3.6.1.2.1.2.2.1.2.2",
            Value::OctetString(b"eth1".to_vec()),
        ),
        ("1.3.6.1.2.1.31.1.1.1.6.1", Value::Counter64(u64::MAX - 1)),
        ("1.3.6.1.2.1.31.1.1.1.6.2", Value::Counter64(17)),
        ("1.3.6.1.2.1.31.1.1.1.15.1", Value::Gauge32(25)),
        ("1.3.6.1.2.1.31.1.1.1.15.2", Value::Gauge32(1000)),
    ];
    let objects = objects.map(|(name, value)| VarBind::new(name.parse().unwrap(), value));
    samples(&module, &Objects::new(objects.to_vec()))
}

/// A successful poll with the samples of [`interfaces`].
pub(super) fn poll(target: &str, slot: u64) -> Arc<Poll> {
    let target = TargetName {
        labels: vec![("site".to_owned(), "north hall".to_owned())],
        ..TargetName::new(target)
    };
    Arc::new(Poll {
        target: Arc::new(target),
        module: "if_mib".into(),
        slot,
        time: slot + 250,
        duration: Duration::from_millis(125),
        outcome: Outcome::Success,
        samples: Some(interfaces()),
        lease: None,
    })
}

/// A poll that failed.
pub(super) fn failure(target: &str, slot: u64) -> Arc<Poll> {
    Arc::new(Poll {
        outcome: Outcome::Failure {
            reason: "timeout",
            message: format!("{target}: no response"),
        },
        samples: None,
        ..(*poll(target, slot)).clone()
    })
}
