//! An agent with two interfaces and web services, and a small client of HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use varbind::agent::{Agent, AgentLimits};
use varbind::clock::Clock;
use varbind_codec::smi::{Value, ValueRef};
use varbind_engine::access_control::{AccessEntry, Vacm, VacmBuilder};
use varbind_engine::instrumentation::{
    Registry, RequestContext, Rows, Scalar, Table, TableSource, WritableScalar,
};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityModel, SecurityName, SourceAddresses,
};
use varbind_web::{Limits, Listen, WebServer};

use crate::command_responder::Memory;
use crate::oid;
use crate::peers::skip;
use crate::view::{access, family};

/// May read all.
pub const READER: &str = "reader";
/// May change all.
pub const WRITER: &str = "writer";
/// May read the system group and ifDescr alone.
pub const LIMITED: &str = "limited";
/// May read all, but from elsewhere.
pub const ELSEWHERE: &str = "elsewhere";
/// Is in no group.
pub const NOBODY: &str = "nobody";

/// Interfaces 1 and 3; the second one has a name that XML and JSON must escape.
struct Interfaces {
    extended: bool,
}

const INDEXES: [&[u32]; 2] = [&[1], &[3]];
/// ifDescr of the second interface.
pub const ODD_NAME: &str = "e\"<&>\\0\u{e9}";

