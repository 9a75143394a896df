//! Commands that show a host at a glance, against the agent of the same program and, where it is there, Net-SNMP's.

use std::net::{TcpListener, TcpStream, UdpSocket};

use crate::own_agent::Agent;
use crate::program::run;
use crate::snmpd::Snmpd;

/// The agents, with all objects readable.
fn targets() -> (Agent, Option<Snmpd>, Vec<String>) {
    let agent = Agent::start();
    let snmpd = Snmpd::start();
    let others = snmpd.iter().map(Snmpd::target);
    let targets = [agent.target.clone()].into_iter().chain(others).collect();
    (agent, snmpd, targets)
}

#[test]
fn status_has_three_lines() {
    let (_agent, _snmpd, targets) = targets();
    for target in targets {
        let outcome = run(&["status", &target]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let lines: Vec<&str> = outcome.output.lines().collect();
        let [first, interfaces, packets] = lines.as_slice() else {
            panic!("{outcome:?}");
        };
        let description = run(&["get", "-Oqv", &target, "sysDescr.0"]).output;
        let start = format!("{target}: {}, up ", description.trim_end());
        assert!(first.starts_with(&start), "{outcome:?}");
        let known = run(&["walk", "-Oqv", &target, "ifOperStatus"]).output;
        let up = known.lines().filter(|state| *state == "up").count();
        let all = known.lines().count();
        let expected = format!("interfaces: {all}, {} not up", all - up);
        assert_eq!(*interfaces, expected);
        assert!(packets.starts_with("packets: "), "{outcome:?}");
        assert!(packets.ends_with(" sent"), "{outcome:?}");
    }
}

#[test]
fn storage_is_shown_with_its_use() {
    let (_agent, _snmpd, targets) = targets();
    for target in targets {
        let outcome = run(&["df", &target]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let known = run(&["walk", "-Oqv", &target, "hrStorageDescr"]).output;
        let mut lines = outcome.output.lines();
        let heading: Vec<&str> = lines
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        assert_eq!(
            heading,
            ["Description", "Size", "(kB)", "Used", "Available", "Used%"]
        );
        let shown: Vec<&str> = lines.clone().collect();
        assert_eq!(shown.len(), known.lines().count(), "{outcome:?}");
        for (line, description) in lines.zip(known.lines()) {
            assert!(line.starts_with(description), "{line:?} {description:?}");
            assert!(line.ends_with('%'), "{line:?}");
        }
        let readable = run(&["df", "-H", &target]).output;
        assert!(
            !readable.contains("(kB)") && readable.contains("Size"),
            "{readable}"
        );
    }
}

#[test]
fn an_agent_without_storage_is_told() {
    let agent = Agent::start_with("[host]\nserve = false\n");
    let outcome = run(&["df", &agent.target]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.errors.contains("shows no storage"), "{outcome:?}");
}

#[test]
fn delta_shows_growth_and_its_rate() {
    let agent = Agent::start();
    let words = ["delta", "-i", "0.05", "--count", "2", "-Os", &agent.target];
    let outcome = run(&[&words[..], &["sysUpTime.0", "sysDescr.0"]].concat());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let lines: Vec<&str> = outcome.output.lines().collect();
    assert_eq!(lines.len(), 4, "{outcome:?}");
    for pair in lines.chunks(2) {
        let (growth, rate) = pair[0]
            .strip_prefix("sysUpTime.0: ")
            .and_then(|rest| rest.split_once(' '))
            .unwrap_or_else(|| panic!("{outcome:?}"));
        assert!(growth.parse::<u32>().is_ok_and(|growth| growth > 0));
        assert!(rate.ends_with(" per second)"), "{outcome:?}");
        assert_eq!(pair[1], "sysDescr.0: no counter, and no number");
    }
    let missing = run(&[
        "delta",
        "--count",
        "1",
        "-i",
        "0.01",
        &agent.target,
        "ifInOctets.999999",
    ]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.errors.contains("ifInOctets.999999"), "{missing:?}");
}

#[test]
fn they_are_about_one_host() {
    for words in [
        &["status", "@all"][..],
        &["df", "@all"],
        &["netstat", "@all"],
        &["delta", "@all", "sysUpTime.0"],
        &["usm", "delete", "@all", "jo"],
        &["vacm", "delete-view", "@all", "traffic", "ifTable"],
    ] {
        let outcome = run(words);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.errors.contains("about one host"), "{outcome:?}");
    }
}

/// Endpoints as the system shows them, by the command that reads the same files.
#[test]
fn netstat_shows_what_listens_and_what_is_connected() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = TcpStream::connect(address).unwrap();
    let client_address = client.local_addr().unwrap();
    let socket = UdpSocket::bind("[::1]:0").unwrap();
    let datagrams = socket.local_addr().unwrap();
    let (_agent, _snmpd, targets) = targets();
    for target in targets {
        let connected = run(&["netstat", &target]);
        assert_eq!(connected.code, Some(0), "{connected:?}");
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let lines: Vec<Vec<String>> = connected.output.lines().map(words).collect();
        assert_eq!(
            lines[0][..3],
            ["Proto", "Local", "address"],
            "{connected:?}"
        );
        let (local, remote) = (client_address.to_string(), address.to_string());
        let line = ["tcp", &local, &remote, "established"].map(str::to_owned);
        assert!(lines.contains(&line.to_vec()), "{connected:?}");
        assert!(!connected.output.contains("listen"), "{connected:?}");
        let all = run(&["netstat", "-Ca", &target]);
        let lines: Vec<Vec<String>> = all.output.lines().map(words).collect();
        let line = ["tcp", &remote, "*:*", "listen"].map(str::to_owned);
        assert!(lines.contains(&line.to_vec()), "{all:?}");
        let port = datagrams.to_string();
        let mut udp = lines.iter().filter(|line| line[0] == "udp6");
        assert!(udp.any(|line| line[1] == port), "{all:?}");
    }
}

#[test]
fn netstat_shows_interfaces_routes_and_counters() {
    let (_agent, _snmpd, targets) = targets();
    for target in targets {
        let interfaces = run(&["netstat", "--interfaces", &target]);
        assert_eq!(interfaces.code, Some(0), "{interfaces:?}");
        let names = run(&["walk", "-Oqv", &target, "ifName"]).output;
        let shown = interfaces.output.lines().skip(1);
        let shown: Vec<&str> = shown.filter_map(|l| l.split_whitespace().next()).collect();
        let known: Vec<&str> = names.lines().collect();
        assert_eq!(shown, known, "{interfaces:?}");
        let routes = run(&["netstat", "-Cr", &target]);
        let rows = run(&["walk", "-Oqv", &target, "inetCidrRouteIfIndex"]).output;
        match rows.lines().count() {
            0 => assert_eq!(routes.code, Some(2), "{routes:?}"),
            rows => assert_eq!(routes.output.lines().count(), rows + 1, "{routes:?}"),
        }
        let counters = run(&["netstat", "--statistics", &target]);
        assert_eq!(counters.code, Some(0), "{counters:?}");
        let sent = counters.output.lines().find_map(|line| {
            let number = line.trim_start().strip_prefix("snmpInPkts ")?;
            number.trim().parse::<u64>().ok()
        });
        assert!(sent.is_some_and(|packets| packets > 0), "{counters:?}");
    }
    let both = run(&["netstat", "-Cr", "--interfaces", "127.0.0.1"]);
    assert_eq!(both.code, Some(1), "{both:?}");
}
