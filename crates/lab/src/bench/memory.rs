use super::{Bench, BenchError, Running};
use crate::measurement::{MemoryResult, TransportKind};
use crate::subject::{Demands, Subject};
use crate::workload::memory_of_sessions;

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
                .report("memory of open sessions", at + 1, pairs.len());
            let demands = Demands {
                transports: vec![*transport],
                sessions: Some(most),
                ..Demands::default()
            };
            let running = Running::start(subject, &demands)?;
            let agent = (running.name.as_str(), &running.agent);
            results.extend(memory_of_sessions(agent, *transport, &holder, most, 1));
        }
        Ok(results)
    }
}
