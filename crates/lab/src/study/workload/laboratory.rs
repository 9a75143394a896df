use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use varbind_codec::pdu::PduType;
use varbind_codec::smi::Value;
use varbind_pki::KeyType;

use super::super::names::{self, IF_TABLE, NS_CACHE_TIMEOUT, SYS_CONTACT, SYS_LOCATION, oid};
use super::super::order::Order;
use super::super::site::Question;
use super::super::{Observation, SmallBoards, SubjectName, Task};
use super::Across;
use super::link::TimeSpent;
use crate::measurement::{Mode, TransportKind};
use crate::process::{Cores, CpuShare};
use crate::request::{Assignment, Request};
use crate::security::Scheme;
use crate::subject::{
    Agent, CounterCache, Demands, Echo, EchoProgram, HolderProgram, Netconfd, SshHandicap, Storage,
    Subject, has_experiments, without_experiments,
};
use crate::workload::Workload;

/// How long an agent may take to store values.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an agent that ends still seems to run.
const LAST_MOMENT: Duration = Duration::from_millis(20);

/// What the tasks of one site share: the agents that run there.
pub(in super::super) struct Laboratory {
    pub(super) varbind: PathBuf,
    pub(super) holder: HolderProgram,
    echo_program: EchoProgram,
    echo: Option<Agent>,
    netconfd: Option<Netconfd>,
    pub(super) cores: Cores,
    across: Option<Across>,
    share: Option<u32>,
    /// In runs across links.
    pub(super) time_spent: TimeSpent,
    small_boards: Option<SmallBoards>,
    /// The agent that runs already, if it is a subject.
    external: Option<Subject>,
    /// Whether the program varbind has them.
    has_experiments: bool,
    demands: BTreeMap<(SubjectName, AgentVariant), Demands>,
    agents: BTreeMap<(SubjectName, AgentVariant), Agent>,
    /// For which these agents were started.
    round: u32,
}

/// Why a site may have several agents of one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AgentVariant {
    pub(super) storage: Storage,
    pub(super) ssh_handicap: SshHandicap,
    pub(super) counter_cache: CounterCache,
    /// Which of several that are the same.
    pub(super) copy: u32,
    /// An agent speaks TLS of one kind alone.
    pub(super) legacy_tls: Option<TransportKind>,
    /// Whether certificates have keys of RSA with 2048 bits.
    pub(super) has_rsa: bool,
    /// Of a core, in hundredths.
    pub(super) share: Option<u32>,
}

impl Laboratory {
    pub(in super::super) fn new(
        order: &Order,
        across: Option<Across>,
        external: Option<Subject>,
    ) -> std::io::Result<Self> {
        let needs_experiments =
            |(task, subject): &(Task, SubjectName)| needs_experiments(task, *subject);
        let has_experiments =
            order.tasks.iter().any(needs_experiments) && has_experiments(&order.program.varbind);
        // An agent without them would refuse to start.
        let tasks = order.tasks.iter();
        let tasks = tasks.filter(|one| has_experiments || !needs_experiments(one));
        Ok(Self {
            has_experiments,
            varbind: order.program.varbind.clone(),
            holder: HolderProgram {
                executable: order.program.executable.clone(),
                arguments: order.program.holder.clone(),
            },
            echo_program: EchoProgram {
                executable: order.program.executable.clone(),
                arguments: order.program.echo.clone(),
            },
            echo: None,
            netconfd: None,
            cores: Cores::available()?,
            across,
            external,
            share: order.share,
            time_spent: TimeSpent::default(),
            small_boards: order.small_boards.clone(),
            demands: demands(tasks, order.setting.interfaces()),
            agents: BTreeMap::new(),
            round: 0,
        })
    }

