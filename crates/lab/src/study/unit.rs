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
