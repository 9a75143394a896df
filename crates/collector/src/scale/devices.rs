//! How devices respond.

use std::time::Duration;

use super::Scenario;
use crate::schedule::Ending;

/// Targets of a site.
const SITE: u32 = 1_000;
/// The wait for a response, and how often a request is repeated: what modules have by default.
const TIMEOUT: Duration = Duration::from_secs(5);
const RETRIES: u32 = 3;
/// Round trips are up to this long.
const LONGEST_ROUND_TRIP: u64 = 50_000;

/// Numbers that a seed decides (`SplitMix64`).
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from((self.next() >> 32) as u32) / f64::from(u32::MAX)
    }
}

/// All devices.
#[derive(Debug)]
pub(super) struct Devices {
    seed: u64,
    exchanges: u32,
    loss: f64,
    dead_sites: f64,
    random: Random,
    pub(super) are_sites_down: bool,
    /// Requests that were sent.
    pub(super) requests: u64,
}

impl Devices {
    pub(super) const fn new(scenario: &Scenario) -> Self {
        Self {
            seed: scenario.seed,
            exchanges: scenario.exchanges,
            loss: scenario.loss,
            dead_sites: scenario.dead_sites,
            random: Random::new(scenario.seed),
            are_sites_down: false,
            requests: 0,
        }
    }

    /// Whether a device is at one of the sites that die.
    pub(super) fn is_mortal(&self, target: u32) -> bool {
        let site = u64::from(target / SITE);
        Random::new(self.seed ^ (site << 32) ^ 0x517e).share() < self.dead_sites
    }

    /// How long a poll takes, and how it ends.
    pub(super) fn poll(&mut self, target: u32, deadline: Duration) -> (Duration, Ending) {
        let until_silent = TIMEOUT * (RETRIES + 1);
        if self.are_sites_down && self.is_mortal(target) {
            self.requests += u64::from(RETRIES) + 1;
            return (until_silent.min(deadline), Ending::Silent);
        }
        let round_trip = Random::new(self.seed ^ u64::from(target)).next() % LONGEST_ROUND_TRIP;
        let round_trip = Duration::from_micros(500 + round_trip);
        let mut duration = Duration::ZERO;
        for exchange in 0..self.exchanges {
            let lost = (0..=RETRIES).take_while(|_| self.random.share() < self.loss);
            let lost = u32::try_from(lost.count()).unwrap_or(u32::MAX);
            self.requests += u64::from(lost) + u64::from(lost <= RETRIES);
            if lost > RETRIES {
                duration += until_silent;
                let ending = match exchange {
                    0 => Ending::Silent,
                    _ => Ending::Overdue,
                };
                return (duration.min(deadline), ending);
            }
            duration += TIMEOUT * lost + round_trip;
        }
        match duration > deadline {
            true => (deadline, Ending::Overdue),
            false => (duration, Ending::Responded),
        }
    }
}
