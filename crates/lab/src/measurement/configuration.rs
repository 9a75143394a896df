use std::fmt;

use serde::{Deserialize, Serialize};
use varbind::transport::Transport;
use varbind_codec::message::SecurityLevel;

use super::{Estimate, LatencySummary, ProcessUse, Quantile, Traffic};

/// The parameters of one configuration: everything that a repetition needs to be made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The agent that answers.
    pub subject: String,
    /// The SNMP version, as `v2c`.
    pub version: String,
    /// How messages are protected, in SNMPv3.
    pub security: Option<SecurityParameters>,
    /// The transport.
    pub transport: TransportKind,
    /// Whether sessions are resumed, where the transport supports it.
    pub is_resumed: bool,
    /// The request, as `getbulk(0,10)`.
    pub request: String,
    /// The names in the request, dotted.
    pub names: Vec<String>,
    /// Sessions opened, used and closed in each repetition.
    pub sessions: u32,
    /// Operations in each session: a request with its response, or a whole walk.
    pub exchanges: u32,
    /// Independent runs, mixed with those of all other configurations.
    pub repetitions: u32,
    /// How requests follow each other.
    pub mode: Mode,
    /// On which processor cores manager and agent run.
    pub placement: Placement,
    /// The time-out of each attempt, in milliseconds.
    pub timeout_milliseconds: u64,
    /// Attempts after the first.
    pub retries: u32,
}

/// How messages of SNMPv3 are protected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SecurityParameters {
    /// The security model: `USM` (RFC 3414), or `TSM` (RFC 5591), where the transport protects.
    pub model: String,
    /// The security level, as `authPriv`.
    pub level: String,
    /// The authentication protocol, as `SHA-256`.
    pub authentication: Option<String>,
    /// The privacy protocol, as `AES`.
    pub privacy: Option<String>,
    /// Whether each session turns the passwords into keys, and that counts in the response time.
    pub derives_per_session: bool,
}

/// As `authPriv SHA AES`, or `TSM`.
impl fmt::Display for SecurityParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.model == "TSM" {
            return f.write_str(&self.model);
        }
        f.write_str(&self.level)?;
        for protocol in [&self.authentication, &self.privacy].into_iter().flatten() {
            write!(f, " {protocol}")?;
        }
        Ok(())
    }
}

impl Parameters {
    /// The version with its security, as `v3 authPriv SHA AES`.
    #[must_use]
    pub fn version_and_security(&self) -> String {
        match &self.security {
            None => self.version.clone(),
            Some(security) => format!("{} {security}", self.version),
        }
    }
}

/// The transports of SNMP that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransportKind {
    /// UDP (RFC 3417).
    Udp,
    /// TCP (RFC 3430).
    Tcp,
    /// TLS over TCP (RFC 6353, RFC 9456).
    Tls,
    /// DTLS over UDP (RFC 6353).
    Dtls,
    /// SSH (RFC 5592).
    Ssh,
    /// TLS 1.0 and up by OpenSSL, for agents that have nothing newer. RFC 9456 forbids it.
    LegacyTls,
    /// TLS 1.0 to 1.2 by OpenSSL with a suite that does not encrypt: `ECDHE-ECDSA-NULL-SHA`. What it costs is compared;
    /// nobody should use it.
    IntegrityOnlyTls,
    /// The same with AES-128 besides: `ECDHE-ECDSA-AES128-SHA`.
    LegacyAesTls,
}

impl TransportKind {
    /// The library's name of it: of TLS it has one.
    #[must_use]
    pub const fn of_library(self) -> Transport {
        match self {
            Self::Udp => Transport::Udp,
            Self::Tcp => Transport::Tcp,
            Self::Tls | Self::LegacyTls | Self::IntegrityOnlyTls | Self::LegacyAesTls => {
                Transport::Tls
            }
            Self::Dtls => Transport::Dtls,
            Self::Ssh => Transport::Ssh,
        }
    }

