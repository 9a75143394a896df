//! How many of the notifications that were sent have arrived.

use std::fmt;
use std::time::{Duration, Instant};

/// How long to look for more before what is missing counts as lost.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// A run is cut that has waited longer than this for notifications that never came.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Between looks, while notifications arrive and once none has for a while.
const PAUSE: Duration = Duration::from_micros(100);
const LONG_PAUSE: Duration = Duration::from_millis(10);

/// What became of notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// How many were sent.
    pub(crate) sent: u64,
    /// How many the receiver wrote.
    pub(crate) arrived: u64,
    /// How many were missing when waiting was given up last.
    given_up: u64,
    /// How long it waited for those that were lost.
    pub(crate) waited: Duration,
}

impl Delivery {
    /// How many were lost.
    pub(crate) const fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.arrived)
    }

    /// Waits until the receiver has written all that were sent, or nothing more arrives. `received` is how many it has written.
    ///
    /// # Errors
    /// If `received` fails, or the run is cut because it waited too long for lost notifications.
    pub(super) fn wait(
        &mut self,
        patience: Duration,
        mut received: impl FnMut() -> Result<u64, String>,
    ) -> Result<(), String> {
        let expected = self.sent.saturating_sub(self.given_up);
        let mut last = Instant::now();
        loop {
            // A receiver may write an inform twice that was sent twice.
            let arrived = received()?.min(self.sent);
            if arrived > self.arrived {
                self.arrived = arrived;
                last = Instant::now();
            }
            if self.arrived >= expected {
                return Ok(());
            }
            let idle = last.elapsed();
            if idle > patience {
                self.given_up = self.lost();
                self.waited += idle;
                return match self.waited > LONGEST_WAIT {
                    true => Err(format!("cut: {self}")),
                    false => Ok(()),
                };
            }
            std::thread::sleep(if idle > LONG_PAUSE { LONG_PAUSE } else { PAUSE });
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} notifications arrived", self.arrived, self.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);

    /// Sends ten more, and waits while the receiver has written so many of all.
    fn ten_more(delivery: &mut Delivery, written: u64) -> Result<(), String> {
        delivery.sent += 10;
        delivery.wait(SHORT, || Ok(written))
    }

    #[test]
    fn lost_notifications_are_counted_and_the_wait_for_them_is_known() {
        let mut delivery = Delivery::default();
        ten_more(&mut delivery, 10).unwrap();
        assert_eq!((delivery.lost(), delivery.waited), (0, Duration::ZERO));
        ten_more(&mut delivery, 19).unwrap();
        assert_eq!(delivery.lost(), 1);
        let waited = delivery.waited;
        assert!(waited >= SHORT, "{waited:?}");
        // What is lost is waited for once.
        ten_more(&mut delivery, 29).unwrap();
        assert_eq!((delivery.lost(), delivery.waited), (1, waited));
        assert_eq!(delivery.to_string(), "29 of 30 notifications arrived");
    }

    #[test]
    fn late_notifications_are_not_lost() {
        let mut delivery = Delivery::default();
        ten_more(&mut delivery, 8).unwrap();
        assert_eq!(delivery.lost(), 2);
        ten_more(&mut delivery, 20).unwrap();
        assert_eq!(delivery.lost(), 0);
        // Nor are those that the receiver wrote twice gained.
        ten_more(&mut delivery, 31).unwrap();
        assert_eq!(delivery.arrived, 30);
    }

    #[test]
    fn run_that_waits_too_long_in_vain_is_cut() {
        let mut delivery = Delivery {
            waited: LONGEST_WAIT,
            ..Delivery::default()
        };
        let reason = ten_more(&mut delivery, 3).unwrap_err();
        assert_eq!(reason, "cut: 3 of 10 notifications arrived");
        let refused = delivery.wait(SHORT, || Err("no such file".to_owned()));
        assert_eq!(refused.unwrap_err(), "no such file");
    }
}
