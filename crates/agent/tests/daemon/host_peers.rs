//! The objects of this host beside what Net-SNMP's agent, df, ss and dpkg tell of it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use varbind_testkit::peers::{command, eventually, is_installed, skip};

use crate::host_objects::{configuration, instances};
use crate::process::{Agent, Home};
use crate::snmpd::Snmpd;

/// snmpd keeps most values for seconds, and some for a minute.
const PATIENCE: Duration = Duration::from_secs(180);

/// What both agents must agree on.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The same values, sooner or later.
    Alike,
    /// Counters: each agent reaches what the other one had in the first round.
    Grows,
    /// Values of which none exceeds twice the other one and this much, sooner or later.
    Near(u64),
    /// Types alone.
    Typed,
}
use Rule::{Alike, Grows, Near, Typed};

/// Units of 1024 octets that may come and go between two readings, and rounded shares.
const KILOBYTES: Rule = Near(65_536);
const PER_CENT: Rule = Near(5);

/// Names with what follows them: columns, scalars or instances. Each has to be in both agents, if snmpd has it at all.
const OBJECTS: &[(Rule, &str, &[u32])] = &[
    // hrMemorySize
    (Alike, ".1.3.6.1.2.1.25.2", &[2]),
    // hrStorageDescr of memory and swap
    (Alike, ".1.3.6.1.2.1.25.2.3.1.3", &[1, 3, 6, 7, 8, 10]),
    // hrStorageIndex, Type, Descr and AllocationUnits; Size and Used
    (Alike, ".1.3.6.1.2.1.25.2.3.1", &[1, 2, 3, 4]),
    (KILOBYTES, ".1.3.6.1.2.1.25.2.3.1", &[5, 6]),
    // hrDeviceIndex, Type, Descr and ID; Errors
    (Alike, ".1.3.6.1.2.1.25.3.2.1", &[1, 2, 3, 4]),
    (Grows, ".1.3.6.1.2.1.25.3.2.1", &[6]),
    // hrDeviceStatus of the first processor and of lo: snmpd tells of others only whether they are switched on
    (Alike, ".1.3.6.1.2.1.25.3.2.1.5", &[196_608, 262_145]),
    // hrProcessorFrwID, hrNetworkIfIndex
    (Alike, ".1.3.6.1.2.1.25.3.3.1", &[1]),
    (Alike, ".1.3.6.1.2.1.25.3.4.1", &[1]),
    // hrFSIndex, MountPoint, RemoteMountPoint, Access, Bootable and StorageIndex
    (Alike, ".1.3.6.1.2.1.25.3.8.1", &[1, 2, 3, 5, 6, 7]),
    // hrSWInstalledType; names are cut earlier by snmpd
    (Alike, ".1.3.6.1.2.1.25.6.3.1", &[4]),
    // dskIndex, Path, Device, Minimum, MinPercent, Total, TotalLow, TotalHigh, AvailHigh, UsedHigh, ErrorFlag and ErrorMsg
    (
        Alike,
        ".1.3.6.1.4.1.2021.9.1",
        &[1, 2, 3, 4, 5, 6, 11, 12, 14, 16, 100, 101],
    ),
    // dskAvail, Used, AvailLow and UsedLow; Percent and PercentNode
    (KILOBYTES, ".1.3.6.1.4.1.2021.9.1", &[7, 8, 13, 15]),
    (PER_CENT, ".1.3.6.1.4.1.2021.9.1", &[9, 10]),
    // laIndex, Names, Load, Config, ErrorFlag and ErrMessage; LoadInt, in which snmpd cuts what it cannot represent
    (Alike, ".1.3.6.1.4.1.2021.10.1", &[1, 2, 3, 4, 100, 101]),
    (Near(2), ".1.3.6.1.4.1.2021.10.1", &[5]),
    // memIndex, ErrorName, TotalSwap, TotalReal and MinimumSwap, of 32 and 64 bits
    (Alike, ".1.3.6.1.4.1.2021.4", &[1, 2, 3, 5, 12, 18, 20, 23]),
    // memAvailSwap, AvailReal, TotalFree, Shared, Buffer and Cached
    (KILOBYTES, ".1.3.6.1.4.1.2021.4", &[4, 6, 11, 13, 14, 15]),
    (KILOBYTES, ".1.3.6.1.4.1.2021.4", &[19, 21, 22, 24, 25, 26]),
    // ssIndex, ssErrorName, ssCpuNumCpus
    (Alike, ".1.3.6.1.4.1.2021.11", &[1, 2, 67]),
    // ssCpuRawUser to ssCpuRawGuestNice; the kernel's time of waiting may decrease
    (Grows, ".1.3.6.1.4.1.2021.11", &[50, 51, 52, 53, 56, 57, 58]),
    (
        Grows,
        ".1.3.6.1.4.1.2021.11",
        &[59, 60, 61, 62, 63, 64, 65, 66],
    ),
    (Near(10_000), ".1.3.6.1.4.1.2021.11", &[54]),
    // diskIOIndex and Device; NRead, NWritten, Reads, Writes, NReadX and NWrittenX
    (Alike, ".1.3.6.1.4.1.2021.13.15.1.1", &[1, 2]),
    (Grows, ".1.3.6.1.4.1.2021.13.15.1.1", &[3, 4, 5, 6, 12, 13]),
    // ipForwarding, ipDefaultTTL, and the counters of IP without ipReasmTimeout
    (Alike, ".1.3.6.1.2.1.4", &[1, 2]),
    (Grows, ".1.3.6.1.2.1.4", &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (Grows, ".1.3.6.1.2.1.4", &[14, 15, 16, 17, 18, 19]),
    // ipAdEntAddr, IfIndex and NetMask
    (Alike, ".1.3.6.1.2.1.4.20.1", &[1, 2, 3]),
    // ipRouteDest and Mask; ipCidrRouteDest, Mask, NextHop and IfIndex
    (Alike, ".1.3.6.1.2.1.4.21.1", &[1, 11]),
    (Alike, ".1.3.6.1.2.1.4.24.4.1", &[1, 2, 4, 5]),
    // ipSystemStatsTable
    (
        Typed,
        ".1.3.6.1.2.1.4.31.1.1",
        &[3, 4, 7, 9, 14, 15, 16, 17, 18, 19, 20, 21, 25],
    ),
    (Typed, ".1.3.6.1.2.1.4.31.1.1", &[27, 28, 29, 46, 47]),
    // The counters of ICMP
    (Grows, ".1.3.6.1.2.1.5", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    (Grows, ".1.3.6.1.2.1.5", &[10, 11, 12, 13, 14, 15, 16, 17]),
    (Grows, ".1.3.6.1.2.1.5", &[18, 19, 20, 21, 22, 23, 24, 25]),
    (Grows, ".1.3.6.1.2.1.5", &[26]),
    // tcpRtoAlgorithm, RtoMin, RtoMax and MaxConn; counters; tcpCurrEstab
    (Alike, ".1.3.6.1.2.1.6", &[1, 2, 3, 4]),
    (Grows, ".1.3.6.1.2.1.6", &[5, 6, 7, 8, 10, 11, 12, 14, 15]),
    (Near(50), ".1.3.6.1.2.1.6", &[9]),
    // udpInDatagrams, NoPorts, InErrors and OutDatagrams
    (Grows, ".1.3.6.1.2.1.7", &[1, 2, 3, 4]),
];

/// Instances and their values, as the tools show them.
type Values = BTreeMap<String, String>;

/// The objects with one name, in both agents.
struct Compared {
    rule: Rule,
    name: String,
    /// Those of snmpd and of this agent in the first round that had both.
    first: Option<(Values, Values)>,
}

/// What one round found.
enum Verdict {
    Agrees,
    /// snmpd has no such objects.
    Missing,
    Differs(String),
}

impl Compared {
    fn new(rule: Rule, name: String) -> Self {
        Self {
            rule,
            name,
            first: None,
        }
    }

    fn judge(&mut self, theirs: &Values, ours: &Values) -> Verdict {
        if theirs.is_empty() {
            return Verdict::Missing;
        }
        let name = &self.name;
        if !theirs.keys().any(|instance| ours.contains_key(instance)) {
            return Verdict::Differs(format!("{name}: nothing in common: {ours:?} {theirs:?}"));
        }
        let (first_theirs, first_ours) = self
            .first
            .get_or_insert_with(|| (theirs.clone(), ours.clone()));
        let agree = |instance: &String| {
            let (Some(theirs_now), Some(ours_now)) = (theirs.get(instance), ours.get(instance))
            else {
                return true;
            };
            match self.rule {
                Alike => theirs_now == ours_now,
                Typed => typed(theirs_now).0 == typed(ours_now).0,
                Near(slack) => is_near(typed(theirs_now), typed(ours_now), slack),
                Grows => {
                    let is_later = |now: &str, before: Option<&String>| {
                        before.is_none_or(|before| reaches(typed(now), typed(before)))
                    };
                    is_later(theirs_now, first_ours.get(instance))
                        && is_later(ours_now, first_theirs.get(instance))
                }
            }
        };
        let different: Vec<_> = theirs.keys().filter(|instance| !agree(instance)).collect();
        if different.is_empty() {
            return Verdict::Agrees;
        }
        Verdict::Differs(format!("{name}: {different:?}: {ours:?} {theirs:?}"))
    }
}

/// `Counter32: 5` as the type and the number, which only some types have.
fn typed(value: &str) -> (&str, Option<u64>) {
    let (kind, value) = value.split_once(": ").unwrap_or((value, ""));
    (kind, value.parse().ok())
}

fn is_near(one: (&str, Option<u64>), other: (&str, Option<u64>), slack: u64) -> bool {
    let (Some(a), Some(b)) = (one.1, other.1) else {
        return false;
    };
    one.0 == other.0 && a.max(b) <= 2 * a.min(b) + slack
}

/// Whether a counter is at least what it was before. Counter32 runs on modulo 2^32.
fn reaches(now: (&str, Option<u64>), before: (&str, Option<u64>)) -> bool {
    let (Some(count), Some(earlier)) = (now.1, before.1) else {
        return false;
    };
    let is_reached = match now.0 {
        "Counter32" => count.wrapping_sub(earlier) % (1 << 32) < 1 << 31,
        _ => count >= earlier,
    };
    now.0 == before.0 && is_reached
}

/// Asks both until they agree on all.
fn await_agreement(agent: &Agent, snmpd: &Snmpd, pending: &mut Vec<Compared>) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut missing = Vec::new();
        let mut differences = Vec::new();
        pending.retain_mut(|compared| {
            let theirs = instances(&snmpd.walk(&compared.name));
            let ours = instances(&agent.ask("snmpbulkwalk", &[compared.name.as_str()]));
            match compared.judge(&theirs, &ours) {
                Verdict::Agrees => return false,
                Verdict::Missing => missing.push(compared.name.clone()),
                Verdict::Differs(difference) => differences.push(difference),
            }
            true
        });
        if differences.is_empty() {
            if !missing.is_empty() {
                skip(&format!("snmpd here has no {}", missing.join(", ")));
            }
            return;
        }
        assert!(Instant::now() < deadline, "{}", differences.join("\n"));
    }
}

