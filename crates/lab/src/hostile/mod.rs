//! `varbind bench --hostile`: how well-behaved clients fare while hostile peers attack the agent.
//!
//! The agent is started here, and all peers are on loopback. Each attack is bounded in time and in what it sends.

mod attack;
mod client_hello;
mod datagrams;
mod opening;
mod output;
mod result;
mod sources;
mod streams;
mod victim;

pub use attack::Service;
pub use output::{write_hostile_outputs, write_hostile_terminal};
pub use result::{
    AttackResult, AttackedVictim, Effort, HOSTILE_SCHEMA_VERSION, HostileReport, Memory, Times,
    VictimResult,
};
pub use victim::Victim;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::bench::BenchError;
use crate::environment::{environment, load_average};
use crate::measurement::TransportKind;
use crate::process::{Cores, cpu_time, pss, run_when_idle};
use crate::progress::Progress;
use crate::subject::{Agent, Demands, Subject};
use attack::{ATTACKS, Attack, Traffic};
use victim::{Client, clients};

/// How long hostile peers may take to open their connections before the clients are measured.
const LONGEST_SETUP: Duration = Duration::from_secs(5);
/// How often the agent's memory is read during an attack.
const WATCH: Duration = Duration::from_millis(50);
/// The time between the end of an attack and the last reading of the agent's memory.
const REST: Duration = Duration::from_secs(1);

/// What to measure.
#[derive(Clone, Debug)]
pub struct HostileOptions {
    /// The varbind executable: the agent.
    pub varbind: PathBuf,
    /// Transports that the agent offers, besides UDP, TCP and HTTP.
    pub transports: Vec<TransportKind>,
    /// How long each attack is measured.
    pub duration: Duration,
    /// Attacks whose names contain one of these; all if empty.
    pub attacks: Vec<String>,
    /// What random order and octets are made from.
    pub seed: u64,
}

/// The course of an attack, or of a measurement, as the threads that take part see it.
#[derive(Debug, Default)]
pub(crate) struct Course {
    has_begun: AtomicBool,
    is_over: AtomicBool,
}

impl Course {
    /// The hostile peers are in place, and the calling thread continues with them.
    ///
    /// From now on they are to cost clients what they cost the agent, and not the cores that they themselves run on.
    fn begin(&self) -> io::Result<()> {
        run_when_idle()?;
        self.has_begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Starts an agent, measures well-behaved clients without any attack, and then under each.
///
/// Progress goes to standard error. This process may open as many files as the system allows afterwards.
///
/// # Errors
/// If no attack has such a name, the agent cannot be started or ends under an attack, or the machine cannot be read.
pub fn run_hostile(options: &HostileOptions) -> Result<HostileReport, BenchError> {
    let begun = Instant::now();
    let cores = Cores::available().map_err(BenchError::Machine)?;
    let subject = Subject::Varbind {
        executable: options.varbind.clone(),
    };
    let demands = Demands {
        transports: options.transports.clone(),
        web: true,
        ..Demands::default()
    };
    let mut environment = environment(&cores, options.seed);
    environment.subjects = vec![subject.describe()];
    let mut agent = subject.start(&demands).map_err(BenchError::Subject)?;
    sources::raise_descriptor_limit().map_err(BenchError::Machine)?;
    let attacks = attacks(options, &agent)?;
    let mut progress = Progress::new(begun);
    let mut clients = clients(&agent).map_err(BenchError::Subject)?;

    // The first requests bring the code that answers them into memory.
    measure(&mut clients, options.duration, || {});
    let quiet = measure(&mut clients, options.duration, || {});
    let mut results = Vec::new();
    for (at, (attack, address)) in attacks.iter().enumerate() {
        progress.report("attacks", at + 1, attacks.len());
        let result = under_attack(attack, *address, &agent, &mut clients, options, &quiet);
        if let Some(end) = agent.end() {
            return Err(BenchError::Subject(end));
        }
        results.push(result.map_err(BenchError::Machine)?);
    }
    progress.finish();
    environment.load_at_end = load_average();
    environment.duration = begun.elapsed().as_secs_f64();
    Ok(HostileReport {
        schema_version: HOSTILE_SCHEMA_VERSION,
        environment,
        attack_seconds: options.duration.as_secs_f64(),
        quiet,
        attacks: results,
    })
}

/// The attacks on services that the agent offers.
fn attacks(
    options: &HostileOptions,
    agent: &Agent,
) -> Result<Vec<(&'static Attack, SocketAddr)>, BenchError> {
    let is_wanted = |attack: &&Attack| {
        let wanted = &options.attacks;
        wanted.is_empty()
            || wanted
                .iter()
                .any(|name| attack.name.contains(name.as_str()))
    };
    let address = |service| match service {
        Service::Snmp(transport) => agent.target(transport).map(|target| target.address),
        Service::Http => agent.web(),
    };
    let attacks: Vec<_> = ATTACKS
        .iter()
        .filter(is_wanted)
        .filter_map(|attack| Some((attack, address(attack.service)?)))
        .collect();
    if attacks.is_empty() {
        let names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        return Err(BenchError::Options(format!(
            "no attack on these transports is named {}; the attacks are: {}",
            options.attacks.join(" or "),
            names.join("; ")
        )));
    }
    Ok(attacks)
}

/// Measures the clients for `duration`, and calls `watch` now and then meanwhile.
fn measure(
    clients: &mut [Client],
    duration: Duration,
    mut watch: impl FnMut(),
) -> Vec<VictimResult> {
    let course = Course::default();
    thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| scope.spawn(|| client.run(&course)))
            .collect();
        let begun = Instant::now();
        while begun.elapsed() < duration {
            thread::sleep(WATCH.min(duration));
            watch();
        }
        course.end();
        let results = threads.into_iter().filter_map(|thread| thread.join().ok());
        results.collect()
    })
}

