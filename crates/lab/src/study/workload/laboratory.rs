use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use super::super::site::Order;
use super::super::{LinkTask, Observation, SubjectName, Task};
use crate::process::Cores;
use crate::subject::{Agent, Demands, Subject};

/// What the tasks of one site share: the agents that run there.
pub(in super::super) struct Laboratory {
    pub(super) varbind: PathBuf,
    pub(super) cores: Cores,
    demands: BTreeMap<SubjectName, Demands>,
    agents: BTreeMap<SubjectName, Agent>,
}

impl Laboratory {
    pub(in super::super) fn new(order: &Order) -> std::io::Result<Self> {
        Ok(Self {
            varbind: order.program.varbind.clone(),
            cores: Cores::available()?,
            demands: demands(&order.tasks),
            agents: BTreeMap::new(),
        })
    }

    /// Does each of the tasks once. Whatever goes wrong is in the observations.
    pub(in super::super) fn observe(
        &mut self,
        tasks: &[(Task, SubjectName)],
        seed: u64,
    ) -> Vec<Observation> {
        let across_links: Vec<(&LinkTask, SubjectName)> = tasks
            .iter()
            .filter_map(|(task, subject)| match task {
                Task::Link(task) => Some((task, *subject)),
                _ => None,
            })
            .collect();
        let mut across_links = super::link::observe(self, &across_links, seed).into_iter();
        let observe = |(task, subject): &(Task, SubjectName)| match task {
            Task::Link(_) => across_links
                .next()
                .unwrap_or_else(|| Observation::failed("it was not run")),
            task => self.observe_one(task, *subject, seed),
        };
        tasks.iter().map(observe).collect()
    }

    fn observe_one(&mut self, task: &Task, subject: SubjectName, seed: u64) -> Observation {
        let observed = match task {
            Task::Sessions(task) => task.observe(self, subject),
            Task::Packets(task) => task.observe_packets(self, subject),
            Task::Web(task) => task.observe(self),
            Task::Twin(task) => Ok(task.observe(seed)),
            Task::Link(_) => Err("it is run beside others".to_owned()),
        };
        observed.unwrap_or_else(Observation::failed)
    }

    /// The subject's agent, which offers what any task of this site needs of it.
    pub(super) fn agent(&mut self, name: SubjectName) -> Result<&Agent, String> {
        let subject = self.subject(name)?;
        let demands = self.demands(name);
        match self.agents.entry(name) {
            Entry::Occupied(running) => Ok(running.into_mut()),
            Entry::Vacant(place) => {
                let started = subject.start(&demands);
                Ok(place.insert(started.map_err(|error| error.to_string())?))
            }
        }
    }

    /// What any task of this site needs of a subject's agent.
    pub(super) fn demands(&self, name: SubjectName) -> Demands {
        self.demands.get(&name).cloned().unwrap_or_default()
    }

    pub(super) fn subject(&self, name: SubjectName) -> Result<Subject, String> {
        match name {
            SubjectName::Varbind => Ok(Subject::Varbind {
                executable: self.varbind.clone(),
            }),
            SubjectName::NetSnmp => Subject::net_snmp().map_err(|error| error.to_string()),
        }
    }
}

/// What each subject has to offer for all these tasks.
fn demands(tasks: &[(Task, SubjectName)]) -> BTreeMap<SubjectName, Demands> {
    let mut all: BTreeMap<SubjectName, Demands> = BTreeMap::new();
    for (task, subject) in tasks {
        let demands = all.entry(*subject).or_default();
        match task {
            Task::Sessions(task) | Task::Packets(task) => task.demand(demands),
            Task::Web(_) => demands.web = true,
            Task::Link(task) => task.demand(demands),
            Task::Twin(_) => {}
        }
    }
    all
}
