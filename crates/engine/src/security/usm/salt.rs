use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for msgPrivacyParameters, of which none comes twice (RFC 3414 section 8.1.1.1, RFC 3826 section 3.1.2.1).
///
/// They count from where the seed says, so that a new start, which has other boots or another seed, does not repeat
/// those of the last.
#[derive(Debug)]
pub(crate) struct SaltCounter(AtomicU64);

impl SaltCounter {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