#[test]
fn objects_of_the_host_are_those_of_net_snmp() {
    if !["snmpd", "snmpbulkwalk"].into_iter().all(is_installed) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let lines = "includeAllDisks 10%\nload 0.01 12 1000\n";
    let snmpd = Snmpd::start(directory.path(), lines);
    let settings = "max-age = \"20ms\"\ninstalled-software = true\nexclude-disks = []\n\
                    disk-minimum = \"10%\"\nload-limits = [0.01, 12.0, 1000.0]\n";
    let agent = Home::new(&configuration(settings)).start(1);
    let mut all = Vec::new();
    for (rule, parent, numbers) in OBJECTS {
        let names = numbers.iter().map(|number| format!("{parent}.{number}"));
        all.extend(names.map(|name| Compared::new(*rule, name)));
    }
    // hrSWRunIndex, Name, Path and Type of this process
    for column in [1, 2, 4, 6] {
        let name = format!(".1.3.6.1.2.1.25.4.2.1.{column}.{}", std::process::id());
        all.push(Compared::new(Alike, name));
    }
    await_agreement(&agent, &snmpd, &mut all);
}

/// tcpConnState, and udpLocalPort.
const TCP_CONN_STATE: &str = ".1.3.6.1.2.1.6.13.1.1";
const UDP_LOCAL_PORT: &str = ".1.3.6.1.2.1.7.5.1.2";

