//! How many octets ifTable takes by SNMP and by the web face, compressed and not: docs/compression.md has the table.
//!
//! `cargo test -p varbind-web --test octets -- --nocapture` prints it.
#![cfg(test)]

mod agent;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use varbind::compression::Compression;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::WalkOptions;

use agent::{COMMUNITY, IF_ENTRY, Served, columns};

/// The numbers of objects of the study of 2004, and one of a large device: rows and columns, or one object of one row.
const SIZES: [(usize, usize, usize); 9] = [
    (1, 1, 22),
    (22, 1, 22),
    (66, 3, 22),
    (216, 12, 18),
    (270, 15, 18),
    (540, 27, 20),
    (1_000, 50, 20),
    (5_000, 250, 20),
    (20_000, 1_000, 20),
];

const BY_A_WALK: &str = "SNMP dictionary, by a walk";

/// Octets of requests and responses, as they go over TCP.
#[derive(Default)]
struct Relay {
    sent: AtomicUsize,
    received: AtomicUsize,
}

impl Relay {
    /// Counts what goes to `agent` and back through the address that is returned.
    fn start(agent: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Arc::new(Self::default());
        let counts = Arc::clone(&relay);
        thread::spawn(move || {
            let (manager, _) = listener.accept().unwrap();
            let agent = TcpStream::connect(agent).unwrap();
            let (from, to) = (manager.try_clone().unwrap(), agent.try_clone().unwrap());
            let sending = Arc::clone(&counts);
            thread::spawn(move || copy(from, to, &sending.sent));
            copy(agent, manager, &counts.received);
        });
        (relay, address)
    }

    fn octets(&self) -> usize {
        self.sent.load(Ordering::SeqCst) + self.received.load(Ordering::SeqCst)
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, count: &AtomicUsize) {
    let mut some = [0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut some) {
        count.fetch_add(read, Ordering::SeqCst);
        if to.write_all(&some[..read]).is_err() {
            break;
        }
    }
}

/// Octets that the same objects take.
struct Measured {
    what: String,
    /// All that is in the stream.
    octets: usize,
    /// Without the headers of HTTP: the request line and the bodies; of SNMP, the messages.
    without_headers: usize,
    is_compressed_web: bool,
    compression: Option<Compression>,
}

/// Retrieves by SNMPv2c: one object by Get, more by as few GetBulkRequests as the agent's limit for answers allows.
fn retrieve(manager: &mut Manager, objects: usize) {
    let entry: Oid = IF_ENTRY.parse().unwrap();
    if objects == 1 {
        let response = manager.get(&[entry.child(&[10, 1]).unwrap()]).unwrap();
        assert_eq!(response.var_binds.len(), 1);
        return;
    }
    let mut count = 0;
    let mut last = entry.clone();
    while count < objects {
        let repetitions = u16::try_from(objects - count).unwrap();
        let found = manager.get_bulk(0, repetitions, &[last]).unwrap().var_binds;
        assert!(
            found
                .iter()
                .all(|(name, _)| entry.is_prefix_of(name.arcs()))
        );
        count += found.len();
        last = found.last().unwrap().0.clone();
    }
    assert_eq!(count, objects);
}

/// The same by a walk, which does not know how much there is, but maybe the columns of the standard.
fn walk(manager: &mut Manager, objects: usize, knows_columns: bool) {
    let entry: Oid = IF_ENTRY.parse().unwrap();
    let columns = 1..=if knows_columns { 22 } else { 0 };
    let options = WalkOptions {
        columns: columns
            .map(|column| entry.child(&[column]).unwrap())
            .collect(),
        ..WalkOptions::default()
    };
    let mut count = 0;
    let walk = manager.walk(&[entry], options, |some| {
        count += some.len();
        ControlFlow::Continue(())
    });
    walk.unwrap();
    assert_eq!(count, objects);
}

fn measure_snmp(served: &Served, objects: usize, all: &mut Vec<Measured>) {
    let ways = [
        None,
        Some(Compression::Prefix),
        Some(Compression::Delta),
        Some(Compression::Dictionary),
    ];
    for compression in ways {
        let (relay, address) = Relay::start(served.snmp);
        let target = TransportAddress::of_socket(Transport::Tcp, address);
        let options = ManagerOptions {
            compression,
            ..ManagerOptions::v2c(COMMUNITY)
        };
        let mut manager = Manager::open(&target, options.clone()).unwrap();
        assert_eq!(manager.negotiate_compression().unwrap(), compression);
        let negotiation = relay.octets();
        let mut add = |what: String, octets| {
            all.push(Measured {
                what,
                octets,
                without_headers: octets,
                is_compressed_web: false,
                compression,
            });
        };
        retrieve(&mut manager, objects);
        let first = relay.octets();
        let name = compression.map_or("plain".to_owned(), |it| it.to_string());
        add(format!("SNMP {name}"), first - negotiation);
        if compression == Some(Compression::Dictionary) {
            add("SNMP dictionary, with asking for it".to_owned(), first);
            retrieve(&mut manager, objects);
            let second = relay.octets();
            add("SNMP dictionary, once more".to_owned(), second - first);
            for (what, knows_columns) in [(BY_A_WALK, true), ("the same, columns unknown", false)] {
                if objects == 1 {
                    continue;
                }
                let (relay, address) = Relay::start(served.snmp);
                let target = TransportAddress::of_socket(Transport::Tcp, address);
                let mut manager = Manager::open(&target, options.clone()).unwrap();
                manager.negotiate_compression().unwrap();
                let negotiation = relay.octets();
                walk(&mut manager, objects, knows_columns);
                add(what.to_owned(), relay.octets() - negotiation);
            }
        }
    }
}

/// Sends a request, and returns the octets of the response with its headers, and of its body.
fn exchange(address: SocketAddr, request: &str) -> (usize, Vec<u8>) {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(socket);
    let (mut header, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        header += reader.read_line(&mut line).unwrap();
        assert!(header > line.len() || line.contains(" 200 "), "{line}");
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (header + length, body)
}

fn measure_web(served: &Served, objects: usize, all: &mut Vec<Measured>) {
    let path = if objects == 1 {
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifInOctets"
    } else {
        "/restconf/data/IF-MIB:IF-MIB/ifTable"
    };
    // As short as HTTP allows, so that nothing is counted that a client could leave out.
    let get = |more: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic OnB1YmxpYw==\r\n{more}\r\n"
        )
    };
    let operation = if objects == 1 {
        "<m:GetIfObject xmlns:m=\"urn:varbind:if-table\"><community>public</community><name>ifInOctets</name>\
         <ifIndex>1</ifIndex></m:GetIfObject>"
    } else {
        "<m:GetIfTable xmlns:m=\"urn:varbind:if-table\"><community>public</community></m:GetIfTable>"
    };
    let call = format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>{operation}</e:Body></e:Envelope>"
    );
    let post = |more: &str| {
        let length = call.len();
        format!(
            "POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: {length}\r\n{more}\r\n{call}"
        )
    };
    let xml = "Accept: application/yang-data+xml\r\n";
    for coding in ["", "gzip", "deflate"] {
        let accept = match coding {
            "" => String::new(),
            coding => format!("Accept-Encoding: {coding}\r\n"),
        };
        for (what, request, body) in [
            ("RESTCONF JSON", get(&accept), 0),
            ("RESTCONF XML", get(&format!("{xml}{accept}")), 0),
            ("SOAP", post(&accept), call.len()),
        ] {
            let (response, answer) = exchange(served.http, &request);
            if coding.is_empty() && objects > 1 {
                let closing = String::from_utf8(answer.clone()).unwrap();
                let leaves = closing.matches("ifOperStatus").count();
                assert!(leaves >= objects / 22, "{what}: {leaves}");
            }
            all.push(Measured {
                what: format!("{what} {coding}").trim_end().to_owned(),
                octets: request.len() + response,
                without_headers: request.lines().next().map_or(0, str::len) + body + answer.len(),
                is_compressed_web: !coding.is_empty(),
                compression: None,
            });
        }
    }
}

