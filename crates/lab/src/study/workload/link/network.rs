//! A link with agents at its far end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::VarBind;

use super::TcpSettings;
use crate::link::{Lane, LaneModel, Link, LinkOptions, LinkReport, Namespace};
use crate::measurement::TransportKind;
use crate::session::{SecureAccess, Target};
use crate::study::SubjectName;
use crate::study::names::{SYS_CONTACT, oid};
use crate::subject::{Agent, Demands, Subject, WRITE_COMMUNITY};

/// A link and the agents that are asked across it.
pub(super) struct Network {
    link: Link,
    agents: BTreeMap<SubjectName, Result<SharedAgent, String>>,
}

/// One that may be killed and started again while it is asked.
pub(super) type SharedAgent = Arc<Mutex<Agent>>;

/// What is written into the files of the system for both ends of a link.
type Settings = &'static [(&'static str, &'static str)];

/// Fragments of which some are missing are kept for two seconds, in more room than usual: otherwise those of one run would
/// take the room of all others, which no path of its own would do.
const FRAGMENTS: Settings = &[
    ("/proc/sys/net/ipv4/ipfrag_high_thresh", "268435456"),
    ("/proc/sys/net/ipv4/ipfrag_time", "2"),
];
const LOSSY: Settings = &[
    ("/proc/sys/net/ipv4/tcp_thin_linear_timeouts", "1"),
    ("/proc/sys/net/ipv4/tcp_rto_min_us", "5000"),
];

/// What each setting of TCP writes.
const fn of_tcp(tcp: TcpSettings) -> Settings {
    match tcp {
        TcpSettings::System => &[],
        TcpSettings::Lossy => LOSSY,
        TcpSettings::NoSack => &[("/proc/sys/net/ipv4/tcp_sack", "0")],
        TcpSettings::NoFrto => &[("/proc/sys/net/ipv4/tcp_frto", "0")],
        TcpSettings::NoLossProbes => &[("/proc/sys/net/ipv4/tcp_early_retrans", "0")],
        TcpSettings::Reno => &[("/proc/sys/net/ipv4/tcp_congestion_control", "reno")],
    }
}

impl Network {
    /// Opens a link, packets of whose lanes meet the same fates where the lanes are alike, and starts agents beyond it.
    pub(super) fn open(
        lanes: Vec<LaneModel>,
        seed: u64,
        tcp: TcpSettings,
        subjects: Vec<(SubjectName, Result<Subject, String>, Demands)>,
    ) -> Result<Self, String> {
        let options = LinkOptions {
            lanes,
            seed,
            is_alike: true,
            ..LinkOptions::default()
        };
        let link = Link::open(&options).map_err(|error| error.to_string())?;
        for end in [link.near(), link.far()] {
            set(end, FRAGMENTS)?;
            set(end, of_tcp(tcp))?;
        }
        let started = link.far().run(move || {
            let subjects = subjects.into_iter();
            let started = subjects.map(|(name, subject, demands)| {
                let agent = subject.and_then(|subject| start(&subject, &demands));
                (name, agent.map(|agent| Arc::new(Mutex::new(agent))))
            });
            started.collect()
        });
        Ok(Self {
            agents: started.map_err(|error| error.to_string())?,
            link,
        })
    }

    /// Where a manager starts threads that are to ask agents.
    pub(super) const fn near(&self) -> &Namespace {
        self.link.near()
    }

    /// Where an agent is asked across a lane, and what for sessions over a secure transport is needed.
    pub(super) fn target(
        &self,
        subject: SubjectName,
        transport: TransportKind,
        lane: Lane,
    ) -> Result<(Target, Option<SecureAccess>), String> {
        let agent = match self.agents.get(&subject) {
            Some(Ok(agent)) => agent,
            Some(Err(reason)) => return Err(reason.clone()),
            None => return Err("the agent was not started".to_owned()),
        };
        let agent = agent.lock().unwrap_or_else(PoisonError::into_inner);
        let target = agent.target(transport);
        let mut target =
            target.ok_or_else(|| format!("the agent does not listen on {transport}"))?;
        target.address.set_ip(lane.far().into());
        let access = transport
            .is_secure()
            .then(|| agent.access(transport, false))
            .flatten();
        Ok((target, access.cloned()))
    }

    /// Where the agents are.
    pub(super) const fn far(&self) -> &Namespace {
        self.link.far()
    }

    /// The agents that were started.
    pub(super) fn agents(&self) -> impl Iterator<Item = (SubjectName, SharedAgent)> {
        let agents = self.agents.iter();
        agents.filter_map(|(name, agent)| Some((*name, Arc::clone(agent.as_ref().ok()?))))
    }

    /// Stops the agents, ends the link and returns its counters.
    pub(super) fn close(self) -> Result<LinkReport, String> {
        drop(self.agents);
        self.link.close().map_err(|error| error.to_string())
    }
}

fn set(end: &Namespace, settings: Settings) -> Result<(), String> {
    let written = end.run(move || {
        settings.iter().try_for_each(|(path, value)| {
            std::fs::write(path, value)
                .map_err(|error| format!("{path} cannot be set to {value}: {error}"))
        })
    });
    written.map_err(|error| error.to_string())?
}

fn start(subject: &Subject, demands: &Demands) -> Result<Agent, String> {
    let agent = subject.start(demands).map_err(|error| error.to_string())?;
    let target = agent
        .target(TransportKind::Udp)
        .ok_or("the agent does not listen on udp")?;
    let target = TransportAddress::of_socket(Transport::Udp, target.address);
    let mut manager = Manager::open(&target, ManagerOptions::v2c(WRITE_COMMUNITY))
        .map_err(|error| error.to_string())?;
    // The value that the study had.
    let contact = VarBind::new(oid(SYS_CONTACT), "test");
    let set = manager.set(&[contact]).map_err(|error| error.to_string())?;
    if set.error_status == varbind_codec::pdu::ErrorStatus::NoError {
        Ok(agent)
    } else {
        Err(format!("sysContact.0 cannot be set: {}", set.error_status))
    }
}

/// How long a link without packets is left open before it is closed, for those that are still on the way.
pub(super) const REST: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use varbind_testkit::peers::skip;

    use super::*;

    #[test]
    fn tcp_is_set_at_both_ends() {
        for tcp in [
            TcpSettings::System,
            TcpSettings::Lossy,
            TcpSettings::NoSack,
            TcpSettings::NoFrto,
            TcpSettings::NoLossProbes,
            TcpSettings::Reno,
        ] {
            let network = match Network::open(vec![LaneModel::default()], 1, tcp, Vec::new()) {
                Ok(network) => network,
                // There may be no namespaces, or the kernel is too old for this setting.
                Err(reason) => {
                    skip(&reason);
                    continue;
                }
            };
            for end in [network.near(), network.far()] {
                let is_set = end.run(move || {
                    of_tcp(tcp).iter().all(|(path, value)| {
                        let found = std::fs::read_to_string(path);
                        found.is_ok_and(|found| found.trim() == *value)
                    })
                });
                assert!(is_set.unwrap(), "{tcp:?}");
            }
            network.close().unwrap();
        }
    }
}