fn under_attack(
    attack: &Attack,
    address: SocketAddr,
    agent: &Agent,
    clients: &mut [Client],
    options: &HostileOptions,
    quiet: &[VictimResult],
) -> io::Result<AttackResult> {
    let pid = agent.id().ok_or(io::ErrorKind::NotFound)?;
    let mut memory = Memory {
        before: pss(pid)?,
        ..Memory::default()
    };
    let cpu_before = cpu_time(pid)?;
    let begun = Instant::now();
    let course = Course::default();
    let (victims, effort) = thread::scope(|scope| {
        let hostile = scope.spawn(|| perform(attack, address, options.seed, &course));
        while !course.has_begun() && begun.elapsed() < LONGEST_SETUP && !hostile.is_finished() {
            thread::sleep(Duration::from_millis(2));
        }
        let victims = measure(clients, options.duration, || {
            memory.during = memory.during.max(pss(pid).unwrap_or_default());
        });
        // Only now: a client may have waited for the agent until here.
        course.end();
        let effort = hostile.join().unwrap_or_else(|_| Ok(Effort::default()));
        (victims, effort)
    });
    let cpu = cpu_time(pid)?.since(&cpu_before).total / 1e6;
    let agent_cpu = cpu / begun.elapsed().as_secs_f64();
    thread::sleep(REST);
    memory.after = pss(pid)?;
    let beside = |result| AttackedVictim::beside(result, quiet);
    Ok(AttackResult {
        attack: attack.name.to_owned(),
        service: attack.service,
        effort: effort?,
        memory,
        agent_cpu,
        victims: victims.into_iter().map(beside).collect(),
    })
}

/// Makes the attack until its course is over.
fn perform(attack: &Attack, address: SocketAddr, seed: u64, course: &Course) -> io::Result<Effort> {
    let mut effort = Effort::default();
    match attack.traffic {
        Traffic::Streams {
            connections,
            opening,
            then,
        } => {
            let what = (connections, opening, then);
            streams::attack(attack, what, address, course, &mut effort)?;
        }
        Traffic::Datagrams(what) => {
            datagrams::attack(attack, what, address, seed, course, &mut effort)?;
        }
    }
    Ok(effort)
}
