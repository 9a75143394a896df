use std::collections::BTreeMap;
use std::thread;

use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName, Task};
use super::Laboratory;
use crate::measurement::{MemoryResult, TransportKind};
use crate::subject::Demands;
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

/// Reads the memory of agents of different subjects at the same time, as they wait most of it. Those of one subject come one after the
/// other: its processes share pages.
pub(super) fn observe(laboratory: &Laboratory, tasks: &[(Task, SubjectName)]) -> Vec<Observation> {
    let mut lanes: BTreeMap<SubjectName, Vec<(usize, &MemoryTask)>> = BTreeMap::new();
    let memory = tasks.iter().filter_map(|(task, subject)| match task {
        Task::Memory(memory) => Some((memory, task, *subject)),
        _ => None,
    });
    let mut observations = Vec::new();
    for (place, (memory, task, subject)) in memory.enumerate() {
        match laboratory.can_do(task, subject) {
            Ok(()) => {
                lanes.entry(subject).or_default().push((place, memory));
                observations.push(Observation::failed("it was not run"));
            }
            Err(reason) => observations.push(Observation::failed(reason)),
        }
    }
    let observe = |(subject, lane): (SubjectName, Vec<(usize, &MemoryTask)>)| {
        let each = lane.into_iter().map(|(place, task)| {
            let observed = task.observe(laboratory, subject);
            (place, observed.unwrap_or_else(Observation::failed))
        });
        each.collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let lanes = lanes.into_iter();
        let lanes: Vec<_> = lanes.map(|lane| scope.spawn(|| observe(lane))).collect();
        let observed = lanes.into_iter().filter_map(|lane| lane.join().ok());
        for (place, observation) in observed.flatten() {
            if let Some(there) = observations.get_mut(place) {
                *there = observation;
            }
        }
    });
    observations
}

impl MemoryTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        super::sessions::speaks(subject, self.transport)
    }

    pub(super) fn observe(
        &self,
        laboratory: &Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let demands = Demands {
            transports: vec![self.transport],
            sessions: Some(self.sessions),
            ..Demands::default()
        };
        let agent = laboratory.start(subject, &demands)?;
        let memory = memory_of_sessions(
            &agent,
            self.transport,
            &laboratory.holder,
            self.sessions,
            self.exchanges,
        );
        memory.map_or_else(
            || Err("the memory of the agent cannot be read, or no session stays open".to_owned()),
            |memory| Ok(self.observation(&memory)),
        )
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
