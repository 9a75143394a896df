//! What the arguments ask for.

use std::ffi::OsString;
use std::time::Duration;

use varbind::codec::message::{SecurityLevel, Version};
use varbind::codec::smi::VarBind;
use varbind::transport::TransportAddress;
use varbind_lab::bench::{BenchOptions, RequestKind, bench_study};
use varbind_lab::hostile::HostileOptions;
use varbind_lab::many_targets::ManyTargetsOptions;
use varbind_lab::measurement::{Mode, Placement, TransportKind};
use varbind_lab::request::Assignment;
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol, Scheme};
use varbind_lab::soak::SoakOptions;
use varbind_lab::study::{
    CommandWords, ExternalAgent, Interruption, RunOptions, Scope, SubjectName,
};
use varbind_lab::subject::Subject;
use varbind_mib::RangeCheck;
use varbind_terminal::{Failure, assignments, object_names};

use super::super::study::{agent_at, try_agent};
use super::Arguments;
use super::names::VersionName;
use crate::programs;

impl Arguments {
    /// The study that is run, its subjects, and where its observations go.
    pub(super) fn run_options(&self, words: Vec<OsString>) -> Result<RunOptions, Failure> {
        // Before the agent is asked: it must not be for nothing.
        let study = bench_study(&self.bench_options()?);
        let study = study.map_err(|error| Failure::Usage(error.to_string()))?;
        let external = self.external()?;
        let mut subjects = vec![match &external {
            Some(agent) => SubjectName::External(agent.name),
            None => SubjectName::Varbind,
        }];
        if !self.compare.is_empty() {
            Subject::net_snmp().map_err(|missing| Failure::Usage(missing.to_string()))?;
            subjects.push(SubjectName::NetSnmp);
        }
        Ok(RunOptions {
            studies: vec![study],
            scope: match self.quick {
                true => Scope::Quick,
                false => Scope::Full,
            },
            program: programs::site(&subjects)?,
            subjects,
            seed: self.seed,
            repetitions: self.repetitions,
            precision: None,
            within: None,
            network: None,
            slow: None,
            external: external.map(|agent| (agent, CommandWords(words))),
            directory: self.out.clone().unwrap_or_default(),
            is_kept: self.out.is_some(),
            replay: None,
            interruption: Interruption::default(),
        })
    }

    /// The agent of --agent, which has answered once.
    fn external(&self) -> Result<Option<ExternalAgent>, Failure> {
        let addresses: Vec<&TransportAddress> = self.agent.iter().collect();
        let authentication = self.authentication.first();
        let privacy = self.privacy.first();
        let protocols = (
            authentication
                .copied()
                .unwrap_or(AuthenticationProtocol::Sha1),
            privacy.copied().unwrap_or(PrivacyProtocol::Aes128),
        );
        let mut external = agent_at(&addresses, &self.of_agent, protocols, self.name, "--agent")?;
        if let Some(agent) = &mut external {
            // A user who asks for Set requests permits them.
            agent.may_be_set |= !self.set.is_empty() || self.requests.contains(&RequestKind::Set);
            try_agent(agent, &self.of_agent, self.first())?;
        }
        Ok(external)
    }

    /// The version of the first request with a community.
    pub(crate) fn first(&self) -> Scheme {
        let is_v1 = |one: &VersionName| matches!(one, VersionName::V1);
        match !self.versions.is_empty() && self.versions.iter().all(is_v1) {
            true => Scheme::V1,
            false => Scheme::V2c,
        }
    }

