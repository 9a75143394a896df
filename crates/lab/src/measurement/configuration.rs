use std::fmt;

use serde::{Deserialize, Serialize};
use varbind::transport::Transport;
use varbind_codec::message::SecurityLevel;

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
