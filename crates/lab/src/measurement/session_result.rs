use serde::{Deserialize, Serialize};

use super::{CpuTime, Estimate, Phases, RunResult, SecurityParameters, Traffic, TransportKind};

/// What whole sessions of one kind cost, from the opening to the close.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionResult {
    /// The agent that answers.
    pub subject: String,
    /// The SNMP version, as `v3`.
    pub version: String,
    /// How messages are protected, in SNMPv3.
    pub security: Option<SecurityParameters>,
    /// The transport.
    pub transport: TransportKind,
    /// Whether sessions are resumed, where the transport supports it (RFC 8446 section 2.2).
    pub is_resumed: bool,
    /// Exchanges in the long sessions; the short ones have one.
    pub exchanges: u32,
    /// The phases of the short sessions.
    pub phases: Phases,
    /// A whole session of one exchange, in microseconds.
    pub one_exchange: Estimate,
    /// Time, in microseconds.
    pub time: SessionCost,
    /// CPU time of the manager, in microseconds.
    pub manager_cpu: SessionCost,
    /// CPU time of the agent, in microseconds.
    pub agent_cpu: Option<SessionCost>,
    /// What goes over the wire, where that could be counted.
    pub wire: Option<WireResult>,
    /// From how many exchanges on it costs less than SNMPv3 with the user-based security model.
    pub break_even: Vec<BreakEvenResult>,
    /// The repetitions of the short sessions, and those of the long ones, in pairs.
    pub runs: Vec<SessionRuns>,
}

/// Repetitions of sessions of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRuns {
    /// Sessions in each repetition.
    pub sessions: u32,
    /// Exchanges in each session.
    pub exchanges: u32,
    /// Resumed sessions of all repetitions.
    pub resumed: u64,
    /// Each repetition.
    pub runs: Vec<RunResult>,
}

/// What sessions cost: a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionCost {
    /// Once, for opening, probing and closing.
    pub fixed: Estimate,
    /// For each exchange.
    pub marginal: Estimate,
}

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

/// A break-even against one reference in one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEvenResult {
    /// What it is compared with.
    pub reference: Reference,
    /// What is counted.
    pub quantity: CostQuantity,
    /// When it is reached.
    #[serde(flatten)]
    pub break_even: BreakEven,
}

/// The user-based security model over UDP, level authPriv, of the same agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// Keys are prepared.
    UsmWithKeys,
    /// Every session turns passwords into keys.
    UsmWithPasswords,
}

/// What a session costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostQuantity {
    /// Time.
    Time,
    /// CPU time of the manager.
    ManagerCpu,
    /// CPU time of the agent.
    AgentCpu,
}

/// IP packets of one session, counted by a packet socket, phase by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WireResult {
    /// Opening: connection, handshake, authentication.
    pub open: Wire,
    /// Finding out who the engine is.
    pub discovery: Wire,
    /// The first exchange.
    pub first_exchange: Wire,
    /// Ten more.
    pub ten_exchanges: Wire,
    /// Closing, and what comes late.
    pub close: Wire,
    /// A whole session of one exchange.
    pub one_exchange: Wire,
}

/// IP packets and their octets, headers included, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The agent.
    pub subject: String,
    /// The transport.
    pub transport: TransportKind,
    /// Memory (PSS) by open sessions, each idle after its exchanges; ascending.
    pub points: Vec<MemoryPoint>,
    /// Octets for each session: the slope between the second point, when the code that serves sessions is in memory, and the
    /// last.
    pub per_session: f64,
    /// Memory (PSS) after all were closed.
    pub after_close: u64,
    /// Processes that held the sessions.
    pub holders: u32,
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

/// Sessions that come and go for a long time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakResult {
    /// The agent.
    pub subject: String,
    /// CPU time of manager and agent together that was asked for, in seconds.
    pub cpu_seconds: f64,
    /// CPU time of the agent.
    pub agent_cpu: CpuTime,
    /// How much was done over each transport.
    pub transports: Vec<SoakTransport>,
    /// The agent's memory over the time of the soak.
    pub samples: Vec<SoakSample>,
    /// What the agent's memory (PSS) grew by, in octets for each hour of CPU time, from the second half of the samples
    /// (Theil-Sen slope).
    pub growth_per_hour: f64,
}

/// What a soak did over one transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakTransport {
    /// The transport.
    pub transport: TransportKind,
    /// The SNMP version with its security, as `v3 TSM`.
    pub version: String,
    /// Sessions opened.
    pub sessions: u64,
    /// Of those, dropped in the middle of an exchange.
    pub abandoned: u64,
    /// Exchanges with a right answer.
    pub completed: u64,
    /// Operations that did not end with a right answer, and sessions that broke.
    pub failed: u64,
    /// What went over the wire.
    pub traffic: Traffic,
}

/// The state of the agent at one moment of a soak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakSample {
    /// Seconds since its beginning.
    pub at: f64,
    /// CPU time of manager and agent until then, in seconds.
    pub cpu: f64,
    /// Memory (PSS) in octets.
    pub pss: u64,
    /// Sessions opened until then.
    pub sessions: u64,
    /// Exchanges completed until then.
    pub completed: u64,
}
