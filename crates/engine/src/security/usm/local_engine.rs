use super::SaltCounter;
use crate::clock::Instant;
use crate::engine_id::EngineId;

/// snmpEngineBoots where it stays (RFC 3414 section 2.2.2): no message is in the time window any more.
pub const MAX_ENGINE_BOOTS: i32 = i32::MAX;

/// Seconds by which the clocks of two engines may differ (RFC 3414 section 2.2.3).
pub(crate) const TIME_WINDOW: i32 = 150;

/// snmpEngineBoots and snmpEngineTime at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineTime {
    /// snmpEngineBoots.
    pub boots: i32,
    /// snmpEngineTime in seconds.
    pub time: i32,
}

/// The engine that this program is, authoritative for its messages (RFC 3414 section 2.1).
///
/// There is one for as long as the program runs: a new configuration takes over the old engine.
#[derive(Debug)]
pub struct LocalEngine {
    id: EngineId,
    boots: i32,
    started: Instant,
    max_message_size: i32,
    salts: SaltCounter,
}

impl LocalEngine {
    /// The largest message over UDP.
    pub const DEFAULT_MAX_MESSAGE_SIZE: usize = 65_507;

    /// An engine of that name that started at `started`.
    ///
    /// `boots` is snmpEngineBoots. It has to be on stable storage, and one more than at the last start: otherwise old
    /// messages could be played again. `seed` has to be unpredictable: with it, no two starts have an initialisation
    /// vector in common, even if the boots were lost.
    #[must_use]
    pub fn new(id: EngineId, boots: i32, started: Instant, seed: u64) -> Self {
        Self {
            id,
            boots: boots.max(0),
            started,
            max_message_size: int(Self::DEFAULT_MAX_MESSAGE_SIZE),
            salts: SaltCounter::new(seed),
        }
    }

    /// The same with another msgMaxSize: the largest message that its transports take, in octets.
    #[must_use]
    pub fn with_max_message_size(self, octets: usize) -> Self {
        Self {
            max_message_size: int(octets).max(varbind_codec::message::HeaderData::LEAST_MAX_SIZE),
            ..self
        }
    }

    /// snmpEngineID.
    #[must_use]
    pub const fn id(&self) -> &EngineId {
        &self.id
    }

    /// snmpEngineMaxMessageSize.
    #[must_use]
    pub const fn max_message_size(&self) -> i32 {
        self.max_message_size
    }

    /// snmpEngineBoots and snmpEngineTime.
    #[must_use]
    pub fn time(&self, now: Instant) -> EngineTime {
        const LONGEST: u64 = 1 << 31;
        let seconds = now.saturating_since(self.started).as_secs();
        // RFC 3414 2.2.2: after 68 years the time starts again, as after another boot.
        let boots = i32::try_from(seconds / LONGEST).unwrap_or(MAX_ENGINE_BOOTS);
        EngineTime {
            boots: self.boots.saturating_add(boots),
            time: i32::try_from(seconds % LONGEST).unwrap_or(i32::MAX),
        }
    }

    /// Whether a message with this time was made just now (RFC 3414 section 3.2 (7) a).
    pub(crate) fn is_in_time_window(&self, now: Instant, message: EngineTime) -> bool {
        let local = self.time(now);
        local.boots != MAX_ENGINE_BOOTS
            && message.boots == local.boots
            && message.time.abs_diff(local.time) <= TIME_WINDOW.unsigned_abs()
    }

    pub(crate) fn next_salt(&self) -> u64 {
        self.salts.next()
    }
}

fn int(octets: usize) -> i32 {
    i32::try_from(octets).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn engine(boots: i32) -> LocalEngine {
        let id = EngineId::new(b"\x80\0\0\0\x04host").unwrap();
        LocalEngine::new(id, boots, Instant::ORIGIN, 1)
    }

    fn after(seconds: u64) -> Instant {
        Instant::ORIGIN + Duration::from_secs(seconds)
    }

    /// RFC 3414 2.2.2
    #[test]
    fn time_counts_seconds_and_starts_again_with_more_boots() {
        let engine = engine(7);
        let time = |seconds| engine.time(after(seconds));
        assert_eq!(time(90), EngineTime { boots: 7, time: 90 });
        let last = (1 << 31) - 1;
        assert_eq!(
            time(last),
            EngineTime {
                boots: 7,
                time: i32::MAX
            }
        );
        assert_eq!(time(last + 1), EngineTime { boots: 8, time: 0 });
    }

    /// RFC 3414 2.2.2 and 3.2 (7) a
    #[test]
    fn boots_stay_at_their_maximum_and_nothing_is_in_the_window() {
        let engine = engine(MAX_ENGINE_BOOTS);
        let now = after(1 << 31);
        assert_eq!(engine.time(now).boots, MAX_ENGINE_BOOTS);
        assert!(!engine.is_in_time_window(now, engine.time(now)));
    }

    /// RFC 3414 3.2 (7) a
    #[test]
    fn the_window_is_150_seconds_either_way_within_the_same_boots() {
        let engine = engine(7);
        let now = after(1000);
        let is_in = |boots, time| engine.is_in_time_window(now, EngineTime { boots, time });
        assert!(is_in(7, 850) && is_in(7, 1150));
        assert!(!is_in(7, 849) && !is_in(7, 1151));
        assert!(!is_in(6, 1000) && !is_in(8, 1000));
    }
}
