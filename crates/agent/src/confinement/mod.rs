//! The agent gives up what it does not need before it opens a socket or starts a thread: root, files beside those of its
//! configuration, system calls beside those of an agent.

mod capabilities;
mod error;
mod files;
mod landlock;
mod system_calls;
mod user;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::geteuid;

use crate::configuration::AgentConfiguration;
use crate::extensions::{Runner, Starter};
pub use error::ConfinementError;
use files::Files;
use user::ServiceUser;

/// Whether a mechanism of the kernel is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mechanism {
    /// Where the kernel has it.
    #[default]
    IfAvailable,
    /// The agent does not start without it.
    Required,
    Off,
}

/// What the configuration says of the process (`[process]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessSettings {
    /// Whose rights an agent has that root started; looked up at the start.
    pub(crate) user: Option<String>,
    pub(crate) landlock: Mechanism,
    pub(crate) seccomp: Mechanism,
}

impl ProcessSettings {
    /// The user, looked up.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(crate) fn service_user(&self) -> Result<Option<ServiceUser>, ConfinementError> {
        self.user.as_deref().map(ServiceUser::named).transpose()
    }
}

/// The program that a confined agent starts for its programs ([`run_programs`](crate::run_programs)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments. Its standard input is a socket to the agent.
    pub arguments: Vec<OsString>,
}

/// What an agent kept when it gave up the rest.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    /// Those that it may open; `None` for all that its user may.
    files: Option<Files>,
    /// Whether it can start programs by itself.
    is_kept_from_programs: bool,
    /// Who starts them.
    runner: Option<Arc<Runner>>,
    /// The checksum of the configuration in use.
    in_use: u32,
}

impl Confinement {
    /// Confines the calling thread, the only one of its process, and all that it starts from now on.
    ///
    /// # Errors
    /// When the user cannot be assumed, the process for programs cannot be started, or a mechanism that the configuration
    /// requires is missing.
    pub(crate) fn begin(
        configuration: &AgentConfiguration,
        file: &Path,
        runner: &RunnerCommand,
    ) -> Result<Self, ConfinementError> {
        let settings = &configuration.process;
        let checks_passwords = configuration.secure_transports.ssh.uses_pam();
        let is_confined = !checks_passwords
            && [settings.landlock, settings.seccomp]
                .iter()
                .any(|mechanism| *mechanism != Mechanism::Off);
        let user = settings.service_user()?;
        let user = user.filter(|user| !user.is_assumed());
        // Before anything is given up: it keeps the rights to run programs. It runs them for every agent, confined or not,
        // so that none of them outlives an agent that is killed.
        let runner = configuration
            .has_programs()
            .then(|| Runner::start(runner).map_err(ConfinementError::Runner))
            .transpose()?
            .map(Arc::new);
        if let Some(runner) = &runner {
            runner
                .read(configuration.checksum, None)
                .map_err(ConfinementError::Unread)?;
        }
        let is_of_root = user.is_none() && geteuid().is_root();
        let mut files = Files::of(configuration, file, is_of_root);
        files.make_directories(user.as_ref())?;
        if let Some(user) = &user {
            user.assume(configuration.agentx_group())?;
        }
        if checks_passwords && is_required(settings) {
            return Err(ConfinementError::Pam);
        }
        let gives_up_capabilities = is_of_root && is_confined;
        if gives_up_capabilities {
            let kept = capabilities::needed(&files, configuration.agentx_group());
            capabilities::keep(kept)
                .map_err(|error| ConfinementError::Capabilities(error.into()))?;
            log::debug!("of root's capabilities are kept: {kept:?}");
        }
        let mut confinement = Self {
            files: None,
            is_kept_from_programs: user.is_some() || gives_up_capabilities,
            runner,
            in_use: configuration.checksum,
        };
        if is_confined && landlock::restrict(&files, settings.landlock)? {
            log::debug!("confined by Landlock to {files:?}");
            confinement.files = Some(files);
            confinement.is_kept_from_programs = true;
        }
        if is_confined && system_calls::restrict(settings.seccomp)? {
            log::debug!("confined by seccomp");
            confinement.is_kept_from_programs = true;
        }
        if checks_passwords {
            log::info!("not confined by Landlock and seccomp, which PAM does not work with");
        }
        Ok(confinement)
    }

    /// Who starts the programs of a configuration with this checksum.
    pub(crate) fn starter(&self) -> Starter {
        self.runner.clone().map_or(Starter::Agent, Starter::Runner)
    }

    /// Whether a process of root stands by to run programs as other users.
    pub(crate) fn is_beside_root(&self) -> bool {
        self.runner
            .as_ref()
            .is_some_and(|runner| runner.is_of_root())
    }

    /// Ends what runs programs, with all that run, and waits for that.
    pub(crate) fn end_programs(&self) {
        if let Some(runner) = &self.runner {
            runner.shutdown();
        }
    }

    /// Takes down that a configuration with this checksum is in use.
    pub(crate) const fn adopt(&mut self, checksum: u32) {
        self.in_use = checksum;
    }

    /// Whether a new configuration needs nothing that was given up. Its programs can be run afterwards, beside those in use.
    ///
    /// # Errors
    /// With what it needs.
    pub(crate) fn check(
        &self,
        configuration: &AgentConfiguration,
        file: &Path,
    ) -> Result<(), ConfinementError> {
        if self.is_kept_from_programs && self.runner.is_none() && configuration.has_programs() {
            return Err(ConfinementError::NoRunner);
        }
        self.check_files(configuration, file)?;
        match &self.runner {
            Some(runner) if configuration.has_programs() => runner
                .read(configuration.checksum, Some(self.in_use))
                .map_err(ConfinementError::Unread),
            _ => Ok(()),
        }
    }

    fn check_files(
        &self,
        configuration: &AgentConfiguration,
        file: &Path,
    ) -> Result<(), ConfinementError> {
        let Some(kept) = &self.files else {
            return Ok(());
        };
        if needs_state(configuration) && kept.written.is_empty() {
            let path = configuration.state_directory.clone();
            return Err(ConfinementError::Beyond { path });
        }
        match Files::of(configuration, file, geteuid().is_root()).first_beyond(kept) {
            Some(path) => Err(ConfinementError::Beyond { path }),
            None => Ok(()),
        }
    }
}

/// Whether the agent writes into its state directory.
fn needs_state(configuration: &AgentConfiguration) -> bool {
    configuration.needs_state() || !configuration.targets.is_empty()
}

const fn is_required(settings: &ProcessSettings) -> bool {
    matches!(settings.landlock, Mechanism::Required)
        || matches!(settings.seccomp, Mechanism::Required)
}
