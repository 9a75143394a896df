use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use super::Laboratory;
use super::sessions::speaks;
use crate::measurement::{Placement, TransportKind};
use crate::process::{place, take_turns, usage_of};
use crate::security::Scheme;
use crate::workload::{NotificationSession, NotificationWay};

/// Notifications to a receiver of its own, which writes each into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationTask {
    /// Whether they are acknowledged.
    pub is_inform: bool,
    /// How messages are secured.
    pub scheme: Scheme,
    /// The transport.
    pub transport: TransportKind,
    /// How many.
    pub count: u32,
    /// How many may be on their way before the receiver has taken the first of them.
    pub together: u32,
}

impl NotificationTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        speaks(subject, self.transport)
    }

    pub(super) fn observe(
        &self,
        laboratory: &Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let told = |error: std::io::Error| error.to_string();
        let way = NotificationWay {
            is_inform: self.is_inform,
            scheme: self.scheme,
            transport: self.transport,
            together: self.together,
        };
        let mut session = NotificationSession::open(&laboratory.subject(subject)?, way)?;
        let pid = Some(session.id());
        place(&laboratory.cores, Placement::SameCore, pid).map_err(told)?;
        // Where taking turns is not allowed, the scheduler decides.
        let _ = take_turns(true, pid);
        let used = usage_of(pid, None, || session.send(self.count)).map_err(told)?;
        used.result?;
        let count = f64::from(self.count);
        let mut observation = Observation::default();
        observation.note(Measure::Completed, count);
        observation.note(Measure::RoundTrip, used.elapsed.as_secs_f64() * 1e6 / count);
        observation.note(Measure::Rate, count / used.elapsed.as_secs_f64());
        observation.note(Measure::ManagerCpu, used.manager.total / count);
        if let Some(agent) = used.agent {
            observation.note(Measure::AgentCpu, agent.total / count);
        }
        Ok(observation)
    }
}
