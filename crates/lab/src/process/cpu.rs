use std::time::Duration;
use std::{fs, io};

use nix::time::ClockId;
use nix::unistd::Pid;

use crate::measurement::CpuTime;

/// The CPU time that a process had used at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuReading {
    /// Nanoseconds that all its threads have run, those that have ended too.
    total: u64,
    user: f64,
    system: f64,
}

/// Reads the CPU time that a process has used so far.
///
/// The total is in nanoseconds, from the clock of the process; user and system come from its clock ticks.
///
/// # Errors
/// If there is no such process, or /proc cannot be read.
pub fn cpu_time(pid: u32) -> io::Result<CpuReading> {
    let raw = i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(raw))?;
    let total = Duration::from(clock.now()?);
    let (user, system) = ticks(&fs::read_to_string(format!("/proc/{pid}/stat"))?)?;
    let microseconds_per_tick = 1e6 / rustix::param::clock_ticks_per_second() as f64;
    Ok(CpuReading {
        total: u64::try_from(total.as_nanos()).unwrap_or(u64::MAX),
        user: user as f64 * microseconds_per_tick,
        system: system as f64 * microseconds_per_tick,
    })
}

/// The CPU time that this process has used so far, without that of one of its threads in the total.
///
/// # Errors
/// If the thread has ended, or /proc cannot be read.
pub(super) fn cpu_time_without(thread: u32) -> io::Result<CpuReading> {
    let used = run_time(&fs::read_to_string(format!(
        "/proc/self/task/{thread}/schedstat"
    ))?)?;
    let mut reading = cpu_time(std::process::id())?;
    reading.total = reading.total.saturating_sub(used);
    Ok(reading)
}

impl CpuReading {
    /// What was used since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> CpuTime {
        CpuTime {
            total: self.total.saturating_sub(before.total) as f64 / 1000.0,
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
    use std::time::Instant;

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
    fn the_time_of_a_thread_that_has_ended_is_counted() {
        let before = cpu_time(std::process::id()).unwrap();
        let used = std::thread::spawn(|| {
            let ran = || Duration::from(ClockId::CLOCK_THREAD_CPUTIME_ID.now().unwrap());
            while ran() < Duration::from_millis(10) {}
            ran().as_nanos() as f64 / 1000.0
        })
        .join()
        .unwrap();
        let counted = cpu_time(std::process::id()).unwrap().since(&before).total;
        assert!(counted >= used, "{counted} of {used} microseconds");
    }

    #[test]
    fn one_thread_is_left_out() {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let busy = std::thread::spawn(move || {
            tell.send(rustix::thread::gettid().as_raw_pid()).unwrap();
            let _ = ended.recv();
        });
        let thread = u32::try_from(told.recv().unwrap()).unwrap();
        assert!(cpu_time_without(thread).is_ok());
        drop(end);
        busy.join().unwrap();
        // The kernel forgets a thread a moment after it was joined.
        let begun = Instant::now();
        while cpu_time_without(thread).is_ok() {
            assert!(begun.elapsed() < PATIENCE, "the thread is still there");
        }
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 111 222 0 0";
        assert_eq!(ticks(stat).unwrap(), (111, 222));
        assert!(ticks("7 (a) S 1").is_err());
    }
}
