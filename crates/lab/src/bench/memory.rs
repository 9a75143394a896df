use std::time::Duration;

use super::{Bench, BenchError, Running};
use crate::measurement::{MemoryPoint, MemoryResult, TransportKind};
use crate::process::resident;
use crate::subject::{Agent, Demands, HeldSessions, Holder, HolderProgram, Subject};

/// Sessions that one process holds: each takes a file of those that a process may have.
const HELD_BY_ONE: u32 = 2000;
/// How long the agent may rest before its memory is read, and after all sessions are closed.
const REST: Duration = Duration::from_millis(300);
const REST_AFTER_CLOSE: Duration = Duration::from_secs(2);

/// Sessions at which the memory is read: 0, 10, 100, 500 and then in fourths of all.
fn steps(most: u32) -> Vec<u32> {
    let fourths = (1..=4).map(|part| u32::try_from(u64::from(most) * part / 4).unwrap_or(most));
    let mut steps: Vec<u32> = [10, 100, 500].into_iter().chain(fourths).collect();
    steps.retain(|&step| 0 < step && step <= most);
    steps.sort_unstable();
    steps.dedup();
    steps
}

impl Bench<'_> {
    /// Reads the memory of each subject with more and more open sessions over each transport, in an agent of its own.
    pub(super) fn memory(&mut self, subjects: &[Subject]) -> Result<Vec<MemoryResult>, BenchError> {
        let Some(holder) = self.options.holder.clone() else {
            return Ok(Vec::new());
        };
        let most = self.options.open_sessions;
        let transports: Vec<TransportKind> = self.options.transports.clone();
        // Sessions over UDP are nothing to the agent.
        let transports = transports
            .into_iter()
            .filter(|one| *one != TransportKind::Udp);
        let pairs: Vec<(TransportKind, &Subject)> = transports
            .flat_map(|transport| subjects.iter().map(move |subject| (transport, subject)))
            .filter(|(transport, subject)| {
                most > 0 && subject.is_started_here() && subject.offers(*transport)
            })
            .collect();
        let mut results = Vec::new();
        for (at, (transport, subject)) in pairs.iter().enumerate() {
            self.progress
                .tell("memory of open sessions", at + 1, pairs.len());
            let demands = Demands {
                users: Vec::new(),
                transports: vec![*transport],
                sessions: Some(most),
                web: false,
                is_asked_from_elsewhere: false,
            };
            let running = Running::start(subject, &demands)?;
            results.extend(memory_of(&running, *transport, &holder, most));
        }
        Ok(results)
    }
}

fn memory_of(
    running: &Running,
    transport: TransportKind,
    program: &HolderProgram,
    most: u32,
) -> Option<MemoryResult> {
    let agent = &running.agent;
    let mut holders = Vec::new();
    let mut points = vec![read(agent, 0)?];
    let (mut open, mut failed) = (0, 0);
    for step in steps(most) {
        let reached = hold(agent, transport, program, step - open, &mut holders)?;
        failed += u64::from(step - open - reached);
        open += reached;
        points.push(read(agent, open)?);
        if failed > 0 {
            break;
        }
    }
    let count = u32::try_from(holders.len()).unwrap_or(u32::MAX);
    holders.into_iter().for_each(Holder::close);
    std::thread::sleep(REST_AFTER_CLOSE);
    // The first sessions bring the code that serves them into memory.
    let (first, last) = (points.get(1)?, points.last()?);
    let grown = last.resident as f64 - first.resident as f64;
    let more = last.sessions.saturating_sub(first.sessions);
    Some(MemoryResult {
        subject: running.name.clone(),
        transport,
        per_session: grown / more.max(1) as f64,
        after_close: resident(agent.id()?).ok()?,
        holders: count,
        failed,
        points,
    })
}

/// Opens more sessions; how many there are then.
fn hold(
    agent: &Agent,
    transport: TransportKind,
    program: &HolderProgram,
    count: u32,
    holders: &mut Vec<Holder>,
) -> Option<u32> {
    let mut opened = 0;
    while opened < count {
        let wanted = (count - opened).min(HELD_BY_ONE);
        let sessions = HeldSessions {
            target: agent.target(transport)?,
            count: wanted,
            keys: agent.keys().map(std::path::Path::to_owned),
        };
        let holder = Holder::start(program, &sessions).ok()?;
        opened += holder.opened();
        let is_short = holder.opened() < wanted;
        holders.push(holder);
        if is_short {
            break;
        }
    }
    Some(opened)
}

fn read(agent: &Agent, sessions: u32) -> Option<MemoryPoint> {
    std::thread::sleep(REST);
    Some(MemoryPoint {
        sessions: u64::from(sessions),
        resident: resident(agent.id()?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_at_more_and_more_sessions() {
        assert_eq!(steps(10_000), [10, 100, 500, 2500, 5000, 7500, 10_000]);
        assert_eq!(steps(100), [10, 25, 50, 75, 100]);
        assert_eq!(steps(2), [1, 2]);
        assert!(steps(0).is_empty());
    }
}
