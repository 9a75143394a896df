//! Octets of the interfaces of a target over the last polls, for the plots of its page.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use crate::scrape::{LabelSet, Number, Samples};

/// So many interfaces of one target are kept.
const INTERFACES: usize = 128;
/// Labels by which an interface is named: the first that has a value.
const NAMES: [&str; 4] = ["ifName", "ifDescr", "ifAlias", "ifIndex"];

/// What is counted, by the names of series, of which the first counts that is there.
const DIRECTIONS: [[&str; 2]; 2] = [
    ["ifHCInOctets", "ifInOctets"],
    ["ifHCOutOctets", "ifOutOctets"],
];

/// The interfaces of a target.
#[derive(Clone, Debug, Default)]
pub(super) struct Traffic {
    times: VecDeque<Duration>,
    interfaces: BTreeMap<Box<str>, Interface>,
}

#[derive(Clone, Debug, Default)]
struct Interface {
    counters: [Option<u64>; 2],
    /// Bits a second, in and out, for the last times. Unknown ones are no numbers.
    rates: VecDeque<[f32; 2]>,
}

impl Traffic {
    /// Whether samples have interfaces.
    pub(super) fn is_in(samples: &Samples) -> bool {
        let mut families = samples.module().families().iter();
        families.any(|family| DIRECTIONS.as_flattened().contains(&&*family.name))
    }

    /// How many interfaces there are.
    pub(super) fn interfaces(&self) -> usize {
        self.interfaces.len()
    }

    /// Forgets what the counters were: they began anew.
    pub(super) fn restart(&mut self) {
        for interface in self.interfaces.values_mut() {
            interface.counters = [None; 2];
        }
    }

    /// Takes note of a poll, if it has interfaces, and keeps so many polls.
    pub(super) fn observe(&mut self, now: Duration, samples: &Samples, polls: usize) {
        if !Self::is_in(samples) {
            return;
        }
        let found = counters(samples);
        if found.is_empty() {
            return;
        }
        let elapsed = self
            .times
            .back()
            .map(|last| now.saturating_sub(*last).as_secs_f64());
        self.times.push_back(now);
        for (name, counters) in &found {
            if self.interfaces.len() < INTERFACES && !self.interfaces.contains_key(*name) {
                self.interfaces.insert((*name).into(), Interface::default());
            }
            if let Some(interface) = self.interfaces.get_mut(*name) {
                interface.push(elapsed, *counters);
            }
        }
        self.interfaces.retain(|name, interface| {
            if !found.contains_key(&**name) {
                interface.push(None, [None; 2]);
            }
            interface
                .rates
                .iter()
                .any(|rates| rates.iter().any(|rate| rate.is_finite()))
                || found.contains_key(&**name)
        });
        while self.times.len() > polls {
            self.times.pop_front();
        }
        let kept = self.times.len();
        for interface in self.interfaces.values_mut() {
            while interface.rates.len() > kept {
                interface.rates.pop_front();
            }
        }
    }

    /// As JSON: times in milliseconds since 1970, and bits a second by interface.
    pub(super) fn shown(&self) -> Value {
        let times: Vec<_> = self
            .times
            .iter()
            .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
            .collect();
        let interfaces = self.interfaces.iter().map(|(name, interface)| {
            let missing = times.len().saturating_sub(interface.rates.len());
            let direction = |at: usize| {
                let rates = interface.rates.iter().map(|rates| rates.get(at).copied());
                // What is no number becomes null.
                let rates = std::iter::repeat_n(None, missing).chain(rates);
                rates.map(|rate| json!(rate)).collect::<Vec<_>>()
            };
            json!({"name": &**name, "in": direction(0), "out": direction(1)})
        });
        json!({"times": times, "interfaces": interfaces.collect::<Vec<_>>()})
    }
}

