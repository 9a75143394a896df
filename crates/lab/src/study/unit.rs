use std::fmt;

use serde::{Deserialize, Serialize};

/// The unit in which an experiment shows its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Of time.
    Microseconds,
    /// Of time.
    Milliseconds,
    /// Of time.
    Seconds,
    /// Of memory or traffic.
    Octets,
    /// 1000 octets.
    Kilobytes,
    /// IP packets.
    Packets,
    /// Whatever is counted.
    Count,
    /// In each second.
    PerSecond,
    /// One value by another.
    Ratio,
    /// A share in hundredths.
    Percent,
    /// Instructions of a processor.
    Instructions,
}

impl Unit {
    /// What a measured value is multiplied by: times are measured in microseconds, memory and traffic in octets, shares
    /// as part of 1.
    #[must_use]
    pub const fn factor(self) -> f64 {
        match self {
            Self::Milliseconds | Self::Kilobytes => 1e-3,
            Self::Seconds => 1e-6,
            Self::Percent => 100.0,
            Self::Microseconds
            | Self::Octets
            | Self::Packets
            | Self::Count
            | Self::PerSecond
            | Self::Ratio
            | Self::Instructions => 1.0,
        }
    }

    /// Which values are better, in words; `None` where the unit does not say it.
    #[must_use]
    pub const fn better(self) -> Option<&'static str> {
        match self {
            Self::Microseconds
            | Self::Milliseconds
            | Self::Seconds
            | Self::Octets
            | Self::Kilobytes
            | Self::Packets
            | Self::Instructions => Some("lower is better"),
            Self::PerSecond => Some("higher is better"),
            Self::Count | Self::Ratio | Self::Percent => None,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Octets => "octets",
            Self::Kilobytes => "kB",
            Self::Packets => "packets",
            Self::Count => "",
            Self::PerSecond => "1/s",
            Self::Ratio => "x",
            Self::Percent => "%",
            Self::Instructions => "instructions",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_say_which_values_are_better() {
        assert_eq!(Unit::Milliseconds.better(), Some("lower is better"));
        assert_eq!(Unit::PerSecond.better(), Some("higher is better"));
        assert_eq!(Unit::Ratio.better(), None);
    }
}