    /// Those of the standards.
    pub const ALL: [Self; 5] = [Self::Udp, Self::Tcp, Self::Tls, Self::Dtls, Self::Ssh];

    /// TLS by OpenSSL, in older versions or with older suites.
    pub const LEGACY_TLS: [Self; 3] = [Self::LegacyTls, Self::IntegrityOnlyTls, Self::LegacyAesTls];

    /// Whether it authenticates and protects by itself.
    #[must_use]
    pub const fn is_secure(self) -> bool {
        matches!(self, Self::Tls | Self::Dtls | Self::Ssh) || self.is_legacy_tls()
    }

    /// Whether what is sent arrives as long as the session lasts.
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        matches!(self, Self::Tcp | Self::Tls | Self::Ssh) || self.is_legacy_tls()
    }

    /// Whether it is one of [`LEGACY_TLS`](Self::LEGACY_TLS).
    #[must_use]
    pub const fn is_legacy_tls(self) -> bool {
        matches!(
            self,
            Self::LegacyTls | Self::IntegrityOnlyTls | Self::LegacyAesTls
        )
    }

    /// The level of messages that it protects (RFC 5591 section 4.1).
    #[must_use]
    pub const fn security_level(self) -> SecurityLevel {
        match self {
            Self::Udp | Self::Tcp => SecurityLevel::NoAuthNoPriv,
            Self::IntegrityOnlyTls => SecurityLevel::AuthNoPriv,
            Self::Tls | Self::Dtls | Self::Ssh | Self::LegacyTls | Self::LegacyAesTls => {
                SecurityLevel::AuthPriv
            }
        }
    }

    /// Whether a session can be resumed.
    #[must_use]
    pub const fn resumes(self) -> bool {
        matches!(self, Self::Tls | Self::Dtls)
    }
}

impl fmt::Display for TransportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Dtls => "dtls",
            Self::Ssh => "ssh",
            Self::LegacyTls => "legacy-tls",
            Self::IntegrityOnlyTls => "integrity-only-tls",
            Self::LegacyAesTls => "legacy-aes-tls",
        })
    }
}

/// How requests follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Mode {
    /// The next request leaves when the answer to the one before is there.
    Closed,
    /// So many requests are outstanding at any time.
    Window {
        /// How many.
        size: u32,
    },
    /// So many requests leave together, by one system call, and the next when all are answered: what a poller does that
    /// wakes up for many targets at once.
    Burst {
        /// How many.
        size: u32,
    },
    /// Requests leave by the clock; latency counts from the time at which they should have left.
    Open {
        /// Requests per second.
        rate: f64,
    },
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("closed"),
            Self::Window { size } => write!(f, "window {size}"),
            Self::Burst { size } => write!(f, "burst {size}"),
            Self::Open { rate } => write!(f, "open {rate}/s"),
        }
    }
}

/// On which processor cores manager and agent run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Where the scheduler puts them.
    Free,
    /// Both on one core, and neither interrupts the other (SCHED_BATCH): the least noise, and CPU times that can be
    /// compared.
    SameCore,
    /// The manager on one core, the agent on another.
    SplitCores,
}

/// What was measured of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationResult {
    /// What was measured.
    pub parameters: Parameters,
    /// Each phase of a session apart.
    pub phases: Phases,
    /// Total time of a repetition, open, discovery and close included, by its exchanges: response time as Gamess and Hernandez
    /// (2021) define it. The median of the repetitions.
    pub response_time: Estimate,
    /// Operations per second while a session is open, in the median repetition.
    pub rate: Estimate,
    /// Octets and packets.
    pub traffic: Traffic,
    /// Objects in the responses, by operations.
    pub objects_per_exchange: f64,
    /// The process that sent the requests.
    pub manager: ProcessUse,
    /// The process that answered them; unknown for an agent that the laboratory did not start.
    pub agent: Option<ProcessUse>,
    /// What went wrong.
    pub outcome: Outcome,
    /// Resumed sessions.
    pub resumed: u64,
    /// The distribution function of the steady state, or of the first exchanges where sessions have no other.
    pub curve: Vec<Quantile>,
    /// Latencies over time, thinned.
    pub samples: Vec<Sample>,
    /// Each repetition by itself.
    pub runs: Vec<RunResult>,
}

