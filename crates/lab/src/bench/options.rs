use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use varbind_codec::message::{SecurityLevel, Version};
use varbind_codec::smi::Oid;
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use crate::measurement::{Mode, Placement, TransportKind};
use crate::request::Assignment;

/// What `varbind bench` asks, and how. [`BenchOptions::default`] is what it does by itself.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// SNMP versions, over every transport; empty for SNMPv2c and SNMPv1 over every transport, and SNMPv3 with
    /// authentication and privacy over the first.
    pub versions: Vec<Version>,
    /// Security levels of SNMPv3; empty for all three where [`versions`](Self::versions) names it.
    pub security_levels: Vec<SecurityLevel>,
    /// Authentication protocols.
    pub authentication: Vec<AuthenticationProtocol>,
    /// Privacy protocols, each with each authentication protocol.
    pub privacy: Vec<PrivacyProtocol>,
    /// Whether in SNMPv3 each session turns the passwords into keys, and that counts in the response time.
    pub derives_per_session: bool,
    /// Transports.
    pub transports: Vec<TransportKind>,
    /// What is asked.
    pub requests: Vec<RequestKind>,
    /// The names to ask for, or the roots to walk; empty for the default of each request.
    pub names: Vec<Oid>,
    /// What to set; empty for sysContact.0, with two values of 32 characters in turn.
    pub assignments: Vec<Assignment>,
    /// non-repeaters of GetBulk.
    pub non_repeaters: u16,
    /// max-repetitions of GetBulk.
    pub max_repetitions: u16,
    /// Sessions in each repetition; `None` for a number that suits the request.
    pub sessions: Option<u32>,
    /// Operations in each session; `None` for a number that suits the request.
    pub exchanges: Option<u32>,
    /// How requests follow each other.
    pub mode: Mode,
    /// On which cores manager and agent run, where the agent is started here; figures always share one core.
    pub placement: Placement,
    /// Time-out of each attempt.
    pub timeout: Duration,
    /// Attempts after the first.
    pub retries: u32,
    /// Sessions that are open at most while the agent's memory is read, 0 for none; `None` for what is usual.
    pub open_sessions: Option<u32>,
    /// Also measure figures: throughput beside the echo, whole commands, starts, sessions, memory, notifications.
    pub has_figures: bool,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self {
            versions: Vec::new(),
            security_levels: Vec::new(),
            // Those of Gamess and Hernandez (2021).
            authentication: vec![AuthenticationProtocol::Sha1],
            privacy: vec![PrivacyProtocol::Aes128],
            derives_per_session: false,
            transports: TransportKind::ALL.to_vec(),
            requests: vec![
                RequestKind::Get,
                RequestKind::GetNext,
                RequestKind::GetBulk,
                RequestKind::Set,
                RequestKind::Walk,
            ],
            names: Vec::new(),
            assignments: Vec::new(),
            non_repeaters: 0,
            max_repetitions: 10,
            sessions: None,
            exchanges: None,
            mode: Mode::Closed,
            placement: Placement::SameCore,
            timeout: Duration::from_secs(1),
            retries: 5,
            open_sessions: None,
            has_figures: true,
        }
    }
}

/// The files that a report is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The whole report.
    pub json: Option<PathBuf>,
    /// A row for each repetition.
    pub csv: Option<PathBuf>,
    /// A page with plots.
    pub html: Option<PathBuf>,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// GetRequest-PDU.
    Get,
    /// GetNextRequest-PDU.
    GetNext,
    /// GetBulkRequest-PDU.
    GetBulk,
    /// SetRequest-PDU.
    Set,
    /// A walk by GetNext.
    Walk,
    /// A walk by GetBulk.
    BulkWalk,
}

const REQUEST_NAMES: [(RequestKind, &str); 6] = [
    (RequestKind::Get, "get"),
    (RequestKind::GetNext, "getnext"),
    (RequestKind::GetBulk, "getbulk"),
    (RequestKind::Set, "set"),
    (RequestKind::Walk, "walk"),
    (RequestKind::BulkWalk, "bulkwalk"),
];

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = REQUEST_NAMES.iter().find(|(kind, _)| kind == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for RequestKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = REQUEST_NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(kind, _)| *kind).ok_or_else(|| {
            format!("unknown request {text}: use get, getnext, getbulk, set, walk or bulkwalk")
        })
    }
}

/// A foreign agent that the laboratory can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Net-SNMP's snmpd.
    NetSnmp,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("net-snmp")
    }
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "net-snmp" => Ok(Self::NetSnmp),
            _ => Err(format!("unknown subject {text}: use net-snmp")),
        }
    }
}