impl Interface {
    fn push(&mut self, elapsed: Option<f64>, counters: [Option<u64>; 2]) {
        let former = std::mem::replace(&mut self.counters, counters);
        let rates = [0, 1].map(|at| {
            let (before, after) = (
                former.get(at).copied().flatten(),
                counters.get(at).copied().flatten(),
            );
            rate(elapsed, before, after)
        });
        self.rates.push_back(rates);
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a plot needs no more digits"
)]
fn rate(elapsed: Option<f64>, before: Option<u64>, after: Option<u64>) -> f32 {
    match (elapsed, before, after) {
        (Some(elapsed), Some(before), Some(after)) if elapsed > 0.0 && after >= before => {
            ((after - before) as f64 * 8.0 / elapsed) as f32
        }
        _ => f32::NAN,
    }
}

/// The counters of all interfaces by name.
fn counters(samples: &Samples) -> BTreeMap<&str, [Option<u64>; 2]> {
    let mut found: BTreeMap<&str, ([usize; 2], [Option<u64>; 2])> = BTreeMap::new();
    for sample in samples.iter() {
        for (direction, names) in DIRECTIONS.iter().enumerate() {
            let rank = names.iter().position(|name| **name == *sample.family.name);
            if let (Some(rank), Number::Unsigned(value)) = (rank, sample.value)
                && let Some(name) = name(sample.labels)
            {
                let (ranks, values) = found.entry(name).or_insert(([usize::MAX; 2], [None; 2]));
                if let (Some(known), Some(place)) =
                    (ranks.get_mut(direction), values.get_mut(direction))
                    && rank < *known
                {
                    (*known, *place) = (rank, Some(value));
                }
            }
        }
    }
    found
        .into_iter()
        .map(|(name, (_, values))| (name, values))
        .collect()
}

fn name(labels: &LabelSet) -> Option<&str> {
    NAMES.iter().find_map(|wanted| {
        let mut labels = labels.iter();
        let found = labels.find(|(name, value)| name == wanted && !value.is_empty());
        found.map(|(_, value)| value)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varbind::{Value as SnmpValue, VarBind};

    use super::*;
    use crate::module::ModuleConfiguration;
    use crate::scrape::{Objects, samples};

    const MODULE: &str = "modules: {m: {metrics: [\
        {name: ifInOctets, oid: 1.2, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}, \
        {name: ifHCInOctets, oid: 1.3, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}]}}";

    #[test]
    fn rates_follow_counters_and_pause_at_restarts() {
        let module = Arc::clone(&ModuleConfiguration::parse(MODULE).unwrap().modules["m"]);
        let mut traffic = Traffic::default();
        let observe = |traffic: &mut Traffic, minute: u64, counts: &[u64]| {
            let objects = counts.iter().zip(1..).flat_map(|(count, index)| {
                let object = |root: &str, value| {
                    VarBind::new(format!("{root}.{index}").parse().unwrap(), value)
                };
                [
                    object("1.2", SnmpValue::Counter32(1)),
                    object("1.3", SnmpValue::Counter64(*count)),
                ]
            });
            let taken = samples(&module, &Objects::new(objects.collect()));
            traffic.observe(Duration::from_secs(60 * minute), &taken, 120);
        };
        observe(&mut traffic, 1, &[0, 7]);
        observe(&mut traffic, 2, &[600, 7]);
        observe(&mut traffic, 3, &[300]);
        traffic.restart();
        observe(&mut traffic, 4, &[900]);
        observe(&mut traffic, 5, &[1500]);
        let shown = traffic.shown();
        assert_eq!(shown["times"].as_array().unwrap().len(), 5);
        let row = |name: &str| {
            let interfaces = shown["interfaces"].as_array().unwrap();
            interfaces.iter().find(|row| row["name"] == name).unwrap()["in"].clone()
        };
        assert_eq!(row("1"), json!([null, 80.0, null, null, 80.0]));
        assert_eq!(row("2"), json!([null, 0.0, null, null, null]));
        for minute in 6..200 {
            observe(&mut traffic, minute, &[0]);
        }
        assert_eq!(traffic.shown()["times"].as_array().unwrap().len(), 120);
        assert_eq!(traffic.interfaces(), 1);
    }
}
