//! Whether counters went on since the last poll, or began anew.

use std::time::Duration;

use crate::module::FamilyKind;
use crate::scrape::{Number, Samples};

/// sysUpTime counts hundredths of a second, and begins anew after 497 days.
const TICKS_PER_SECOND: u64 = 100;
/// The clocks of agents are allowed to be this slow.
const TOLERANCE: u64 = 100 * TICKS_PER_SECOND;

/// Whether an agent restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuity {
    /// Nothing is known yet.
    Unknown,
    /// It did not.
    Continued,
    /// It did: counters began anew.
    Restarted,
}

/// What is known of the time for which an agent runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UpTime {
    pub(super) last: Option<(Duration, u32)>,
    pub(super) boots: Option<i32>,
}

impl UpTime {
    /// Takes note of sysUpTime and snmpEngineBoots, as far as the agent has them, at a time.
    pub(super) fn observe(
        &mut self,
        now: Duration,
        ticks: Option<u32>,
        boots: Option<i32>,
    ) -> Continuity {
        let former_boots = self.boots;
        self.boots = boots.or(former_boots);
        let has_booted =
            matches!((former_boots, boots), (Some(before), Some(now)) if now != before);
        let Some(ticks) = ticks else {
            return match (has_booted, former_boots) {
                (true, _) => Continuity::Restarted,
                (false, Some(_)) => Continuity::Continued,
                (false, None) => Continuity::Unknown,
            };
        };
        let Some((at, before)) = self.last.replace((now, ticks)) else {
            return Continuity::Unknown;
        };
        let elapsed = now.saturating_sub(at).as_secs() * TICKS_PER_SECOND;
        let expected = u64::from(before) + elapsed;
        let wraps = expected + TOLERANCE > u64::from(u32::MAX);
        match has_booted || (ticks < before && !wraps) {
            true => Continuity::Restarted,
            false => Continuity::Continued,
        }
    }
}

/// How many counters are smaller than before, though the agent did not restart.
pub(super) fn wraps(before: &Samples, after: &Samples) -> u64 {
    let mut count = 0;
    // Rows that came or went end the comparison: what follows is not in the same place any more.
    let pairs = before.iter().zip(after.iter());
    for (before, after) in pairs {
        if before.family.name != after.family.name || before.labels != after.labels {
            break;
        }
        if after.family.kind == FamilyKind::Counter
            && let (Number::Unsigned(before), Number::Unsigned(after)) = (before.value, after.value)
        {
            count += u64::from(after < before);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varbind::{Value, VarBind};

    use super::*;
    use crate::module::ModuleConfiguration;
    use crate::scrape::{Objects, samples};

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_smaller_up_time_is_a_restart_unless_it_wrapped() {
        let mut up_time = UpTime::default();
        let mut now = Duration::from_secs(1_764_000_000);
        let mut observe = |ticks| {
            now += MINUTE;
            up_time.observe(now, ticks, None)
        };
        assert_eq!(observe(Some(500)), Continuity::Unknown);
        assert_eq!(observe(Some(6_500)), Continuity::Continued);
        assert_eq!(observe(Some(100)), Continuity::Restarted);
        assert_eq!(observe(None), Continuity::Unknown);
        assert_eq!(observe(Some(u32::MAX - 50)), Continuity::Continued);
        assert_eq!(observe(Some(5_949)), Continuity::Continued);
        assert_eq!(observe(Some(10)), Continuity::Restarted);
    }

    #[test]
    fn another_number_of_boots_is_a_restart() {
        let mut up_time = UpTime::default();
        let now = MINUTE;
        assert_eq!(
            up_time.observe(now, Some(500), Some(7)),
            Continuity::Unknown
        );
        assert_eq!(
            up_time.observe(now, Some(600), Some(7)),
            Continuity::Continued
        );
        assert_eq!(
            up_time.observe(now, Some(700), Some(8)),
            Continuity::Restarted
        );
        assert_eq!(up_time.observe(now, None, Some(8)), Continuity::Continued);
    }

    #[test]
    fn counters_that_are_smaller_are_counted() {
        let text = "modules: {m: {metrics: [{name: c, oid: 1.2, type: counter, indexes: [{labelname: i, type: gauge}]}, \
                    {name: g, oid: 1.3, type: gauge, indexes: [{labelname: i, type: gauge}]}]}}";
        let module = Arc::clone(&ModuleConfiguration::parse(text).unwrap().modules["m"]);
        let taken = |counts: &[u32]| {
            let objects = counts.iter().zip(1..).flat_map(|(count, index)| {
                ["1.2", "1.3"].map(|name| {
                    let value = Value::Counter32(*count);
                    VarBind::new(format!("{name}.{index}").parse().unwrap(), value)
                })
            });
            samples(&module, &Objects::new(objects.collect()))
        };
        assert_eq!(wraps(&taken(&[1, 9, 5]), &taken(&[2, 3, 4])), 2);
        assert_eq!(wraps(&taken(&[1, 9]), &taken(&[1, 9])), 0);
        assert_eq!(wraps(&taken(&[]), &taken(&[1])), 0);
    }
}
