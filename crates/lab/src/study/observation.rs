use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::workload::{MOST_LATE_ANSWERS, MOST_LATE_PACKETS};
use super::{SubjectName, Task};

/// What is measured of a task. Times are in microseconds, memory and traffic in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The total by the exchanges, open and close included, as Gamess and Hernandez (2021) define it.
    ResponseTime,
    /// A whole session, from its opening to its close.
    SessionTime,
    /// From the beginning of the task to its end.
    Elapsed,
    /// Exchanges per second while a session is open.
    Rate,
    /// The mean time of a phase of a session.
    Phase(Phase),
    /// The total by the messages sent: of a walk, the time for each of its requests.
    MessageTime,
    /// Connection and handshake of each session together.
    SetUpTime,
    /// The exchange of that number, from 1, where a repetition has one session of at most 64 exchanges.
    Exchange(u32),
    /// CPU time of the manager for each exchange.
    ManagerCpu,
    /// CPU time of the agent for each exchange.
    AgentCpu,
    /// CPU time in this process, where there is no other.
    Cpu,
    /// Octets of SNMP messages (or bodies) of requests, for each exchange.
    OctetsSent,
    /// Octets of SNMP messages (or bodies) of responses, for each exchange.
    OctetsReceived,
    /// Both together.
    Octets,
    /// The mean time of a request with its response while a session is open, the first one included.
    RoundTrip,
    /// Octets of IP packets in both directions, for each session.
    WireOctets,
    /// IP packets in both directions, for each session.
    WirePackets,
    /// Octets of IP packets in both directions, for each exchange after the first.
    WireOctetsPerExchange,
    /// IP packets in both directions, for each exchange after the first.
    WirePacketsPerExchange,
    /// Memory (PSS) of the agent.
    Memory,
    /// What each open session adds to it.
    MemoryPerSession,
    /// What of the memory of open sessions stays after they are closed, as a share.
    MemoryAfterClose,
    /// Objects in the responses, for each exchange.
    Objects,
    /// Exchanges that ended with a right answer.
    Completed,
    /// Exchanges that did not.
    Failed,
    /// Messages sent for each exchange, the first included; across a link beyond every number if nothing was answered.
    Attempts,
    /// Instructions of the processor, for each exchange.
    Instructions,
    /// Whether it ended within the time that it had: 1 or 0.
    Finished,
    /// How late packets were passed on by the emulated link, beyond their delay: what 99 % of them did not exceed.
    Lateness,
    /// How late answers came to gets that were made beside the runs across an emulated link, and of which nothing was lost: what
    /// 99 % of them did not exceed.
    AnswerLateness,
    /// Packets that an emulated link has lost.
    PacketsLost,
    /// Octets of Ethernet frames in both directions, for each session: 14 more than the IP packet, as tcpdump counts.
    FrameOctets,
    /// Of the narrowest range of frame sizes, by tens, that holds 99 of 100 packets: the least size.
    LeastDominatingFrame,
    /// The greatest size of that range.
    GreatestDominatingFrame,
    /// Packets whose frames are within that range.
    DominatingPackets,
    /// Memory (PSS) of the agent with so many open sessions.
    MemoryWith(u32),
    /// From when an agent that was killed and started again listens, to the first answer after that; beyond every number without one.
    Recovery,
    /// How often a run across an emulated link was repeated because packets or answers were late.
    RunsRepeated,
    /// Requests in each second of the agent's CPU time.
    RatePerCore,
    /// A whole command, from the start of its process to its end.
    CommandTime,
    /// What so many thousandths of the exchanges after the first of a session do not take longer than, or of all where sessions have
    /// one exchange.
    Percentile(u32),
    /// An agent, from the start of its process to its first response.
    StartTime,
}

/// The percentiles that are measured, in thousandths.
pub(super) const PERCENTILES: [u32; 5] = [500, 900, 990, 999, 1000];

