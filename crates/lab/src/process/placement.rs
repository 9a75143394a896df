use std::io;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

use super::{Policy, set_policy};
use crate::measurement::Placement;

/// The processor cores that this process could use when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores(Vec<usize>);

impl Cores {
    /// The cores that the calling thread may use.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub fn available() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        Ok(Self(
            (0..CpuSet::MAX_CPU)
                .filter(|&core| set.is_set(core))
                .collect(),
        ))
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Their numbers.
    pub(super) fn numbers(&self) -> &[usize] {
        &self.0
    }

    fn set(&self, choose: impl Fn(&[usize]) -> &[usize]) -> CpuSet {
        let mut set = CpuSet::new();
        for &core in choose(&self.0) {
            set.set(core);
        }
        set
    }
}

/// Puts the calling thread, and every thread of the agent if its process is known, on their cores.
///
/// With a single core there is nothing to choose: all placements are the same then. The last core is taken for both of
/// one core, because interrupts tend to be served by the first.
///
/// # Errors
/// If the kernel refuses.
pub fn place(cores: &Cores, placement: Placement, agent: Option<u32>) -> io::Result<()> {
    let last = |all: &[usize]| all.len().saturating_sub(1);
    let (manager_set, agent_set) = match placement {
        Placement::Free => (cores.set(|all| all), cores.set(|all| all)),
        Placement::SameCore => {
            let set = cores.set(|all| all.get(last(all)..).unwrap_or(all));
            (set, set)
        }
        Placement::SplitCores => (
            cores.set(|all| all.get(..1).unwrap_or(all)),
            cores.set(|all| all.get(last(all)..).unwrap_or(all)),
        ),
    };
    sched_setaffinity(None, &manager_set)?;
    for thread in agent.map(threads).transpose()?.unwrap_or_default() {
        let pid = i32::try_from(thread).ok().and_then(Pid::from_raw);
        // A thread may have ended meanwhile.
        let _gone = pid.map(|pid| sched_setaffinity(Some(pid), &agent_set));
    }
    Ok(())
}

/// The same, and has both take turns if they are to: where that is not allowed, the scheduler decides.
///
/// # Errors
/// As [`place`].
pub fn place_in_turns(
    cores: &Cores,
    placement: Placement,
    agent: Option<u32>,
    take: bool,
) -> io::Result<()> {
    place(cores, placement, agent)?;
    let _refused = take_turns(take, agent);
    Ok(())
}

/// Puts the calling thread, and all that it starts from now on, on the core with this place among them, from 0.
///
/// # Errors
/// If the kernel refuses.
pub fn place_on(cores: &Cores, place: usize) -> io::Result<()> {
    let set = cores.set(|all| all.get(place..=place).unwrap_or(all));
    Ok(sched_setaffinity(None, &set)?)
}

/// Makes the calling thread and the agent give way to each other, or no longer.
///
/// Under SCHED_BATCH a thread that wakes up does not interrupt the one that runs (sched(7)): what is sent together then
/// arrives together, and CPU times do not hold the switches that a wake-up would cause.
///
/// # Errors
/// If the kernel refuses.
pub fn take_turns(turns: bool, agent: Option<u32>) -> io::Result<()> {
    let policy = if turns { Policy::Batch } else { Policy::Other };
    set_policy(None, policy)?;
    for thread in agent.map(threads).transpose()?.unwrap_or_default() {
        let is_set = set_policy(Some(thread), policy);
        // A thread may have ended meanwhile.
        let gone = Some(rustix::io::Errno::SRCH.raw_os_error());
        is_set.or_else(|error| {
            if error.raw_os_error() == gone {
                Ok(())
            } else {
                Err(error)
            }
        })?;
    }
    Ok(())
}

/// Has the calling thread run only when a core has nothing else to do (SCHED_IDLE, sched(7)): any other thread that wakes up
/// interrupts it at once.
///
/// # Errors
/// If the kernel refuses.
pub fn run_when_idle() -> io::Result<()> {
    set_policy(None, Policy::Idle)
}

/// The threads of a process.
fn threads(pid: u32) -> io::Result<Vec<u32>> {
    let mut threads = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let name = entry?.file_name();
        threads.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_placed_on_one_core_and_freed_again() {
        let cores = Cores::available().unwrap();
        place(&cores, Placement::SameCore, None).unwrap();
        assert_eq!(Cores::available().unwrap().count(), 1);
        place(&cores, Placement::Free, None).unwrap();
        assert_eq!(Cores::available().unwrap(), cores);
    }
}
