use std::time::{Duration, Instant};

use crate::measurement::{MemoryPoint, MemoryResult, TransportKind};
use crate::process::pss;
use crate::subject::{Agent, HeldSessions, Holder, HolderProgram};

/// Sessions that one process holds: each takes a file of those that a process may have.
const HELD_BY_ONE: u32 = 2000;
/// Memory is read when it has not changed for a while; what still changes then is read after so long.
const REST: Rest = Rest {
    unchanged: Duration::from_millis(100),
    most: Duration::from_millis(300),
};
/// The same after all sessions are closed.
const REST_AFTER_CLOSE: Rest = Rest {
    unchanged: Duration::from_millis(500),
    most: Duration::from_secs(2),
};
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// How long an agent rests.
#[derive(Clone, Copy)]
struct Rest {
    unchanged: Duration,
    most: Duration,
}

/// Sessions at which the memory is read: 0, 10, 100, 500 and then in fourths of all.
pub(crate) fn open_session_steps(most: u32) -> Vec<u32> {
    let fourths = (1..=4).map(|part| u32::try_from(u64::from(most) * part / 4).unwrap_or(most));
    let mut steps: Vec<u32> = [10, 100, 500].into_iter().chain(fourths).collect();
    steps.retain(|&step| 0 < step && step <= most);
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Reads the memory of an agent at more and more sessions over a transport, up to `most`, each of
/// them idle after its exchanges, and after they are closed. `None` if it does not run here, or no session can be held.
pub(crate) fn memory_of_sessions(
    agent: &Agent,
    transport: TransportKind,
    program: &HolderProgram,
    most: u32,
    exchanges: u32,
) -> Option<MemoryResult> {
    let sessions = HeldSessions {
        target: agent.target(transport)?,
        count: 0,
        exchanges,
        keys: agent.keys().map(std::path::Path::to_owned),
    };
    let mut holders = Vec::new();
    let mut points = vec![read(agent, 0)?];
    let (mut open, mut failed) = (0, 0);
    for step in open_session_steps(most) {
        let reached = hold(program, &sessions, step - open, &mut holders)?;
        failed += u64::from(step - open - reached);
        open += reached;
        points.push(read(agent, open)?);
        if failed > 0 {
            break;
        }
    }
    holders.into_iter().for_each(Holder::close);
    let after_close = pss_after(agent, REST_AFTER_CLOSE)?;
    // The first sessions bring the code that serves them into memory.
    let (first, last) = (points.get(1)?, points.last()?);
    let grown = last.pss as f64 - first.pss as f64;
    let more = last.sessions.saturating_sub(first.sessions);
    Some(MemoryResult {
        per_session: grown / more.max(1) as f64,
        after_close,
        failed,
        points,
    })
}

/// Opens more sessions; how many there are then.
fn hold(
    program: &HolderProgram,
    sessions: &HeldSessions,
    count: u32,
    holders: &mut Vec<Holder>,
) -> Option<u32> {
    let mut opened = 0;
    while opened < count {
        let wanted = (count - opened).min(HELD_BY_ONE);
        let sessions = HeldSessions {
            count: wanted,
            ..sessions.clone()
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
    Some(MemoryPoint {
        sessions: u64::from(sessions),
        pss: pss_after(agent, REST)?,
    })
}

fn pss_after(agent: &Agent, rest: Rest) -> Option<u64> {
    let begun = Instant::now();
    let mut known = (pss(agent.id()?).ok()?, begun);
    loop {
        std::thread::sleep(LOOK);
        let found = pss(agent.id()?).ok()?;
        if found != known.0 {
            known = (found, Instant::now());
        }
        if known.1.elapsed() >= rest.unchanged || begun.elapsed() >= rest.most {
            return Some(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_at_more_and_more_sessions() {
        assert_eq!(
            open_session_steps(10_000),
            [10, 100, 500, 2500, 5000, 7500, 10_000]
        );
        assert_eq!(open_session_steps(100), [10, 25, 50, 75, 100]);
        assert_eq!(open_session_steps(2), [1, 2]);
        assert!(open_session_steps(0).is_empty());
    }
}
