//! Values that Set requests have written.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use varbind_codec::smi::{Value, ValueRef};

/// How many values are kept of all devices together.
const MOST: usize = 100_000;

type Key = (u32, Box<[u32]>);

/// The values that were set, by device and name. They are gone when the simulator ends.
#[derive(Default)]
pub(crate) struct Writes {
    /// Set with the first entry.
    any: AtomicBool,
    values: Mutex<HashMap<Key, Value>>,
}

impl Writes {
    /// Shows the value that was set, if there is one.
    pub(crate) fn with<T>(
        &self,
        device: u32,
        name: &[u32],
        show: impl FnOnce(ValueRef<'_>) -> T,
    ) -> Option<T> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let values = self.values();
        values
            .get(&(device, name.into()))
            .map(|value| show(value.as_value_ref()))
    }

    /// Whether another value can be kept.
    pub(crate) fn has_room(&self) -> bool {
        self.values().len() < MOST
    }

    /// Sets or restores a value, and returns the previous one.
    pub(crate) fn replace(&self, device: u32, name: &[u32], value: Option<Value>) -> Option<Value> {
        let key = (device, name.into());
        let mut values = self.values();
        self.any.store(true, Ordering::Release);
        match value {
            Some(value) => values.insert(key, value),
            None => values.remove(&key),
        }
    }

    fn values(&self) -> MutexGuard<'_, HashMap<Key, Value>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
