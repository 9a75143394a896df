//! Whether the machine has other things to do while something is measured.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::load::ProcessorTime;
use crate::statistics::median;

/// What the machine was like during a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineState {
    /// How long it was, in seconds.
    pub seconds: f64,
    /// The part of the time in which some task of the machine waited for a processor (/proc/pressure/cpu). The laboratory makes
    /// pressure itself, as manager and agent share a core: it is noted, and decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Seconds that the host of a virtual machine took.
    pub stolen: f64,
    /// Seconds of processor time that other processes used.
    pub others: f64,
    /// How long a loop took, before or after, whichever was longer. `None` where the speed of the processor makes no difference.
    #[serde(flatten)]
    pub pace: Option<Pace>,
}

/// The time of a loop that asks nothing of memory: how fast the processor was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// In microseconds.
    LoopTime(f64),
    /// In multiples of its best time in the run, as former versions noted it.
    Slowdown(f64),
}

/// The pace in most of a run, whose beginning may be noted by a former version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualPace {
    loop_time: f64,
    slowdown: f64,
}

impl UsualPace {
    /// The medians of these.
    #[must_use]
    pub fn of(paces: &[Pace]) -> Self {
        let of_unit = |of: fn(&Pace) -> Option<f64>| {
            let values: Vec<f64> = paces.iter().filter_map(of).collect();
            median(&values).unwrap_or_default()
        };
        Self {
            loop_time: of_unit(|pace| match pace {
                Pace::LoopTime(time) => Some(*time),
                Pace::Slowdown(_) => None,
            }),
            slowdown: of_unit(|pace| match pace {
                Pace::LoopTime(_) => None,
                Pace::Slowdown(multiple) => Some(*multiple),
            }),
        }
    }

    fn is_far_from(&self, pace: Pace) -> bool {
        let (value, usual) = match pace {
            Pace::LoopTime(time) => (time, self.loop_time),
            Pace::Slowdown(multiple) => (multiple, self.slowdown),
        };
        value > usual * OTHER_PACE || usual > value * OTHER_PACE
    }
}

/// Of one core.
const MOST_OTHERS: f64 = 0.1;
const MOST_STOLEN: f64 = 0.02;
/// The time of the loop by the usual one, or the other way round.
const OTHER_PACE: f64 = 1.15;
/// The kernel counts in ticks of a hundredth of a second: fewer than these say nothing.
const FEWEST_SECONDS: f64 = 0.035;

impl MachineState {
    /// Whether other things took so much of it that times cannot be trusted, or the processor was slower or faster than in most of
    /// the run.
    #[must_use]
    pub fn is_disturbed(&self, usual: &UsualPace) -> bool {
        let beyond = |used: f64, most: f64| used > FEWEST_SECONDS && used > self.seconds * most;
        beyond(self.others, MOST_OTHERS)
            || beyond(self.stolen, MOST_STOLEN)
            || self.pace.is_some_and(|pace| usual.is_far_from(pace))
    }

    /// The share of each round, where several were measured at the same time. Such rounds mostly wait, so it has no pace.
    #[must_use]
    pub fn of_each(self, rounds: usize) -> Self {
        let part = 1.0 / rounds.max(1) as f64;
        Self {
            seconds: self.seconds * part,
            pressure: self.pressure,
            stolen: self.stolen * part,
            others: self.others * part,
            pace: None,
        }
    }
}

/// Watches the machine.
#[derive(Debug)]
pub struct MachineWatch {
    begun: Option<Reading>,
    /// Processes that are no others, with all that they have started: this one, and agents that run already.
    own: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Instant,
    /// Microseconds.
    pressure: Option<f64>,
    processors: ProcessorTime,
    /// Ticks.
    own: u64,
    spin: Duration,
}

impl MachineWatch {
    /// Watches for what processes other than this one and these agents use, and what all of them have started.
    #[must_use]
    pub fn beside(mut agents: Vec<u32>) -> Self {
        agents.push(std::process::id());
        Self {
            begun: None,
            own: agents,
        }
    }

    /// From now on.
    pub fn begin(&mut self) {
        self.begun = Some(self.read());
    }

    /// Until now.
    pub fn end(&mut self) -> MachineState {
        let now = self.read();
        let Some(then) = self.begun.take() else {
            return MachineState::default();
        };
        let tick = rustix::param::clock_ticks_per_second() as f64;
        let busy = now.processors.busy.saturating_sub(then.processors.busy);
        let stolen = now.processors.stolen.saturating_sub(then.processors.stolen);
        let own = now.own.saturating_sub(then.own);
        let seconds = now.at.duration_since(then.at).as_secs_f64();
        let pressure = now.pressure.zip(then.pressure);
        let spin = now.spin.max(then.spin);
        MachineState {
            seconds,
            pressure: pressure.map(|(now, then)| ((now - then) * 1e-6 / seconds).clamp(0.0, 1.0)),
            stolen: stolen as f64 / tick,
            others: busy.saturating_sub(own) as f64 / tick,
            pace: Some(Pace::LoopTime(spin.as_secs_f64() * 1e6)),
        }
    }

