//! Objects that are watched: whoever is to be notified is told when a value passes a test, as DISMAN-EVENT-MIB (RFC 2981) has
//! it and `monitor` of snmpd did.

mod trigger;

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use varbind_codec::smi::Oid;

use crate::notifications::Notifier;
use trigger::Trigger;

const STACK: usize = 256 * 1024;

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Monitor {
    /// mteHotTrigger of its notifications.
    pub(crate) name: String,
    /// All instances below it are watched.
    pub(crate) object: Oid,
    pub(crate) test: Test,
    /// Whether the difference of two values is tested in their place.
    pub(crate) is_delta: bool,
    pub(crate) interval: Duration,
    /// Objects whose instances with the same index are told together with the value.
    pub(crate) told: Vec<Oid>,
}

/// A comparison with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Test {
    comparison: Comparison,
    number: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Longer signs come before those with which they begin.
const SIGNS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Test {
    /// Whether an error flag is set.
    pub(crate) const NOT_ZERO: Self = Self {
        comparison: Comparison::Unequal,
        number: 0,
    };

    fn holds(self, value: i128) -> bool {
        let number = i128::from(self.number);
        match self.comparison {
            Comparison::Equal => value == number,
            Comparison::Unequal => value != number,
            Comparison::Less => value < number,
            Comparison::LessOrEqual => value <= number,
            Comparison::Greater => value > number,
            Comparison::GreaterOrEqual => value >= number,
        }
    }
}

impl TryFrom<String> for Test {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parse = |(sign, comparison): &(&str, Comparison)| {
            let number = text.trim().strip_prefix(sign)?.trim().parse().ok()?;
            Some(Self {
                comparison: *comparison,
                number,
            })
        };
        SIGNS.iter().find_map(parse).ok_or_else(|| {
            let signs = SIGNS.map(|(sign, _)| sign).join(", ");
            format!("{text:?} is not a test: expected one of {signs} and a number, as \"> 100\"")
        })
    }
}

/// Monitors at work. They end when this is dropped.
pub(crate) struct Monitors {
    monitors: Vec<Monitor>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Monitors {
    /// Watches from now on, and tells the notifier.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub(crate) fn start(monitors: Vec<Monitor>, notifier: &Arc<Notifier>) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        if !monitors.is_empty() {
            let triggers = monitors.iter().cloned().map(Trigger::new).collect();
            let (shared, notifier) = (Arc::clone(&shared), Arc::clone(notifier));
            thread::Builder::new()
                .name("varbind-monitor".into())
                .stack_size(STACK)
                .spawn(move || watch(triggers, &shared, &notifier))?;
        }
        Ok(Self { monitors, shared })
    }

    /// Watches these in place of the former ones. Where they are the same, nothing is told twice.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub(crate) fn replace(
        &mut self,
        monitors: Vec<Monitor>,
        notifier: &Arc<Notifier>,
    ) -> io::Result<()> {
        if monitors != self.monitors {
            *self = Self::start(monitors, notifier)?;
        }
        Ok(())
    }
}

impl Drop for Monitors {
    fn drop(&mut self) {
        let is_over = self.shared.is_over.lock();
        *is_over.unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Waits until `deadline`; whether the monitors are over.
    fn wait_until(&self, deadline: Instant) -> bool {
        let time = deadline.saturating_duration_since(Instant::now());
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(is_over, time, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn watch(mut triggers: Vec<Trigger>, shared: &Shared, notifier: &Notifier) {
    while let Some(next) = triggers.iter().map(Trigger::due).min() {
        if shared.wait_until(next) {
            return;
        }
        let now = Instant::now();
        for trigger in triggers.iter_mut().filter(|trigger| trigger.due() <= now) {
            for fired in notifier.sample(|registry, request| trigger.sample(registry, request)) {
                log::info!(
                    "monitor {}: {} is {}",
                    fired.name,
                    fired.instance,
                    fired.value
                );
                notifier.trigger_fired(fired.var_binds());
            }
            trigger.postpone(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_a_sign_and_a_number() {
        for (text, below, equal, above) in [
            ("< 5", true, false, false),
            ("<=5", true, true, false),
            (" == 5 ", false, true, false),
            ("!= 5", true, false, true),
            (">= 5", false, true, true),
            (">5", false, false, true),
        ] {
            let test = Test::try_from(text.to_owned()).unwrap();
            let found = [4, 5, 6].map(|value| test.holds(value));
            assert_eq!(found, [below, equal, above], "{text}");
        }
        assert!(Test::try_from("> -5".to_owned()).unwrap().holds(-4));
        for wrong in [
            "",
            "5",
            ">",
            "> x",
            "=> 5",
            "<> 5",
            "> 99999999999999999999",
        ] {
            assert!(Test::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
