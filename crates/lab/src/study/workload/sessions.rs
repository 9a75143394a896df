use std::time::Duration;

use varbind_codec::pdu::PduType;

use super::super::observation::PERCENTILES;
use super::super::{Measure, Observation, Phase, SubjectName};
use super::{AgentVariant, Laboratory, SessionTask};
use crate::measurement::{CpuTime, Placement, TransportKind};
use crate::process::{place_in_turns, pss, usage_of};
use crate::request::Request;
use crate::security::Scheme;
use crate::session::{Client, SecureAccess};
use crate::statistics::Cluster;
use crate::subject::{Agent, Demands, SshHandicap, is_built};
use crate::workload::{Measured, Workload};

/// Exchanges that are reported one by one.
const FEW: u32 = 64;

impl SessionTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        speaks(subject, self.transport)?;
        let is_ours = subject == SubjectName::Varbind;
        if !is_ours && self.ssh_handicap != SshHandicap::NONE {
            return Err(format!("{subject} has no such switch"));
        }
        Ok(())
    }

    /// Whether its version has its request.
    pub(in super::super) fn is_of_version(&self) -> Result<(), String> {
        match self.scheme == Scheme::V1 && self.request.needs_v2() {
            true => Err("SNMPv1 has no GetBulkRequest".to_owned()),
            false => Ok(()),
        }
    }

    /// Whether the agent needs a build with the feature `experiments` for it.
    pub(in super::super) fn needs_experiments(&self) -> bool {
        self.ssh_handicap != SshHandicap::NONE || self.transport == TransportKind::IntegrityOnlyTls
    }

    pub(super) fn demand(&self, demands: &mut Demands) {
        if let Scheme::V3(protection) = self.scheme
            && !demands.users.contains(&protection)
        {
            demands.users.push(protection);
        }
        if !demands.transports.contains(&self.transport) {
            demands.transports.push(self.transport);
        }
        demands.listens_on_ipv6 |= self.is_ipv6;
    }

    /// Which of a subject's agents it needs.
    pub(super) fn variant(&self) -> AgentVariant {
        AgentVariant {
            storage: self.storage,
            ssh_handicap: self.ssh_handicap.clone(),
            counter_cache: self.counter_cache,
            copy: self.copy,
            has_rsa: self.has_rsa,
            share: self.share,
            legacy_tls: if self.transport.is_legacy_tls() {
                Some(self.transport)
            } else {
                None
            },
        }
    }

    pub(super) fn observe(
        &self,
        laboratory: &mut Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let task = self.in_turns(self.share.or(laboratory.share()));
        task.observe_as_it_is(laboratory, subject)
    }

    fn observe_as_it_is(
        &self,
        laboratory: &mut Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let cores = laboratory.cores.clone();
        let emulator = laboratory.emulator();
        let agent = laboratory.agent_variant(subject, self.variant())?;
        let pid = agent.id();
        let told = |error: std::io::Error| error.to_string();
        // An agent that runs already stays where it is.
        let placement = pid.map_or(Placement::Free, |_| self.placement);
        // Across a network they are two machines.
        let turns = placement == Placement::SameCore && emulator.is_none();
        place_in_turns(&cores, placement, pid, turns).map_err(told)?;
        let workload = self.workload(agent)?;
        workload.warm_up(2).map_err(|error| error.to_string())?;
        let used = usage_of(pid, emulator, || workload.run()).map_err(told)?;
        let measured = used.result.map_err(|error| error.to_string())?;
        let mut observation = self.observation(&measured, &used.manager, used.agent.as_ref());
        observation.note(Measure::Elapsed, microseconds(used.elapsed));
        if let Some(pss) = pid.and_then(|pid| pss(pid).ok()) {
            observation.note(Measure::Memory, pss as f64);
        }
        Ok(observation)
    }

    pub(super) fn workload(&self, agent: &Agent) -> Result<Workload, String> {
        let target = if self.is_ipv6 {
            agent.target_on_ipv6(self.transport)
        } else {
            agent.target(self.transport)
        };
        let version = if self.is_ipv6 { " over IPv6" } else { "" };
        let target = target
            .ok_or_else(|| format!("the agent does not listen on {}{version}", self.transport))?;
        let security = agent.security(self.scheme, self.request.is_set());
        let security = security
            .map_err(|error| error.to_string())?
            .ok_or("the agent has no user")?;
        let access = if self.transport.is_secure() {
            let access = agent.access(self.transport, self.is_resumed);
            let mut access = access.ok_or("the agent has no keys")?.clone();
            if self.is_post_quantum {
                access.options.ssh.has_classical_key_exchange = false;
            }
            Some(access)
        } else {
            (self.client == Client::Library).then(SecureAccess::without_keys)
        };
        Ok(Workload {
            target,
            access,
            security,
            derives_per_session: self.derives_per_session,
            request: self.request.clone(),
            sessions: self.sessions,
            exchanges: self.exchanges,
            mode: self.mode,
            timeout: Duration::from_millis(self.timeout_milliseconds),
            answered_by: PduType::Response,
            retries: self.retries,
            pause: Duration::from_millis(self.pause_milliseconds),
        })
    }

    fn observation(
        &self,
        measured: &Measured,
        manager: &CpuTime,
        agent: Option<&CpuTime>,
    ) -> Observation {
        let mut observation = Observation::default();
        let outcome = &measured.outcome;
        let completed = outcome.completed.max(1) as f64;
        let total = microseconds(measured.total);
        let traffic = &measured.traffic;
        observation.note(Measure::Completed, outcome.completed as f64);
        observation.note(Measure::Failed, outcome.failed() as f64);
        observation.trouble = self.trouble(measured);
        let has_values = self.may_fail || observation.trouble.is_none();
        if !has_values || outcome.completed == 0 {
            return observation;
        }
        for (measure, value) in [
            (Measure::ResponseTime, total / completed),
            (
                Measure::SessionTime,
                total / f64::from(self.sessions.max(1)),
            ),
            (Measure::Rate, measured.rate()),
            (Measure::ManagerCpu, manager.total / completed),
            (Measure::Objects, measured.objects as f64 / completed),
            (Measure::Attempts, outcome.requests as f64 / completed),
            (
                Measure::OctetsSent,
                traffic.snmp_octets_sent as f64 / completed,
            ),
            (
                Measure::OctetsReceived,
                traffic.snmp_octets_received as f64 / completed,
            ),
        ] {
            observation.note(measure, value);
        }
        let octets = traffic.snmp_octets_sent + traffic.snmp_octets_received;
        observation.note(Measure::Octets, octets as f64 / completed);
        let in_session = microseconds(measured.in_session);
        observation.note(Measure::RoundTrip, in_session / completed);
        let requests = outcome.requests.max(1) as f64;
        observation.note(Measure::MessageTime, total / requests);
        let parts = [
            &measured.open,
            &measured.handshake,
            &measured.authentication,
        ];
        let set_up = parts.iter().filter_map(|cluster| cluster.mean()).sum();
        observation.note(Measure::SetUpTime, set_up);
        self.note_exchanges(measured, &mut observation);
        note_percentiles(measured, &mut observation);
        if let Some(agent) = agent {
            let each = agent.total / completed;
            observation.note(Measure::AgentCpu, each);
            observation.note(Measure::RatePerCore, 1e6 / each);
        }
        for (phase, cluster) in phases(measured) {
            if let Some(mean) = cluster.mean() {
                observation.note(Measure::Phase(phase), mean);
            }
        }
        observation
    }
}

