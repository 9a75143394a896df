//! The agent's configuration: one TOML file, in which everything has a default.

mod access;
mod agentx;
mod document;
mod error;
mod exposure;
mod extend;
mod host;
mod host_limits;
mod limits;
mod monitor;
mod notification;
mod pass;
mod permissions;
mod process;
mod program;
mod proxy;
mod reach;
mod risks;
mod scalar;
mod secure_transports;
mod user;
pub mod value;
mod web;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::Oid;
use varbind_engine::access_control::VacmBuilder;
use varbind_engine::applications::command_generator::MessageProcessing;
#[cfg(feature = "experiments")]
use varbind_engine::compression::CompressionSet;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::CommunityTable;

use crate::agentx::AgentxAddress;
use crate::confinement::ProcessSettings;
use crate::extensions::{Extension, PassSubtree};
use crate::monitors::Monitor;
use crate::persistence::crc32;
use access::AccessControl;
pub(crate) use agentx::SubagentSettings;
use document::Document;
#[cfg(not(feature = "experiments"))]
pub use error::NO_EXPERIMENTS;
use error::Problem;
pub use error::{ConfigurationError, Place, toml_message};
pub(crate) use host::{HostSettings, WatchedProcess};
pub(crate) use host_limits::DiskMinimum;
pub(crate) use notification::{ConfiguredTarget, credentials};
pub(crate) use program::Runs;
pub(crate) use proxy::{ConfiguredProxy, ProxyScope};
pub(crate) use scalar::ConfiguredScalar;
pub use secure_transports::{CertificateFileError, SshServerError};
pub(crate) use secure_transports::{ConfiguredSsh, LoadedTls, SecureTransports, usual_host_keys};
pub(crate) use user::{Authentication, ConfiguredUser, Secret};
pub(crate) use web::{WebAddress, WebSettings};

/// sysServices: end-to-end and applications, a host (RFC 3418).
const HOST_SERVICES: i32 = 72;
const COUNTERS_MAX_AGE: Duration = Duration::from_millis(100);
/// The configuration that is read where no other one is named, if it exists.
pub const DEFAULT_CONFIGURATION: &str = "/etc/varbind/agent.toml";
/// Where files are sought if there is no configuration.
const DIRECTORY: &str = "/etc/varbind";
const DEFAULT_LISTEN: [&str; 2] = ["127.0.0.1", "::1"];

/// What the agent is configured with.
#[derive(Debug)]
pub struct AgentConfiguration {
    pub(crate) listen: Vec<ListenAddress>,
    pub(crate) state_directory: PathBuf,
    pub(crate) process: ProcessSettings,
    pub(crate) system: System,
    /// snmpEngineID, if it is not to be generated.
    pub(crate) engine_id: Option<EngineId>,
    pub(crate) communities: CommunityTable,
    pub(crate) users: Vec<ConfiguredUser>,
    /// The files that passwords and communities were read from.
    pub(crate) secret_files: Vec<PathBuf>,
    pub(crate) secure_transports: SecureTransports,
    pub(crate) access_control: VacmBuilder,
    pub(crate) allows_writing: bool,
    pub(crate) scalars: Vec<ConfiguredScalar>,
    /// How messages may be compressed.
    #[cfg(feature = "experiments")]
    pub(crate) compression: CompressionSet,
    pub(crate) limits: AgentLimits,
    pub(crate) counters_max_age: Duration,
    pub(crate) host: HostSettings,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) pass_subtrees: Vec<PassSubtree>,
    pub(crate) monitors: Vec<Monitor>,
    /// How subagents are served.
    pub(crate) agentx: SubagentSettings,
    pub(crate) targets: Vec<ConfiguredTarget>,
    /// Other agents that requests are passed on to.
    pub(crate) proxies: Vec<ConfiguredProxy>,
    /// Where their notifications arrive.
    pub(crate) notification_listen: Vec<TransportAddress>,
    pub(crate) web: WebSettings,
    /// snmpEnableAuthenTraps, unless it was set by SNMP.
    pub(crate) tells_authentication_failures: bool,
    /// Of the text, by which another configuration is known.
    pub(crate) checksum: u32,
    /// Settings that are valid but unsafe or probably mistakes.
    pub(crate) warnings: Vec<String>,
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    pub(crate) address: TransportAddress,
    /// Whether the agent does without it where the host has no such address: so are the addresses of IPv6 that nobody
    /// asked for.
    pub(crate) is_optional: bool,
}

impl ListenAddress {
    /// An address without which the agent does not start.
    pub(crate) const fn required(address: TransportAddress) -> Self {
        Self {
            address,
            is_optional: false,
        }
    }
}

