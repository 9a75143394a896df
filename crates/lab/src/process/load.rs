//! How busy the processors are.

use std::fs;

use super::Cores;

/// Time of one processor core, or of all together, so far, in clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    /// When it worked for programs and the kernel.
    pub busy: u64,
    /// When the host gave it to others.
    pub stolen: u64,
    /// When there was nothing to do.
    pub idle: u64,
}

impl ProcessorTime {
    /// Of all together, until now; none where /proc/stat cannot be read.
    #[must_use]
    pub fn of_all() -> Self {
        Self::named(&stat(), "cpu")
    }

    /// Of each of these cores, until now.
    #[must_use]
    pub fn of_each(cores: &Cores) -> Vec<Self> {
        let stat = stat();
        let numbers = cores.numbers().iter();
        numbers
            .map(|number| Self::named(&stat, &format!("cpu{number}")))
            .collect()
    }

    /// A line of /proc/stat: its name, user, nice, system, idle, iowait, irq, softirq, steal.
    fn named(stat: &str, name: &str) -> Self {
        let mut lines = stat.lines().map(str::split_whitespace);
        let line = lines.find_map(|mut line| (line.next() == Some(name)).then_some(line));
        let fields: Vec<u64> = line
            .into_iter()
            .flatten()
            .map(|field| field.parse().unwrap_or_default())
            .collect();
        let at = |place: usize| fields.get(place).copied().unwrap_or_default();
        Self {
            busy: at(0) + at(1) + at(2) + at(5) + at(6),
            stolen: at(7),
            idle: at(3) + at(4),
        }
    }

    /// The part of the time since then that was not idle; `None` where no time has passed.
    #[must_use]
    pub fn load_since(self, then: Self) -> Option<f64> {
        let used = (self.busy + self.stolen).saturating_sub(then.busy + then.stolen);
        let all = used + self.idle.saturating_sub(then.idle);
        (all > 0).then(|| used as f64 / all as f64)
    }
}

fn stat() -> String {
    fs::read_to_string("/proc/stat").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_by_name_and_place() {
        let stat = "cpu  10 1 20 300 5 2 3 7 0 0\ncpu0 1 1 1 1\ncpu1 4 0 0 9 1 0 0 2\n";
        let all = ProcessorTime {
            busy: 36,
            stolen: 7,
            idle: 305,
        };
        assert_eq!(ProcessorTime::named(stat, "cpu"), all);
        let second = ProcessorTime {
            busy: 4,
            stolen: 2,
            idle: 10,
        };
        assert_eq!(ProcessorTime::named(stat, "cpu1"), second);
        assert_eq!(ProcessorTime::named(stat, "cpu2"), ProcessorTime::default());
    }

    #[test]
    fn what_the_host_takes_is_load_too() {
        let then = ProcessorTime::default();
        let now = ProcessorTime {
            busy: 20,
            stolen: 5,
            idle: 75,
        };
        assert_eq!(now.load_since(then), Some(0.25));
        assert_eq!(then.load_since(then), None);
    }
}
