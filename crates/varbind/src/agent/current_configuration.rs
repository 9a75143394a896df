use std::fmt;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use varbind_engine::local_configuration::LocalConfiguration;

/// The users, views and objects of an agent, whichever it has at the moment.
#[derive(Clone)]
pub struct CurrentConfiguration(Arc<ArcSwap<LocalConfiguration>>);

impl CurrentConfiguration {
    pub(super) fn new(local: LocalConfiguration) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(local)))
    }

    /// Those of this moment, to be kept as long as it takes to use them.
    #[must_use]
    pub fn load_full(&self) -> Arc<LocalConfiguration> {
        self.0.load_full()
    }

    /// The same, borrowed for a short time.
    pub(crate) fn load(&self) -> Guard<Arc<LocalConfiguration>> {
        self.0.load()
    }

    /// Puts others in their place. Requests in progress finish with the former ones.
    pub fn replace(&self, local: LocalConfiguration) {
        self.0.store(Arc::new(local));
    }
}

impl fmt::Debug for CurrentConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentConfiguration")
            .finish_non_exhaustive()
    }
}