/// The system group (RFC 3418), where it is not what the host says.
#[derive(Debug)]
pub(crate) struct System {
    pub(crate) description: Option<String>,
    pub(crate) object_id: Option<Oid>,
    pub(crate) contact: String,
    pub(crate) name: Option<String>,
    pub(crate) location: String,
    pub(crate) services: i32,
}

impl From<document::System> for System {
    fn from(written: document::System) -> Self {
        Self {
            description: written.description.map(|text| text.0),
            object_id: written.object_id.map(|name| name.0),
            contact: written.contact.map(|text| text.0).unwrap_or_default(),
            name: written.name.map(|text| text.0),
            location: written.location.map(|text| text.0).unwrap_or_default(),
            services: written
                .services
                .map_or(HOST_SERVICES, |services| services.0),
        }
    }
}

impl AgentConfiguration {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or something in it is wrong: the error names the line and what is allowed.
    pub fn load(path: &Path) -> Result<Self, ConfigurationError> {
        Self::load_for(path, Runs::ByThisProcess)
    }

    /// The same for an agent whose programs this process runs, or another one of root.
    pub(crate) fn load_for(path: &Path, runs: Runs) -> Result<Self, ConfigurationError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigurationError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut configuration =
            Self::parse(&text, directory, runs).map_err(|problem| problem.in_file(path, &text))?;
        let users = &configuration.users;
        let mut warnings: Vec<_> = users.iter().flat_map(ConfiguredUser::weaknesses).collect();
        if users.iter().any(ConfiguredUser::has_secret) {
            warnings.extend(user::readable_by_others(path, "secrets of users"));
        }
        configuration.warnings.extend(warnings);
        Ok(configuration)
    }

    /// Logs settings that are valid but unsafe or probably mistakes.
    pub(crate) fn log_warnings(&self) {
        for warning in &self.warnings {
            log::warn!("{warning}");
        }
    }

    /// Whether the agent has to keep something: what is set, or who it is in SNMPv3.
    pub(crate) fn needs_state(&self) -> bool {
        self.allows_writing || self.uses_v3()
    }

    /// Whether somebody may speak SNMPv3, or is told something in it: a user, or whoever a secure transport knows.
    pub(crate) fn uses_v3(&self) -> bool {
        let mut listen = self.listen.iter();
        let mut targets = self.targets.iter();
        !self.users.is_empty()
            || targets.any(|target| matches!(target.processing, MessageProcessing::V3(_)))
            || listen.any(|listen| listen.address.transport.is_secure())
            || self.secure_transports.ssh.subsystem.is_some()
    }

    /// Whether it names programs to be run.
    pub(crate) const fn has_programs(&self) -> bool {
        !self.extensions.is_empty() || !self.pass_subtrees.is_empty()
    }

    /// The group whose members connect to the socket for subagents.
    pub(crate) fn agentx_group(&self) -> Option<u32> {
        self.agentx
            .addresses
            .iter()
            .find_map(|address| match address {
                AgentxAddress::Unix { group, .. } => *group,
                AgentxAddress::Tcp(_) => None,
            })
    }

    /// Whether it listens on SSH.
    pub(crate) fn listens_ssh(&self) -> bool {
        let mut listen = self.listen.iter();
        listen.any(|listen| listen.address.transport == Transport::Ssh)
    }

    /// Makes this agent the front of another one: it serves no objects of its own.
    ///
    /// # Errors
    /// When the configuration has a target for the default context already, or the agent listens at the address of the other.
    pub(crate) fn become_front(
        &mut self,
        address: TransportAddress,
        processing: MessageProcessing,
    ) -> Result<(), ConfigurationError> {
        let wrong = |message: String| Problem::anywhere(message).in_file(Path::new("--front"), "");
        let is_default = |proxy: &&ConfiguredProxy| proxy.access_context().is_empty();
        if let Some(other) = self.proxies.iter().find(is_default) {
            return Err(wrong(format!(
                "{:?} of [[proxy]] passes on requests for the default context already: remove it, or --front",
                other.name
            )));
        }
        let front = ConfiguredProxy::front(address, processing);
        proxy::check_loops([&front], &self.listen)
            .map_err(|problem| problem.in_file(Path::new("--front"), ""))?;
        self.proxies.push(front);
        let mut listen = self.listen.iter().map(|listen| &listen.address);
        if !listen.any(|address| address.transport.is_secure()) {
            self.warnings.push(
                "this front has no TLS, DTLS or SSH yet: `varbind agent --init` makes certificates and a configuration".to_owned(),
            );
        }
        Ok(())
    }

    /// What holds without a file: `public` may read from this host.
    ///
    /// # Errors
    /// None is known: the defaults pass the same checks as a file.
    pub fn without_file() -> Result<Self, ConfigurationError> {
        Self::parse("", Path::new(DIRECTORY), Runs::ByThisProcess)
            .map_err(|problem| problem.in_file(Path::new("(defaults)"), ""))
    }

    /// Reads a text as if it were a file in `directory`.
    pub(crate) fn parse_in(text: &str, directory: &Path) -> Result<Self, ConfigurationError> {
        Self::parse(text, directory, Runs::ByThisProcess)
            .map_err(|problem| problem.in_file(directory, text))
    }

    fn parse(text: &str, directory: &Path, runs: Runs) -> Result<Self, Problem> {
        let document: Document =
            toml::from_str(text).map_err(|error| Problem::of_toml::<Document>(&error, text))?;
        let (access_control, document) = AccessControl::new(document, directory)?;
        let AccessControl {
            communities,
            users,
            vacm,
            allows_writing,
            targets,
            secret_files,
            proxies,
            mut warnings,
        } = access_control;

        let targets = notification::targets(targets, &users)?;
        let process = process::settings(document.process);
        let limits = limits::limits(&document.limits);
        #[cfg(feature = "experiments")]
        let compression = document.compression.iter().map(|it| it.0).collect();
        #[cfg(feature = "experiments")]
        let limits = limits::with_dictionaries(limits, &document.limits, compression);
        let secure_transports = SecureTransports::new(
            document.tls,
            document.ssh,
            document.transport_security_model.use_prefix,
            directory,
        )?;
        let listen = listen(document.listen);
        proxy::check_loops(&proxies, &listen)?;
        let notification_listen =
            proxy::notification_listen(document.notifications.listen, &proxies, &mut warnings)?;
        Ok(Self {
            secure_transports,
            listen,
            state_directory: document
                .state_directory
                .unwrap_or_else(|| usual_state_directory(process.user.is_some())),
            process,
            system: document.system.into(),
            engine_id: document.engine.id.map(|id| id.0),
            communities,
            users,
            secret_files,
            access_control: vacm,
            allows_writing,
            scalars: scalar::scalars(document.scalar)?,
            limits,
            #[cfg(feature = "experiments")]
            compression,
            counters_max_age: document
                .counters
                .max_age
                .map_or(COUNTERS_MAX_AGE, |age| age.0),
            host: HostSettings::new(document.host),
            extensions: extend::extensions(document.extend, runs)?,
            pass_subtrees: pass::subtrees(document.pass, runs)?,
            monitors: monitor::monitors(document.monitor, document.notifications.default_monitors)?,
            agentx: agentx::settings(document.agentx)?,
            targets,
            proxies,
            notification_listen,
            web: WebSettings::new(document.web),
            tells_authentication_failures: document.notifications.authentication_failure,
            checksum: crc32(text.as_bytes()),
            warnings,
        })
    }
}

