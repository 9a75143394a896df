//! What the arguments ask for.

use std::path::PathBuf;
use std::time::Duration;

use varbind::codec::message::{SecurityLevel, Version};
use varbind::codec::smi::VarBind;
use varbind_lab::bench::BenchOptions;
use varbind_lab::hostile::HostileOptions;
use varbind_lab::many_targets::ManyTargetsOptions;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::request::Assignment;
use varbind_mib::RangeCheck;
use varbind_terminal::{Failure, assignments, object_names};

use super::Arguments;
use crate::agent_arguments::target;
use crate::programs;

impl Arguments {
    pub(super) fn options(&self) -> Result<BenchOptions, Failure> {
        let mib = self.mib.mib()?;
        let agent = self.agent.as_ref().map(target).transpose()?;
        if let (None, Some(option)) = (agent, self.of_agent.given()) {
            return Err(Failure::Usage(format!(
                "{option} is about an agent that runs already: name it with --agent"
            )));
        }
        let varbind = match agent {
            // Beside an agent that runs already, nothing of varbind is started.
            Some(_) => PathBuf::from(programs::VARBIND),
            None => programs::varbind()?,
        };
        let mut options = BenchOptions::new(varbind);
        options.agent = agent;
        options.echo = Some(programs::echo()?);
        options.holder = Some(programs::holder()?);
        let accesses = |agent| self.of_agent.accesses(agent);
        options.accesses = self.agent.as_ref().map(accesses).transpose()?.flatten();
        options.compare.clone_from(&self.compare);
        options.user = self.of_agent.account()?;
        options.derives_per_session = self.derive_per_session;
        options.names = object_names::names(&mib, &self.names)?;
        options.assignments = assignments::read(&mib, &self.set, RangeCheck::Enforce)?
            .into_iter()
            .map(|VarBind { name, value }| Assignment { name, value })
            .collect();
        options.sessions = self.sessions;
        options.exchanges = self.exchanges;
        options.repetitions = self.repetitions;
        options.seed = self.seed;
        options.quick = self.quick;
        options.figures = !self.no_figures;
        options.mode = self.mode();
        options.placement = self.placement.into();
        self.replace_defaults(&mut options)?;
        Ok(options)
    }

    /// What hostile peers are to do.
    pub(super) fn hostile_options(&self) -> Result<HostileOptions, Failure> {
        let transports = self.transports.iter().copied().map(TransportKind::from);
        let transports: Vec<TransportKind> = transports.collect();
        Ok(HostileOptions {
            varbind: programs::varbind()?,
            transports: if transports.is_empty() {
                TransportKind::ALL.to_vec()
            } else {
                transports
            },
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

    /// What is given takes the place of the laboratory's own choice.
    fn replace_defaults(&self, options: &mut BenchOptions) -> Result<(), Failure> {
        if let Some(community) = self.of_agent.community()? {
            options.community = community;
        }
        if let Some(community) = self.of_agent.write_community()? {
            options.write_community = community;
        }
        if !self.versions.is_empty() {
            options.versions = self.versions.iter().copied().map(Version::from).collect();
        }
        if !self.security_levels.is_empty() {
            let levels = self.security_levels.iter().copied();
            options.security_levels = levels.map(SecurityLevel::from).collect();
        }
        if !self.authentication.is_empty() {
            options.authentication.clone_from(&self.authentication);
        }
        if !self.privacy.is_empty() {
            options.privacy.clone_from(&self.privacy);
        }
        if let Some(agent) = options.agent {
            options.transports = vec![agent.transport];
        }
        if !self.transports.is_empty() {
            let transports = self.transports.iter().copied();
            options.transports = transports.map(TransportKind::from).collect();
        }
        if !self.requests.is_empty() {
            options.requests.clone_from(&self.requests);
        }
        options.non_repeaters = self.non_repeaters.unwrap_or(options.non_repeaters);
        options.max_repetitions = self.max_repetitions.unwrap_or(options.max_repetitions);
        options.timeout = self.timeout.unwrap_or(options.timeout);
        options.retries = self.retries.unwrap_or(options.retries);
        options.open_sessions = self.open_sessions.unwrap_or(options.open_sessions);
        options.soak = self.soak.map(Duration::from_secs);
        Ok(())
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