/// The phases of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases<T = LatencySummary> {
    /// Opening the socket, and the TCP connection where there is one.
    pub open: Option<T>,
    /// The handshake of TLS or DTLS, or the key exchange of SSH.
    pub handshake: Option<T>,
    /// Authentication of the user in SSH, and opening the channel with its subsystem.
    pub authentication: Option<T>,
    /// From passwords to keys, in SNMPv3: once in a repetition, or in each session.
    pub key_derivation: Option<T>,
    /// Finding out who the engine is (RFC 5343) and, with the user-based security model, what time it has (RFC 3414
    /// section 4), in SNMPv3.
    pub discovery: Option<T>,
    /// The first operation of each session.
    pub first_exchange: Option<T>,
    /// All later operations.
    pub steady_state: Option<T>,
    /// All operations of an open loop, from the moment they really left: beside the steady state it shows what
    /// coordinated omission would have hidden.
    pub uncorrected: Option<T>,
    /// Closing.
    pub close: Option<T>,
}

impl<T> Phases<T> {
    /// Each phase with its name.
    #[must_use]
    pub const fn all(&self) -> [(&'static str, &Option<T>); 9] {
        [
            ("open", &self.open),
            ("handshake", &self.handshake),
            ("authentication", &self.authentication),
            ("key derivation", &self.key_derivation),
            ("discovery", &self.discovery),
            ("first exchange", &self.first_exchange),
            ("steady state", &self.steady_state),
            ("uncorrected", &self.uncorrected),
            ("close", &self.close),
        ]
    }

    /// Each phase that was measured, with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &T)> {
        let all = self.all().into_iter();
        all.filter_map(|(name, phase)| phase.as_ref().map(|phase| (name, phase)))
    }
}

/// What went wrong, and what did not, in counts over all repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Operations that ended with a right answer.
    pub completed: u64,
    /// Request messages sent, retries included.
    pub requests: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Operations given up without an answer.
    pub timeouts: u64,
    /// Answers to an attempt after which another had been sent already, or to an operation given up.
    pub late_answers: u64,
    /// Answers that had been received before.
    pub duplicate_answers: u64,
    /// Responses with an error-status.
    pub errors: u64,
    /// Responses that do not decode or do not fit their request.
    pub wrong_answers: u64,
    /// Sessions that could not be opened, or broke.
    pub broken_sessions: u64,
}

impl Outcome {
    /// Adds the counts of `other`.
    pub const fn add(&mut self, other: &Self) {
        self.completed += other.completed;
        self.requests += other.requests;
        self.retries += other.retries;
        self.timeouts += other.timeouts;
        self.late_answers += other.late_answers;
        self.duplicate_answers += other.duplicate_answers;
        self.errors += other.errors;
        self.wrong_answers += other.wrong_answers;
        self.broken_sessions += other.broken_sessions;
    }

    /// Operations that did not end with a right answer.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.timeouts + self.errors + self.wrong_answers + self.broken_sessions
    }
}

/// One latency and when it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Milliseconds since the beginning of the whole run.
    pub at_milliseconds: f64,
    /// Latency in microseconds.
    pub latency: f64,
}

/// One repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Milliseconds since the beginning of the whole run.
    pub at_milliseconds: f64,
    /// Response time in microseconds.
    pub response_time: f64,
    /// Operations per second while a session is open.
    pub rate: f64,
    /// CPU time of the manager per operation, in microseconds.
    pub manager_cpu: f64,
    /// CPU time of the agent per operation, in microseconds.
    pub agent_cpu: Option<f64>,
    /// The phases of this repetition.
    pub phases: Phases<RunSummary>,
}

/// A phase of one repetition, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// How many latencies were measured.
    pub n: u64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The greatest.
    pub maximum: f64,
}
