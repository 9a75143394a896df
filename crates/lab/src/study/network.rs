//! Networks between manager and agent, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::link::{DirectionModel, LaneModel, Loss, Probability};

/// An emulated network between manager and agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkName {
    /// Switched Ethernet.
    Lan,
    /// A wireless network.
    Wifi,
    /// Ethernet of 10 Mbit/s.
    #[serde(rename = "10mbit")]
    TenMegabits,
    /// A far agent.
    Wan,
}

impl NetworkName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lan, Self::Wifi, Self::TenMegabits, Self::Wan];

    /// As it is asked for.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lan => "lan",
            Self::Wifi => "wifi",
            Self::TenMegabits => "10mbit",
            Self::Wan => "wan",
        }
    }

    /// What it does to packets.
    #[must_use]
    #[allow(clippy::expect_used, reason = "a test looks all of them up")]
    pub fn network(self) -> &'static Network {
        let mut all = NETWORKS.iter();
        let found = all.find(|network| network.name == self);
        found.expect("the file of networks has all of them")
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a network does to packets, the same in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Which.
    pub name: NetworkName,
    /// What it is, in a few words.
    pub title: String,
    /// Bits a second.
    pub rate: u64,
    /// Milliseconds on the way, besides the time to send.
    pub delay: f64,
    /// The part of the packets that is lost.
    pub loss: f64,
    /// Octets that may wait to be sent.
    pub queue: usize,
    /// Where each value comes from.
    pub sources: BTreeMap<String, String>,
}

impl Network {
    /// Settings of a link.
    pub(super) fn lane(&self) -> LaneModel {
        LaneModel::symmetric(DirectionModel {
            loss: Loss::Independent(Probability::new(self.loss).unwrap_or(Probability::ZERO)),
            delay: Duration::try_from_secs_f64(self.delay / 1e3).unwrap_or_default(),
            rate: Some(self.rate),
            queue: self.queue,
            ..DirectionModel::default()
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, rate, delay) = (&self.title, self.rate as f64 / 1e6, self.delay);
        let loss = self.loss * 100.0;
        write!(
            f,
            "{title} (emulated: {rate} Mbit/s, {delay} ms and {loss} % loss each way)"
        )
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworksFile {
    networks: Vec<Network>,
}

#[allow(
    clippy::expect_used,
    reason = "the tests read the file, which is part of the program"
)]
static NETWORKS: LazyLock<Vec<Network>> = LazyLock::new(|| {
    let text = include_str!("../../studies/networks.toml");
    let file: NetworksFile = toml::from_str(text).expect("the file of networks is right");
    file.networks
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_network_has_its_values_and_says_where_they_come_from() {
        for name in NetworkName::ALL {
            let network = name.network();
            let sources: Vec<&str> = network.sources.keys().map(String::as_str).collect();
            assert_eq!(sources, ["delay", "loss", "queue", "rate"], "{name}");
            let model = network.lane().forward;
            assert!(model.rate.is_some_and(|rate| rate > 0) && model.queue > 1500);
            let written = serde_json::to_string(&name).unwrap();
            assert_eq!(written, format!("\"{name}\""));
        }
        assert_eq!(NETWORKS.len(), NetworkName::ALL.len());
        assert_eq!(
            NetworkName::Wifi.network().to_string(),
            "Wi-Fi of 54 Mbit/s (emulated: 54 Mbit/s, 0.7 ms and 0 % loss each way)"
        );
    }
}