    fn bench_options(&self) -> Result<BenchOptions, Failure> {
        let mib = self.mib.mib()?;
        let transports = self.transports();
        let usual = BenchOptions::default();
        let assignments = assignments::read(&mib, &self.set, RangeCheck::Enforce)?;
        let assignments = assignments.into_iter();
        Ok(BenchOptions {
            versions: self.versions.iter().copied().map(Version::from).collect(),
            security_levels: {
                let levels = self.security_levels.iter().copied();
                levels.map(SecurityLevel::from).collect()
            },
            authentication: match self.authentication.as_slice() {
                [] => usual.authentication,
                given => given.to_vec(),
            },
            privacy: match self.privacy.as_slice() {
                [] => usual.privacy,
                given => given.to_vec(),
            },
            derives_per_session: self.derive_per_session,
            transports,
            requests: match self.requests.as_slice() {
                [] => usual.requests,
                given => given.to_vec(),
            },
            names: object_names::names(&mib, &self.names)?,
            assignments: assignments
                .map(|VarBind { name, value }| Assignment { name, value })
                .collect(),
            non_repeaters: self.non_repeaters.unwrap_or(usual.non_repeaters),
            max_repetitions: self.max_repetitions.unwrap_or(usual.max_repetitions),
            sessions: self.sessions,
            exchanges: self.exchanges,
            mode: self.mode(),
            // An agent that runs already cannot be placed, so the others are not placed either.
            placement: match self.agent {
                Some(_) => Placement::Free,
                None => self.placement.into(),
            },
            timeout: self.timeout.unwrap_or(usual.timeout),
            retries: self.retries.unwrap_or(usual.retries),
            open_sessions: self.open_sessions,
            has_figures: !self.no_figures,
        })
    }

    /// Those that are named; all, or that of an agent that runs already.
    fn transports(&self) -> Vec<TransportKind> {
        let given = self.transports.iter().copied().map(TransportKind::from);
        let given: Vec<TransportKind> = given.collect();
        match (&self.agent, given.is_empty()) {
            (_, false) => given,
            (None, true) => TransportKind::ALL.to_vec(),
            (Some(agent), true) => {
                let all = TransportKind::ALL.into_iter();
                all.filter(|one| one.of_library() == agent.transport)
                    .collect()
            }
        }
    }

    /// Those of one agent for all of its sessions.
    fn transports_of_one_agent(&self) -> Result<Vec<TransportKind>, Failure> {
        let transports = self.transports();
        let has = |transport| transports.contains(&transport);
        match has(TransportKind::Tls) && has(TransportKind::LegacyTls) {
            true => Err(Failure::Usage(
                "an agent speaks TLS 1.0 over all its sessions of TLS: name tls or legacy-tls among the transports".to_owned(),
            )),
            false => Ok(transports),
        }
    }

    /// How long sessions are to come and go, if they are.
    pub(super) fn soak_options(&self) -> Result<Option<SoakOptions>, Failure> {
        let Some(seconds) = self.soak else {
            return Ok(None);
        };
        let usual = BenchOptions::default();
        Ok(Some(SoakOptions {
            varbind: programs::varbind()?,
            transports: self.transports_of_one_agent()?,
            cpu: Duration::from_secs(seconds),
            timeout: self.timeout.unwrap_or(usual.timeout),
            retries: self.retries.unwrap_or(usual.retries),
            seed: self.seed,
        }))
    }

    /// What hostile peers are to do.
    pub(super) fn hostile_options(&self) -> Result<HostileOptions, Failure> {
        Ok(HostileOptions {
            varbind: programs::varbind()?,
            transports: self.transports_of_one_agent()?,
            duration: self.attack_time,
            attacks: self.attack.clone(),
            seed: self.seed,
        })
    }

    /// What a client with many targets is to do.
    pub(super) fn many_targets_options(&self) -> Result<ManyTargetsOptions, Failure> {
        let (rounds, duration) = match self.quick {
            true => (3, Duration::from_millis(500)),
            false => (20, Duration::from_secs(2)),
        };
        Ok(ManyTargetsOptions {
            varbind: programs::varbind()?,
            runner: programs::targets_runner()?,
            targets: self.targets.clone(),
            rounds: self.repetitions.unwrap_or(rounds),
            duration,
            seed: self.seed,
        })
    }

    const fn mode(&self) -> Mode {
        match (self.window, self.burst, self.rate) {
            (Some(size), ..) => Mode::Window { size },
            (_, Some(size), _) => Mode::Burst { size },
            (.., Some(rate)) => Mode::Open { rate },
            _ => Mode::Closed,
        }
    }
}
