//! Limits of the host, beyond which error flags are set.

use serde::{Deserialize, Deserializer, de};

use super::document::TextVisitor;

/// The load averages of laConfig where none are configured: Net-SNMP's default.
const LOAD_LIMIT: f64 = 12.0;
const MOST_PER_CENT: u8 = 100;

/// The largest load averages over 1, 5 and 15 minutes, in hundredths; 0 for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoadLimits(pub(crate) [u32; 3]);

impl Default for LoadLimits {
    fn default() -> Self {
        Self([hundredths(LOAD_LIMIT); 3])
    }
}

impl<'de> Deserialize<'de> for LoadLimits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let limits = <[f64; 3]>::deserialize(deserializer)?;
        if limits.iter().all(|limit| (0.0..=1e6).contains(limit)) {
            Ok(Self(limits.map(hundredths)))
        } else {
            Err(de::Error::custom(
                "expected three load averages from 0 (no limit) to 1000000, as [12.0, 10.0, 5.0]",
            ))
        }
    }
}

/// Numbers are within the limits that were checked.
fn hundredths(load: f64) -> u32 {
    (load * 100.0).round() as u32
}

/// How much of a file system should stay free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskMinimum {
    /// In units of 1024 octets.
    Kilobytes(u32),
    PerCent(u8),
}

impl<'de> Deserialize<'de> for DiskMinimum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor(parse_minimum))
    }
}

fn parse_minimum(text: &str) -> Result<DiskMinimum, String> {
    let parsed = match text.strip_suffix('%') {
        Some(digits) => digits.parse().ok().map(DiskMinimum::PerCent),
        None => text
            .strip_suffix("kB")
            .and_then(|digits| digits.trim_end().parse().ok())
            .map(DiskMinimum::Kilobytes),
    };
    parsed
        .filter(|minimum| !matches!(minimum, DiskMinimum::PerCent(share) if *share > MOST_PER_CENT))
        .ok_or_else(|| format!("{text:?}: expected a share or a size, as \"10%\" or \"100000 kB\""))
}

/// A file system and how much of it should stay free.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DiskLimit {
    /// Where it is mounted.
    pub(crate) path: String,
    pub(crate) minimum: DiskMinimum,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::AgentConfiguration;

    #[test]
    fn minima_are_shares_or_sizes() {
        assert_eq!(parse_minimum("10%"), Ok(DiskMinimum::PerCent(10)));
        assert_eq!(
            parse_minimum("100000 kB"),
            Ok(DiskMinimum::Kilobytes(100_000))
        );
        assert_eq!(parse_minimum("5kB"), Ok(DiskMinimum::Kilobytes(5)));
        for wrong in [
            "",
            "10",
            "%",
            "101%",
            "-1%",
            "x kB",
            "1.5%",
            "99999999999kB",
        ] {
            assert!(parse_minimum(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_of_the_host_are_checked() {
        let parse = |text: &str| {
            let text = format!("[host]\n{text}");
            let parsed = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind"));
            parsed.map_err(|error| error.to_string())
        };
        let found = parse("load-limits = [1.5, 0, 3]\ndisk-minimum = \"5%\"")
            .unwrap()
            .host;
        assert_eq!(found.load_limits, LoadLimits([150, 0, 300]));
        assert_eq!(found.minimum_of("/"), Some(DiskMinimum::PerCent(5)));
        let disk = "disk-minimum = \"5%\"\n[[host.disk]]\npath = \"/srv\"\nminimum = \"7 kB\"";
        let found = parse(disk).unwrap().host;
        assert_eq!(found.minimum_of("/srv"), Some(DiskMinimum::Kilobytes(7)));
        assert_eq!(parse("").unwrap().host.minimum_of("/"), None);
        for (wrong, expected) in [
            ("load-limits = [1.0, -1.0, 1.0]", "from 0"),
            ("load-limits = [1.0, 2.0]", "3"),
            ("disk-minimum = \"lots\"", "as \"10%\""),
            ("[[host.disk]]\npath = \"/\"", "minimum"),
        ] {
            let told = parse(wrong).unwrap_err();
            assert!(told.contains(expected), "{wrong}: {told}");
        }
    }
}
