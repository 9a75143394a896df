use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use super::Laboratory;
use super::sessions::speaks;
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::workload::{NotificationSession, NotificationWay, Sending};

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
        let way = NotificationWay {
            is_inform: self.is_inform,
            scheme: self.scheme,
            transport: self.transport,
            together: self.together,
        };
        let mut session = NotificationSession::open(&laboratory.subject(subject)?, way)?;
        let measured = session.measure(&laboratory.cores, self.count);
        let Sending {
            delivery,
            seconds,
            manager,
            receiver,
        } = measured.map_err(|error| error.to_string())??;
        let arrived = delivery.arrived as f64;
        let mut observation = Observation::default();
        observation.note(Measure::Completed, arrived);
        observation.note(Measure::RoundTrip, seconds * 1e6 / arrived);
        observation.note(Measure::Rate, arrived / seconds);
        observation.note(Measure::Failed, delivery.lost() as f64);
        if delivery.lost() > 0 {
            observation.trouble = Some(delivery.to_string());
        } else {
            // With losses it includes waiting for what never came.
            observation.note(Measure::ManagerCpu, manager.total / arrived);
        }
        if let Some(receiver) = receiver {
            observation.note(Measure::AgentCpu, receiver.total / arrived);
        }
        Ok(observation)
    }
}
