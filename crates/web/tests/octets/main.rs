//! ifTable by SNMP and by the web services, compressed and not: the objects are the same, and octets are counted right.
//! docs/compression.md has the table of octets.
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

use flate2::read::{GzDecoder, ZlibDecoder};
use varbind::compression::Compression;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::{Oid, VarBind};
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

/// Names and values.
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
}

/// Retrieves by SNMPv2c: one object by Get, more by as few GetBulkRequests as the agent's limit for answers allows.
fn retrieve(manager: &mut Manager, objects: usize) -> Vec<VarBind> {
    let entry: Oid = IF_ENTRY.parse().unwrap();
    if objects == 1 {
        let response = manager.get(&[entry.child(&[10, 1]).unwrap()]).unwrap();
        assert_eq!(response.var_binds.len(), 1);
        return response.var_binds;
    }
    let mut all = Vec::new();
    let mut last = entry.clone();
    while all.len() < objects {
        let repetitions = u16::try_from(objects - all.len()).unwrap();
        let found = manager.get_bulk(0, repetitions, &[last]).unwrap().var_binds;
        assert!(
            found
                .iter()
                .all(|var_bind| entry.is_prefix_of(var_bind.name.arcs()))
        );
        last = found.last().unwrap().name.clone();
        all.extend(found);
    }
    assert_eq!(all.len(), objects);
    all
}

/// The same by a walk, which does not know how much there is, but maybe the columns of the standard.
fn walk(manager: &mut Manager, knows_columns: bool) -> Vec<VarBind> {
    let entry: Oid = IF_ENTRY.parse().unwrap();
    let columns = 1..=if knows_columns { 22 } else { 0 };
    let options = WalkOptions {
        columns: columns
            .map(|column| entry.child(&[column]).unwrap())
            .collect(),
        ..WalkOptions::default()
    };
    let mut all = Vec::new();
    let walk = manager.walk(&[entry], options, |some| {
        all.extend_from_slice(some);
        ControlFlow::Continue(())
    });
    walk.unwrap();
    all
}

fn measure_snmp(served: &Served, objects: usize, all: &mut Vec<Measured>) {
    let ways = [
        None,
        Some(Compression::Prefix),
        Some(Compression::Delta),
        Some(Compression::Dictionary),
    ];
    let mut plain = None;
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
        let mut add = |what: &str, octets| {
            all.push(Measured {
                what: format!("SNMP {what}"),
                octets,
                without_headers: octets,
            });
        };
        let found = retrieve(&mut manager, objects);
        let first = relay.octets();
        add(
            &compression.map_or("plain".to_owned(), |compression| compression.to_string()),
            first - negotiation,
        );
        let (plain, plain_octets) = plain.get_or_insert((found.clone(), first));
        assert_eq!(found, *plain, "{compression:?}");
        if compression != Some(Compression::Dictionary) {
            // No compressed name is longer than the name.
            assert!(first - negotiation <= *plain_octets, "{compression:?}");
            continue;
        }
        add("dictionary, with asking for it", first);
        assert_eq!(retrieve(&mut manager, objects), *plain);
        add("dictionary, once more", relay.octets() - first);
        for (what, knows_columns) in [("by a walk", true), ("by a walk, columns unknown", false)] {
            if objects == 1 {
                continue;
            }
            let (relay, address) = Relay::start(served.snmp);
            let target = TransportAddress::of_socket(Transport::Tcp, address);
            let mut manager = Manager::open(&target, options.clone()).unwrap();
            manager.negotiate_compression().unwrap();
            let negotiation = relay.octets();
            assert_eq!(walk(&mut manager, knows_columns), *plain);
            add(&format!("dictionary, {what}"), relay.octets() - negotiation);
        }
    }
}

/// A response: its octets with the headers, and the body as it came.
struct Response {
    octets: usize,
    coding: String,
    body: Vec<u8>,
}

impl Response {
    fn decoded(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        let read = match self.coding.as_str() {
            "gzip" => GzDecoder::new(&*self.body).read_to_end(&mut plain),
            "deflate" => ZlibDecoder::new(&*self.body).read_to_end(&mut plain),
            _ => return self.body.clone(),
        };
        read.unwrap();
        plain
    }
}

fn exchange(address: SocketAddr, request: &str) -> Response {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(socket);
    let (mut header, mut length) = (0, 0);
    let mut coding = String::new();
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
        if let Some(value) = line.strip_prefix("content-encoding: ") {
            coding = value.trim().to_owned();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Response {
        octets: header + length,
        coding,
        body,
    }
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
    let representations = |accept: &str| {
        [
            ("RESTCONF JSON", get(accept), 0),
            ("RESTCONF XML", get(&format!("{xml}{accept}")), 0),
            ("SOAP", post(accept), call.len()),
        ]
    };
    let plain = representations("").map(|(_, request, _)| exchange(served.http, &request).body);
    for coding in ["", "gzip", "deflate"] {
        let accept = match coding {
            "" => String::new(),
            coding => format!("Accept-Encoding: {coding}\r\n"),
        };
        let representations = representations(&accept).into_iter().zip(&plain);
        for ((what, request, body), plain) in representations {
            let response = exchange(served.http, &request);
            assert_eq!(response.decoded(), *plain, "{what} {coding}");
            // A short body stays as it is.
            let is_coded = !coding.is_empty() && plain.len() >= 64;
            assert_eq!(response.coding == coding, is_coded || coding.is_empty());
            all.push(Measured {
                what: format!("{what} {coding}").trim_end().to_owned(),
                octets: request.len() + response.octets,
                without_headers: request.lines().next().map_or(0, str::len)
                    + body
                    + response.body.len(),
            });
        }
    }
    if objects > 1 {
        for plain in plain {
            let text = String::from_utf8(plain).unwrap();
            assert!(text.matches("ifOperStatus").count() >= objects / 22);
        }
    }
}

#[test]
fn compressed_answers_hold_the_same_objects() {
    for (objects, rows, width) in SIZES {
        compare(
            objects,
            &Served::new(rows, columns(width), false),
            "busy interfaces",
        );
    }
}

#[test]
fn compressed_answers_hold_the_same_objects_where_most_values_are_alike() {
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
    for Measured {
        what,
        octets,
        without_headers,
    } in &all
    {
        let each = *octets as f64 / objects as f64;
        table += &format!("{what:36} {octets:9} {without_headers:9} {each:9.2}\n");
    }
    println!("{table}");
}

/// What the relay counts is what went through it.
#[test]
fn relay_counts_all_octets() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (relay, address) = Relay::start(listener.local_addr().unwrap());
    let mut near = TcpStream::connect(address).unwrap();
    near.write_all(&[1; 70_000]).unwrap();
    let (mut far, _) = listener.accept().unwrap();
    far.read_exact(&mut [0; 70_000]).unwrap();
    far.write_all(&[2; 30_000]).unwrap();
    near.read_exact(&mut [0; 30_000]).unwrap();
    assert_eq!(relay.sent.load(Ordering::SeqCst), 70_000);
    assert_eq!(relay.received.load(Ordering::SeqCst), 30_000);
}
