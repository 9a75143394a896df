use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{CrossTraffic, Loss};

/// A probability, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    /// Never.
    pub const ZERO: Self = Self(0.0);

    /// A probability; `None` if it is not from 0 to 1.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The loss of each direction that together lose this part of the exchanges of a request and its response.
    #[must_use]
    pub fn one_way(self) -> Self {
        Self(1.0 - (1.0 - self.0).sqrt())
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// Whether it happens in a case that has drawn these bits.
    pub(super) fn happens(self, bits: u64) -> bool {
        uniform(bits) < self.0
    }
}

/// A number from 0 to below 1 from 64 random bits.
pub(super) fn uniform(bits: u64) -> f64 {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    (bits >> 11) as f64 * UNIT
}

impl FromStr for Probability {
    type Err = ParseProbabilityError;

    /// `0.1` or `10%`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = match text.strip_suffix('%') {
            Some(number) => (number, 100.0),
            None => (text, 1.0),
        };
        let value: f64 = number.trim().parse().map_err(|_| ParseProbabilityError)?;
        Self::new(value / unit).ok_or(ParseProbabilityError)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", (self.0 * 1e6).round() / 1e4)
    }
}

/// What is written is not a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a probability is a number from 0 to 1, or from 0% to 100%")]
pub struct ParseProbabilityError;

/// What one direction of a lane does to packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionModel {
    /// Which packets are lost.
    pub loss: Loss,
    /// How long every packet is on the way, besides the time to send it.
    pub delay: Duration,
    /// How much the delay differs at most, to either side, with equal probability; packets keep their order.
    pub jitter: Duration,
    /// Bits a second; `None` sends at once.
    pub rate: Option<u64>,
    /// Octets that may wait to be sent where there is a rate; what finds no room is lost.
    pub queue: usize,
    /// What else is sent where there is a rate.
    pub cross: Option<CrossTraffic>,
    /// How many packets overtake those that are on the way: they have no delay.
    pub reorder: Probability,
    /// How many packets arrive twice.
    pub duplicate: Probability,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_is_a_part_or_a_percentage() {
        for (text, value) in [
            ("0", 0.0),
            ("0.25", 0.25),
            ("10%", 0.1),
            ("1", 1.0),
            ("100 %", 1.0),
        ] {
            let probability: Probability = text.parse().expect(text);
            assert!((probability.value() - value).abs() < 1e-12, "{text}");
        }
        for text in ["", "-1", "1.1", "101%", "nan", "x"] {
            assert!(text.parse::<Probability>().is_err(), "{text}");
        }
    }

    #[test]
    fn losing_each_way_loses_the_exchange_as_often_as_asked() {
        let exchange = Probability::new(0.29).expect("a probability");
        let kept = 1.0 - exchange.one_way().value();
        assert!((1.0 - kept * kept - 0.29).abs() < 1e-12);
    }
}
