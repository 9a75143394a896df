use std::time::{Duration, Instant};

use varbind_peers::is_installed;

use crate::process::{Agent, Home, has_namespaces};

const IF_DESCR: &str = ".1.3.6.1.2.1.2.2.1.2";
const IF_TABLE: &str = ".1.3.6.1.2.1.2.2";

const CONFIGURATION: &str = "listen = [\"udp:127.0.0.1:0\"]\n[counters]\nmax-age = \"1ms\"";

fn agent_with_pairs(home: &Home, pairs: usize) -> Agent {
    let mut script = "ip link set lo up\nip -batch - <<END\n".to_owned();
    for pair in 0..pairs {
        script.push_str(&format!("link add a{pair} type veth peer name b{pair}\n"));
    }
    script.push_str("END\n");
    home.start_in_namespace(&script, 1)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(" = ")).collect()
}

#[test]
fn every_interface_is_in_the_table_with_all_its_columns() {
    if !is_installed("snmpbulkwalk") || !has_namespaces() {
        return;
    }
    for pairs in [32, 250] {
        let home = Home::new(CONFIGURATION);
        let agent = agent_with_pairs(&home, pairs);
        let table = agent.ask_inside("snmpbulkwalk", &["-Cr50", IF_TABLE]);
        assert_eq!(lines(&table).len(), (2 * pairs + 1) * 22);
        let names = agent.ask_inside("snmpwalk", &[IF_DESCR]);
        assert!(
            names.contains("STRING: \"lo\"")
                && names.contains(&format!("STRING: \"b{}\"", pairs - 1))
        );
    }
}

/// Asks until the answer is as expected.
fn await_answer(agent: &Agent, name: &str, expected: &str) {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let answer = agent.ask_inside("snmpget", &[name]);
        if answer.ends_with(expected) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} instead of {expected}");
    }
}

#[test]
fn changes_show_without_a_restart() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = agent_with_pairs(&home, 0);
    let if_number = ".1.3.6.1.2.1.2.1.0";
    await_answer(&agent, if_number, "INTEGER: 1");
    agent.shell_inside(
        "ip link add up0 index 70 address 02:00:00:00:00:01 type veth peer name up1 index 71
         ip link add br0 index 72 type bridge; ip link set up1 master br0
         ip link set up0 alias uplink; ip link set up0 up; ip link set up1 up
         ip addr add 192.0.2.1/24 dev up0; ip addr add 2001:db8::1/64 dev up0 nodad",
    );
    await_answer(&agent, if_number, "INTEGER: 4");
    for (name, expected) in [
        (".1.3.6.1.2.1.2.2.1.2.70", "STRING: \"up0\""),
        (".1.3.6.1.2.1.2.2.1.3.72", "INTEGER: 209"),
        (".1.3.6.1.2.1.2.2.1.5.70", "Gauge32: 4294967295"),
        (".1.3.6.1.2.1.31.1.1.1.15.70", "Gauge32: 10000"),
        (".1.3.6.1.2.1.2.2.1.6.70", "Hex-STRING: 02 00 00 00 00 01"),
        (".1.3.6.1.2.1.2.2.1.7.72", "INTEGER: 2"),
        (".1.3.6.1.2.1.2.2.1.8.70", "INTEGER: 1"),
        (".1.3.6.1.2.1.31.1.1.1.18.70", "STRING: \"uplink\""),
        (".1.3.6.1.2.1.31.1.2.1.3.72.71", "INTEGER: 1"),
        (".1.3.6.1.2.1.31.1.2.1.3.0.72", "INTEGER: 1"),
        (".1.3.6.1.2.1.4.20.1.2.192.0.2.1", "INTEGER: 70"),
        (
            ".1.3.6.1.2.1.4.34.1.3.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1",
            "INTEGER: 70",
        ),
    ] {
        await_answer(&agent, name, expected);
    }
    let changed = agent.ask_inside("snmpget", &[".1.3.6.1.2.1.31.1.5.0"]);
    assert!(!changed.contains("(0)"), "{changed}");
    agent.shell_inside("ip link set up0 down; ip link del br0");
    await_answer(&agent, ".1.3.6.1.2.1.2.2.1.8.70", "INTEGER: 2");
    await_answer(&agent, if_number, "INTEGER: 3");
    agent.shell_inside("ip link del up0");
    await_answer(&agent, if_number, "INTEGER: 1");
    await_answer(
        &agent,
        ".1.3.6.1.2.1.4.20.1.2.192.0.2.1",
        "No Such Instance currently exists at this OID",
    );
}

#[test]
fn counters_are_those_of_the_kernel() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = agent_with_pairs(&home, 0);
    let octets = || -> u64 {
        let answer = agent.ask_inside("snmpget", &[".1.3.6.1.2.1.31.1.1.1.6.1"]);
        answer.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let before = octets();
    std::thread::sleep(Duration::from_millis(5));
    let after = octets();
    // The answer to the first request has passed the loopback since, and the second request.
    assert!((50..1000).contains(&(after - before)), "{before} {after}");
}