impl SessionTask {
    /// What went wrong in a repetition.
    fn trouble(&self, measured: &Measured) -> Option<String> {
        let outcome = &measured.outcome;
        if outcome.failed() > 0 || outcome.completed == 0 {
            let failed = || format!("{} of the exchanges failed", outcome.failed());
            return Some(measured.refusal.clone().unwrap_or_else(failed));
        }
        let shortage = || self.shortage(measured.objects as f64 / outcome.completed as f64);
        self.not_resumed(measured.resumed)
            .or_else(|| shortage().filter(|_| !self.may_fail))
    }

    /// Why answers to a GetBulkRequest cannot be compared: fewer objects than it asked for.
    fn shortage(&self, objects: f64) -> Option<String> {
        let Request::GetBulk {
            names,
            max_repetitions,
            non_repeaters: 0,
        } = &self.request
        else {
            return None;
        };
        let asked = names.len() as f64 * f64::from(*max_repetitions);
        (objects < asked)
            .then(|| format!("a GetBulkRequest for {asked} objects was answered with {objects}"))
    }

    /// Why sessions that were to be resumed cannot be compared: some had a full handshake.
    fn not_resumed(&self, resumed: u64) -> Option<String> {
        let sessions = u64::from(self.sessions);
        (self.is_resumed && resumed < sessions).then(|| {
            format!(
                "{resumed} of {sessions} sessions were resumed, the others had a full handshake"
            )
        })
    }

