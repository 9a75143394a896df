//! Net-SNMP's tools against the agent.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::Command;

use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::transport::Transport;
use varbind_testkit::loopback::{
    DESCRIPTION, NAME_0, ROW, SYS_DESCR, SYS_DESCR_0, TABLE, TestAgent,
};
use varbind_testkit::peers::is_installed;

/// The agent on each transport, as Net-SNMP names them.
fn targets(agent: &TestAgent) -> Vec<String> {
    let transports = [
        ("udp", Transport::Udp, "127.0.0.1"),
        ("tcp", Transport::Tcp, "127.0.0.1"),
        ("udp6", Transport::Udp, "::1"),
        ("tcp6", Transport::Tcp, "::1"),
    ];
    transports
        .into_iter()
        .map(|(name, transport, ip)| match agent.listen(transport, ip) {
            SocketAddr::V4(address) => format!("{name}:{address}"),
            SocketAddr::V6(address) => format!("{name}:[::1]:{}", address.port()),
        })
        .collect()
}

/// What a tool prints on its standard output; it has to succeed.
#[track_caller]
fn run(program: &str, version: &str, options: &[&str], target: &str, rest: &[&str]) -> String {
    let output = Command::new(program)
        // Numbers, types and no line breaks, and neither MIB files nor settings of the user.
        .args(["-On", "-m", "", version, "-c", "private", "-t", "30"])
        .args(options)
        .arg(target)
        .args(rest)
        .env("SNMPCONFPATH", "/nonexistent")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{program} {version} {target}: {errors}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// An object as the tools print it.
fn line(name: &Oid, value: &Value) -> String {
    let mut line = format!(".{name} = ");
    let _ = match value {
        Value::Integer(number) => write!(line, "INTEGER: {number}"),
        Value::OctetString(octets) if octets.is_empty() => write!(line, "\"\""),
        Value::OctetString(octets) => {
            write!(line, "STRING: \"{}\"", String::from_utf8_lossy(octets))
        }
        Value::Counter32(number) => write!(line, "Counter32: {number}"),
        Value::Gauge32(number) => write!(line, "Gauge32: {number}"),
        Value::Counter64(number) => write!(line, "Counter64: {number}"),
        Value::IpAddress([a, b, c, d]) => write!(line, "IpAddress: {a}.{b}.{c}.{d}"),
        Value::ObjectIdentifier(_) => write!(line, "OID: .0.0"),
        Value::TimeTicks(ticks) => write!(line, "Timeticks: ({ticks}) {}", Days(*ticks)),
        other => panic!("{other:?} is not served"),
    };
    line + "\n"
}

/// A number of hundredths of a second as the tools write it.
struct Days(u32);

impl std::fmt::Display for Days {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, hundredths) = (self.0 / 100, self.0 % 100);
        let (minutes, hours, days) = (seconds / 60 % 60, seconds / 3600 % 24, seconds / 86_400);
        match days {
            0 => {}
            1 => f.write_str("1 day, ")?,
            days => write!(f, "{days} days, ")?,
        }
        write!(
            f,
            "{hours}:{minutes:02}:{:02}.{hundredths:02}",
            seconds % 60
        )
    }
}

fn lines(objects: &[VarBind]) -> String {
    objects
        .iter()
        .map(|VarBind { name, value }| line(name, value))
        .collect()
}

/// Tells the first difference only.
#[track_caller]
fn assert_same_lines(printed: &str, expected: &str, what: &str) {
    for (printed, expected) in printed.lines().zip(expected.lines()) {
        assert_eq!(printed, expected, "{what}");
    }
    let count = (printed.lines().count(), expected.lines().count());
    assert_eq!(count.0, count.1, "{what}");
}

fn without_counter64(objects: &[VarBind]) -> Vec<VarBind> {
    let mut objects = objects.to_vec();
    objects.retain(|object| !matches!(object.value, Value::Counter64(_)));
    objects
}