/// The instances below a name whose index has a port, behind the first address or at the end.
fn with_port(text: &str, root: &str, port: u16) -> Values {
    let port = port.to_string();
    let has_port = |name: &String| {
        let index = name.strip_prefix(root).unwrap_or_default();
        let arcs: Vec<_> = index.split('.').skip(1).collect();
        arcs.get(4) == Some(&&*port) || arcs.last() == Some(&&*port)
    };
    let mut found = instances(text);
    found.retain(|name, _| has_port(name));
    found
}

/// `127.0.0.1:161` of ss as a part of an index.
fn endpoint(text: &str) -> String {
    let (address, port) = text.rsplit_once(':').unwrap();
    let address = address.split('%').next().unwrap().replace('*', "0.0.0.0");
    format!("{address}.{}", if port == "*" { "0" } else { port })
}

/// The lines of ss, as instances: with the states of TCP, or the ports of UDP.
fn listed_by_ss(option: &str, root: &str) -> String {
    let output = command("ss").args(["-Han4", option]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = Vec::new();
    for line in text.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [state, _, _, near, far, ..] = fields[..] else {
            continue;
        };
        lines.push(if root == TCP_CONN_STATE {
            let state = match state {
                "LISTEN" => 2,
                "ESTAB" => 5,
                // Not of the sockets of this test.
                _ => 0,
            };
            format!(
                "{root}.{}.{} = INTEGER: {state}",
                endpoint(near),
                endpoint(far)
            )
        } else {
            let (_, port) = near.rsplit_once(':').unwrap();
            format!("{root}.{} = INTEGER: {port}", endpoint(near))
        });
    }
    lines.join("\n")
}