    fn read(&self) -> Reading {
        let waiting = fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
        Reading {
            at: Instant::now(),
            pressure: pressure(&waiting),
            processors: ProcessorTime::of_all(),
            own: ticks_of_trees(&self.own),
            spin: spin(),
        }
    }
}

/// The shortest time of some rounds of a loop that asks nothing of memory.
fn spin() -> Duration {
    const ROUNDS: u32 = 5;
    const STEPS: u32 = 20_000;
    let rounds = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        let mut state = black_box(1_u64);
        for _ in 0..STEPS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        black_box(state);
        begun.elapsed()
    });
    rounds.min().unwrap_or_default()
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`, in microseconds.
fn pressure(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.split("total=").nth(1)?.trim().parse().ok()
}

/// Ticks of processes and of all that they have started, those that have ended included.
fn ticks_of_trees(roots: &[u32]) -> u64 {
    let mut all: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Ok(stat) = fs::read_to_string(entry.path().join("stat"))
            && let Some(found) = parent_and_ticks(&stat)
        {
            all.insert(pid, found);
        }
    }
    let is_below = |mut pid: u32| {
        // No tree is deeper.
        for _ in 0..64 {
            if roots.contains(&pid) {
                return true;
            }
            match all.get(&pid) {
                Some((parent, _)) => pid = *parent,
                None => return false,
            }
        }
        false
    };
    let below = all.iter().filter(|(pid, _)| is_below(**pid));
    below.map(|(_, (_, ticks))| ticks).sum()
}

/// The parent of a process, and its utime, stime, cutime and cstime: fields 4 and 14 to 17 of proc_pid_stat(5).
fn parent_and_ticks(stat: &str) -> Option<(u32, u64)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = fields.get(11..15)?.iter();
    Some((
        parent,
        ticks.filter_map(|field| field.parse::<u64>().ok()).sum(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel_are_read() {
        let text = "some avg10=0.50 avg60=0.1 avg300=0.0 total=1234\nfull avg10=0 total=9\n";
        assert_eq!(pressure(text), Some(1234.0));
        assert_eq!(pressure(""), None);
        let stat = "7 (a ) b) S 3 2 3 4 5 6 7 8 9 10 100 20 3 4 0 0";
        assert_eq!(parent_and_ticks(stat), Some((3, 127)));
    }

    #[test]
    fn others_steal_and_another_pace_disturb() {
        let usual = UsualPace::of(&[Pace::LoopTime(50.0)]);
        let quiet = MachineState {
            seconds: 10.0,
            pressure: Some(0.9),
            stolen: 0.1,
            others: 0.9,
            pace: Some(Pace::LoopTime(55.0)),
        };
        assert!(!quiet.is_disturbed(&usual));
        for state in [
            MachineState {
                others: 1.1,
                ..quiet
            },
            MachineState {
                stolen: 0.3,
                ..quiet
            },
            MachineState {
                pace: Some(Pace::LoopTime(65.0)),
                ..quiet
            },
            MachineState {
                pace: Some(Pace::LoopTime(40.0)),
                ..quiet
            },
        ] {
            assert!(state.is_disturbed(&usual), "{state:?}");
        }
        let short = MachineState {
            seconds: 0.1,
            others: 0.03,
            stolen: 0.0,
            ..quiet
        };
        assert!(!short.is_disturbed(&usual), "three ticks say nothing");
    }

    #[test]
    fn rounds_that_wait_together_have_a_part_each() {
        let together = MachineState {
            seconds: 120.0,
            pressure: Some(0.4),
            stolen: 0.6,
            others: 6.0,
            pace: Some(Pace::LoopTime(90.0)),
        };
        let each = together.of_each(6);
        assert!((each.seconds - 20.0).abs() < 1e-9 && (each.others - 1.0).abs() < 1e-9);
        assert_eq!(each.pace, None);
    }

    #[test]
    fn what_this_process_does_is_not_taken_for_others() {
        let before = ticks_of_trees(&[std::process::id()]);
        let begun = Instant::now();
        while ticks_of_trees(&[std::process::id()]) < before + 3 {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "no time is counted"
            );
            spin();
        }
        let mut watch = MachineWatch::beside(Vec::new());
        watch.begin();
        let state = watch.end();
        let is_measured = matches!(state.pace, Some(Pace::LoopTime(time)) if time > 0.0);
        assert!(is_measured && state.seconds > 0.0, "{state:?}");
    }
}
