use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use varbind_testkit::peers::eventually;

use crate::process::Home;

const LISTEN: &str = "listen = [\"udp:127.0.0.1:0\"]\n";
const WEB: &str = "[web]\nlisten = [\"http://127.0.0.1:0\"]\n";
/// `:public`
const CREDENTIALS: &str = "Authorization: Basic OnB1YmxpYw==\r\n";

/// What the web services answer; nothing where none listens.
pub(crate) fn get(address: &str, path: &str, kind: &str) -> Option<String> {
    let mut socket = TcpStream::connect(address.strip_prefix("http://").unwrap()).ok()?;
    let accept = format!("Accept: application/yang-data+{kind}\r\n");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\n{CREDENTIALS}{accept}Connection: close\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[test]
fn web_services_open_and_close_with_the_configuration() {
    let home = Home::new(LISTEN);
    let mut agent = home.start(1);
    home.configure(&format!("{LISTEN}{WEB}"));
    agent.signal("-HUP");
    agent.await_listeners(2);
    let address = agent.addresses[1].clone();
    let metrics = get(&address, "/metrics", "json").unwrap();
    let loopback = "ifOperStatus{ifIndex=\"1\",ifDescr=\"lo\",ifName=\"lo\"} ";
    assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
    assert!(metrics.contains(loopback), "{metrics}");
    assert!(metrics.contains("sysUpTime "), "{metrics}");
    let row = "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1?fields=ifDescr;ifType;ifName";
    let row = get(&address, row, "json").unwrap();
    let expected = "{\"IF-MIB:ifEntry\":[{\"ifIndex\":1,\"ifDescr\":\"lo\",\"ifType\":\"softwareLoopback\",\"ifName\":\"lo\"}]}";
    assert!(row.ends_with(expected), "{row}");
    let all = get(&address, "/restconf/data", "json").unwrap();
    assert!(all.starts_with("HTTP/1.1 200"), "{all}");
    home.configure(LISTEN);
    agent.signal("-HUP");
    eventually("it still answers", || {
        get(&address, "/metrics", "json").is_none()
    });
    agent.signal("-TERM");
    assert!(agent.wait().success());
}

#[test]
fn https_needs_a_certificate_and_says_so() {
    let home = Home::new("[web]\nlisten = [\"https://127.0.0.1:0\"]\n");
    let output = home.fail();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(!output.status.success());
    assert!(text.contains("agent.pem"), "{text}");
}

#[test]
fn limits_are_those_of_the_configuration_and_change_with_it() {
    let web = |more: &str| format!("{LISTEN}{WEB}connections-per-source = {more}\n");
    let home = Home::new(&web("1"));
    let agent = home.start(2);
    let address = agent.addresses[1].clone();
    // A connection whose client is known keeps its place.
    let mut first = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    let request = format!("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n{CREDENTIALS}\r\n");
    first.write_all(request.as_bytes()).unwrap();
    first.read_exact(&mut [0; 12]).unwrap();
    let answer = get(&address, "/metrics", "json").unwrap_or_default();
    assert_eq!(answer, "");
    home.configure(&web("2\nidle-timeout = \"100ms\""));
    agent.signal("-HUP");
    eventually("there is no more room", || {
        get(&address, "/metrics", "json").is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
    });
    drop(first);
    // Whoever is silent is not waited for.
    let mut silent = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    let patience = Some(Duration::from_secs(20));
    silent.set_read_timeout(patience).unwrap();
    assert_eq!(silent.read(&mut [0; 16]).unwrap(), 0);
    agent.signal("-TERM");
    assert!(agent.wait().success());
}

#[test]
fn requests_for_other_hosts_are_refused_until_the_configuration_names_them() {
    let home = Home::new(&format!("{LISTEN}{WEB}"));
    let agent = home.start(2);
    let ask = |host: &str| {
        let address = agent.addresses[1].strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET /metrics HTTP/1.1\r\nHost: {host}\r\n{CREDENTIALS}Connection: close\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    };
    let refused = ask("evil.example");
    assert!(refused.starts_with("HTTP/1.1 421 "), "{refused}");
    assert!(
        refused.contains("evil.example is not a name of this server"),
        "{refused}"
    );
    assert!(refused.contains("hosts in [web]"), "{refused}");
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for host in ["127.0.0.1", "localhost:1", "[::1]", own.trim_end()] {
        let answer = ask(host);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{host}: {answer}");
    }
    home.configure(&format!("{LISTEN}{WEB}hosts = [\"Agent.example\"]\n"));
    agent.signal("-HUP");
    eventually("it is still refused", || {
        ask("agent.example:8080").starts_with("HTTP/1.1 200 ")
    });
    assert!(ask("evil.example").starts_with("HTTP/1.1 421 "));
    agent.signal("-TERM");
    assert!(agent.wait().success());
}
