//! An agent with an ifTable of any size, over TCP and over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use varbind::agent::{Agent, AgentLimits};
use varbind::clock::Clock;
use varbind::compression::{Compression, CompressionSet};
use varbind::transport::Transport;
use varbind_codec::smi::{Oid, OidRef, ValueRef};
use varbind_engine::access_control::Vacm;
use varbind_engine::instrumentation::{Registry, RequestContext, Rows, Table, TableSource};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::{
    Community, CommunityTable, SecurityModel, SecurityName, SourceAddresses,
};
use varbind_testkit::command_responder::Memory;
use varbind_testkit::view::{access, family};
use varbind_web::{Limits, Listen, WebServer};

pub(crate) const COMMUNITY: &str = "public";
pub(crate) const IF_ENTRY: &str = "1.3.6.1.2.1.2.2.1";

/// The columns of ifTable but those that are told by so many numbers.
pub(crate) fn columns(count: usize) -> Vec<u32> {
    let left_out: &[u32] = match count {
        22 => &[],
        // ifInNUcastPkts and ifOutNUcastPkts, which are deprecated.
        20 => &[12, 18],
        // Those of the agent of 2004.
        18 => &[9, 12, 15, 18],
        _ => panic!("no such table"),
    };
    (1..=22)
        .filter(|column| !left_out.contains(column))
        .collect()
}

/// Interfaces of an access switch: names and addresses in series, counters of traffic all different, errors mostly 0.
struct Interfaces {
    rows: Vec<Row>,
    /// Whether nothing has ever passed them: then most values are alike.
    are_idle: bool,
}

struct Row {
    index: [u32; 1],
    name: String,
    address: [u8; 6],
}

/// Digits of nobody's choice, the same in every run.
fn digits(row: usize, column: u32) -> u32 {
    let mut state = (row as u64) << 8 | u64::from(column);
    state = (state + 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from((state ^ state >> 31) >> 32).unwrap()
}

impl Interfaces {
    fn new(rows: usize, are_idle: bool) -> Self {
        let row = |at: usize| {
            let [high, low] = u16::try_from(at).unwrap().to_be_bytes();
            Row {
                index: [u32::try_from(at).unwrap()],
                name: format!("GigabitEthernet{}/{}", at / 48, at % 48),
                address: [0x00, 0x40, 0x63, 0xc9, high, low],
            }
        };
        Self {
            rows: (1..=rows).map(row).collect(),
            are_idle,
        }
    }
}

impl Rows for Interfaces {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        &self.rows[row].index
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let Row {
            index,
            name,
            address,
        } = &self.rows[row];
        let number = digits(row, column);
        let is_up = !digits(row, 0).is_multiple_of(8) && !self.are_idle;
        let traffic = |number: u32| ValueRef::Counter32(if is_up { number } else { 0 });
        Some(match column {
            1 => ValueRef::Integer(i32::try_from(index[0]).unwrap()),
            2 => ValueRef::OctetString(name.as_bytes()),
            3 => ValueRef::Integer(6),
            4 => ValueRef::Integer(1500),
            5 => ValueRef::Gauge32(1_000_000_000),
            6 => ValueRef::OctetString(address),
            7 => ValueRef::Integer(1),
            8 => ValueRef::Integer(if is_up { 1 } else { 2 }),
            9 if self.are_idle => ValueRef::TimeTicks(0),
            9 => ValueRef::TimeTicks(number >> 6),
            // Octets.
            10 | 16 => traffic(number),
            // Packets: fewer.
            11 | 17 => traffic(number >> 8),
            12 | 18 => traffic(number >> 16),
            // Discards and errors.
            13 | 14 | 19 | 20 if number.is_multiple_of(16) => traffic(number >> 24),
            13..=15 | 19 | 20 => ValueRef::Counter32(0),
            21 => ValueRef::Gauge32(0),
            22 => ValueRef::ObjectIdentifier(OidRef::ZERO_DOT_ZERO),
            _ => return None,
        })
    }
}

impl TableSource for Interfaces {
    type Rows = Self;

    fn with_rows<T>(&self, _: &RequestContext, look: impl FnOnce(&Self) -> T) -> T {
        look(self)
    }
}

fn access_control(name: &SecurityName) -> Vacm {
    Vacm::builder()
        .context("")
        .group(SecurityModel::SnmpV2c, name.clone(), "readers")
        .access(access("readers", "all", ""))
        .view("all", family("1.3.6.1", "", true))
        .build()
        .unwrap()
}

/// The agent, and where it is.
pub(crate) struct Served {
    pub(crate) snmp: SocketAddr,
    pub(crate) http: SocketAddr,
    _web: WebServer,
    _agent: Agent,
}

impl Served {
    pub(crate) fn new(rows: usize, columns: Vec<u32>, are_idle: bool) -> Self {
        let entry: Oid = IF_ENTRY.parse().unwrap();
        let behind: Oid = "1.3.6.1.2.1.10.7.2.1".parse().unwrap();
        let accepted: CompressionSet = Compression::ALL.into_iter().collect();
        let (name, told) = accepted.managed_object();
        let registry = Registry::builder()
            .register(
                entry.clone(),
                Arc::new(Table::new(entry, columns, Interfaces::new(rows, are_idle))),
            )
            // What is behind ifTable: other counters of the same interfaces, at the names of dot3StatsTable.
            .register(
                behind.clone(),
                Arc::new(Table::new(
                    behind,
                    vec![10, 11, 13, 16],
                    Interfaces::new(rows, false),
                )),
            )
            .register(name, Arc::new(told))
            .build()
            .unwrap();
        let name = SecurityName::new(COMMUNITY);
        let local = LocalConfiguration {
            access_control: access_control(&name),
            communities: CommunityTable::new(vec![Community {
                name: COMMUNITY.into(),
                security_name: name,
                context_name: String::new(),
                sources: SourceAddresses::loopback(),
            }]),
            contexts: [(String::new(), Arc::new(registry))].into(),
            compression: accepted,
            ..LocalConfiguration::default()
        };
        let limits = AgentLimits {
            dictionary_sessions: 16,
            ..AgentLimits::default()
        };
        let agent = Agent::start(
            local,
            Arc::default(),
            Arc::<Memory>::default(),
            limits,
            Clock::start(),
        )
        .unwrap();
        let any = ([127, 0, 0, 1], 0).into();
        let snmp = agent.listen(Transport::Tcp, any).unwrap();
        let web = WebServer::start(
            agent.object_access(),
            &[Listen::Http(any)],
            Limits::default(),
            Vec::new(),
        )
        .unwrap();
        Self {
            snmp,
            http: web.addresses()[0],
            _web: web,
            _agent: agent,
        }
    }
}
