//! One monitor and what it has seen.

use std::collections::BTreeMap;
use std::time::Instant;

use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::instrumentation::{Registry, RequestContext};

use super::Monitor;

/// The objects of mteHotObjects (RFC 2981): mteHotTrigger, mteHotTargetName, mteHotContextName, mteHotOID, mteHotValue.
const MTE_HOT_OBJECTS: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 2, 1];
/// More instances of one object are not watched.
const MOST_INSTANCES: usize = 100_000;

/// A monitor, and which of its instances pass the test.
pub(super) struct Trigger {
    monitor: Monitor,
    seen: BTreeMap<Oid, Seen>,
    due: Instant,
}

/// An instance when it was read last.
struct Seen {
    value: Value,
    passes: bool,
}

/// A value that passes the test and did not when it was read before.
pub(super) struct Fired {
    pub(super) name: String,
    pub(super) instance: Oid,
    /// What was tested.
    pub(super) value: i128,
    told: Vec<VarBind>,
}

impl Trigger {
    pub(super) fn new(monitor: Monitor) -> Self {
        Self {
            monitor,
            seen: BTreeMap::new(),
            due: Instant::now(),
        }
    }

    /// When it is to be sampled.
    pub(super) const fn due(&self) -> Instant {
        self.due
    }

    /// It was sampled at this time.
    pub(super) fn postpone(&mut self, sampled: Instant) {
        self.due = sampled + self.monitor.interval;
    }

    /// Reads all instances; those that pass the test now and did not before.
    pub(super) fn sample(&mut self, registry: &Registry, request: &RequestContext) -> Vec<Fired> {
        let mut fired = Vec::new();
        let mut seen = BTreeMap::new();
        let mut name = self.monitor.object.clone();
        while let Ok(Some(read)) = registry.read_next(request, name.arcs()) {
            if !self.monitor.object.is_prefix_of(read.name.arcs()) || seen.len() >= MOST_INSTANCES {
                break;
            }
            name = read.name;
            let before = self.seen.get(&name);
            let tested = match self.monitor.is_delta {
                true => before.and_then(|before| difference(&before.value, &read.value)),
                false => number(&read.value),
            };
            let passes = tested.is_some_and(|value| self.monitor.test.holds(value));
            if let Some(value) = tested.filter(|_| passes)
                && !before.is_some_and(|before| before.passes)
            {
                fired.push(Fired {
                    name: self.monitor.name.clone(),
                    value,
                    told: self.other_objects(registry, request, &name),
                    instance: name.clone(),
                });
            }
            let value = read.value;
            seen.insert(name.clone(), Seen { value, passes });
        }
        self.seen = seen;
        fired
    }

    /// The instances of the other objects that have the index of this one.
    fn other_objects(
        &self,
        registry: &Registry,
        request: &RequestContext,
        instance: &Oid,
    ) -> Vec<VarBind> {
        let index = instance.arcs().get(self.monitor.object.arcs().len()..);
        let index = index.unwrap_or_default();
        let read = |object: &Oid| {
            let name = object.child(index).ok()?;
            let value = registry.read(request, name.arcs()).ok()?;
            Some(VarBind::new(name, value))
        };
        self.monitor.told.iter().filter_map(read).collect()
    }
}

impl Fired {
    /// The objects of mteTriggerFired, and what is told with them.
    pub(super) fn var_binds(self) -> Vec<VarBind> {
        let clamped = self.value.clamp(i32::MIN.into(), i32::MAX.into());
        let hot = [
            Value::OctetString(self.name.into_bytes()),
            // This agent, and its default context.
            Value::OctetString(Vec::new()),
            Value::OctetString(Vec::new()),
            Value::from(&self.instance),
            Value::Integer(i32::try_from(clamped).unwrap_or_default()),
        ];
        let hot = (1..).zip(hot).filter_map(|(number, value)| {
            let name = Oid::new(MTE_HOT_OBJECTS).and_then(|all| all.child(&[number, 0]));
            Some(VarBind::new(name.ok()?, value))
        });
        hot.chain(self.told).collect()
    }
}

fn number(value: &Value) -> Option<i128> {
    Some(match value {
        Value::Integer(number) => i128::from(*number),
        Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
            i128::from(*number)
        }
        Value::Counter64(number) => i128::from(*number),
        _ => return None,
    })
}