    /// Begins a round, with agents that are started for it: where their memory lies and what seeds they draw is decided at
    /// their start, and the intervals have to tell what that does.
    fn begin(&mut self, round: u32) {
        if self.round != round {
            self.round = round;
            let agents = std::mem::take(&mut self.agents).into_values();
            end_in_background(agents.chain(self.echo.take()));
            self.netconfd = None;
        }
    }

    /// Does each of the tasks once. Whatever goes wrong is in the observations.
    pub(in super::super) fn observe(&mut self, questions: &[Question]) -> Vec<Vec<Observation>> {
        let across_links = super::link::observe(self, questions);
        let observe = |(question, across_links): (&Question, Vec<Observation>)| {
            self.begin(question.round);
            let mut across_links = across_links.into_iter();
            let mut memory = super::memory::observe(self, &question.tasks).into_iter();
            let observe = |(task, subject): &(Task, SubjectName)| {
                let together = match task {
                    Task::Link(_) => across_links.next(),
                    Task::Memory(_) => memory.next(),
                    task => Some(self.observe_one(task, *subject, question.seed)),
                };
                together.unwrap_or_else(|| Observation::failed("it was not run"))
            };
            question.tasks.iter().map(observe).collect()
        };
        questions.iter().zip(across_links).map(observe).collect()
    }

    /// Why a task is not done, if so.
    pub(super) fn can_do(&self, task: &Task, subject: SubjectName) -> Result<(), String> {
        // A manifest may be of another build.
        task.is_possible(subject)?;
        match needs_experiments(task, subject) && !self.has_experiments {
            true => Err(without_experiments(&self.varbind)),
            false => Ok(()),
        }
    }

    fn observe_one(&mut self, task: &Task, subject: SubjectName, seed: u64) -> Observation {
        if let Err(reason) = self.can_do(task, subject) {
            return Observation::failed(reason);
        }
        let observed = match task {
            Task::Sessions(task) => task.observe(self, subject),
            Task::Packets(task) => task.observe_packets(self, subject),
            Task::Web(task) => task.observe(self),
            #[cfg(feature = "experiments")]
            Task::Compressed(task) => task.observe(self),
            #[cfg(not(feature = "experiments"))]
            Task::Compressed(_) => Err(crate::subject::NO_EXPERIMENTS.to_owned()),
            Task::Coding(task) => task.observe(self),
            Task::Command(task) => task.observe(self, subject),
            Task::Twin(task) => Ok(task.observe(seed)),
            Task::Link(_) | Task::Memory(_) => Err("it is run beside others".to_owned()),
            Task::Notifications(task) => task.observe(self, subject),
            Task::SmallBoard(task) => task.observe(self.small_boards.as_ref()),
            Task::Echo(task) => task.observe(self),
            Task::Netconf(task) => task.observe(self),
            Task::Start(task) => task.observe(self, subject),
        };
        let observation = observed.unwrap_or_else(Observation::failed);
        if observation.trouble.is_some() {
            // The sockets of a process are closed a moment before it has ended.
            thread::sleep(LAST_MOMENT);
        }
        // One that has ended is restarted for the next task.
        let ended = self.remove_ended_agents().pop();
        match ended.filter(|_| observation.trouble.is_some()) {
            Some(reason) => Observation::failed(reason),
            None => observation,
        }
    }

    /// Why each of them ended.
    fn remove_ended_agents(&mut self) -> Vec<String> {
        let mut reasons = Vec::new();
        self.agents.retain(|_, agent| match agent.end() {
            None => true,
            Some(error) => {
                reasons.push(error.to_string());
                false
            }
        });
        reasons
    }

    /// The subject's agent, which offers what any task of this site needs of it.
    pub(super) fn agent(&mut self, name: SubjectName) -> Result<&Agent, String> {
        self.agent_variant(name, AgentVariant::default())
    }

