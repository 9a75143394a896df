use serde::{Deserialize, Serialize};

/// From how many exchanges on one kind of session costs less than another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// The number; `None` if each exchange costs as much or more: then it is never reached.
    pub exchanges: Option<f64>,
    /// The lower end of the 95 % interval; `None` for never.
    pub low: Option<f64>,
    /// The upper end of the interval; `None` for never.
    pub high: Option<f64>,
    /// The share of the resamples in which it is reached.
    pub share: f64,
}

/// IP packets of sessions, counted by a packet socket.
#[derive(Clone, Copy, Debug)]
pub struct WireResult {
    /// A whole session of one exchange, with what comes late.
    pub one_exchange: Wire,
    /// Ten more exchanges.
    pub ten_exchanges: Wire,
}

/// IP packets and their octets, headers included, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// Packets of the manager.
    pub packets_sent: u64,
    /// Packets of the agent.
    pub packets_received: u64,
    /// Octets of the manager.
    pub octets_sent: u64,
    /// Octets of the agent.
    pub octets_received: u64,
}

impl Wire {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: &Self) -> Self {
        Self {
            packets_sent: self.packets_sent + other.packets_sent,
            packets_received: self.packets_received + other.packets_received,
            octets_sent: self.octets_sent + other.octets_sent,
            octets_received: self.octets_received + other.octets_received,
        }
    }

    /// Packets in both directions.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets_sent + self.packets_received
    }

    /// Octets in both directions.
    #[must_use]
    pub const fn octets(&self) -> u64 {
        self.octets_sent + self.octets_received
    }
}

/// What open sessions hold in the agent's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryResult {
    /// Memory (PSS) by open sessions, each idle after its exchanges; ascending.
    pub points: Vec<MemoryPoint>,
    /// Octets for each session: the slope between the second point, when the code that serves sessions is in memory, and the
    /// last.
    pub per_session: f64,
    /// Memory (PSS) after all were closed.
    pub after_close: u64,
    /// Sessions that could not be opened, which ends the curve.
    pub failed: u64,
}

/// Memory (PSS) with so many sessions open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPoint {
    /// Open sessions.
    pub sessions: u64,
    /// Memory (PSS) of the agent, in octets.
    pub pss: u64,
}
