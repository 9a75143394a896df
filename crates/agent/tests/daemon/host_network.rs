//! Neighbours and routes of a network namespace, which nobody else changes.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use varbind_testkit::peers::{command, eventually, is_installed, skip};

use crate::process::{Agent, Home, has_namespaces};

/// The readers of the agent run aside; a busy machine may let them wait.
const PATIENCE: Duration = Duration::from_secs(60);
const CONFIGURATION: &str = "listen = [\"udp:127.0.0.1:0\"]\n[host]\nmax-age = \"10ms\"";
const NETWORK: &str = "ip link set lo up
    ip link add up0 index 70 address 02:00:00:00:00:01 type veth peer name up1 index 71
    ip link set up0 up; ip link set up1 up
    ip addr add 192.0.2.1/24 dev up0; ip addr add 2001:db8::1/64 dev up0 nodad";

/// Asks until the answer is as expected.
#[track_caller]
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
fn neighbors_come_and_go() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start_in_namespace(NETWORK, 1);
    agent.shell_inside(
        "ip neigh add 192.0.2.7 lladdr 02:00:00:00:00:07 nud permanent dev up0
         ip neigh add 2001:db8::7 lladdr 02:00:00:00:00:08 nud permanent dev up0",
    );
    // ipNetToMediaType
    let of_media = ".1.3.6.1.2.1.4.22.1.4.70.192.0.2.7";
    for (name, expected) in [
        (of_media, "INTEGER: 4"),
        // ipNetToMediaPhysAddress, ipNetToPhysicalPhysAddress, Type
        (
            ".1.3.6.1.2.1.4.22.1.2.70.192.0.2.7",
            "Hex-STRING: 02 00 00 00 00 07",
        ),
        (
            ".1.3.6.1.2.1.4.35.1.4.70.1.4.192.0.2.7",
            "Hex-STRING: 02 00 00 00 00 07",
        ),
        (".1.3.6.1.2.1.4.35.1.6.70.1.4.192.0.2.7", "INTEGER: 4"),
        // ipNetToPhysicalState of a neighbour of IPv6
        (
            ".1.3.6.1.2.1.4.35.1.7.70.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.7",
            "INTEGER: 1",
        ),
    ] {
        await_answer(&agent, name, expected);
    }
    // ipIfStatsRefreshRate, in milliseconds
    await_answer(&agent, ".1.3.6.1.2.1.4.31.3.1.47.2.70", "Gauge32: 10");
    agent.shell_inside("ip neigh del 192.0.2.7 dev up0");
    await_answer(
        &agent,
        of_media,
        "No Such Instance currently exists at this OID",
    );
}

#[test]
fn routes_come_and_go() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start_in_namespace(NETWORK, 1);
    agent.shell_inside(
        "ip route add default via 192.0.2.7 metric 50 proto static
         ip route add blackhole 198.51.100.0/24",
    );
    // ipCidrRouteNumber
    let number = ".1.3.6.1.2.1.4.24.3.0";
    for (name, expected) in [
        (number, "Gauge32: 3"),
        // inetCidrRouteType, Proto and Metric1 of the default route
        (
            ".1.3.6.1.2.1.4.24.7.1.8.1.4.0.0.0.0.0.4.0.0.70.50.1.4.192.0.2.7",
            "INTEGER: 4",
        ),
        (
            ".1.3.6.1.2.1.4.24.7.1.9.1.4.0.0.0.0.0.4.0.0.70.50.1.4.192.0.2.7",
            "INTEGER: 3",
        ),
        (
            ".1.3.6.1.2.1.4.24.7.1.12.1.4.0.0.0.0.0.4.0.0.70.50.1.4.192.0.2.7",
            "INTEGER: 50",
        ),
        // inetCidrRouteType of a network of IPv6 on the link, and of one that is dropped
        (
            ".1.3.6.1.2.1.4.24.7.1.8.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.0.64.4.0.0.70.256.0.0",
            "INTEGER: 3",
        ),
        (
            ".1.3.6.1.2.1.4.24.7.1.8.1.4.198.51.100.0.24.4.0.0.0.0.0.0",
            "INTEGER: 5",
        ),
        // ipCidrRouteType, ipRouteNextHop
        (
            ".1.3.6.1.2.1.4.24.4.1.6.198.51.100.0.255.255.255.0.0.0.0.0.0",
            "INTEGER: 2",
        ),
        (".1.3.6.1.2.1.4.21.1.7.0.0.0.0", "IpAddress: 192.0.2.7"),
        // ipDefaultRouterLifetime, ipDefaultRouterPreference
        (".1.3.6.1.2.1.4.37.1.4.1.4.192.0.2.7.70", "Gauge32: 65535"),
        (".1.3.6.1.2.1.4.37.1.5.1.4.192.0.2.7.70", "INTEGER: 0"),
    ] {
        await_answer(&agent, name, expected);
    }
    agent.shell_inside("ip route del default");
    await_answer(&agent, number, "Gauge32: 2");
}