    /// One that differs from the usual.
    pub(super) fn agent_variant(
        &mut self,
        name: SubjectName,
        variant: AgentVariant,
    ) -> Result<&Agent, String> {
        let subject = self.subject(name)?;
        let (counter_cache, share) = (variant.counter_cache, variant.share.or(self.share));
        let which = (name, variant);
        let demands = self.demands.get(&which).cloned().unwrap_or_default();
        match self.agents.entry(which) {
            Entry::Occupied(running) => Ok(running.into_mut()),
            Entry::Vacant(place) => {
                let agent = start(self.across.as_ref(), share, &subject, &demands)?;
                if subject.is_started_here() {
                    set(&agent, names::set(&[SYS_CONTACT, SYS_LOCATION]))?;
                }
                if name == SubjectName::NetSnmp {
                    limit_cache(&agent, counter_cache)?;
                }
                Ok(place.insert(agent))
            }
        }
    }

    /// The program that returns each datagram, in the place of an agent.
    pub(super) fn echo(&mut self) -> Result<&Agent, String> {
        match &mut self.echo {
            Some(echo) => Ok(echo),
            none => {
                let echo = Echo::start(&self.echo_program);
                let echo = echo.map_err(|error| format!("the echo cannot be started: {error}"))?;
                Ok(none.insert(Agent::echo(echo)))
            }
        }
    }

    /// The server of NETCONF, with what varbind's agent has.
    pub(super) fn netconfd(&mut self) -> Result<&Netconfd, String> {
        if self.netconfd.is_none() {
            let content = super::netconf::content_of(self.agent(SubjectName::Varbind)?)?;
            let started = Netconfd::start(&content).map_err(|error| error.to_string())?;
            self.netconfd = Some(started);
        }
        let started = self.netconfd.as_ref();
        started.ok_or_else(|| "netconfd was not started".to_owned())
    }

    /// Starts an agent for one task.
    pub(super) fn start(&self, name: SubjectName, demands: &Demands) -> Result<Agent, String> {
        start(
            self.across.as_ref(),
            self.share,
            &self.subject(name)?,
            demands,
        )
    }

    /// The thread of this process whose time is not the manager's.
    pub(super) fn emulator(&self) -> Option<u32> {
        self.across.as_ref().map(Across::thread)
    }

    /// Hundredths of a core that agents have of which their task says nothing else.
    pub(super) const fn share(&self) -> Option<u32> {
        self.share
    }

    /// What any task of this site needs of a subject's usual agent.
    pub(super) fn demands(&self, name: SubjectName) -> Demands {
        let usual = (name, AgentVariant::default());
        self.demands.get(&usual).cloned().unwrap_or_default()
    }

    pub(super) fn subject(&self, name: SubjectName) -> Result<Subject, String> {
        match name {
            SubjectName::Varbind => Ok(Subject::Varbind {
                executable: self.varbind.clone(),
            }),
            SubjectName::NetSnmp => Subject::net_snmp().map_err(|error| error.to_string()),
            SubjectName::External(_) => {
                let given = self.external.clone();
                given.ok_or_else(|| "no address of an agent was given".to_owned())
            }
        }
    }
}

/// Ends agents in the background: snmpd takes up to a second. The kernel kills the rest with this process.
pub(super) fn end_in_background(agents: impl Iterator<Item = Agent>) {
    let mut agents: Vec<Agent> = agents.collect();
    agents.iter_mut().for_each(Agent::ask_to_end);
    thread::spawn(move || drop(agents));
}

/// Starts an agent where it is to be, with its part of a core.
fn start(
    across: Option<&Across>,
    share: Option<u32>,
    subject: &Subject,
    demands: &Demands,
) -> Result<Agent, String> {
    let share = share.map(CpuShare::new).transpose();
    let share = share.map_err(|error| error.to_string())?;
    let started = match across {
        Some(across) => across.start(subject, demands),
        None => subject.start(demands),
    };
    let mut agent = started.map_err(|error| error.to_string())?;
    if let Some(share) = share {
        let slowed = agent.slow_down(share);
        slowed.map_err(|error| format!("the agent cannot be slowed down: {error}"))?;
    }
    Ok(agent)
}

