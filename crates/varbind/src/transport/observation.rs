use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is found out while sessions are opened, also while one is opened in vain: for whoever examines a peer.
///
/// `T` is what the transport can tell: [`TlsFacts`](crate::transport::certificate::TlsFacts) or
/// [`SshFacts`](crate::transport::ssh::SshFacts).
#[derive(Debug, Default)]
pub struct Observation<T>(Mutex<T>);

impl<T: Default> Observation<T> {
    /// What was found out since this was called last.
    #[must_use]
    pub fn take(&self) -> T {
        std::mem::take(&mut self.facts())
    }

    /// Takes note of something, where anybody wants to know.
    pub(crate) fn note(observation: Option<&Self>, note: impl FnOnce(&mut T)) {
        if let Some(observation) = observation {
            note(&mut observation.facts());
        }
    }

    fn facts(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
