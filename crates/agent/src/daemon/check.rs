//! Checking a configuration without a start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use varbind::clock::Clock;
use varbind_engine::security::usm::LocalEngine;

use super::secure_servers::SecureServers;
use super::{AgentError, DEFAULT_CONFIGURATION, Options};
use crate::configuration::Runs;
use crate::instrumentation::Instrumentation;
use crate::local_configuration::{Programs, build_contexts};
use crate::persistence::{EngineIdentity, EngineIdentityError, Mode, generate_engine_id};
use crate::user_keys::user_table;

/// A configuration that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The file; `None` if there is none, and the defaults count.
    pub path: Option<PathBuf>,
    /// Settings that are valid but unsafe or probably mistakes.
    pub warnings: Vec<String>,
    /// Where the agent would listen, and what each community and user may do, a line for each.
    pub permissions: Vec<String>,
}

/// Reads a configuration with all files that it names, as a start does. Nothing is listened on, and nothing is written.
///
/// # Errors
/// What would keep an agent from starting with it, as far as that can be known: another program may listen on an address.
pub fn check(options: &Options) -> Result<Checked, AgentError> {
    let mut configuration = options.load(Runs::ByThisProcess)?;
    let mut warnings = std::mem::take(&mut configuration.warnings);
    configuration.process.service_user()?;
    let instrumentation = Instrumentation::open_as(&configuration, Clock::start(), Mode::Read)?;
    let servers = SecureServers::new(&instrumentation);
    warnings.extend(servers.prepare(&mut configuration)?.warnings);
    let kept = match EngineIdentity::read(&configuration.state_directory) {
        Ok(kept) => kept,
        // Who checks need not be who runs the agent.
        Err(EngineIdentityError::Unreadable { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let engine = if configuration.uses_v3() {
        let kept = kept.map(|kept| kept.id);
        let id = configuration
            .engine_id
            .or(kept)
            .map_or_else(generate_engine_id, Ok)?;
        user_table(&configuration.users, &id).map_err(AgentError::Users)?;
        Some(Arc::new(LocalEngine::new(
            id,
            1,
            instrumentation.clock.now(),
            0,
        )))
    } else {
        None
    };
    // No program is started.
    let programs = Programs::new(&instrumentation, &configuration);
    let described = instrumentation.described_engine(&configuration)?;
    build_contexts(
        &configuration,
        &instrumentation,
        engine.as_ref(),
        &described,
        &programs,
    )?;
    let default = Path::new(DEFAULT_CONFIGURATION);
    let path = options.configuration.as_deref();
    Ok(Checked {
        path: path
            .or_else(|| default.exists().then_some(default))
            .map(Path::to_owned),
        warnings,
        permissions: configuration.permissions(),
    })
}
