use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Method, Path};
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::study::SubjectName;
use crate::subject::Demands;

/// Requests to an agent at the other end of an emulated link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkTask {
    /// How they are sent.
    pub method: Method,
    /// What the link is like.
    pub path: Path,
    /// What is asked for.
    pub retrieval: Retrieval,
    /// How often.
    pub requests: u32,
    /// When the run is ended, in milliseconds, if not all have been answered.
    pub limit: u64,
    /// When a request is given up, in milliseconds.
    pub give_up: u64,
    /// How TCP is set at both ends.
    #[serde(default)]
    pub tcp: TcpSettings,
    /// How messages are secured over a transport that is not secure itself; by the transport otherwise.
    #[serde(default = "community", skip_serializing_if = "is_community")]
    pub scheme: Scheme,
    /// Whether the agent is killed meanwhile, and started again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<Restart>,
}

/// An agent whose process is killed (SIGKILL), and started again with the same configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Restart {
    /// When it is killed, in milliseconds since the runs began.
    pub after: u64,
    /// For how many milliseconds there is none.
    pub away: u64,
}

const fn community() -> Scheme {
    Scheme::V2c
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_community(scheme: &Scheme) -> bool {
    *scheme == community()
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retrieval {
    /// sysContact.0, whose value has four octets.
    Instance,
    /// sysContact.0 so many times, spread over so many messages, which are sent together.
    Instances {
        /// How many.
        count: u16,
        /// Over how many messages.
        messages: u16,
    },
    /// All of ifTable, by GetBulk.
    Table,
}

/// How TCP is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TcpSettings {
    /// As the system has it.
    #[default]
    System,
    /// For few small messages on a link that loses packets: time-outs that do not grow for streams with little on the way
    /// (TCP_THIN_LINEAR_TIMEOUTS), and begin at 5 ms instead of 200 (TCP_RTO_MIN_US).
    Lossy,
    /// Without selective acknowledgements (RFC 2018), and so without tail loss probes.
    NoSack,
    /// Without the detection of spurious time-outs (F-RTO, RFC 5682).
    NoFrto,
    /// Without tail loss probes (RFC 8985).
    NoLossProbes,
    /// With Reno for congestion control, whatever the system has.
    Reno,
}

impl LinkTask {
    /// So many requests for one instance, each given up after two minutes.
    #[must_use]
    pub const fn new(method: Method, path: Path, requests: u32, limit: u64) -> Self {
        Self {
            method,
            path,
            retrieval: Retrieval::Instance,
            requests,
            limit,
            give_up: 120_000,
            tcp: TcpSettings::System,
            scheme: community(),
            restart: None,
        }
    }

    /// Takes no more requests than are expected to take this time, in milliseconds, but not fewer than these.
    pub(in crate::study) fn fit(&mut self, time: f64, fewest: u32) {
        let fitting = (time / self.expected_time()) as u32;
        self.requests = self.requests.min(fitting.max(fewest));
    }

    pub(in super::super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        let transport = self.method.transport();
        if subject == SubjectName::Varbind || !transport.is_secure() {
            return Ok(());
        }
        Err(format!(
            "{subject} is not asked over {transport} across a link"
        ))
    }

    pub(in super::super) fn demand(&self, demands: &mut Demands) {
        demands.is_asked_from_elsewhere = true;
        demands.sends_fragments = true;
        demands.sessions = Some(SESSIONS);
        let transport = self.method.transport();
        if !demands.transports.contains(&transport) {
            demands.transports.push(transport);
        }
        if let Scheme::V3(protection) = self.scheme
            && !demands.users.contains(&protection)
        {
            demands.users.push(protection);
        }
    }

    /// How messages are secured: over a secure transport, by that.
    pub(super) fn scheme(&self) -> Scheme {
        match self.method.transport().is_secure() {
            true => Scheme::V3Transport,
            false => self.scheme,
        }
    }

    pub(super) const fn limit(&self) -> Duration {
        Duration::from_millis(self.limit)
    }

    pub(super) fn give_up(&self) -> Duration {
        Duration::from_millis(self.give_up.min(self.limit))
    }

    /// About how many exchanges there are in each second, at most.
    pub(super) fn rate(&self) -> f64 {
        let path = &self.path;
        let lost = path.loss.min(0.99) / (1.0 - path.loss.min(0.99));
        let timeout = match self.method {
            Method::FixedTimeout(timeout) => f64::from(timeout),
            _ if self.method.transport() == TransportKind::Udp => path.round_trip,
            _ => LEAST_TCP_TIMEOUT,
        };
        let messages = match self.retrieval {
            Retrieval::Instance | Retrieval::Table => 1.0,
            Retrieval::Instances { count, .. } => 1.0 + f64::from(count) / INSTANCES_PER_EXCHANGE,
        };
        let outstanding = f64::from(self.method.outstanding());
        messages * outstanding * 1e3 / timeout.mul_add(lost, path.round_trip.max(0.1))
    }

    /// About how long a request takes, in milliseconds, by a coarse model: each exchange of so many packets is repeated when one
    /// of them is lost, over a stream after times that double.
    fn expected_time(&self) -> f64 {
        let lost_packets = 1.0 - (1.0 - self.path.loss).max(0.0).sqrt();
        let (messages, packets) = match self.retrieval {
            Retrieval::Instance => (1.0, 2.0),
            Retrieval::Table => (1.0, 5.0),
            Retrieval::Instances { messages: 1, .. } => (1.0, 7.0),
            Retrieval::Instances { messages, .. } => (f64::from(messages), 2.0),
        };
        let repeating = match self.method {
            Method::FixedTimeout(timeout) => Some(f64::from(timeout)),
            _ if self.method.transport() == TransportKind::Udp => Some(2.0 * self.path.round_trip),
            _ => None,
        };
        let waiting = match repeating {
            Some(timeout) => {
                let arrives = (1.0 - lost_packets).powf(packets);
                // The slowest of several messages takes so many times longer.
                timeout * (1.0 - arrives) / arrives.max(0.01) * (1.0 + f64::ln(messages))
            }
            None => {
                let doubled = (0..DOUBLINGS).map(|step| (2.0 * lost_packets).powi(step));
                packets * lost_packets * LEAST_TCP_TIMEOUT * doubled.sum::<f64>()
            }
        };
        self.path.round_trip + waiting
    }

    /// About how long it takes, in seconds.
    pub(super) fn duration(&self) -> f64 {
        let limit = self.limit as f64 / 1e3;
        (f64::from(self.requests) / self.rate()).min(limit)
    }
}

/// At every agent, for all runs together.
const SESSIONS: u32 = 1024;
/// Milliseconds before TCP retransmits.
const LEAST_TCP_TIMEOUT: f64 = 200.0;
/// How often the time-outs of TCP double (from 200 ms to 120 s).
const DOUBLINGS: i32 = 10;
/// Instances in a message that cost as much as an exchange of its own.
const INSTANCES_PER_EXCHANGE: f64 = 125.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_written_as_recorded_runs_have_it() {
        let recorded = r#"{"method":"tcp","path":{"loss":0.0,"round_trip":10.0},"retrieval":"instance","requests":1,"limit":2,"give_up":120000,"tcp":"system"}"#;
        let mut task = LinkTask::new(Method::Tcp, Path::new(0.0, 10.0), 1, 2);
        assert_eq!(serde_json::to_string(&task).unwrap(), recorded);
        for (tcp, name) in [
            (TcpSettings::Lossy, "lossy"),
            (TcpSettings::NoSack, "no-sack"),
            (TcpSettings::NoFrto, "no-frto"),
            (TcpSettings::NoLossProbes, "no-loss-probes"),
            (TcpSettings::Reno, "reno"),
        ] {
            task.tcp = tcp;
            let written = recorded.replace("system", name);
            assert_eq!(serde_json::to_string(&task).unwrap(), written);
        }
    }
}