/// How much a value has grown; counters begin anew at their end (RFC 2578 section 7.1.6).
fn difference(before: &Value, after: &Value) -> Option<i128> {
    Some(match (before, after) {
        (Value::Counter32(before), Value::Counter32(after)) => {
            i128::from(after.wrapping_sub(*before))
        }
        (Value::Counter64(before), Value::Counter64(after)) => {
            i128::from(after.wrapping_sub(*before))
        }
        _ => number(after)? - number(before)?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use varbind_engine::clock;
    use varbind_engine::instrumentation::Scalar;

    use super::super::Test;
    use super::*;

    const FLAG: &str = "1.3.6.1.4.1.9999.1";
    const MESSAGE: &str = "1.3.6.1.4.1.9999.2";

    /// A flag and a message, whose values are what is put there.
    fn registry(value: &Arc<Mutex<Option<Value>>>) -> Registry {
        let value = Arc::clone(value);
        let (flag, message): (Oid, Oid) = (FLAG.parse().unwrap(), MESSAGE.parse().unwrap());
        Registry::builder()
            .register(
                flag.clone(),
                Arc::new(Scalar::new(&flag, move |_| value.lock().unwrap().clone())),
            )
            .register(
                message.clone(),
                Arc::new(Scalar::new(&message, |_| {
                    Some(Value::OctetString(b"full".to_vec()))
                })),
            )
            .build()
            .unwrap()
    }

    fn trigger(test: &str, is_delta: bool) -> Trigger {
        Trigger::new(Monitor {
            name: "disk".to_owned(),
            object: FLAG.parse().unwrap(),
            test: Test::try_from(test.to_owned()).unwrap(),
            is_delta,
            interval: Duration::from_secs(60),
            told: vec![
                MESSAGE.parse().unwrap(),
                "1.3.6.1.4.1.9999.3".parse().unwrap(),
            ],
        })
    }

    /// How many values fire at each reading.
    fn fired(test: &str, is_delta: bool, values: &[Option<Value>]) -> Vec<usize> {
        let value = Arc::default();
        let registry = registry(&value);
        let mut trigger = trigger(test, is_delta);
        let request = RequestContext::of_agent(clock::Instant::ORIGIN);
        let mut sample = |next: &Option<Value>| {
            value.lock().unwrap().clone_from(next);
            trigger.sample(&registry, &request).len()
        };
        values.iter().map(&mut sample).collect()
    }

    #[test]
    fn a_value_fires_once_until_it_fails_the_test_again() {
        let values = [0, 1, 1, 0, 2].map(|value| Some(Value::Integer(value)));
        assert_eq!(fired("!= 0", false, &values), [0, 1, 0, 0, 1]);
        // One that is there at the start fires, as does one that comes back.
        let values = [Some(Value::Integer(1)), None, Some(Value::Integer(1))];
        assert_eq!(fired("!= 0", false, &values), [1, 0, 1]);
        let text = [Some(Value::OctetString(b"1".to_vec()))];
        assert_eq!(fired("!= 0", false, &text), [0]);
    }

    #[test]
    fn differences_account_for_counters_that_wrap() {
        let counters = [u32::MAX - 5, 4, 4, 100].map(|value| Some(Value::Counter32(value)));
        assert_eq!(fired(">= 10", true, &counters), [0, 1, 0, 1]);
        let counters = [u64::MAX, 9].map(|value| Some(Value::Counter64(value)));
        assert_eq!(fired("== 10", true, &counters), [0, 1]);
        let gauges = [10, 5].map(|value| Some(Value::Gauge32(value)));
        assert_eq!(fired("< 0", true, &gauges), [0, 1]);
    }

    #[test]
    fn a_notification_tells_the_trigger_the_value_and_the_row() {
        let value = Arc::new(Mutex::new(Some(Value::Counter64(u64::MAX))));
        let request = RequestContext::of_agent(clock::Instant::ORIGIN);
        let mut fired = trigger("> 0", false).sample(&registry(&value), &request);
        let var_binds = fired.pop().unwrap().var_binds();
        let shown: Vec<_> = var_binds
            .iter()
            .map(|var_bind| (var_bind.name.to_string(), var_bind.value.clone()))
            .collect();
        let instance: Oid = format!("{FLAG}.0").parse().unwrap();
        let hot = |number: u32| format!("1.3.6.1.2.1.88.2.1.{number}.0");
        let expected = [
            (hot(1), Value::OctetString(b"disk".to_vec())),
            (hot(2), Value::OctetString(Vec::new())),
            (hot(3), Value::OctetString(Vec::new())),
            (hot(4), Value::from(&instance)),
            (hot(5), Value::Integer(i32::MAX)),
            (format!("{MESSAGE}.0"), Value::OctetString(b"full".to_vec())),
        ];
        assert_eq!(shown, expected);
    }
}
