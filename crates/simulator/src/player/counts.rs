//! Counters of requests, responses and traps.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Messages that came.
    Messages,
    /// Responses and Reports.
    Responses,
    /// Messages to addresses that no device has.
    WithoutDevice,
    /// Requests and responses that faults dropped.
    Lost,
    /// Messages that the engine discarded: malformed, or with a wrong community.
    Refused,
    /// Responses that faults or variations of values delayed.
    Delayed,
    /// Responses that faults sent twice.
    Duplicated,
    /// Traps that were sent.
    Traps,
    /// Traps that could not be sent, or were too late.
    UnsentTraps,
}

/// All of them, with the names they have in JSON and in text.
const ALL: [(Count, &str, &str); 9] = [
    (Count::Messages, "messages", "messages"),
    (Count::Responses, "responses", "responses"),
    (
        Count::WithoutDevice,
        "without_device",
        "for addresses without a device",
    ),
    (Count::Lost, "lost", "lost by faults"),
    (
        Count::Refused,
        "refused",
        "not answered (malformed, or wrong community)",
    ),
    (Count::Delayed, "delayed", "responses delayed"),
    (Count::Duplicated, "duplicated", "responses sent twice"),
    (Count::Traps, "traps", "traps sent"),
    (Count::UnsentTraps, "unsent_traps", "traps not sent"),
];

/// The counters, which several threads raise.
#[derive(Debug, Default)]
pub(crate) struct Counts([AtomicU64; ALL.len()]);

impl Counts {
    pub(crate) fn count(&self, what: Count) {
        self.add(what, 1);
    }

    pub(crate) fn add(&self, what: Count, number: u64) {
        if let Some(counter) = self.0.get(what as usize) {
            counter.fetch_add(number, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self) -> PlayerCounts {
        PlayerCounts(
            self.0
                .each_ref()
                .map(|counter| counter.load(Ordering::Relaxed)),
        )
    }
}

/// The counters of a [`Player`](crate::Player).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerCounts([u64; ALL.len()]);

impl PlayerCounts {
    /// How many there were.
    #[must_use]
    pub fn of(&self, what: Count) -> u64 {
        self.0.get(what as usize).copied().unwrap_or_default()
    }
}

impl fmt::Display for PlayerCounts {
    /// The first two always, the others where there were any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (what, _, text)) in ALL.iter().enumerate() {
            let number = self.of(*what);
            match at {
                0 => write!(f, "{number} {text}")?,
                1 => write!(f, ", {number} {text}")?,
                _ if number > 0 => write!(f, ", {number} {text}")?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Serialize for PlayerCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(ALL.len()))?;
        for (what, name, _) in ALL {
            map.serialize_entry(name, &self.of(what))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_has_a_place_and_is_shown() {
        let counts = Counts::default();
        for (at, (what, ..)) in ALL.iter().enumerate() {
            assert_eq!(*what as usize, at);
            counts.add(*what, at as u64);
        }
        let read = counts.read();
        assert_eq!(read.to_string().split(", ").next(), Some("0 messages"));
        let json = serde_json::to_value(read).unwrap();
        for (what, name, text) in ALL {
            assert_eq!(json[name], read.of(what));
            assert!(
                read.to_string()
                    .contains(&format!("{} {text}", read.of(what)))
            );
        }
    }
}
