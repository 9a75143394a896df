//! A target that is polled, and one poll of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use varbind::client::{Error as ClientError, Target};
use varbind::engine::clock;
use varbind::{Oid, Value, oid};

use super::continuity::UpTime;
use super::failure::PollFailure;
use super::plan::{Planned, PlannedJob, Work};
use crate::module::{Module, WalkParameters};
use crate::poll::poll;
use crate::schedule::{TargetId, TaskId};
use crate::scrape::{Objects, Samples, samples};

/// A target that is polled.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) id: TargetId,
    pub(super) planned: Planned,
    pub(super) jobs: Vec<Job>,
    pub(super) up_time: UpTime,
    /// One for each policy of sending again that modules have: each learns engine, boots and round trips once.
    targets: Vec<((Duration, u32), Target)>,
}

/// Something that a target is asked for again and again.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) task: TaskId,
    pub(super) work: Work,
    pub(super) interval: Duration,
    pub(super) deadline: Duration,
    /// Whether sysObjectID chose it, and not the file.
    pub(super) is_chosen: bool,
}

/// What a poll brought.
#[derive(Debug)]
pub(super) enum Found {
    /// The series of a module.
    Samples {
        samples: Samples,
        objects: usize,
        up_time: Option<u32>,
        boots: Option<i32>,
        messages: u64,
        retries: u64,
    },
    /// sysObjectID.
    ObjectId(Oid),
}

/// A poll that can begin.
pub(super) struct Request {
    target: Target,
    name: Arc<str>,
    work: Work,
    is_v1: bool,
    deadline: Duration,
}

impl Device {
    pub(super) const fn new(id: TargetId, planned: Planned) -> Self {
        Self {
            id,
            planned,
            jobs: Vec::new(),
            up_time: UpTime {
                last: None,
                boots: None,
            },
            targets: Vec::new(),
        }
    }

    /// What was planned, with the jobs of the file.
    pub(super) fn plan(&self) -> Planned {
        let jobs = self.jobs.iter().filter(|job| !job.is_chosen);
        let jobs = jobs.map(|job| PlannedJob {
            work: job.work.clone(),
            interval: job.interval,
            deadline: job.deadline,
        });
        Planned {
            jobs: jobs.collect(),
            ..self.planned.clone()
        }
    }

    /// Keeps what is known of the device under a plan of the same device, and returns the jobs of that plan. With `renews`, further
    /// requests have the credentials of that plan.
    pub(super) fn plan_again(&mut self, planned: Planned, renews: bool) -> Vec<PlannedJob> {
        let mut planned = planned;
        let jobs = std::mem::take(&mut planned.jobs);
        if renews {
            self.planned = planned;
            self.targets.clear();
        }
        jobs
    }

    pub(super) fn job(&self, task: TaskId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.task == task)
    }

    /// What is needed for a poll, or why there is none.
    pub(super) fn request(&mut self, task: TaskId) -> Result<Request, PollFailure> {
        let usual = WalkParameters::default();
        let job = self.job(task).cloned();
        let job = job.ok_or_else(|| PollFailure::unusable("the poll was removed"))?;
        let parameters = match &job.work {
            Work::Module(module) => &module.parameters,
            Work::Choose => &usual,
        };
        Ok(Request {
            target: self.target(parameters)?,
            name: self.planned.name.name.as_ref().into(),
            is_v1: self.planned.is_v1(),
            work: job.work.clone(),
            deadline: job.deadline,
        })
    }

    fn target(&mut self, parameters: &WalkParameters) -> Result<Target, PollFailure> {
        let target = match &self.planned.access {
            Ok(target) => target,
            Err(why) => return Err(PollFailure::unusable(why)),
        };
        if self.planned.has_retries() {
            return Ok(target.clone());
        }
        let key = (parameters.timeout, parameters.retries);
        if let Some((_, target)) = self.targets.iter().find(|(known, _)| *known == key) {
            return Ok(target.clone());
        }
        let target = target.retry(parameters.retry_policy());
        self.targets.push((key, target.clone()));
        Ok(target)
    }
}

impl Request {
    /// Asks the target, until the deadline.
    pub(super) async fn run(self) -> Result<Found, PollFailure> {
        let until = Instant::now() + self.deadline;
        // A single request is all that a dead target costs.
        let first = match &self.work {
            Work::Module(_) => oid!("1.3.6.1.2.1.1.3.0"),
            Work::Choose => oid!("1.3.6.1.2.1.1.2.0"),
        };
        let first = timeout_at(until, self.target.get(first)).await;
        let first = match first {
            Err(_) => return Err(PollFailure::silent(&self.name, self.deadline)),
            Ok(Ok(value)) => Some(value),
            Ok(Err(ClientError::ErrorStatus { .. })) => None,
            Ok(Err(error)) => return Err(error.into()),
        };
        match &self.work {
            Work::Module(module) => {
                let polled = timeout_at(until, self.module(module, first.as_ref())).await;
                polled.unwrap_or_else(|_| Err(PollFailure::overdue(&self.name, self.deadline)))
            }
            Work::Choose => match first {
                Some(Value::ObjectIdentifier(name)) => {
                    Ok(Found::ObjectId(name.as_oid_ref().to_oid()))
                }
                _ => Ok(Found::ObjectId(oid!("0.0"))),
            },
        }
    }

    async fn module(
        &self,
        module: &Arc<Module>,
        up_time: Option<&Value>,
    ) -> Result<Found, PollFailure> {
        let answers = poll(&self.target, self.is_v1, module).await?;
        for (name, status) in &answers.refusals {
            log::info!("{}: the agent answered {status} for {name}", self.name);
        }
        let objects = answers.objects.len();
        let samples = samples(module, &Objects::new(answers.objects));
        for fault in samples.faults().0 {
            log::debug!("{}: {fault}", self.name);
        }
        let engine = self.target.remote_engine();
        Ok(Found::Samples {
            samples,
            objects,
            up_time: match up_time {
                Some(Value::TimeTicks(ticks)) => Some(*ticks),
                _ => None,
            },
            boots: engine
                .filter(varbind::engine::security::usm::RemoteEngine::is_synchronized)
                .map(|engine| engine.time(clock::Instant::ORIGIN).boots),
            messages: answers.messages,
            retries: answers.retries,
        })
    }
}
