use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use varbind_testkit::web::{READER, Served, WRITER};
use varbind_web::{Limits, Listen};

const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

fn still_answers(served: &Served) {
    assert_eq!(served.get(READER, CONTACT).status, 200);
}

#[test]
fn bodies_that_are_none_are_refused() {
    let served = Served::start();
    let deep_json = "[".repeat(100_000);
    let deep_xml = "<x>".repeat(100_000);
    let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><sysContact>&b;</sysContact>";
    let external = "<!DOCTYPE x SYSTEM 'file:///etc/passwd'><sysContact/>";
    let json = [
        r#"{"#,
        "",
        "[]",
        "{}",
        "null",
        r#"{"a":1,"b":2}"#,
        "\u{0}",
        deep_json.as_str(),
    ];
    let xml = [
        bomb,
        external,
        "<sysContact>",
        "",
        "<a/><b/>",
        "<a>&x;</a>",
        "<?x?><a/>",
        deep_xml.as_str(),
    ];
    for (kind, bodies) in [("json", json), ("xml", xml)] {
        for body in bodies {
            let kind = format!("application/yang-data+{kind}");
            let headers = [("Content-Type", kind.as_str())];
            let response = served.send("PUT", CONTACT, WRITER, &headers, body.as_bytes());
            assert_eq!(response.status, 400, "{body:.80}");
            assert_eq!(response.error_tag(), "malformed-message", "{body:.80}");
        }
    }
    still_answers(&served);
}

#[test]
fn bodies_above_the_limit_are_refused_even_compressed() {
    let limits = Limits {
        request: 10_000,
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let kind = ("Content-Type", "application/yang-data+json");
    let large = vec![b' '; 10_001];
    let response = served.send("PUT", CONTACT, WRITER, &[kind], &large);
    assert_eq!(
        (response.status, response.error_tag()),
        (413, "too-big".to_owned())
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 5_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 10_000);
    let headers = [kind, ("Content-Encoding", "gzip")];
    let response = served.send("PUT", CONTACT, WRITER, &headers, &bomb);
    assert_eq!(
        (response.status, response.error_tag()),
        (413, "too-big".to_owned())
    );
    let response = served.send("PUT", CONTACT, WRITER, &headers, b"no gzip");
    assert_eq!(
        (response.status, response.error_tag()),
        (400, "malformed-message".to_owned())
    );
    let headers = [kind, ("Content-Encoding", "br")];
    assert_eq!(
        served.send("PUT", CONTACT, WRITER, &headers, b"x").status,
        415
    );
    still_answers(&served);
}

/// What is sent back, until the server ends the connection.
fn answer_to(served: &Served, request: &str) -> String {
    let mut socket = TcpStream::connect(served.address).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    // A server that refuses early may not read all.
    let _ = socket.write_all(request.as_bytes());
    let _ = socket.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn invalid_http_is_refused() {
    let served = Served::start();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200_000));
    let large = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    let host = "Host: agent\r\n";
    for (request, status) in [
        ("\x16\x03\x01\x02\x00\r\n\r\n", "400"),
        ("GET\r\n\r\n", "400"),
        ("x y z\r\n\r\n", "400"),
        ("GET / HTTP/3.7\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400"),
        (
            &format!("PUT / HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            "400",
        ),
        (&long, "431"),
        (&large, "431"),
        (&many, "431"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        (
            "GET / HTTP/1.1\r\nHost: agent\r\nHost: agent\r\n\r\n",
            "400",
        ),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"),
        (
            "GET http://evil.example/ HTTP/1.1\r\nHost: agent\r\n\r\n",
            "421",
        ),
        ("GET / HTTP/1.0\r\n\r\n", "404"),
    ] {
        let answer = answer_to(&served, request);
        let is_refused = answer
            .split(' ')
            .nth(1)
            .is_some_and(|found| found == status);
        assert!(is_refused, "{request:.80} {status}: {answer:?}");
    }
    still_answers(&served);
}

#[test]
fn a_half_closed_client_gets_its_response() {
    let served = Served::start();
    let credentials = STANDARD.encode(format!(":{WRITER}"));
    let body = r#"{"SNMPv2-MIB:sysContact":"ops"}"#;
    // A thread of its own carries out the Set: the end of what the client sends arrives before the response leaves.
    let request = format!(
        "PUT {CONTACT} HTTP/1.1\r\nHost: agent\r\nAuthorization: Basic {credentials}\r\n\
         Content-Type: application/yang-data+json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..20 {
        let answer = answer_to(&served, &request);
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer:?}");
    }
}

#[test]
fn slow_clients_are_disconnected() {
    let limits = Limits {
        header: Duration::from_millis(200),
        body: Duration::from_millis(200),
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let mut silent = TcpStream::connect(served.address).unwrap();
    let mut half = TcpStream::connect(served.address).unwrap();
    half.write_all(b"GET /metrics HTTP/1.1\r\nHost").unwrap();
    let head = "PATCH /restconf/data HTTP/1.1\r\nHost: agent\r\nAuthorization: Basic OndyaXRlcg==\r\nContent-Type: application/json\r\n";
    let body = served
        .send_raw(format!("{head}Connection: close\r\nContent-Length: 100\r\n\r\n{{").as_bytes());
    assert_eq!(body.status, 408, "{body:?}");
    for socket in [&mut silent, &mut half] {
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut answer = Vec::new();
        // The server ends the connection.
        let _ = socket.read_to_end(&mut answer);
    }
    still_answers(&served);
}

/// A connection that stays open, and the status of the response to a request in it.
fn keep_open(served: &Served, community: &str) -> Option<(TcpStream, String)> {
    let credentials = STANDARD.encode(format!(":{community}"));
    let mut socket = TcpStream::connect(served.address).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let request = format!(
        "HEAD /metrics HTTP/1.1\r\nHost: agent\r\nAuthorization: Basic {credentials}\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).ok()?;
    let mut status = [0; 12];
    socket.read_exact(&mut status).ok()?;
    let status = String::from_utf8_lossy(&status[9..]).into_owned();
    Some((socket, status))
}

fn bounded(connections_per_source: usize) -> Served {
    let limits = Limits {
        connections_per_source,
        ..Limits::default()
    };
    Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits)
}

#[test]
fn connections_of_known_clients_keep_their_places() {
    let served = bounded(2);
    let first = keep_open(&served, READER).unwrap();
    let second = keep_open(&served, READER).unwrap();
    assert_eq!((first.1.as_str(), second.1.as_str()), ("200", "200"));
    assert!(keep_open(&served, READER).is_none());
    drop(first);
    let start = Instant::now();
    while keep_open(&served, READER).is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "no room");
    }
}