#[test]
fn at_no_number_of_objects_does_the_compressed_web_take_less_than_compressed_snmp() {
    for (objects, rows, width) in SIZES {
        compare(
            objects,
            &Served::new(rows, columns(width), false),
            "busy interfaces",
        );
    }
}

#[test]
fn nor_does_it_where_most_values_are_alike() {
    for (objects, rows, width) in SIZES {
        compare(
            objects,
            &Served::new(rows, columns(width), true),
            "idle interfaces",
        );
    }
}

fn compare(objects: usize, served: &Served, of: &str) {
    let mut all = Vec::new();
    measure_snmp(served, objects, &mut all);
    measure_web(served, objects, &mut all);
    let mut table = format!(
        "\n{objects} objects of {of}: octets in the stream, those without headers of HTTP, the former for each object\n"
    );
    for it in &all {
        let each = it.octets as f64 / objects as f64;
        let (what, octets, without_headers) = (&it.what, it.octets, it.without_headers);
        table += &format!("{what:36} {octets:9} {without_headers:9} {each:9.2}\n");
    }
    println!("{table}");
    let web = all.iter().filter(|it| it.is_compressed_web);
    let (octets, bodies): (Vec<usize>, Vec<usize>) =
        web.map(|it| (it.octets, it.without_headers)).unzip();
    let (web, bodies) = (octets.iter().min().unwrap(), bodies.iter().min().unwrap());
    let by = |wanted| {
        let mut all = all.iter().filter(|it| it.compression == wanted);
        all.next().unwrap().octets
    };
    // What is asked for in as few messages as can be takes less than bodies alone.
    let named = |name| all.iter().find(|it| it.what == name).map(|it| it.octets);
    let dictionary = named("SNMP dictionary").unwrap();
    assert!(
        dictionary < *web.min(bodies),
        "{objects} objects of {of}: {dictionary} and {bodies}"
    );
    // A walk does not know how much there is.
    let walk = named(BY_A_WALK).unwrap_or(0);
    assert!(
        walk < *web,
        "{objects} objects of {of}, by a walk: {walk} and {web}"
    );
    assert!(by(Some(Compression::Prefix)) <= by(None));
    assert!(by(Some(Compression::Delta)) <= by(Some(Compression::Prefix)));
}
