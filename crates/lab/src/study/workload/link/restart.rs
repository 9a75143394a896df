//! Agents that are killed while they are asked, and started again.

use std::collections::BTreeMap;
use std::io;
use std::sync::PoisonError;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Restart;
use super::network::{Network, SharedAgent};
use crate::measurement::TransportKind;
use crate::process::is_listened_at;
use crate::study::SubjectName;

/// When an agent was there again.
#[derive(Clone, Debug)]
pub(super) struct Restarted {
    /// When its process was started again.
    pub(super) started: Instant,
    /// From when on it has listened on which transport.
    pub(super) listening: BTreeMap<TransportKind, Instant>,
}

/// What became of each agent.
pub(super) type Restarts = BTreeMap<SubjectName, Result<Restarted, String>>;

/// How long an agent may take until it listens.
const LONGEST_START: Duration = Duration::from_secs(5);
/// How often it is looked whether it does.
const INTERVAL: Duration = Duration::from_micros(500);

/// Kills all agents of a network at the same time, and starts them again, as it was planned for runs that began at `began`.
pub(super) fn restart(
    network: &Network,
    plan: Restart,
    transports: &[TransportKind],
    began: Instant,
) -> Restarts {
    let after = Duration::from_millis(plan.after);
    sleep((began + after).saturating_duration_since(Instant::now()));
    let agents: Vec<(SubjectName, SharedAgent)> = network.agents().collect();
    let killed: Vec<io::Result<()>> = agents
        .iter()
        .map(|(_, agent)| {
            let mut agent = agent.lock().unwrap_or_else(PoisonError::into_inner);
            agent.kill()
        })
        .collect();
    let away = Duration::from_millis(plan.away);
    sleep((began + after + away).saturating_duration_since(Instant::now()));
    let restarts = agents.into_iter().zip(killed);
    restarts
        .map(|((name, agent), killed)| {
            let transports = transports.to_vec();
            let restarted = killed.map_err(|error| error.to_string()).and_then(|()| {
                let again = network.far().run(move || start_again(&agent, &transports));
                again.map_err(|error| error.to_string())?
            });
            let told =
                |reason| format!("the agent could not be killed and started again: {reason}");
            (name, restarted.map_err(told))
        })
        .collect()
}

/// Starts an agent in this thread's network, and waits until it listens everywhere.
fn start_again(agent: &SharedAgent, transports: &[TransportKind]) -> Result<Restarted, String> {
    let mut agent = agent.lock().unwrap_or_else(PoisonError::into_inner);
    let targets = transports.iter().filter_map(|one| agent.target(*one));
    let mut awaited: Vec<(TransportKind, u16)> = targets
        .map(|target| (target.transport, target.address.port()))
        .collect();
    agent.start_again().map_err(|error| error.to_string())?;
    let started = Instant::now();
    let mut listening = BTreeMap::new();
    while !awaited.is_empty() {
        awaited.retain(|&(transport, port)| {
            let now = Instant::now();
            let is_there = is_listened_at(transport, port);
            if is_there {
                listening.insert(transport, now);
            }
            !is_there
        });
        if started.elapsed() > LONGEST_START {
            return Err("it does not listen".to_owned());
        }
        sleep(INTERVAL);
    }
    Ok(Restarted { started, listening })
}
