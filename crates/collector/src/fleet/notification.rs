//! Notifications of devices, in the outputs of polls.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::board::Board;
use super::run::Collector;
use crate::module::{self, Module, ModuleConfiguration};
use crate::output::{Outcome, Outputs, Poll, TargetName, milliseconds};
use crate::scrape::{LabelSet, Number, Samples};

/// The module of notifications: one series.
const MODULE: &str = "modules: {notification: {metrics: [{name: snmp_notification, oid: 1.3.6.1.6.3.1.1.4.1.0, type: gauge, \
                      help: A notification that the device sent. - 1.3.6.1.6.3.1.1.4.1.0}]}}";

/// Gives notifications to the outputs of a collector, as polls of the module `notification` with one sample each.
#[derive(Debug)]
pub struct Intake {
    board: Arc<Board>,
    outputs: Arc<Mutex<Outputs>>,
    module: Arc<Module>,
    last: u64,
}

impl Intake {
    /// The intake of a collector.
    ///
    /// # Errors
    /// Never: the module is part of the program.
    pub fn of(collector: &Collector) -> Result<Self, module::Error> {
        let configuration = ModuleConfiguration::parse(MODULE)?;
        let module = configuration.modules.into_values().next();
        let module = module.ok_or(module::Error::Missing { what: "modules" })?;
        Ok(Self {
            board: Arc::clone(collector.board()),
            outputs: Arc::clone(collector.outputs()),
            module,
            last: 0,
        })
    }

    /// Gives a notification to all outputs. Its target is the one with this address, if there is any.
    pub fn take(&mut self, source: IpAddr, time: SystemTime, labels: Vec<(String, String)>) {
        let poll = Arc::new(self.poll(source, milliseconds(time), labels));
        self.board.lock().notifications += 1;
        // Nothing panics while it holds the lock.
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.send(&poll);
    }

    fn poll(&mut self, source: IpAddr, time: u64, labels: Vec<(String, String)>) -> Poll {
        let source = source.to_canonical();
        let known = self.board.lock().addresses.get(&source).map(Arc::clone);
        let target = known.unwrap_or_else(|| Arc::new(TargetName::new(&source.to_string())));
        let samples = Samples::single(&self.module, label_set(labels), Number::Unsigned(1));
        // No two have the same identity.
        self.last = time.max(self.last + 1);
        Poll {
            target,
            module: Arc::clone(&self.module.name),
            slot: self.last,
            time,
            duration: Duration::ZERO,
            outcome: Outcome::Success,
            samples: Some(samples),
            lease: None,
        }
    }
}

/// Labels in order, each name once: further objects of a name get a number.
fn label_set(labels: Vec<(String, String)>) -> LabelSet {
    let mut distinct: Vec<(String, String)> = Vec::with_capacity(labels.len());
    for (name, value) in labels {
        let is_taken = |wanted: &str| distinct.iter().any(|(known, _)| known == wanted);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|wanted| !is_taken(wanted));
        distinct.push((free.unwrap_or(name), value));
    }
    distinct.sort();
    let (names, values): (Vec<Arc<str>>, Vec<Arc<str>>) = distinct
        .into_iter()
        .map(|(name, value)| (Arc::from(name), Arc::from(value)))
        .unzip();
    LabelSet::new(names.into(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_is_a_poll_of_the_target_with_its_address() {
        let module = ModuleConfiguration::parse(MODULE)
            .unwrap()
            .modules
            .into_values()
            .next();
        let mut intake = Intake {
            board: Arc::default(),
            outputs: Arc::new(Mutex::new(Outputs::none())),
            module: module.unwrap(),
            last: 0,
        };
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let known = Arc::new(TargetName::new("router1"));
        intake.board.lock().addresses.insert(address, known);
        let labels = [
            ("notification", "linkDown"),
            ("ifIndex", "3"),
            ("ifIndex", "4"),
        ];
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mapped = "::ffff:192.0.2.1".parse().unwrap();
        let first = intake.poll(mapped, 1000, labels.to_vec());
        let second = intake.poll("192.0.2.9".parse().unwrap(), 1000, Vec::new());
        assert_eq!(
            (&*first.target.name, &*second.target.name),
            ("router1", "192.0.2.9")
        );
        assert_eq!((first.slot, second.slot, second.time), (1000, 1001, 1000));
        let samples = first.samples.unwrap();
        let sample = samples.iter().next().unwrap();
        let labels: Vec<_> = sample.labels.iter().collect();
        assert_eq!(&*sample.family.name, "snmp_notification");
        assert_eq!(
            labels,
            [
                ("ifIndex", "3"),
                ("ifIndex_2", "4"),
                ("notification", "linkDown")
            ]
        );
    }
}
