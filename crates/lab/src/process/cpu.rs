use std::collections::BTreeMap;
use std::{fs, io};

use super::threads;
use crate::measurement::CpuTime;

/// The CPU time that a process had used at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuReading {
    /// Nanoseconds that each living thread has run, as the scheduler counts.
    threads: BTreeMap<u32, u64>,
    user: f64,
    system: f64,
}

/// Reads the CPU time that a process has used so far.
///
/// The total is in nanoseconds, from the scheduler's count of each thread; user and system come from the process's clock
/// ticks.
///
/// # Errors
/// If there is no such process, or /proc cannot be read.
pub fn cpu_time(pid: u32) -> io::Result<CpuReading> {
    let mut run_times = BTreeMap::new();
    for thread in threads(pid)? {
        // A thread may end between the listing and the reading.
        if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")) {
            run_times.insert(thread, run_time(&text)?);
        }
    }
    let (user, system) = ticks(&fs::read_to_string(format!("/proc/{pid}/stat"))?)?;
    let microseconds_per_tick = 1e6 / rustix::param::clock_ticks_per_second() as f64;
    Ok(CpuReading {
        threads: run_times,
        user: user as f64 * microseconds_per_tick,
        system: system as f64 * microseconds_per_tick,
    })
}

impl CpuReading {
    /// The same without one thread.
    #[must_use]
    pub fn without(mut self, thread: Option<u32>) -> Self {
        if let Some(thread) = thread {
            self.threads.remove(&thread);
        }
        self
    }

    /// What was used since `before`. What a thread used that ended meanwhile is not in the total.
    #[must_use]
    pub fn since(&self, before: &Self) -> CpuTime {
        let run = self.threads.iter().map(|(thread, now)| {
            let then = before.threads.get(thread).copied().unwrap_or_default();
            now.saturating_sub(then)
        });
        CpuTime {
            total: run.sum::<u64>() as f64 / 1000.0,
            user: (self.user - before.user).max(0.0),
            system: (self.system - before.system).max(0.0),
        }
    }
}

impl CpuTime {
    /// Adds what was used at another time.
    pub fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.user += other.user;
        self.system += other.system;
    }
}

fn run_time(schedstat: &str) -> io::Result<u64> {
    let first = schedstat.split_whitespace().next();
    first.and_then(|field| field.parse().ok()).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "no run time in /proc/PID/task/TID/schedstat",
        )
    })
}

/// utime and stime of /proc/PID/stat: fields 14 and 15 of proc_pid_stat(5).
fn ticks(stat: &str) -> io::Result<(u64, u64)> {
    // The command's name may hold blanks and parentheses: fields are counted after its end.
    let after_name = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = after_name.split_whitespace().skip(11);
    let mut next = || fields.next().and_then(|field| field.parse::<u64>().ok());
    next()
        .zip(next())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no CPU time in /proc/PID/stat"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn a_busy_process_uses_the_time_that_passes() {
        let pid = std::process::id();
        let before = cpu_time(pid).unwrap();
        let start = Instant::now();
        // A busy machine may give it little.
        while cpu_time(pid).unwrap().since(&before).total < 10_000.0 {
            assert!(start.elapsed() < PATIENCE, "no time is counted");
        }
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 111 222 0 0";
        assert_eq!(ticks(stat).unwrap(), (111, 222));
        assert!(ticks("7 (a) S 1").is_err());
    }
}