#[test]
fn silent_and_unknown_clients_make_room() {
    let served = bounded(3);
    let known = keep_open(&served, READER).unwrap();
    let silent: Vec<_> = (0..2)
        .map(|_| TcpStream::connect(served.address).unwrap())
        .collect();
    for _ in 0..4 {
        let unknown = keep_open(&served, "unknown").unwrap();
        assert_eq!(unknown.1, "401");
        std::mem::forget(unknown);
    }
    for mut socket in silent {
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // The server has ended it.
        assert!(matches!(socket.read(&mut [0; 1]), Ok(0) | Err(_)));
    }
    still_answers(&served);
    drop(known);
}

#[test]
fn a_client_that_asks_nothing_leaves_soon() {
    let limits = Limits {
        first_request: Duration::from_millis(100),
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let mut silent = TcpStream::connect(served.address).unwrap();
    let mut known = keep_open(&served, READER).unwrap().0;
    silent
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    // Sooner than the time for later requests.
    assert_eq!(silent.read(&mut [0; 1]).unwrap(), 0);
    known
        .write_all(b"GET /x HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut rest = String::new();
    known.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("HTTP/1.1 404"), "{rest}");
}

/// Calls name their community in the body: until it has come, their octets are bounded over all connections.
#[cfg(feature = "experiments")]
#[test]
fn bodies_of_unknown_clients_are_bounded_in_all() {
    let limits = Limits {
        connections_per_source: 1000,
        body: Duration::from_secs(600),
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let call = |octets: usize, community: &str| {
        let mut socket = TcpStream::connect(served.address).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let credentials = match community {
            "" => String::new(),
            named => format!(
                "Authorization: Basic {}\r\n",
                STANDARD.encode(format!(":{named}"))
            ),
        };
        let head = format!(
            "POST /soap HTTP/1.1\r\nHost: agent\r\n{credentials}Content-Type: text/xml\r\nContent-Length: {octets}\r\n\r\n"
        );
        let _ = socket.write_all(head.as_bytes());
        let _ = socket.write_all(&vec![b' '; octets - 1]);
        socket
    };
    let answer = |mut socket: TcpStream| {
        let mut start = [0; 4096];
        let count = socket.read(&mut start).unwrap();
        String::from_utf8_lossy(&start[..count]).into_owned()
    };
    let too_large = answer(call(16_385, ""));
    assert!(too_large.contains("the body is too large"), "{too_large}");
    let unknown = answer(call(16_384, "unknown"));
    assert!(unknown.contains("name a community"), "{unknown}");
    // 256 such bodies are 4 MiB.
    let open: Vec<_> = (0..300).map(|_| call(16_384, "")).collect();
    let start = Instant::now();
    let mut refused = 0;
    while refused < 300 - 256 {
        assert!(start.elapsed() < Duration::from_secs(60), "{refused}");
        refused = open
            .iter()
            .filter(|socket| {
                socket
                    .set_read_timeout(Some(Duration::from_millis(1)))
                    .unwrap();
                let mut start = [0; 4096];
                let count = socket.peek(&mut start).unwrap_or(0);
                String::from_utf8_lossy(&start[..count]).contains("too many requests")
            })
            .count();
    }
    // Others are not concerned.
    still_answers(&served);
    let body = br#"{"SNMPv2-MIB:sysContact": "x"}"#;
    let kind = ("Content-Type", "application/yang-data+json");
    let put = served.send("PUT", CONTACT, WRITER, &[kind], body);
    assert_eq!(put.status, 204);
    drop(open);
}

#[test]
fn many_clients_are_served_at_once() {
    let served = Served::start();
    std::thread::scope(|scope| {
        for client in 0..16 {
            let served = &served;
            scope.spawn(move || {
                for _ in 0..20 {
                    let path = "/restconf/data/IF-MIB:IF-MIB/ifTable";
                    if client % 4 == 0 {
                        let body = br#"{"SNMPv2-MIB:sysContact": "x"}"#;
                        let kind = ("Content-Type", "application/yang-data+json");
                        let response = served.send("PUT", CONTACT, WRITER, &[kind], body);
                        assert_eq!(response.status, 204);
                    } else {
                        let json = served.get(READER, path).json();
                        assert_eq!(json["IF-MIB:ifTable"]["ifEntry"][1]["ifIndex"], 3);
                    }
                }
            });
        }
    });
    assert_eq!(served.web.addresses(), [served.address]);
}
