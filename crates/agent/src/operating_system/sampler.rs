//! Figures over time: shares and averages that need an earlier reading of the same counters.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::disks::parse_disk_statistics;
use super::host_files::HostRoot;
use super::processors::{ProcessorStatistics, parse_named_numbers};

/// The interval of readings after the first request.
const INTERVAL: Duration = Duration::from_secs(5);
/// The samples of a minute.
const KEPT: usize = 13;
const STACK: usize = 128 * 1024;
/// The time constants of the averages of a disk's load, in seconds.
const LOAD_SPANS: [f64; 3] = [60.0, 300.0, 900.0];

/// Counters at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) processors: ProcessorStatistics,
    /// pgpgin, pgpgout, pswpin and pswpout of /proc/vmstat.
    pub(crate) paging: [u64; 4],
}

/// The counters of /proc/vmstat that tell of paging and swapping.
pub(crate) const PAGING: [&str; 4] = ["pgpgin", "pgpgout", "pswpin", "pswpout"];

#[derive(Default)]
struct Course {
    samples: VecDeque<Sample>,
    /// Of each disk the milliseconds that it was busy at the last sample, and its mean load in per cent.
    disks: HashMap<String, (u64, [f64; 3])>,
    is_running: bool,
}

/// Reads counters every few seconds, from the first question on.
pub(crate) struct Sampler {
    root: HostRoot,
    course: Mutex<Course>,
}

impl Sampler {
    pub(crate) fn new(root: HostRoot) -> Arc<Self> {
        Arc::new(Self {
            root,
            course: Mutex::default(),
        })
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What processors did, as it is now.
    pub(crate) fn processors(&self) -> ProcessorStatistics {
        ProcessorStatistics::parse(&self.root.text("proc/stat").unwrap_or_default())
    }

    /// The counters as they are, for one question.
    pub(crate) fn sample(&self) -> Sample {
        let mut paging = [0; 4];
        let text = self.root.text("proc/vmstat").unwrap_or_default();
        for (name, value) in parse_named_numbers(&text) {
            if let Some(at) = PAGING.iter().position(|other| *other == name)
                && let Some(place) = paging.get_mut(at)
            {
                *place = value;
            }
        }
        Sample {
            processors: self.processors(),
            paging,
        }
    }

    /// The counters a minute ago, or when the first question came, or zero at the first question: what is counted since then
    /// is then of the whole time since the host started.
    pub(crate) fn earlier(self: &Arc<Self>) -> Sample {
        let course = self.begin();
        course.samples.front().cloned().unwrap_or_default()
    }

    /// The mean load of a disk over 1, 5 and 15 minutes, in per cent.
    pub(crate) fn disk_load(self: &Arc<Self>, disk: &str) -> [u8; 3] {
        let course = self.begin();
        let loads = course.disks.get(disk).map(|(_, loads)| *loads);
        loads
            .unwrap_or_default()
            .map(|load| load.clamp(0.0, 100.0).round() as u8)
    }

    fn begin(self: &Arc<Self>) -> MutexGuard<'_, Course> {
        let mut course = self.course();
        if !course.is_running {
            let sampler = Arc::downgrade(self);
            let started = thread::Builder::new()
                .name("varbind-sampler".into())
                .stack_size(STACK)
                .spawn(move || run(&sampler));
            match started {
                Ok(_) => course.is_running = true,
                Err(error) => log::warn!("load is not measured: cannot start a thread: {error}"),
            }
        }
        course
    }

    fn take(&self) {
        let sample = self.sample();
        let disks = parse_disk_statistics(&self.root.text("proc/diskstats").unwrap_or_default());
        let mut course = self.course();
        course.samples.push_back(sample);
        if course.samples.len() > KEPT {
            course.samples.pop_front();
        }
        let before = std::mem::take(&mut course.disks);
        course.disks = disks
            .into_iter()
            .map(|disk| {
                let former = before.get(&disk.name);
                let loads = former.map_or([0.0; 3], |(busy, loads)| {
                    mean_loads(*loads, disk.busy.saturating_sub(*busy))
                });
                (disk.name, (disk.busy, loads))
            })
            .collect();
    }
}

fn run(sampler: &Weak<Sampler>) {
    while let Some(sampler) = sampler.upgrade() {
        sampler.take();
        drop(sampler);
        thread::sleep(INTERVAL);
    }
}

/// Exponentially weighted means after another interval, in which a disk was busy for so many milliseconds.
fn mean_loads(before: [f64; 3], busy: u64) -> [f64; 3] {
    let load = 100.0 * busy as f64 / INTERVAL.as_millis() as f64;
    let mut spans = LOAD_SPANS.into_iter();
    before.map(|mean| {
        let weight = (-INTERVAL.as_secs_f64() / spans.next().unwrap_or(1.0)).exp();
        mean * weight + load * (1.0 - weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_loads_come_nearer_to_the_load_the_shorter_their_span() {
        let mut loads = [0.0; 3];
        for _ in 0..12 {
            loads = mean_loads(loads, 5000);
        }
        let [one, five, fifteen] = loads.map(f64::round);
        assert_eq!((one, five, fifteen), (63.0, 18.0, 6.0));
    }

    #[test]
    fn the_first_question_is_about_the_time_since_the_start() {
        let sampler = Sampler::new(HostRoot::new("/".into()));
        let now = sampler.sample();
        assert!(now.processors.all.total() > 0);
        let earlier = sampler.earlier();
        assert!(earlier.processors.all.total() <= sampler.sample().processors.all.total());
        assert_eq!(sampler.disk_load("no such disk"), [0; 3]);
    }
}
