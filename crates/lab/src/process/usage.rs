use std::io;
use std::time::{Duration, Instant};

use super::cpu::{cpu_time, cpu_time_without};
use crate::measurement::CpuTime;

/// Time for an agent to come to rest, so that its CPU time is complete.
const REST: Duration = Duration::from_micros(300);

/// What was done, and what it took.
#[derive(Debug)]
pub struct Usage<T> {
    /// What came of it.
    pub result: T,
    /// How long it took.
    pub elapsed: Duration,
    /// CPU time of this process.
    pub manager: CpuTime,
    /// CPU time of the agent, if its process is known.
    pub agent: Option<CpuTime>,
}

/// Does something, between two readings of the CPU time of this process, without one of its threads, and of an agent's.
///
/// # Errors
/// If the agent's process has ended, or /proc cannot be read.
pub fn usage_of<T>(
    agent: Option<u32>,
    without: Option<u32>,
    work: impl FnOnce() -> T,
) -> io::Result<Usage<T>> {
    let own = || without.map_or_else(|| cpu_time(std::process::id()), cpu_time_without);
    let agent_before = agent.map(cpu_time).transpose()?;
    let manager_before = own()?;
    let begun = Instant::now();
    let result = work();
    let elapsed = begun.elapsed();
    let manager = own()?.since(&manager_before);
    std::thread::sleep(REST);
    let agent_after = agent.map(cpu_time).transpose()?;
    let agent = agent_after.zip(agent_before);
    Ok(Usage {
        result,
        elapsed,
        manager,
        agent: agent.map(|(after, before)| after.since(&before)),
    })
}