#[test]
fn sockets_are_those_of_ss_and_net_snmp() {
    if !["ss", "snmpbulkwalk"].into_iter().all(is_installed) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _near = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let _far = listener.accept().unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let udp_port = socket.local_addr().unwrap().port();
    let agent = Home::new(&configuration("max-age = \"20ms\"\n")).start(1);
    let directory = tempfile::tempdir().unwrap();
    let snmpd = is_installed("snmpd").then(|| Snmpd::start(directory.path(), ""));
    for (option, root, port, count) in [
        ("-t", TCP_CONN_STATE, port, 3),
        ("-u", UDP_LOCAL_PORT, udp_port, 1),
    ] {
        let ours = || with_port(&agent.ask("snmpbulkwalk", &[root]), root, port);
        let of_ss = || with_port(&listed_by_ss(option, root), root, port);
        eventually("ss lists other sockets", || {
            let ours = ours();
            ours.len() >= count && ours == of_ss()
        });
        let Some(snmpd) = &snmpd else { continue };
        let theirs = snmpd.walk(root);
        if instances(&theirs).is_empty() {
            skip(&format!("snmpd here has no {root}"));
            continue;
        }
        eventually("snmpd has other sockets", || {
            ours() == with_port(&snmpd.walk(root), root, port)
        });
    }
}

/// The blocks of 1024 octets of a file system, and how many of them are used and available.
type Blocks = [u64; 3];

