use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use varbind_engine::instrumentation::{NotStored, Storage};

/// How often the configuration of an agent has changed, and when: by its file, or by a SetRequest.
///
/// HTTP has times in whole seconds. Invariant: a reported second stands for one state alone. A further change in
/// the same second counts as one of the next second.
#[derive(Debug)]
pub(crate) struct ConfigurationChanges(Mutex<State>);

#[derive(Debug)]
struct State {
    revision: u64,
    /// The second of the last change, since 1970.
    second: u64,
    /// Whether that second was reported.
    is_told: bool,
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

impl ConfigurationChanges {
    pub(super) fn new(now: SystemTime) -> Self {
        Self(Mutex::new(State {
            revision: 0,
            second: seconds(now),
            is_told: false,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, now: SystemTime) {
        let mut state = self.state();
        let next = state.second + u64::from(state.is_told);
        state.second = seconds(now).max(next);
        state.is_told = false;
        state.revision += 1;
    }

    /// The number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        self.state().revision
    }

    /// When the last change was; `None` if that is after `now`.
    pub(super) fn last(&self, now: SystemTime) -> Option<SystemTime> {
        let mut state = self.state();
        if state.second > seconds(now) {
            return None;
        }
        state.is_told = true;
        Some(UNIX_EPOCH + Duration::from_secs(state.second))
    }

    /// Whether the configuration changed after that second.
    pub(super) fn is_after(&self, time: SystemTime) -> bool {
        self.state().second > seconds(time)
    }
}

/// Notes each change that is on stable storage.
pub(super) struct NotedStorage {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) changes: Arc<ConfigurationChanges>,
}

impl Storage for NotedStorage {
    fn make_durable(&self) -> Result<(), NotStored> {
        self.storage.make_durable()?;
        self.changes.note(SystemTime::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn told_second_stands_for_one_state() {
        let changes = ConfigurationChanges::new(at(10));
        assert_eq!(changes.last(at(20)), Some(at(10)));
        changes.note(at(20));
        assert!(changes.is_after(at(10)) && !changes.is_after(at(20)));
        changes.note(at(20));
        assert_eq!(changes.last(at(20)), Some(at(20)));
        changes.note(at(20));
        assert!(changes.is_after(at(20)));
        assert_eq!(changes.last(at(20)), None);
        assert_eq!(changes.last(at(21)), Some(at(21)));
        assert_eq!(changes.revision(), 3);
    }

    #[test]
    fn clock_that_goes_back_makes_no_change_older() {
        let changes = ConfigurationChanges::new(at(10));
        changes.note(at(5));
        assert!(!changes.is_after(at(10)));
        assert_eq!(changes.last(at(10)), Some(at(10)));
        changes.note(at(5));
        assert!(changes.is_after(at(10)));
    }
}