/// Has Net-SNMP keep ifTable for so long (nsCacheTimeout of NET-SNMP-AGENT-MIB, in seconds).
fn limit_cache(agent: &Agent, cache: CounterCache) -> Result<(), String> {
    let seconds = match cache {
        CounterCache::Usual => return Ok(()),
        CounterCache::Off => 0,
        CounterCache::Lasting => 3600,
    };
    let assignment = Assignment {
        name: oid(&[NS_CACHE_TIMEOUT, IF_TABLE].concat()),
        value: Value::Integer(seconds),
    };
    let alternatives = vec![vec![assignment]];
    set(agent, Request::Set { alternatives })
}

/// Gives the agent values that it is to have. All have the same sysContact and sysLocation to tell.
fn set(agent: &Agent, request: Request) -> Result<(), String> {
    let failed =
        |reason: &str| format!("the agent did not take the values it was to have: {reason}");
    let target = agent.target(TransportKind::Udp);
    let security = agent.security(Scheme::V2c, true);
    let security = security.map_err(|missing| failed(&missing.to_string()))?;
    let workload = Workload {
        target: target.ok_or_else(|| failed("it does not listen on udp"))?,
        access: None,
        security: security.ok_or_else(|| failed("it has no community"))?,
        derives_per_session: false,
        request,
        sessions: 1,
        exchanges: 1,
        mode: Mode::Closed,
        timeout: PATIENCE,
        answered_by: PduType::Response,
        retries: 2,
        pause: Duration::ZERO,
    };
    let measured = workload.run().map_err(|error| failed(&error.to_string()))?;
    match measured.outcome.completed {
        0 => Err(failed("no right answer to a SetRequest")),
        _ => Ok(()),
    }
}

/// Whether a task needs a program varbind with experiments.
fn needs_experiments(task: &Task, subject: SubjectName) -> bool {
    subject == SubjectName::Varbind && task.needs_experiments_of_agent()
}

/// What each agent has to offer for all these tasks.
fn demands<'t>(
    tasks: impl Iterator<Item = &'t (Task, SubjectName)>,
    interfaces: u32,
) -> BTreeMap<(SubjectName, AgentVariant), Demands> {
    let mut all: BTreeMap<_, Demands> = BTreeMap::new();
    for (task, subject) in tasks {
        let usual = (*subject, AgentVariant::default());
        match task {
            Task::Sessions(task) | Task::Packets(task) => {
                let variant = task.variant();
                let demands = all.entry((*subject, variant.clone())).or_default();
                demands.storage = variant.storage;
                demands.ssh_handicap = variant.ssh_handicap;
                demands.counter_cache = variant.counter_cache;
                if variant.has_rsa {
                    demands.key_type = KeyType::Rsa2048;
                }
                task.demand(demands);
            }
            Task::Web(task) if task.is_secure => all.entry(usual).or_default().secure_web = true,
            Task::Web(_) => all.entry(usual).or_default().web = true,
            // It has a copy of what this agent has.
            Task::Netconf(_) => {
                let ours = (SubjectName::Varbind, AgentVariant::default());
                all.entry(ours).or_default().web = true;
            }
            Task::Coding(_) => drop(all.entry(usual).or_default()),
            Task::Compressed(_) => all.entry(usual).or_default().compression = true,
            Task::Link(task) => task.demand(all.entry(usual).or_default()),
            Task::Command(task) => task.demand(all.entry(usual).or_default()),
            // They need no agent, or one of their own.
            Task::Twin(_)
            | Task::Memory(_)
            | Task::SmallBoard(_)
            | Task::Notifications(_)
            | Task::Echo(_)
            | Task::Start(_) => {}
        }
    }
    for demands in all.values_mut() {
        demands.interfaces = interfaces;
    }
    all
}
