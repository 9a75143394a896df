use std::time::{Duration, Instant};

use varbind_testkit::peers::is_installed;

use crate::process::{Agent, Home, has_namespaces};

const IF_DESCR: &str = ".1.3.6.1.2.1.2.2.1.2";
const IF_TABLE: &str = ".1.3.6.1.2.1.2.2";

const PATIENCE: Duration = Duration::from_secs(30);
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
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = agent.ask_inside("snmpget", &[name]);
        if answer.ends_with(expected) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} instead of {expected}");
    }
}

#[test]
fn interfaces_of_containers_are_left_out_unless_they_are_wanted() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = agent_with_pairs(&home, 0);
    let if_number = ".1.3.6.1.2.1.2.1.0";
    await_answer(&agent, if_number, "INTEGER: 1");
    agent.shell_inside(
        "ip link add veth0 index 70 type veth peer name up1 index 71
         ip addr add 192.0.2.1/24 dev veth0; ip link set veth0 up; ip link set up1 up",
    );
    let no_instance = "No Such Instance currently exists at this OID";
    let (name, address) = (".1.3.6.1.2.1.2.2.1.2.70", ".1.3.6.1.2.1.4.20.1.2.192.0.2.1");
    await_answer(&agent, if_number, "INTEGER: 2");
    await_answer(&agent, name, no_instance);
    await_answer(&agent, address, no_instance);
    home.configure(&format!(
        "{CONFIGURATION}\n[host]\nexclude-interfaces = [\"up1\"]\n"
    ));
    agent.signal("-HUP");
    await_answer(&agent, name, "STRING: \"veth0\"");
    await_answer(&agent, address, "INTEGER: 70");
    await_answer(&agent, if_number, "INTEGER: 2");
    // An interface that gets another name is another one.
    agent.shell_inside("ip link set up1 down; ip link set up1 name up2");
    await_answer(&agent, if_number, "INTEGER: 3");
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
         ip addr add 192.0.2.1/24 brd + dev up0; ip addr add 2001:db8::1/64 dev up0 nodad",
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
        // ipAddressType of an address, and of the broadcast address of its network
        (".1.3.6.1.2.1.4.34.1.4.1.4.192.0.2.1", "INTEGER: 1"),
        (".1.3.6.1.2.1.4.34.1.4.1.4.192.0.2.255", "INTEGER: 3"),
        // ipAddressPrefix, and the rows to which it points: manual(2), valid for ever
        (
            ".1.3.6.1.2.1.4.34.1.5.1.4.192.0.2.1",
            "OID: .1.3.6.1.2.1.4.32.1.5.70.1.4.192.0.2.0.24",
        ),
        (".1.3.6.1.2.1.4.32.1.5.70.1.4.192.0.2.0.24", "INTEGER: 2"),
        (
            ".1.3.6.1.2.1.4.34.1.5.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1",
            "OID: .1.3.6.1.2.1.4.32.1.5.70.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.0.64",
        ),
        (
            ".1.3.6.1.2.1.4.32.1.9.70.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.0.64",
            "Gauge32: 4294967295",
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
    // The answer to the first request has passed the loopback since, and the second request; it counts when the counters
    // are older than their greatest age.
    let deadline = Instant::now() + PATIENCE;
    let mut requests = 0;
    let after = loop {
        let after = octets();
        requests += 1;
        if after > before {
            break after;
        }
        assert!(Instant::now() < deadline, "{before}");
    };
    assert!(
        (50..1000 * requests).contains(&(after - before)),
        "{before} {after}"
    );
}

/// While links come and go dumps of addresses are inconsistent, and are to be read again.
#[test]
fn addresses_are_complete_after_a_flood_of_changes() {
    if !is_installed("snmpbulkwalk") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = agent_with_pairs(&home, 250);
    agent.shell_inside(
        "(for round in $(seq 30); do for link in $(seq 20); do
            echo link add c$link type veth peer name d$link; echo link set c$link up; echo link set d$link up
          done; for link in $(seq 20); do echo link del c$link; done; done | ip -batch -) &
         for address in $(seq 250); do echo address add 10.0.$address.1/24 dev lo; done | ip -batch -
         wait",
    );
    let of_addresses = ".1.3.6.1.2.1.4.20.1.2";
    let deadline = Instant::now() + PATIENCE;
    loop {
        let addresses = agent.ask_inside("snmpbulkwalk", &[of_addresses]);
        // Loopback's own is there as well.
        let count = lines(&addresses).len();
        if count == 251 {
            break;
        }
        assert!(Instant::now() < deadline, "{count} addresses");
    }
    let log = agent.log();
    assert!(!log.contains("WARN"), "{log}");
}
