use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use varbind::clock::Clock;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::statistics::Statistics;

use crate::AgentError;
use crate::configuration::Configuration;
use crate::managed_objects::build_registry;
use crate::operating_system::Interfaces;
use crate::persistence::{Mode, Store};

/// What the managed objects get their values from: the operating system, the values that were set, the engine's
/// counters. It outlives each configuration.
pub struct Instrumentation {
    pub(crate) interfaces: Arc<Interfaces>,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) store: Arc<Store>,
    state_directory: PathBuf,
}

impl Instrumentation {
    /// Opens the store, and reads the network interfaces of the network namespace of the calling thread, whose changes
    /// are followed from then on.
    ///
    /// # Errors
    /// When the store is used by another agent or cannot be read, or the kernel does not tell the interfaces.
    pub fn open(configuration: &Configuration, clock: Clock) -> Result<Self, AgentError> {
        let mode = if configuration.allows_writing {
            Mode::Write
        } else {
            Mode::Read
        };
        let store = Store::open(&configuration.state_directory, mode)?;
        let interfaces = Interfaces::watch(configuration.counters_max_age, clock)
            .map_err(|error| AgentError::Interfaces(error.to_string()))?;
        Ok(Self {
            interfaces,
            statistics: Arc::default(),
            store: Arc::new(store),
            state_directory: configuration.state_directory.clone(),
        })
    }

    /// Users, views and objects, as the engine takes them.
    ///
    /// # Errors
    /// When a scalar of the configuration has the name of another object, or values are to be set and another agent
    /// uses the state directory.
    pub fn local_configuration(
        &self,
        configuration: Configuration,
    ) -> Result<LocalConfiguration, AgentError> {
        let registry = build_registry(&configuration, self)?;
        if configuration.allows_writing {
            self.store.open_for_writing()?;
        }
        if configuration.state_directory != self.state_directory {
            log::warn!(
                "state-directory stays {} until the agent is restarted",
                self.state_directory.display()
            );
        }
        Ok(LocalConfiguration {
            communities: configuration.communities,
            access_control: configuration.access_control,
            contexts: HashMap::from([(String::new(), Arc::new(registry))]),
            ..LocalConfiguration::default()
        })
    }

    /// Counters of interfaces older than this are read again from now on.
    pub(crate) fn set_counters_max_age(&self, max_age: Duration) {
        self.interfaces.set_max_age(max_age);
    }

    /// The counters of the engine, which the snmp group shows.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Where values that are set are kept.
    #[must_use]
    pub const fn store(&self) -> &Arc<Store> {
        &self.store
    }
}

impl fmt::Debug for Instrumentation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instrumentation")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
