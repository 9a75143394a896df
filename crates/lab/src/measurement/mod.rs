//! What a measurement consists of: the model behind every output, and the schema of the JSON file.
//!
//! Latencies and CPU times are in microseconds unless a name says otherwise, memory and traffic in octets.

mod configuration;
mod environment;
mod estimate;
mod session_result;
mod traffic;

pub use configuration::{
    ConfigurationResult, Mode, Outcome, Parameters, Phases, Placement, RunResult, RunSummary,
    Sample, SecurityParameters, TransportKind,
};
pub use environment::{Environment, SubjectDescription};
pub use estimate::{CpuTime, Estimate, LatencySummary, ProcessUse, Quantile};
pub use session_result::{
    BreakEven, BreakEvenResult, CostQuantity, MemoryPoint, MemoryResult, Reference, SessionCost,
    SessionResult, SessionRuns, SoakResult, SoakSample, SoakTransport, Wire, WireResult,
};
pub use traffic::{Counting, Traffic};

use std::fmt;

use serde::{Deserialize, Serialize};

/// The version of the JSON schema (docs/bench.md). It rises when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 4;

/// All that one bench run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// What was asked, in one line.
    pub question: String,
    /// Where and with what it was measured.
    pub environment: Environment,
    /// Exchanges of messages with a subject, one entry per combination of parameters.
    pub configurations: Vec<ConfigurationResult>,
    /// The bare echo beside which agent CPU time is put, one entry per size of a burst.
    pub echoes: Vec<EchoResult>,
    /// Whole processes: one-shot commands, and agents from their start to the first answer.
    pub processes: Vec<ProcessResult>,
    /// Whole sessions, one entry for each subject and kind of session.
    pub sessions: Vec<SessionResult>,
    /// Memory of open sessions, one entry for each subject and transport.
    pub memory: Vec<MemoryResult>,
    /// Notifications to the receiver of each subject; reports of former versions have none.
    #[serde(default)]
    pub notifications: Vec<NotificationResult>,
    /// Sessions that come and go for a long time, where that was asked for.
    pub soak: Option<SoakResult>,
    /// Subjects side by side.
    pub comparisons: Vec<Comparison>,
    /// What was left out and why, in sentences.
    pub notes: Vec<String>,
}

/// The floor: a process that does nothing but receive a datagram and send it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EchoResult {
    /// Datagrams that arrive together.
    pub burst: u32,
    /// CPU time of the echo process per request.
    pub cpu_per_exchange: Estimate,
    /// Requests per second.
    pub rate: Estimate,
}

/// The wall-clock time of a whole process, and what it held in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessResult {
    /// Whose process.
    pub subject: String,
    /// What it did.
    pub task: ProcessTask,
    /// The program and its arguments.
    pub command: String,
    /// From the start to the exit, or to the first answer.
    pub wall: LatencySummary,
    /// Memory (PSS) after the first answer, in octets (agents only).
    pub pss: Option<Estimate>,
}

/// How many notifications a receiver takes, which writes each into a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotificationResult {
    /// Whose receiver.
    pub subject: String,
    /// The SNMP version with its security, as `v3 TSM`.
    pub version: String,
    /// The transport.
    pub transport: TransportKind,
    /// `trap` or `inform`.
    pub kind: String,
    /// How many were sent; reports of former versions do not tell, and none was lost.
    #[serde(default)]
    pub sent: u64,
    /// How many of them arrived.
    #[serde(default)]
    pub arrived: u64,
    /// Those that arrive in a second, fifty together.
    pub per_second: Estimate,
    /// CPU time of the receiver for each, in microseconds.
    pub receiver_cpu: Estimate,
}

/// What a measured process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessTask {
    /// A command that gets one object and exits.
    Get,
    /// A command that walks ifTable by GetBulk and exits.
    BulkWalk,
    /// The same in SNMPv3, with authentication and privacy.
    GetV3,
    /// A command that gets one object over TLS and exits.
    GetTls,
    /// The same over DTLS.
    GetDtls,
    /// The same over SSH.
    GetSsh,
    /// An agent that starts and answers.
    Start,
    /// An agent with 31 users that starts and answers in SNMPv3.
    StartWithUsers,
}

impl fmt::Display for ProcessTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "one-shot get",
            Self::BulkWalk => "bulkwalk",
            Self::GetV3 => "one-shot get in SNMPv3",
            Self::GetTls => "one-shot get over TLS",
            Self::GetDtls => "one-shot get over DTLS",
            Self::GetSsh => "one-shot get over SSH",
            Self::Start => "start",
            Self::StartWithUsers => "start with 31 users",
        })
    }
}

/// One quantity of two or more subjects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The quantity.
    pub what: String,
    /// Its unit; "x" for a multiple.
    pub unit: String,
    /// What each subject reached.
    pub values: Vec<SubjectValue>,
    /// First subject over the last: the median of the ratios of neighbouring runs.
    pub ratio: Option<Estimate>,
    /// Whether it is one of the headline figures.
    pub headline: bool,
}

/// The value that one subject reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectValue {
    /// The subject.
    pub subject: String,
    /// Its value.
    pub value: Estimate,
}
