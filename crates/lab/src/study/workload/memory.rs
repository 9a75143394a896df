use std::thread;

use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName, Task};
use super::Laboratory;
use super::laboratory::end_in_background;
use crate::measurement::{MemoryResult, Placement, TransportKind};
use crate::process::place_in_turns;
use crate::subject::{Agent, Demands, HolderProgram};
use crate::workload::memory_of_sessions;

/// The memory of an agent of its own, with more and more sessions open, each of which is idle after its exchanges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTask {
    /// The transport of the sessions.
    pub transport: TransportKind,
    /// How many are open in the end.
    pub sessions: u32,
    /// Exchanges of each.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub exchanges: u32,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_one(exchanges: &u32) -> bool {
    *exchanges == 1
}

/// An agent whose memory is read.
struct Reading<'t> {
    task: &'t MemoryTask,
    agent: Agent,
}

/// Reads the memory of several agents at the same time, as they mostly wait. All agents start before the first reading and end after the
/// last one, because processes of one program share pages.
pub(super) fn observe(laboratory: &Laboratory, tasks: &[(Task, SubjectName)]) -> Vec<Observation> {
    let memory = tasks.iter().filter_map(|(task, subject)| match task {
        Task::Memory(memory) => Some((task, memory, *subject)),
        _ => None,
    });
    let memory: Vec<_> = memory.collect();
    if memory.is_empty() {
        return Vec::new();
    }
    // Nothing is timed, so all cores may help. If the kernel refuses, one core does it.
    let _refused = place_in_turns(&laboratory.cores, Placement::Free, None, false);
    let started = memory.into_iter().map(|(task, memory, subject)| {
        laboratory.can_do(task, subject)?;
        memory.start(laboratory, subject)
    });
    let started: Vec<Result<Reading<'_>, String>> = started.collect();
    let read = |reading: &Result<Reading<'_>, String>| match reading {
        Ok(reading) => reading.observe(&laboratory.holder),
        Err(reason) => Observation::failed(reason.clone()),
    };
    let observations = thread::scope(|scope| {
        let reading = started.iter().map(|one| scope.spawn(move || read(one)));
        let reading: Vec<_> = reading.collect();
        let read = reading.into_iter().map(|one| one.join().ok());
        read.map(|one| one.unwrap_or_else(|| Observation::failed(UNREADABLE)))
            .collect()
    });
    end_in_background(started.into_iter().flatten().map(|reading| reading.agent));
    observations
}

impl MemoryTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        super::sessions::speaks(subject, self.transport)
    }

    fn start(&self, laboratory: &Laboratory, subject: SubjectName) -> Result<Reading<'_>, String> {
        let demands = Demands {
            transports: vec![self.transport],
            sessions: Some(self.sessions),
            ..Demands::default()
        };
        Ok(Reading {
            task: self,
            agent: laboratory.start(subject, &demands)?,
        })
    }

    fn observation(&self, memory: &MemoryResult) -> Observation {
        let mut observation = Observation::default();
        for point in &memory.points {
            let pss = point.pss as f64;
            match u32::try_from(point.sessions) {
                Ok(0) => observation.note(Measure::Memory, pss),
                Ok(sessions) => observation.note(Measure::MemoryWith(sessions), pss),
                Err(_) => {}
            }
        }
        if memory.failed > 0 {
            observation.trouble = Some(format!("{} sessions could not be opened", memory.failed));
            return observation;
        }
        observation.note(Measure::MemoryPerSession, memory.per_session);
        if let (Some(none), Some(all)) = (memory.points.first(), memory.points.last()) {
            let grown = all.pss as f64 - none.pss as f64;
            let stays = memory.after_close as f64 - none.pss as f64;
            // Where nothing has grown, nothing is given back: note() leaves that out.
            observation.note(Measure::MemoryAfterClose, stays / grown);
        }
        observation
    }
}

impl Reading<'_> {
    /// Opens the sessions, and reads the memory meanwhile.
    fn observe(&self, holder: &HolderProgram) -> Observation {
        let MemoryTask {
            transport,
            sessions,
            exchanges,
        } = *self.task;
        let memory = memory_of_sessions(&self.agent, transport, holder, sessions, exchanges);
        memory.map_or_else(
            || Observation::failed(UNREADABLE),
            |memory| self.task.observation(&memory),
        )
    }
}

const UNREADABLE: &str = "the memory of the agent cannot be read, or no session stays open";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::MemoryPoint;

    #[test]
    fn each_point_of_memory_is_a_measure() {
        let task = MemoryTask {
            transport: TransportKind::Ssh,
            sessions: 100,
            exchanges: 1,
        };
        let point = |sessions, pss| MemoryPoint { sessions, pss };
        let observation = task.observation(&MemoryResult {
            points: vec![point(0, 1000), point(10, 2000), point(100, 11_000)],
            per_session: 100.0,
            after_close: 3500,
            failed: 0,
        });
        for (measure, value) in [
            (Measure::Memory, 1000.0),
            (Measure::MemoryWith(10), 2000.0),
            (Measure::MemoryWith(100), 11_000.0),
            (Measure::MemoryPerSession, 100.0),
            (Measure::MemoryAfterClose, 0.25),
        ] {
            assert_eq!(observation.measures.get(&measure), Some(&value));
        }
    }

    #[test]
    fn one_exchange_is_not_written_and_ten_are() {
        for (exchanges, written) in [
            (1, r#"{"transport":"tls","sessions":100}"#),
            (10, r#"{"transport":"tls","sessions":100,"exchanges":10}"#),
        ] {
            let task = MemoryTask {
                transport: TransportKind::Tls,
                sessions: 100,
                exchanges,
            };
            assert_eq!(serde_json::to_string(&task).unwrap(), written);
            let read: MemoryTask = serde_json::from_str(written).unwrap();
            assert_eq!(read, task);
        }
    }
}
