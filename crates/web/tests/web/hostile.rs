use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use varbind_web::{Limits, Listen};

use crate::fixture::{READER, Served, WRITER};

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
fn what_is_too_large_is_refused_also_compressed() {
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

#[test]
fn what_is_no_http_is_refused() {
    let served = Served::start();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    for request in [
        "\x16\x03\x01\x02\x00",
        "GET\r\n\r\n",
        "x y z\r\n\r\n",
        long.as_str(),
        many.as_str(),
    ] {
        let mut socket = TcpStream::connect(served.address).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let _ = socket.write_all(request.as_bytes());
        let _ = socket.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{answer:.80}"
        );
    }
    still_answers(&served);
}

#[test]
fn whoever_is_slow_is_not_waited_for() {
    let limits = Limits {
        header: Duration::from_millis(200),
        body: Duration::from_millis(200),
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let mut silent = TcpStream::connect(served.address).unwrap();
    let mut half = TcpStream::connect(served.address).unwrap();
    half.write_all(b"GET /metrics HTTP/1.1\r\nHost").unwrap();
    let head = "PATCH /restconf/data HTTP/1.1\r\nAuthorization: Basic OndyaXRlcg==\r\nContent-Type: application/json\r\n";
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

#[test]
fn connections_of_one_source_are_bounded() {
    let limits = Limits {
        connections_per_source: 2,
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let connect = || {
        let mut socket = TcpStream::connect(served.address).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let _ = socket.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
        let mut first = [0; 1];
        let answered = matches!(socket.read(&mut first), Ok(1));
        (socket, answered)
    };
    let (first, second, third) = (connect(), connect(), connect());
    assert_eq!((first.1, second.1, third.1), (true, true, false));
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
