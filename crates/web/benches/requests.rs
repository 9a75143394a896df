//! How many requests for ifTable with two interfaces one core answers: requests by the CPU time of the thread of the web services,
//! the system's part of it included, over one connection that stays open.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a measurement that cannot be made ends"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use varbind_testkit::web::{READER, Served};

const WARM_UP: u32 = 500;
const REQUESTS: u32 = 5_000;
const REPETITIONS: usize = 5;

fn main() {
    let served = Served::start();
    let credentials = STANDARD.encode(format!(":{READER}"));
    let get = |path: &str, more: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: agent\r\nAuthorization: Basic {credentials}\r\n{more}\r\n"
        )
    };
    let call = format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><m:GetIfTable \
         xmlns:m=\"urn:varbind:if-table\"><community>{READER}</community></m:GetIfTable></e:Body></e:Envelope>"
    );
    let post = |more: &str| {
        let length = call.len();
        format!(
            "POST /soap HTTP/1.1\r\nHost: agent\r\nContent-Type: text/xml\r\nContent-Length: {length}\r\n{more}\r\n{call}"
        )
    };
    let table = "/restconf/data/IF-MIB:IF-MIB/ifTable";
    let deflate = "Accept-Encoding: deflate\r\n";
    let cases = [
        ("RESTCONF, JSON", get(table, "")),
        (
            "RESTCONF, XML",
            get(table, "Accept: application/yang-data+xml\r\n"),
        ),
        ("RESTCONF, JSON, zlib", get(table, deflate)),
        ("SOAP GetIfTable", post("")),
        ("SOAP GetIfTable, zlib", post(deflate)),
        ("metrics", get("/metrics", "")),
    ];
    for (name, request) in cases {
        if name.starts_with("SOAP") && !cfg!(feature = "experiments") {
            continue;
        }
        let mut rates = Vec::new();
        let mut octets = 0;
        for _ in 0..REPETITIONS {
            let (rate, length) = measure(&served, request.as_bytes());
            rates.push(rate);
            octets = length;
        }
        rates.sort_by(f64::total_cmp);
        println!(
            "{name}: {:.0} requests per second of CPU (lowest {:.0}, highest {:.0}), {octets} octets of body",
            rates[REPETITIONS / 2],
            rates[0],
            rates[REPETITIONS - 1],
        );
    }
}

fn measure(served: &Served, request: &[u8]) -> (f64, usize) {
    let mut socket = TcpStream::connect(served.address).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let mut length = 0;
    for _ in 0..WARM_UP {
        socket.write_all(request).unwrap();
        length = take_answer(&mut reader);
    }
    let before = server_cpu();
    let start = Instant::now();
    for _ in 0..REQUESTS {
        socket.write_all(request).unwrap();
        take_answer(&mut reader);
    }
    let spent = server_cpu() - before;
    assert!(start.elapsed().as_secs_f64() * 1.1 > spent);
    (f64::from(REQUESTS) / spent, length)
}

fn take_answer(reader: &mut BufReader<TcpStream>) -> usize {
    let mut length = 0;
    let mut line = String::new();
    let mut is_first = true;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        assert!(!is_first || line.starts_with("HTTP/1.1 200"), "{line}");
        is_first = false;
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    length
}

/// Seconds of CPU that the thread of the web services has used.
fn server_cpu() -> f64 {
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let name = std::fs::read_to_string(path.join("comm")).unwrap();
        if name.trim() == "varbind-web" {
            // Nanoseconds on a CPU, the first number.
            let schedule = std::fs::read_to_string(path.join("schedstat")).unwrap();
            let spent: f64 = schedule.split(' ').next().unwrap().parse().unwrap();
            return spent / 1e9;
        }
    }
    panic!("the web services have no thread");
}
