use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use super::Laboratory;
use crate::measurement::Placement;
use crate::process::{place_in_turns, pss};
use crate::security::Scheme;
use crate::subject::{Demands, many_users};

/// An agent that is started and answers its first request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartTask {
    /// How the first request is secured.
    pub scheme: Scheme,
    /// Whether it has a user for each pair of protocols and one without, 31 in all.
    pub has_users: bool,
}

impl StartTask {
    pub(super) fn observe(
        &self,
        laboratory: &Laboratory,
        name: SubjectName,
    ) -> Result<Observation, String> {
        let users = match self.has_users {
            true => many_users(),
            false => Vec::new(),
        };
        // It starts where the scheduler puts it, as outside the laboratory.
        let placed = place_in_turns(&laboratory.cores, Placement::Free, None, false);
        placed.map_err(|error| error.to_string())?;
        let subject = laboratory.subject(name)?;
        let agent = subject.start_until(&Demands::users(users), self.scheme);
        let agent = agent.map_err(|error| error.to_string())?;
        let mut observation = Observation::default();
        if let Some(time) = agent.start_time() {
            observation.note(Measure::StartTime, time.as_secs_f64() * 1e6);
        }
        if let Some(pss) = agent.id().and_then(|pid| pss(pid).ok()) {
            observation.note(Measure::Memory, pss as f64);
        }
        Ok(observation)
    }
}
