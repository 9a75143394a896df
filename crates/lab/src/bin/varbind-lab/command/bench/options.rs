//! What the arguments ask for.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use varbind::codec::message::{SecurityLevel, Version};
use varbind::codec::smi::VarBind;
use varbind::transport::{Transport, TransportAddress};
use varbind_lab::bench::BenchOptions;
use varbind_lab::hostile::HostileOptions;
use varbind_lab::many_targets::ManyTargetsOptions;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::request::Assignment;
use varbind_lab::security::{Account, Password};
use varbind_lab::session::Target;
use varbind_lab::subject::SecureAccesses;
use varbind_mib::RangeCheck;
use varbind_terminal::secret::{SecretArgument, first_line};
use varbind_terminal::{Failure, assignments, object_names, secure_transport};

use super::Arguments;
use crate::programs;

impl Arguments {
    pub(super) fn options(&self) -> Result<BenchOptions, Failure> {
        let mib = self.mib.mib()?;
        let agent = self.agent.as_ref().map(target).transpose()?;
        let varbind = match agent {
            // Beside an agent that runs already, nothing of varbind is started.
            Some(_) => PathBuf::from(programs::VARBIND),
            None => programs::varbind()?,
        };
        let mut options = BenchOptions::new(varbind);
        options.agent = agent;
        options.echo = Some(programs::echo()?);
        options.holder = Some(programs::holder()?);
        options.accesses = self.accesses()?;
        options.compare.clone_from(&self.compare);
        options.user = self.account()?;
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
            false => (10, Duration::from_secs(2)),
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
        if let Some(community) = &self.community {
            options.community = text(community)?;
        }
        if let Some(community) = &self.write_community {
            options.write_community = text(community)?;
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

    /// What sessions with the agent that runs already need over a secure transport.
    fn accesses(&self) -> Result<Option<SecureAccesses>, Failure> {
        let Some(agent) = self.agent.as_ref().filter(|it| it.transport.is_secure()) else {
            return Ok(None);
        };
        let secure = secure_transport::options(agent, &self.certificate, &self.peer, &self.ssh)?;
        Ok(Some(SecureAccesses::of_agent(agent.clone(), secure)))
    }

    /// The user of the agent that runs already.
    fn account(&self) -> Result<Option<Account>, Failure> {
        let Some(name) = &self.user else {
            return Ok(None);
        };
        Ok(Some(Account {
            name: name.clone(),
            authentication_password: password(
                self.auth_password_file.as_deref(),
                "VARBIND_AUTH_PASSWORD",
            )?,
            privacy_password: password(
                self.priv_password_file.as_deref(),
                "VARBIND_PRIV_PASSWORD",
            )?,
        }))
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

fn text(community: &SecretArgument) -> Result<String, Failure> {
    String::from_utf8(community.0.clone())
        .map_err(|_| Failure::Usage("the community is not text in UTF-8".to_owned()))
}

/// A password from a file, or else from the environment.
fn password(file: Option<&Path>, variable: &str) -> Result<Option<Password>, Failure> {
    let (octets, origin) = match (file, std::env::var_os(variable)) {
        (Some(file), _) => (
            first_line(file, "password file")?,
            file.display().to_string(),
        ),
        (None, Some(value)) => (value.into_encoded_bytes(), variable.to_owned()),
        (None, None) => return Ok(None),
    };
    let password = Password::new(octets);
    let password = password.map_err(|error| Failure::Usage(format!("{origin}: {error}")))?;
    Ok(Some(password))
}

fn target(address: &TransportAddress) -> Result<Target, Failure> {
    let resolved = address
        .resolve(address.transport.agent_port())
        .map_err(|error| {
            Failure::Usage(format!(
                "the name {} cannot be resolved: {error}",
                address.host
            ))
        })?;
    // As the manager does.
    let preferred = resolved.iter().min_by_key(|socket| socket.is_ipv6());
    let socket: SocketAddr = preferred
        .copied()
        .ok_or_else(|| Failure::Usage(format!("the name {} has no address", address.host)))?;
    Ok(Target {
        transport: match address.transport {
            Transport::Udp => TransportKind::Udp,
            Transport::Tcp => TransportKind::Tcp,
            Transport::Tls => TransportKind::Tls,
            Transport::Dtls => TransportKind::Dtls,
            Transport::Ssh => TransportKind::Ssh,
        },
        address: socket,
    })
}