impl Measure {
    /// Whether it depends on what else the machine does.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        matches!(
            self,
            Self::ResponseTime
                | Self::SessionTime
                | Self::Elapsed
                | Self::Rate
                | Self::Phase(_)
                | Self::MessageTime
                | Self::SetUpTime
                | Self::Exchange(_)
                | Self::ManagerCpu
                | Self::AgentCpu
                | Self::Cpu
                | Self::RoundTrip
                | Self::Lateness
                | Self::AnswerLateness
                | Self::Recovery
                | Self::RatePerCore
                | Self::CommandTime
                | Self::Percentile(_)
                | Self::StartTime
        )
    }
}

/// A phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The socket, and the TCP connection where there is one.
    Open,
    /// The handshake of TLS or DTLS, or the key exchange of SSH.
    Handshake,
    /// Authentication of the user in SSH, and opening the channel.
    Authentication,
    /// From passwords to keys.
    KeyDerivation,
    /// Finding out who the engine is.
    Discovery,
    /// The first exchange.
    FirstExchange,
    /// Each later exchange.
    SteadyState,
    /// Closing.
    Close,
    /// Each exchange of an open loop from the time at which it really began: beside the others it shows what coordinated omission would
    /// have hidden.
    Uncorrected,
}

/// What one repetition of a task found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// What was measured.
    #[serde(with = "measures")]
    pub measures: BTreeMap<Measure, f64>,
    /// Pairs of a time in seconds and a count, for tasks whose course is of interest; thinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<(f64, f64)>,
    /// Why there is nothing, or not all: in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Whether the machine had other things to do meanwhile; a line of its own says so.
    #[serde(skip)]
    pub disturbed: bool,
}

impl Observation {
    /// One without any value.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            trouble: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Notes a value, unless it is not a number.
    pub fn note(&mut self, measure: Measure, value: f64) {
        if value.is_finite() {
            self.measures.insert(measure, value);
        }
    }

    /// Notes that a value was not reached before the run was cut: it is more than that of every run that was not.
    pub fn note_beyond(&mut self, measure: Measure) {
        self.measures.insert(measure, BEYOND);
    }

    /// Whether packets or answers of a run across an emulated link were later than they may be.
    pub(super) fn is_late(&self) -> bool {
        let most_late = [
            (Measure::Lateness, MOST_LATE_PACKETS),
            (Measure::AnswerLateness, MOST_LATE_ANSWERS),
        ];
        most_late.iter().any(|(measure, most)| {
            let late = self.measures.get(measure);
            late.is_some_and(|late| *late > most.as_secs_f64() * 1e6)
        })
    }
}

/// Stands for what was not reached before a run was cut. It is greater than whatever is measured, so that ranks, and medians as
/// long as they are finite, are those that longer runs would give (censoring of type I: Lawless, Statistical Models and Methods
/// for Lifetime Data, 2003, section 2.2).
pub const BEYOND: f64 = f64::MAX;

/// Whether a value, in whatever unit, was not reached before runs were cut.
#[must_use]
pub fn is_beyond(value: f64) -> bool {
    value > BEYOND * 1e-9
}

/// One repetition of a task with a subject: a line of the notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was done.
    pub task: Task,
    /// With whom.
    pub subject: SubjectName,
    /// Which repetition it was, from 0.
    pub round: u32,
    /// Seconds since the run began, its interruptions left out.
    pub at: f64,
    /// What was found.
    pub observation: Observation,
}

impl Record {
    /// Whether another is of the same repetition.
    #[must_use]
    pub fn is_of_the_same(&self, other: &Self) -> bool {
        self.round == other.round && self.subject == other.subject && self.task == other.task
    }
}

/// Measures as a list of pairs: a phase is not a name of a JSON object.
mod measures {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Measure;

    pub(super) fn serialize<S: Serializer>(
        measures: &BTreeMap<Measure, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let pairs: Vec<_> = measures.iter().collect();
        pairs.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Measure, f64>, D::Error> {
        let pairs = Vec::<(Measure, f64)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().collect())
    }
}
