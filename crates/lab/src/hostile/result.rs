use std::time::Duration;

use serde::Serialize;

use super::{Service, Victim};
use crate::measurement::Environment;

/// The version of the JSON schema (docs/bench.md). It rises when a field changes its meaning or goes away.
pub const HOSTILE_SCHEMA_VERSION: u32 = 1;

/// An attack does harm if it multiplies a client's p99 by more than this.
const HARMFUL_RATIO: f64 = 5.0;
/// It also does harm if more than this part of a client's requests fails.
const HARMFUL_FAILURES: f64 = 0.01;

/// What hostile peers did to well-behaved clients and to the agent. Times are in microseconds, memory in octets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostileReport {
    /// [`HOSTILE_SCHEMA_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// Where and with what it was measured.
    pub environment: Environment,
    /// How long each attack was measured, in seconds.
    pub attack_seconds: f64,
    /// The clients without any attack.
    pub quiet: Vec<VictimResult>,
    /// One entry for each attack.
    pub attacks: Vec<AttackResult>,
}

/// One attack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttackResult {
    /// What it is.
    pub attack: String,
    /// What it is directed at.
    pub service: Service,
    /// What the hostile peers did.
    pub effort: Effort,
    /// The agent's memory.
    pub memory: Memory,
    /// The part of one processor core that the agent used.
    pub agent_cpu: f64,
    /// The well-behaved clients meanwhile.
    pub victims: Vec<AttackedVictim>,
}

/// What hostile peers did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Connections that were opened.
    pub opened: u64,
    /// Connections that the agent did not accept, or ended.
    pub refused: u64,
    /// Handshakes that went as far as the agent's first flight, or as far as a returned cookie.
    pub handshakes: u64,
    /// Datagrams that were sent.
    pub datagrams: u64,
    /// Octets that were sent.
    pub octets_sent: u64,
    /// Octets that were received.
    pub octets_received: u64,
}

/// Memory (PSS) of the agent, in octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Before the attack.
    pub before: u64,
    /// The most during the attack.
    pub during: u64,
    /// A second after the attack.
    pub after: u64,
}

/// The response times of one well-behaved client.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VictimResult {
    /// Who.
    pub victim: Victim,
    /// Requests with the right response.
    pub completed: u64,
    /// Requests without a response within a second, and sessions that could not be opened.
    pub failed: u64,
    /// Response times, where there were responses.
    pub times: Option<Times>,
}

/// Response times in microseconds, those of opening a session included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The median.
    pub p50: f64,
    /// 99 of 100 are no longer.
    pub p99: f64,
    /// The longest.
    pub maximum: f64,
}

/// The same under an attack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AttackedVictim {
    /// What it measured.
    #[serde(flatten)]
    pub result: VictimResult,
    /// p99 under attack / p99 without.
    pub p99_ratio: Option<f64>,
    /// Whether p99 is more than 5 times as long, or more than one request in 100 fails.
    pub is_harmed: bool,
}

impl VictimResult {
    pub(super) fn of_times(victim: Victim, mut times: Vec<Duration>, failed: u64) -> Self {
        times.sort_unstable();
        // Nearest rank.
        let at = |share: f64| {
            let rank = (share * times.len() as f64).ceil() as usize;
            let time = times.get(rank.saturating_sub(1))?;
            Some(time.as_secs_f64() * 1e6)
        };
        Self {
            victim,
            completed: times.len() as u64,
            failed,
            times: at(0.5)
                .zip(at(0.99))
                .zip(at(1.0))
                .map(|((p50, p99), maximum)| Times { p50, p99, maximum }),
        }
    }

    /// The part of the requests that failed.
    pub(super) fn failed_share(&self) -> f64 {
        self.failed as f64 / (self.completed + self.failed).max(1) as f64
    }
}

impl AttackedVictim {
    pub(super) fn beside(result: VictimResult, quiet: &[VictimResult]) -> Self {
        let quiet = quiet.iter().find(|quiet| quiet.victim == result.victim);
        let quiet = quiet.and_then(|quiet| quiet.times);
        let p99_ratio = result
            .times
            .zip(quiet)
            .map(|(attacked, quiet)| attacked.p99 / quiet.p99);
        Self {
            is_harmed: p99_ratio.is_none_or(|ratio| ratio > HARMFUL_RATIO)
                || result.failed_share() > HARMFUL_FAILURES,
            p99_ratio,
            result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::TransportKind;

    const VICTIM: Victim = Victim {
        service: Service::Snmp(TransportKind::Tcp),
        is_new: true,
    };

    fn result(milliseconds: &[u64], failed: u64) -> VictimResult {
        let times = milliseconds.iter().map(|&time| Duration::from_millis(time));
        VictimResult::of_times(VICTIM, times.collect(), failed)
    }

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let times: Vec<u64> = (1..=200).rev().collect();
        let times = result(&times, 0).times.unwrap();
        assert_eq!(
            (times.p50, times.p99, times.maximum),
            (100_000.0, 198_000.0, 200_000.0)
        );
        assert_eq!(result(&[], 3).times, None);
    }

    #[test]
    fn harm_is_a_fivefold_p99_or_failed_requests() {
        let quiet = [result(&[1; 100], 0)];
        let is_harmed = |attacked| AttackedVictim::beside(attacked, &quiet).is_harmed;
        assert!(!is_harmed(result(&[5; 100], 1)));
        assert!(is_harmed(result(&[6; 100], 0)));
        assert!(is_harmed(result(&[1; 100], 2)));
        assert!(is_harmed(result(&[], 10)));
    }
}