impl Rows for Interfaces {
    fn len(&self) -> usize {
        INDEXES.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        INDEXES[row]
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let first = row == 0;
        let counter = u32::try_from(row * 100).unwrap() + column;
        let name = if first { "lo" } else { ODD_NAME };
        let name = ValueRef::OctetString(name.as_bytes());
        Some(match (self.extended, column) {
            (true, 1) | (false, 2) => name,
            (true, 6 | 10) => ValueRef::Counter64(u64::MAX - u64::from(counter)),
            (true, 18) if !first => ValueRef::OctetString(b"uplink"),
            (false, 1) => ValueRef::Integer(i32::try_from(INDEXES[row][0]).unwrap()),
            (false, 3) => ValueRef::Integer(if first { 24 } else { 6 }),
            (false, 4) => ValueRef::Integer(1500),
            (false, 5 | 21) => ValueRef::Gauge32(counter),
            (false, 6) if first => ValueRef::OctetString(b""),
            (false, 6) => ValueRef::OctetString(&[2, 0, 0, 0xab, 0xcd, 0xef]),
            (false, 7 | 8) => ValueRef::Integer(1),
            (false, 9) => ValueRef::TimeTicks(0),
            (false, 10..=20) => ValueRef::Counter32(counter),
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

fn registry() -> Registry {
    let text = |name: &str, value: &'static str| {
        Scalar::new(&oid(name), move |_: &RequestContext| {
            Some(Value::OctetString(value.into()))
        })
    };
    let writable = |name: &str, value: &str| {
        let value = Mutex::new(Value::OctetString(value.into()));
        WritableScalar::new(oid(name).child(&[0]).unwrap(), Arc::new(value))
    };
    let integer = |name: &str, value: i32| {
        let value = Mutex::new(Value::Integer(value));
        WritableScalar::new(oid(name).child(&[0]).unwrap(), Arc::new(value))
    };
    // sysUpTime is another one whenever it is read.
    let ticks = AtomicU32::new(0);
    let up_time = Scalar::new(&oid("1.3.6.1.2.1.1.3"), move |_: &RequestContext| {
        Some(Value::TimeTicks(ticks.fetch_add(1, Ordering::Relaxed)))
    });
    let number = Scalar::new(&oid("1.3.6.1.2.1.2.1"), |_: &RequestContext| {
        Some(Value::Integer(2))
    });
    let table = |entry: &str, columns: Vec<u32>, extended| {
        Table::new(oid(entry), columns, Interfaces { extended })
    };
    Registry::builder()
        .register(
            oid("1.3.6.1.2.1.1.1"),
            Arc::new(text("1.3.6.1.2.1.1.1", "a test")),
        )
        .register(oid("1.3.6.1.2.1.1.3"), Arc::new(up_time))
        .register(
            oid("1.3.6.1.2.1.1.4"),
            Arc::new(writable("1.3.6.1.2.1.1.4", "admin")),
        )
        .register(
            oid("1.3.6.1.2.1.1.6"),
            Arc::new(writable("1.3.6.1.2.1.1.6", "here")),
        )
        .register(oid("1.3.6.1.2.1.2.1"), Arc::new(number))
        .register(
            oid("1.3.6.1.2.1.11.30"),
            Arc::new(integer("1.3.6.1.2.1.11.30", 2)),
        )
        .register(
            oid("1.3.6.1.6.3.1.1.6.1"),
            Arc::new(integer("1.3.6.1.6.3.1.1.6.1", 1)),
        )
        .register(
            oid("1.3.6.1.2.1.2.2"),
            Arc::new(table("1.3.6.1.2.1.2.2.1", (1..=21).collect(), false)),
        )
        .register(
            oid("1.3.6.1.2.1.31.1.1"),
            Arc::new(table("1.3.6.1.2.1.31.1.1.1", vec![1, 6, 10, 18], true)),
        )
        .build()
        .unwrap()
}

fn grant(vacm: VacmBuilder, name: &str, read: &str, write: &str) -> VacmBuilder {
    let entry = |security_model| AccessEntry {
        security_model: Some(security_model),
        security_level: match security_model {
            SecurityModel::Transport => SecurityLevel::AuthPriv,
            _ => SecurityLevel::NoAuthNoPriv,
        },
        ..access(name, read, write)
    };
    [SecurityModel::SnmpV2c, SecurityModel::Transport]
        .into_iter()
        .fold(vacm, |vacm, model| {
            vacm.group(model, SecurityName::new(name), name)
                .access(entry(model))
        })
}

fn access_control() -> Vacm {
    let vacm = Vacm::builder()
        .context("")
        .view("all", family("1.3.6.1", "", true))
        .view("limited", family("1.3.6.1.2.1.1", "", true))
        .view("limited", family("1.3.6.1.2.1.2.2.1.2", "", true));
    let vacm = grant(vacm, READER, "all", "");
    let vacm = grant(vacm, WRITER, "all", "all");
    let vacm = grant(vacm, LIMITED, "limited", "limited");
    grant(vacm, ELSEWHERE, "all", "").build().unwrap()
}

fn local_configuration() -> LocalConfiguration {
    let community = |name: &str| Community {
        name: name.as_bytes().to_vec(),
        security_name: SecurityName::new(name),
        context_name: String::new(),
        sources: if name == ELSEWHERE {
            SourceAddresses::Within(vec!["192.0.2.1".parse().unwrap()])
        } else {
            SourceAddresses::Any
        },
    };
    let communities = [READER, WRITER, LIMITED, ELSEWHERE, NOBODY].map(community);
    LocalConfiguration {
        communities: CommunityTable::new(communities.to_vec()),
        access_control: access_control(),
        contexts: [(String::new(), Arc::new(registry()))].into(),
        ..LocalConfiguration::default()
    }
}

/// An agent and its web services.
pub struct Served {
    /// Where the web services listen.
    pub address: SocketAddr,
    /// Where Sets are stored.
    pub storage: Arc<Memory>,
    /// The web services.
    pub web: WebServer,
    /// The agent behind it.
    pub agent: Agent,
}

impl Served {
    /// Over HTTP, on a port of its own.
    pub fn start() -> Self {
        Self::with(Listen::Http(([127, 0, 0, 1], 0).into()), Limits::default())
    }

    /// With this listener and these limits.
    pub fn with(listen: Listen, limits: Limits) -> Self {
        let storage = Arc::new(Memory::default());
        let agent = Agent::start(
            local_configuration(),
            Arc::default(),
            Arc::clone(&storage) as _,
            AgentLimits::default(),
            Clock::start(),
        )
        .unwrap();
        let hosts = vec!["agent".parse().unwrap()];
        let web = WebServer::start(agent.object_access(), &[listen], limits, hosts).unwrap();
        Self {
            address: web.addresses()[0],
            storage,
            web,
            agent,
        }
    }

    /// Tells the metrics when the certificate ends.
    pub fn replace_certificate_end(&self, end: Option<i64>) {
        self.web.replace_certificate_end(end);
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A GET of a community.
    pub fn get(&self, community: &str, path: &str) -> Response {
        self.send("GET", path, community, &[], b"")
    }

    /// A GET of a community for a media type.
    pub fn get_as(&self, community: &str, path: &str, accept: &str) -> Response {
        self.send("GET", path, community, &[("Accept", accept)], b"")
    }

    /// Sends one request in a connection of its own.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        community: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let credentials = STANDARD.encode(format!(":{community}"));
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n");
        if !community.is_empty() {
            head += &format!("Authorization: Basic {credentials}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.send_raw(&request)
    }

    /// Sends octets and reads until the connection ends.
    pub fn send_raw(&self, request: &[u8]) -> Response {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A server that refuses early may not read all.
        let _ = socket.write_all(request);
        let mut octets = Vec::new();
        let _ = socket.read_to_end(&mut octets);
        Response::parse(&octets)
    }
}

/// A response of HTTP.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    fn parse(octets: &[u8]) -> Self {
        let end = octets
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap_or_else(|| panic!("no response: {:?}", String::from_utf8_lossy(octets)));
        let head = std::str::from_utf8(&octets[..end]).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        Self {
            status: status.parse().unwrap(),
            headers: lines.map(header).collect(),
            body: octets[end + 4..].to_vec(),
        }
    }

    /// A header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        let mut headers = self.headers.iter();
        headers
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error-tag of a refusal by RESTCONF.
    #[track_caller]
    pub fn error_tag(&self) -> String {
        let json = self.json();
        let tag = &json["ietf-restconf:errors"]["error"][0]["error-tag"];
        tag.as_str().unwrap_or_else(|| panic!("{json}")).to_owned()
    }
}

/// What a program says on standard output; `None`, and a visible skip, where it is not installed.
pub fn program(name: &str, arguments: &[&str]) -> Option<(bool, String)> {
    match Command::new(name).args(arguments).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr);
            Some((output.status.success(), text + &errors))
        }
        Err(error) => {
            skip(&format!("{name} cannot be run: {error}"));
            None
        }
    }
}
