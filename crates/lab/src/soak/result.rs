use serde::Serialize;

use crate::measurement::{CpuTime, Environment, Traffic, TransportKind};

/// The version of the JSON schema (docs/bench.md). It rises when a field changes its meaning or goes away.
pub const SOAK_SCHEMA_VERSION: u32 = 1;

/// Sessions that came and went for a long time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoakReport {
    /// [`SOAK_SCHEMA_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// Where and with what it was measured.
    pub environment: Environment,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
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