/// The file systems that df lists, by their paths; what has no size is left out.
fn listed_by_df() -> BTreeMap<String, Blocks> {
    let output = command("df").arg("-Pk").env("LC_ALL", "C").output();
    let text = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    let mut found = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split_whitespace().skip(1);
        let mut number = || fields.next()?.parse().ok();
        let (Some(total), Some(used), Some(available)) = (number(), number(), number()) else {
            continue;
        };
        let path: Vec<_> = fields.skip(1).collect();
        found.insert(path.join(" "), [total, used, available]);
    }
    found
}

/// dskTotal, dskUsed and dskAvail by dskPath. Paths that several file systems are mounted at are left out.
fn disks(agent: &Agent) -> BTreeMap<String, Blocks> {
    const DSK_ENTRY: &str = ".1.3.6.1.4.1.2021.9.1";
    let table = instances(&agent.ask("snmpbulkwalk", &[DSK_ENTRY]));
    let value = |column: u32, row: &str| {
        let value = table.get(&format!("{DSK_ENTRY}.{column}.{row}"))?;
        typed(value).1
    };
    let mut found = BTreeMap::new();
    let mut several = BTreeSet::new();
    let paths = format!("{DSK_ENTRY}.2.");
    for (name, path) in &table {
        let Some(row) = name.strip_prefix(&paths) else {
            continue;
        };
        let path = path.trim_start_matches("STRING: ").trim_matches('"');
        let sizes = (value(6, row), value(8, row), value(7, row));
        let (Some(total), Some(used), Some(available)) = sizes else {
            continue;
        };
        let former = found.insert(path.to_owned(), [total, used, available]);
        if former.is_some() {
            several.insert(path.to_owned());
        }
    }
    found.retain(|path, _| !several.contains(path));
    found
}

#[test]
fn file_systems_are_those_of_df() {
    if !["df", "snmpbulkwalk"].into_iter().all(is_installed) {
        return;
    }
    const LARGEST: u64 = i32::MAX as u64;
    let agent = Home::new(&configuration("max-age = \"20ms\"\n")).start(1);
    let are_near = |a: u64, b: u64| a.max(b) <= 2 * a.min(b) + 65_536;
    eventually("df lists other sizes", || {
        let (ours, theirs) = (disks(&agent), listed_by_df());
        let common: Vec<_> = ours
            .iter()
            .filter_map(|(path, ours)| Some((ours, theirs.get(path)?)))
            .collect();
        let agree = |([total, used, available], theirs): &(&Blocks, &Blocks)| {
            let [their_total, their_used, their_available] = theirs.map(|size| size.min(LARGEST));
            total.abs_diff(their_total) <= 1
                && are_near(*used, their_used)
                && are_near(*available, their_available)
        };
        !common.is_empty() && common.iter().all(agree)
    });
}

#[test]
fn installed_software_is_what_dpkg_lists() {
    if !is_installed("dpkg-query") || !is_installed("snmpbulkwalk") {
        return;
    }
    let agent = Home::new(&configuration("installed-software = true\n")).start(1);
    let format = "${db:Status-Abbrev}${Package}_${Version}_${Architecture}\n";
    let deadline = Instant::now() + PATIENCE;
    loop {
        let listed = command("dpkg-query").args(["-W", "-f", format]).output();
        let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
        // What is wanted, and that it is installed.
        let installed = listed.lines().filter(|line| line.get(1..3) == Some("i "));
        let installed = installed.filter_map(|line| line.get(3..));
        let mut theirs: Vec<String> = installed
            .map(|name| name.chars().take(64).collect())
            .collect();
        theirs.sort_unstable();
        let walked = instances(&agent.ask("snmpbulkwalk", &[".1.3.6.1.2.1.25.6.3.1.2"]));
        let names = walked
            .values()
            .filter_map(|value| value.strip_prefix("STRING: "));
        let mut ours: Vec<String> = names
            .map(|name| name.trim_matches('"').to_owned())
            .collect();
        ours.sort_unstable();
        if !ours.is_empty() && ours == theirs {
            return;
        }
        assert!(Instant::now() < deadline, "{ours:?} {theirs:?}");
    }
}