/// The instance of ipCidrRouteDest of a route, as `ip route` writes it: `default via 192.0.2.7 dev up0`.
fn route_instance(line: &str) -> String {
    let kinds = ["blackhole", "unreachable", "prohibit", "throw"];
    let mut words: Vec<_> = line.split_whitespace().collect();
    if words.first().is_some_and(|word| kinds.contains(word)) {
        words.remove(0);
    }
    let destination = match words[0] {
        "default" => "0.0.0.0/0",
        destination => destination,
    };
    let (network, length) = destination.split_once('/').unwrap_or((destination, "32"));
    let length: u32 = length.parse().unwrap();
    let mask = Ipv4Addr::from(u32::MAX.checked_shl(32 - length).unwrap_or(0));
    let via = words.iter().position(|word| *word == "via");
    let next_hop = via.map_or("0.0.0.0", |at| words[at + 1]);
    format!(".1.3.6.1.2.1.4.24.4.1.1.{network}.{mask}.0.{next_hop} = IpAddress: {network}")
}

/// The instance of ipAdEntIfIndex of an address, as `ip address` writes it: `1: lo    inet 127.0.0.1/8 scope host lo`.
fn address_instance(line: &str) -> String {
    let words: Vec<_> = line.split_whitespace().collect();
    let (address, _) = words[3].split_once('/').unwrap();
    let index = words[0].trim_end_matches(':');
    format!(".1.3.6.1.2.1.4.20.1.2.{address} = INTEGER: {index}")
}

#[test]
fn routes_and_addresses_are_those_of_ip() {
    if !is_installed("snmpbulkwalk") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start_in_namespace(NETWORK, 1);
    agent.shell_inside(
        "ip addr add 198.51.100.1/28 dev up1
         ip route add default via 192.0.2.7 metric 50
         ip route add 203.0.113.0/25 via 192.0.2.8; ip route add 203.0.113.129 dev up1
         ip route add unreachable 198.18.0.0/15",
    );
    for (script, instance, root) in [
        (
            "ip -o -4 route show table main",
            route_instance as fn(&str) -> String,
            ".1.3.6.1.2.1.4.24.4.1.1",
        ),
        (
            "ip -o -4 address show",
            address_instance as fn(&str) -> String,
            ".1.3.6.1.2.1.4.20.1.2",
        ),
    ] {
        let listed = agent.shell_inside(script);
        let theirs: BTreeSet<String> = listed.lines().map(instance).collect();
        assert!(theirs.len() > 2, "{listed}");
        eventually(&format!("not as listed by {script}: {theirs:?}"), || {
            let walked = agent.ask_inside("snmpbulkwalk", &[root]);
            let ours: BTreeSet<_> = walked.lines().map(str::to_owned).collect();
            ours == theirs
        });
    }
}

/// Whether bridges of this kernel can tell VLANs apart, and /sys of a network namespace can be seen.
fn has_vlans() -> bool {
    let script = "mount -t sysfs none /sys; ip link add br0 type bridge vlan_filtering 1";
    let made = command("unshare")
        .args(["-Urnm", "sh", "-ec", script])
        .output()
        .unwrap();
    if !made.status.success() {
        let reason = String::from_utf8_lossy(&made.stderr);
        skip(&format!(
            "bridges have no VLANs here: {}",
            reason.trim_end()
        ));
    }
    made.status.success()
}

#[test]
fn the_vlans_of_a_bridge_are_served() {
    if !is_installed("snmpget") || !is_installed("bridge") || !has_namespaces() || !has_vlans() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let network = "mount -t sysfs none /sys; ip link set lo up
         ip link add br0 index 72 type bridge vlan_filtering 1; ip link set br0 up
         ip link add up0 index 70 type veth peer name up1 index 71
         ip link set up0 up master br0; ip link set up1 up master br0
         bridge vlan add vid 20 dev up1
         bridge fdb add 02:00:00:00:00:09 dev up1 master static vlan 20";
    let agent = home.start_in_namespace(network, 1);
    for (name, expected) in [
        // dot1qNumVlans
        (".1.3.6.1.2.1.17.7.1.1.4.0", "Gauge32: 2"),
        // dot1qVlanCurrentEgressPorts, UntaggedPorts
        (".1.3.6.1.2.1.17.7.1.4.2.1.4.0.1", "Hex-STRING: C0"),
        (".1.3.6.1.2.1.17.7.1.4.2.1.4.0.20", "Hex-STRING: 40"),
        (".1.3.6.1.2.1.17.7.1.4.2.1.5.0.20", "Hex-STRING: 00"),
        // dot1qPvid
        (".1.3.6.1.2.1.17.7.1.4.5.1.1.2", "Gauge32: 1"),
        // dot1qTpFdbPort
        (".1.3.6.1.2.1.17.7.1.2.2.1.2.20.2.0.0.0.0.9", "INTEGER: 2"),
    ] {
        await_answer(&agent, name, expected);
    }
}
