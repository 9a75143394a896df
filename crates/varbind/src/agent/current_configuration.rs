use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::{ArcSwap, Guard};
use varbind_engine::local_configuration::LocalConfiguration;

use super::configuration_changes::ConfigurationChanges;

/// The users, views and objects of an agent, whichever it has at the moment.
#[derive(Clone)]
pub struct CurrentConfiguration {
    local: Arc<ArcSwap<LocalConfiguration>>,
    changes: Arc<ConfigurationChanges>,
}

impl CurrentConfiguration {
    pub(super) fn new(local: LocalConfiguration, changes: Arc<ConfigurationChanges>) -> Self {
        Self {
            local: Arc::new(ArcSwap::from_pointee(local)),
            changes,
        }
    }

    /// Those of this moment, to be kept as long as it takes to use them.
    #[must_use]
    pub fn load_full(&self) -> Arc<LocalConfiguration> {
        self.local.load_full()
    }

    /// The same, borrowed for a short time.
    pub(crate) fn load(&self) -> Guard<Arc<LocalConfiguration>> {
        self.local.load()
    }

    /// Replaces them. Requests in progress finish with the old ones.
    pub fn replace(&self, local: LocalConfiguration) {
        self.local.store(Arc::new(local));
        // Afterwards: the new time must not be told with the former state.
        self.changes.note(SystemTime::now());
    }
}

impl fmt::Debug for CurrentConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentConfiguration")
            .finish_non_exhaustive()
    }
}