    /// Each exchange by itself, where there are few.
    fn note_exchanges(&self, measured: &Measured, observation: &mut Observation) {
        if self.sessions != 1 || self.exchanges > FEW {
            return;
        }
        let first = measured.first_exchange.kept();
        let later = measured.steady_state.kept();
        for (nanoseconds, number) in first.iter().chain(later).zip(1..) {
            let microseconds = *nanoseconds as f64 / 1000.0;
            observation.note(Measure::Exchange(number), microseconds);
        }
    }
}

fn note_percentiles(measured: &Measured, observation: &mut Observation) {
    let cluster = match measured.steady_state.count() {
        0 => &measured.first_exchange,
        _ => &measured.steady_state,
    };
    // Of fewer samples than one beyond it a percentile says nothing.
    let is_telling = |thousandths: u32| {
        thousandths <= 500
            || thousandths == 1000
            || cluster.count() * u64::from(1000 - thousandths) >= 1000
    };
    for thousandths in PERCENTILES.into_iter().filter(|one| is_telling(*one)) {
        if let Some(microseconds) = cluster.percentile(thousandths) {
            observation.note(Measure::Percentile(thousandths), microseconds);
        }
    }
}

/// Whether a subject can be asked over a transport.
pub(super) fn speaks(subject: SubjectName, transport: TransportKind) -> Result<(), String> {
    if !is_built(transport) {
        let features = match transport {
            TransportKind::LegacyTls => "feature openssl-tls",
            _ => "features openssl-tls and experiments",
        };
        return Err(format!(
            "this program was built without {transport}: build it and varbind with the {features}"
        ));
    }
    let speaks = match subject {
        SubjectName::Varbind | SubjectName::External(_) => true,
        SubjectName::NetSnmp => crate::subject::net_snmp_speaks(transport),
    };
    if speaks {
        Ok(())
    } else {
        Err(format!("{subject} does not work over {transport} here"))
    }
}

fn phases(measured: &Measured) -> [(Phase, &Cluster); 9] {
    [
        (Phase::Open, &measured.open),
        (Phase::Handshake, &measured.handshake),
        (Phase::Authentication, &measured.authentication),
        (Phase::KeyDerivation, &measured.key_derivation),
        (Phase::Discovery, &measured.discovery),
        (Phase::FirstExchange, &measured.first_exchange),
        (Phase::SteadyState, &measured.steady_state),
        (Phase::Close, &measured.close),
        (Phase::Uncorrected, &measured.uncorrected),
    ]
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::names::{IF_TABLE, SYS_NAME, get, oid};

    #[test]
    fn an_answer_with_fewer_objects_than_were_asked_for_is_no_answer() {
        let request = Request::GetBulk {
            names: vec![oid(IF_TABLE)],
            non_repeaters: 0,
            max_repetitions: 264,
        };
        let task = SessionTask::new(Scheme::V2c, TransportKind::Tcp, request);
        assert!(task.shortage(264.0).is_none());
        assert!(task.shortage(100.0).is_some_and(|why| why.contains("264")));
        let task = SessionTask::new(Scheme::V2c, TransportKind::Tcp, get(SYS_NAME));
        assert!(task.shortage(1.0).is_none());
    }

    #[test]
    fn sessions_that_were_not_resumed_are_not_taken_for_resumed_ones() {
        let full =
            SessionTask::new(Scheme::V3Transport, TransportKind::Dtls, get(SYS_NAME)).of(5, 1);
        assert!(full.not_resumed(0).is_none());
        let resumed = SessionTask {
            is_resumed: true,
            ..full
        };
        assert!(resumed.not_resumed(5).is_none());
        let why = resumed.not_resumed(3).unwrap();
        assert!(why.starts_with("3 of 5 sessions were resumed"), "{why}");
    }
}
