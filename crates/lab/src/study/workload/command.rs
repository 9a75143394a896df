use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use super::sessions::speaks;
use super::{AgentVariant, Laboratory};
use crate::measurement::{Placement, TransportKind};
use crate::process::place_in_turns;
use crate::security::Scheme;
use crate::subject::{CommandQuestion, Demands, OwnCommand};

/// Whole commands of a subject against its own agent, from the start of their process to its end: what the papers measured, as
/// their manager is a subject too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandTask {
    /// The name of the command, as `get`.
    pub command: String,
    /// The object, dotted.
    pub name: String,
    /// How messages are secured.
    pub scheme: Scheme,
    /// The transport.
    pub transport: TransportKind,
}

/// Commands in each repetition.
const RUNS: u32 = 3;

impl CommandTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        speaks(subject, self.transport)
    }

    pub(super) fn demand(&self, demands: &mut Demands) {
        if let Scheme::V3(protection) = self.scheme
            && !demands.users.contains(&protection)
        {
            demands.users.push(protection);
        }
        if !demands.transports.contains(&self.transport) {
            demands.transports.push(self.transport);
        }
    }

    pub(super) fn observe(
        &self,
        laboratory: &mut Laboratory,
        name: SubjectName,
    ) -> Result<Observation, String> {
        let cores = laboratory.cores.clone();
        let subject = laboratory.subject(name)?;
        let agent = laboratory.agent_variant(name, AgentVariant::default())?;
        let placement = Placement::SameCore;
        let placed = place_in_turns(&cores, placement, agent.id(), true);
        placed.map_err(|error| error.to_string())?;
        let question = CommandQuestion {
            command: &self.command,
            name: &self.name,
            scheme: self.scheme,
            transport: self.transport,
        };
        let command = OwnCommand::of(&subject, agent, question)?;
        // The first one warms caches.
        command.time()?;
        let mut total = 0.0;
        for _ in 0..RUNS {
            total += command.time()?.as_secs_f64() * 1e6;
        }
        let mut observation = Observation::default();
        observation.note(Measure::CommandTime, total / f64::from(RUNS));
        Ok(observation)
    }
}
