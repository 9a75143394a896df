use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How many different values are known at a time.
const KNOWN: usize = 16;

/// Keeps one of several equal values: ten thousand targets mostly have the settings of another.
///
/// Only the latest few values are compared, and unused ones are forgotten.
#[derive(Debug)]
pub(super) struct Interned<T>(Mutex<VecDeque<Weak<T>>>);

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: PartialEq> Interned<T> {
    /// The value that equals this one, or this one.
    pub(super) fn share(&self, value: T) -> Arc<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|value| value.strong_count() > 0);
        let mut values = known.iter().filter_map(Weak::upgrade);
        if let Some(equal) = values.find(|known| **known == value) {
            return equal;
        }
        if known.len() == KNOWN {
            known.pop_front();
        }
        let shared = Arc::new(value);
        known.push_back(Arc::downgrade(&shared));
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_kept_once_as_long_as_they_are_used() {
        let interned = Interned::default();
        let first = interned.share("public".to_owned());
        assert!(Arc::ptr_eq(&first, &interned.share("public".to_owned())));
        let others: Vec<_> = (0..KNOWN).map(|n| interned.share(n.to_string())).collect();
        let again = interned.share("public".to_owned());
        assert!(!Arc::ptr_eq(&first, &again), "one of the latest");
        drop((others, first, again));
        interned.share("private".to_owned());
        assert_eq!(interned.0.lock().unwrap().len(), 1);
    }
}
