use serde::{Deserialize, Serialize};

use super::course::Course;
use super::run::of_course;
use super::{LinkTask, Method, Path, Retrieval};
use crate::link::Twin;
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::study::{Observation, SubjectName};

/// Requests over an emulated link in virtual time: the same decisions and the same losses as in a [`LinkTask`] over UDP, but
/// nothing is waited for. The agent answers at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwinTask {
    /// How they are sent: a method over UDP.
    pub method: Method,
    /// What the link is like.
    pub path: Path,
    /// How many.
    pub requests: u32,
    /// When a request is given up, in milliseconds.
    pub give_up: u64,
    /// What is asked for: no table.
    #[serde(default = "instance", skip_serializing_if = "is_instance")]
    pub retrieval: Retrieval,
}

const fn instance() -> Retrieval {
    Retrieval::Instance
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_instance(retrieval: &Retrieval) -> bool {
    *retrieval == instance()
}

impl TwinTask {
    /// So many requests, each given up after two minutes.
    #[must_use]
    pub const fn new(method: Method, path: Path, requests: u32) -> Self {
        Self {
            method,
            path,
            requests,
            give_up: 120_000,
            retrieval: instance(),
        }
    }

    /// The same as a task of a link, if possible.
    #[must_use]
    pub fn of(task: &LinkTask) -> Option<Self> {
        let is_table = task.retrieval == Retrieval::Table;
        let is_udp = task.method.transport() == TransportKind::Udp;
        let is_plain = task.scheme == Scheme::V2c && task.restart.is_none();
        (!is_table && is_udp && is_plain).then(|| Self {
            method: task.method,
            path: task.path.clone(),
            requests: task.requests,
            give_up: task.give_up,
            retrieval: task.retrieval,
        })
    }

    pub(in super::super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        if self.method.transport() != TransportKind::Udp {
            return Err("virtual time supports only decisions of the manager".into());
        }
        if self.retrieval == Retrieval::Table {
            return Err("no agent with tables takes part in virtual time".into());
        }
        subject.ours_alone(|| "no agent takes part in virtual time".to_owned())
    }

    pub(in super::super) fn observe(&self, seed: u64) -> Observation {
        let (instances, messages) = match self.retrieval {
            Retrieval::Instances { count, messages } => (count, messages),
            Retrieval::Instance | Retrieval::Table => (1, 1),
        };
        let give_up = std::time::Duration::from_millis(self.give_up);
        let run = Twin {
            lane: self.path.lane(),
            seed,
            policy: self.method.retry(give_up),
            requests: self.requests,
            outstanding: self.method.outstanding(),
            instances,
            messages,
        }
        .run();
        let mut course = Course::begin(self.requests, give_up);
        course.elapsed = run.elapsed;
        course.failed = run.failed;
        course.attempts = run.attempts;
        course.objects = run.answered.len() as u64 * u64::from(instances);
        course.answered = run.answered;
        of_course(&course)
    }
}
