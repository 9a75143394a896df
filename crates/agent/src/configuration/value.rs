//! Values that the files of the agent and of the notification receiver have in common.

use std::fmt;
use std::time;

use serde::Deserialize;
use serde::de::{self, Deserializer, Unexpected};
use varbind::transport::certificate::{Mapping, OverdueLists};

const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000)];

/// A number with a unit, as `100ms`, `30s`, `5min` or `1h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duration(pub time::Duration);

/// How long a session may be open: a [`Duration`], or `0s` for ever, which is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLifetime(pub Option<time::Duration>);

/// A number of octets within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Octets<const LEAST: usize, const MOST: usize>(pub usize);

/// The largest message: no smaller than every engine takes (RFC 3417 section 3.2), and no larger than the largest payload
/// of a UDP datagram.
pub type MessageSize = Octets<484, 65_507>;

/// The largest datagram: no smaller than IPv6 carries in one piece everywhere, and no larger than Ethernet carries with
/// large frames.
pub type DatagramSize = Octets<576, 8972>;

/// What becomes of certificates whose revocation list is overdue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverdueRevocationLists {
    /// They are refused.
    #[default]
    Refuse,
    /// The list holds as it is.
    Use,
}

/// What of a certificate becomes a security name (snmpTlstmCertToTSNMapType).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapTo {
    /// An e-mail address among its alternative names.
    Rfc822,
    /// A DNS name among them.
    Dns,
    /// An IP address among them.
    Ip,
    /// The first of these that there is.
    Any,
    /// The common name.
    CommonName,
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

/// Parses inside the visit, where an error still gets the place of the text.
struct DurationVisitor;

impl de::Visitor<'_> for DurationVisitor {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number with a unit, as 100ms, 30s, 5min or 1h")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
        parse_duration(text)
            .map(Duration)
            .ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for SessionLifetime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Duration(lifetime) = Duration::deserialize(deserializer)?;
        Ok(Self(Some(lifetime).filter(|lifetime| !lifetime.is_zero())))
    }
}

impl<'de, const LEAST: usize, const MOST: usize> Deserialize<'de> for Octets<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(OctetsVisitor)
    }
}

/// Checks inside the visit, where an error still gets the place of the number.
struct OctetsVisitor<const LEAST: usize, const MOST: usize>;

impl<const LEAST: usize, const MOST: usize> de::Visitor<'_> for OctetsVisitor<LEAST, MOST> {
    type Value = Octets<LEAST, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number of octets from {LEAST} to {MOST}")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        let octets = usize::try_from(number).ok();
        octets
            .filter(|octets| (LEAST..=MOST).contains(octets))
            .map(Octets)
            .ok_or_else(|| {
                E::custom(format!(
                    "{number}: expected a number of octets from {LEAST} to {MOST}"
                ))
            })
    }
}

impl From<OverdueRevocationLists> for OverdueLists {
    fn from(overdue: OverdueRevocationLists) -> Self {
        match overdue {
            OverdueRevocationLists::Refuse => Self::Refuse,
            OverdueRevocationLists::Use => Self::Use,
        }
    }
}

impl From<MapTo> for Mapping {
    fn from(to: MapTo) -> Self {
        match to {
            MapTo::Rfc822 => Self::Rfc822Name,
            MapTo::Dns => Self::DnsName,
            MapTo::Ip => Self::IpAddress,
            MapTo::Any => Self::AnyAlternativeName,
            MapTo::CommonName => Self::CommonName,
        }
    }
}

fn parse_duration(text: &str) -> Option<time::Duration> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: u64 = digits.trim_end().parse().ok()?;
    number
        .checked_mul(*milliseconds)
        .map(time::Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        for (text, milliseconds) in [
            ("100ms", 100),
            ("30s", 30_000),
            ("5min", 300_000),
            ("1 h", 3_600_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Some(time::Duration::from_millis(milliseconds))
            );
        }
        for text in ["", "5", "s", "-1s", "1.5s", "99999999999999999h", "5m"] {
            assert!(parse_duration(text).is_none(), "{text}");
        }
    }
}