#[test]
fn get_and_get_next_print_what_is_served() {
    if !is_installed("snmpget") {
        return;
    }
    let agent = TestAgent::new();
    let objects = agent.objects(TABLE);
    // One row, and one object before each of its columns.
    let row: Vec<_> = objects.iter().skip(6).step_by(50).cloned().collect();
    let before: Vec<_> = objects.iter().skip(5).step_by(50).cloned().collect();
    for target in targets(&agent) {
        for version in ["-v1", "-v2c"] {
            let mut expected = row.clone();
            let mut previous = before.clone();
            if version == "-v1" {
                // SNMPv1 has no Counter64; GetNext passes over it.
                expected = without_counter64(&row);
                previous = without_counter64(&before);
            }
            for (program, asked) in [("snmpget", &expected), ("snmpgetnext", &previous)] {
                let names: Vec<_> = asked.iter().map(|object| object.name.to_string()).collect();
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let printed = run(program, version, &[], &target, &names);
                assert_eq!(printed, lines(&expected), "{program} {version} {target}");
            }
        }
        let printed = run(
            "snmpget",
            "-v2c",
            &[],
            &target,
            &["1.3.6.1.9.1.0", &format!("{ROW}.1.999"), SYS_DESCR_0],
        );
        let expected = format!(
            ".1.3.6.1.9.1.0 = No Such Object available on this agent at this OID\n\
             .{ROW}.1.999 = No Such Instance currently exists at this OID\n\
             .{SYS_DESCR_0} = STRING: \"{DESCRIPTION}\"\n"
        );
        assert_eq!(printed, expected);
    }
}

#[test]
fn walks_print_what_is_served() {
    if !is_installed("snmpwalk") {
        return;
    }
    let agent = TestAgent::new();
    let objects = agent.objects(TABLE);
    for target in targets(&agent) {
        let printed = run("snmpwalk", "-v2c", &[], &target, &[TABLE]);
        assert_same_lines(&printed, &lines(&objects), &target);
        let printed = run("snmpwalk", "-v1", &[], &target, &[TABLE]);
        assert_same_lines(&printed, &lines(&without_counter64(&objects)), &target);
        for repetitions in ["-Cr1", "-Cr10", "-Cr500"] {
            let printed = run("snmpbulkwalk", "-v2c", &[repetitions], &target, &[TABLE]);
            assert_same_lines(
                &printed,
                &lines(&objects),
                &format!("{repetitions} {target}"),
            );
        }
        let asked = [SYS_DESCR, TABLE];
        let printed = run("snmpbulkget", "-v2c", &["-Cr20", "-Cn1"], &target, &asked);
        let expected = lines(&agent.objects(SYS_DESCR)) + &lines(&objects[..20]);
        assert_same_lines(&printed, &expected, &target);
        let printed = run("snmpbulkget", "-v2c", &["-Cr20"], &target, &[TABLE]);
        assert_same_lines(&printed, &lines(&objects[..20]), &target);
    }
}

#[test]
fn snmpset_sets_and_tells_why_not() {
    if !is_installed("snmpset") {
        return;
    }
    let agent = TestAgent::new();
    let mut expected = Vec::new();
    for target in targets(&agent) {
        for version in ["-v1", "-v2c"] {
            let value = format!("set{version} {target}");
            let printed = run("snmpset", version, &[], &target, &[NAME_0, "s", &value]);
            assert_eq!(printed, format!(".{NAME_0} = STRING: \"{value}\"\n"));
            expected.push(value);
        }
        let output = Command::new("snmpset")
            .args(["-On", "-m", "", "-v2c", "-c", "private", &target])
            .args([NAME_0, "i", "5"])
            .output()
            .unwrap();
        assert!(!output.status.success());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("wrongType"), "{errors}");
    }
    assert_eq!(agent.memory.stored(), expected);
}
