use std::{fs, io};

use super::threads;
use crate::measurement::CpuTime;

/// The CPU time that a process has used so far.
///
/// The total is the sum of its living threads' run time as the scheduler counts it, in nanoseconds; user and system come
/// from the process's clock ticks.
///
/// # Errors
/// If there is no such process, or /proc cannot be read.
pub fn cpu_time(pid: u32) -> io::Result<CpuTime> {
    let mut nanoseconds = 0;
    for thread in threads(pid)? {
        // A thread may end between the listing and the reading.
        if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")) {
            nanoseconds += run_time(&text)?;
        }
    }
    let (user, system) = ticks(&fs::read_to_string(format!("/proc/{pid}/stat"))?)?;
    let microseconds_per_tick = 1e6 / rustix::param::clock_ticks_per_second() as f64;
    Ok(CpuTime {
        total: nanoseconds as f64 / 1000.0,
        user: user as f64 * microseconds_per_tick,
        system: system as f64 * microseconds_per_tick,
    })
}

impl CpuTime {
    /// What was used since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            total: (self.total - before.total).max(0.0),
            user: (self.user - before.user).max(0.0),
            system: (self.system - before.system).max(0.0),
        }
    }

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

    #[test]
    fn a_busy_process_uses_the_time_that_passes() {
        let pid = std::process::id();
        let before = cpu_time(pid).unwrap();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(60) {
            std::hint::black_box(0);
        }
        let used = cpu_time(pid).unwrap().since(&before);
        assert!(used.total > 10_000.0, "{used:?}");
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 111 222 0 0";
        assert_eq!(ticks(stat).unwrap(), (111, 222));
        assert!(ticks("7 (a) S 1").is_err());
    }
}
