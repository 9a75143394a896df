//! Agents under test: ours and foreign ones behind one type.

mod agent;
mod child;
mod command_line;
mod credentials;
mod demands;
mod directory;
mod echo;
mod error;
mod experiments;
mod first_answer;
mod holder;
mod net_snmp;
mod netconfd;
mod receiver;
mod running;
mod secure_keys;
mod users;
mod varbind;

pub(crate) use self::varbind::has_experiments;
pub use agent::Agent;
pub(crate) use child::command_line;
pub use child::find_executable;
pub use command_line::{CommandQuestion, OwnCommand};
pub use credentials::{Credentials, Users};
pub use demands::{CounterCache, Demands, Storage};
pub(crate) use directory::remove_directories_of;
pub use echo::{Echo, EchoProgram, serve_echo};
pub use error::SubjectError;
pub use experiments::SshHandicap;
pub(crate) use experiments::{HAS_EXPERIMENTS, NO_EXPERIMENTS, without_experiments};
pub(crate) use first_answer::FirstAnswer;
pub use holder::{HeldSessions, Holder, HolderProgram, hold_sessions};
pub(crate) use net_snmp::speaks as net_snmp_speaks;
pub(crate) use netconfd::Netconfd;
pub(crate) use receiver::{Receiver, SENDER};
pub use running::{AgentAddress, RunningAgent};
pub use secure_keys::{MANAGER, SecureAccesses};
pub use users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, many_users, user_name};

use std::path::PathBuf;

use crate::measurement::{SubjectDescription, TransportKind};
use crate::security::Scheme;

/// The community with read access that the laboratory gives the agents that it starts.
pub const READ_COMMUNITY: &str = "public";
/// The community with write access that the laboratory gives the agents that it starts.
pub const WRITE_COMMUNITY: &str = "private";

/// Whether this build has a transport: TLS by OpenSSL is for obsolete versions and suites.
pub(crate) const fn is_built(transport: TransportKind) -> bool {
    match transport {
        TransportKind::LegacyTls => cfg!(feature = "openssl-tls"),
        TransportKind::IntegrityOnlyTls | TransportKind::LegacyAesTls => {
            cfg!(feature = "openssl-tls") && HAS_EXPERIMENTS
        }
        _ => true,
    }
}

/// An agent that can be measured.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Our agent: `varbind agent`.
    Varbind {
        /// The varbind executable.
        executable: PathBuf,
    },
    /// Net-SNMP's snmpd.
    NetSnmp {
        /// The snmpd executable.
        executable: PathBuf,
    },
    /// An agent that runs already, anywhere.
    External(RunningAgent),
}

impl Subject {
    /// snmpd, where it is installed.
    ///
    /// # Errors
    /// `NotInstalled`.
    pub fn net_snmp() -> Result<Self, SubjectError> {
        find_executable("snmpd")
            .map(|executable| Self::NetSnmp { executable })
            .ok_or(SubjectError::NotInstalled {
                program: "snmpd",
                package: "snmpd",
            })
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Varbind { .. } => "varbind".into(),
            Self::NetSnmp { .. } => "net-snmp".into(),
            Self::External(agent) => agent.name(),
        }
    }

    /// What a report says of it.
    #[must_use]
    pub fn describe(&self) -> SubjectDescription {
        let (version, origin) = match self {
            Self::Varbind { executable } => (
                varbind::version(executable),
                executable.display().to_string(),
            ),
            Self::NetSnmp { executable } => (
                net_snmp::version(executable),
                executable.display().to_string(),
            ),
            Self::External(agent) => ("unknown".into(), agent.name()),
        };
        SubjectDescription {
            name: self.name(),
            version,
            origin,
        }
    }

    /// Whether it can be asked over a transport, where it is configured for it.
    #[must_use]
    pub fn offers(&self, transport: TransportKind) -> bool {
        match self {
            Self::External(agent) => agent.transports().any(|one| one == transport),
            Self::Varbind { .. } => is_built(transport),
            Self::NetSnmp { .. } => net_snmp::speaks(transport),
        }
    }

    /// Whether its process is started, and so measured, here.
    #[must_use]
    pub const fn is_started_here(&self) -> bool {
        !matches!(self, Self::External(_))
    }

    /// How managers authenticate.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        match self {
            Self::Varbind { .. } | Self::NetSnmp { .. } => Credentials::of_laboratory(),
            Self::External(agent) => agent.credentials.clone(),
        }
    }

    /// Starts it with what is demanded, and waits for its first answer.
    ///
    /// # Errors
    /// If it cannot be started, ends at once, or does not answer.
    pub fn start(&self, demands: &Demands) -> Result<Agent, SubjectError> {
        self.start_until(demands, Scheme::V2c)
    }

    /// The same, where the first answer is one in this scheme.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_until(&self, demands: &Demands, first: Scheme) -> Result<Agent, SubjectError> {
        match self {
            Self::Varbind { executable } => varbind::start(executable, demands, first),
            Self::NetSnmp { executable } => net_snmp::start(executable, demands, first),
            Self::External(agent) => Agent::external(agent),
        }
    }
}