fn listen(written: Option<Vec<document::ListenAddress>>) -> Vec<ListenAddress> {
    written.map_or_else(default_listen, |addresses| {
        let addresses = addresses.into_iter();
        addresses
            .map(|address| ListenAddress::required(address.0))
            .collect()
    })
}

fn default_listen() -> Vec<ListenAddress> {
    DEFAULT_LISTEN
        .iter()
        .flat_map(|host| {
            [Transport::Udp, Transport::Tcp].map(|transport| ListenAddress {
                address: TransportAddress {
                    transport,
                    family: None,
                    user: None,
                    host: (*host).to_owned(),
                    port: Some(transport.agent_port()),
                },
                is_optional: host.contains(':'),
            })
        })
        .collect()
}

/// The directory that the service manager made, or /var/lib/varbind where the agent may write there as the superuser, else the
/// directory that the XDG base directory specification gives.
#[must_use]
pub fn default_state_directory() -> PathBuf {
    usual_state_directory(false)
}

/// The same for an agent that is a `service`, whose user has no directory of its own.
fn usual_state_directory(is_service: bool) -> PathBuf {
    // Of several directories the first one.
    let made = std::env::var("STATE_DIRECTORY").unwrap_or_default();
    if let Some(first) = made
        .split(':')
        .next()
        .filter(|first| first.starts_with('/'))
    {
        return PathBuf::from(first);
    }
    let is_superuser = fs::metadata("/proc/self")
        .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0);
    if is_superuser || is_service {
        return PathBuf::from("/var/lib/varbind");
    }
    let from = |variable: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    from("XDG_STATE_HOME")
        .or_else(|| from("HOME").map(|home| home.join(".local/state")))
        .unwrap_or_else(|| PathBuf::from("/var/lib"))
        .join("varbind")
}

#[cfg(test)]
mod tests;
