//! The clock of the operating system as the engine's time.

use std::time::Instant as SystemInstant;

use varbind_engine::clock::Instant;

/// The monotonic clock of the operating system; its origin is when it was started.
#[derive(Clone, Copy, Debug)]
pub struct Clock(SystemInstant);

impl Clock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(SystemInstant::now())
    }

    /// A moment of the operating system's clock; the origin if it was before that.
    #[must_use]
    pub fn at(&self, moment: SystemInstant) -> Instant {
        let nanos = moment.saturating_duration_since(self.0).as_nanos();
        Instant::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The time since the start.
    #[must_use]
    pub fn now(&self) -> Instant {
        let nanos = self.0.elapsed().as_nanos();
        Instant::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
