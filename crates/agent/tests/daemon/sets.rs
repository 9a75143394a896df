use std::fs;
use std::process::Command;

use varbind_testkit::peers::is_installed;

use crate::process::{Home, has_namespaces};

const SYS_LOCATION: &str = ".1.3.6.1.2.1.1.6.0";
const SYS_CONTACT: &str = ".1.3.6.1.2.1.1.4.0";
/// snmpEngineBoots (RFC 3411).
const SNMP_ENGINE_BOOTS: &str = ".1.3.6.1.6.3.10.2.1.2.0";
const LABEL: &str = ".1.3.6.1.4.1.99999.1.0";

const CONFIGURATION: &str = r#"
listen = ["udp:127.0.0.1:0"]
[[community]]
name = "public"
access = "read-write"
[[scalar]]
oid = "1.3.6.1.4.1.99999.1.0"
type = "octet-string"
value = "unset"
access = "read-write"
"#;

#[test]
fn acknowledged_sets_survive_a_kill() {
    if !is_installed("snmpset") {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let mut last = "unset".to_owned();
    for round in 0..5 {
        let agent = home.start(1);
        assert_eq!(
            agent.ask("snmpget", &[LABEL]),
            format!("{LABEL} = STRING: \"{last}\"")
        );
        for number in 0..3 {
            last = format!("round {round} number {number}");
            let answer = agent.ask("snmpset", &[SYS_LOCATION, "s", &last, LABEL, "s", &last]);
            assert!(
                answer.contains(&format!("{LABEL} = STRING: \"{last}\"")),
                "{answer}"
            );
        }
        agent.signal("-KILL");
        agent.wait();
    }
    let agent = home.start(1);
    assert_eq!(
        agent.ask("snmpget", &[SYS_LOCATION]),
        format!("{SYS_LOCATION} = STRING: \"{last}\"")
    );
}

#[test]
fn a_set_is_all_or_nothing() {
    if !is_installed("snmpset") {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let answer = agent.ask(
        "snmpset",
        &[SYS_CONTACT, "s", "ops", ".1.3.6.1.2.1.1.1.0", "s", "x"],
    );
    assert!(answer.contains("notWritable"), "{answer}");
    assert_eq!(
        agent.ask("snmpget", &[SYS_CONTACT]),
        format!("{SYS_CONTACT} = \"\"")
    );
    let kept = fs::read_to_string(home.state().join("values")).unwrap();
    assert_eq!(kept, "varbind-values 1\n");
}

#[test]
fn a_directory_that_cannot_be_written_to_refuses_sets_until_it_can() {
    if !is_installed("snmpset") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let state = home.state();
    let directory = state.display();
    let before =
        format!("ip link set lo up; mkdir {directory}; mount -t tmpfs -o ro tmpfs {directory}");
    let agent = home.start_in_namespace(&before, 1);
    let set = || agent.ask_inside("snmpset", &[SYS_CONTACT, "s", "ops"]);
    let answer = set();
    assert!(answer.contains("resourceUnavailable"), "{answer}");
    assert_eq!(
        agent.ask_inside("snmpget", &[SYS_CONTACT]),
        format!("{SYS_CONTACT} = \"\"")
    );
    agent.shell_inside(&format!("mount -o remount,rw {directory}"));
    agent.signal("-HUP");
    let repaired = (0..50).any(|_| set().contains("= STRING: \"ops\""));
    assert!(repaired, "{}", set());
}

#[test]
fn a_full_disk_refuses_sets_until_there_is_room() {
    if !is_installed("snmpset") || !has_namespaces() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let state = home.state();
    let directory = state.display();
    let before = format!(
        "ip link set lo up; mkdir {directory}; mount -t tmpfs -o size=64k tmpfs {directory}"
    );
    let agent = home.start_in_namespace(&before, 1);
    let set = |value: &str| agent.ask_inside("snmpset", &[LABEL, "s", value]);
    let get = || agent.ask_inside("snmpget", &[LABEL]);
    assert!(set("first").contains("= STRING: \"first\""));
    agent.shell_inside(&format!("cat /dev/zero > {directory}/filler || true"));
    // More than is reserved.
    let large = "x".repeat(20_000);
    for _ in 0..30 {
        let answer = set(&large);
        assert!(answer.contains("commitFailed"), "{answer}");
    }
    assert_eq!(get(), format!("{LABEL} = STRING: \"first\""));
    agent.shell_inside(&format!("rm {directory}/filler"));
    assert!(set(&large).contains(&large));
    assert!(set("again").contains("= STRING: \"again\""));
    assert_eq!(get(), format!("{LABEL} = STRING: \"again\""));
    let log = agent.await_log("29 more were refused meanwhile");
    assert_eq!(log.matches("a Set was refused").count(), 1, "{log}");
}

/// The file is written anew with the room that is reserved for it, and so is the file `engine` at the next start.
#[test]
fn on_a_full_disk_values_are_replaced_and_the_agent_starts_again() {
    if !is_installed("snmpset") || !has_namespaces() {
        return;
    }
    let user = r#"
        [[user]]
        name = "ops"
        authentication = { protocol = "SHA-256", password = "maplesyrup" }
        level = "authNoPriv"
    "#;
    let home = Home::new(&format!("{CONFIGURATION}{user}"));
    let state = home.state();
    let directory = state.display();
    // The agent runs twice: a shell starts it again when it was killed.
    let before = format!(
        "ip link set lo up; mkdir {directory}; mount -t tmpfs -o size=64k tmpfs {directory}; \"$0\" \"$@\" || true"
    );
    let mut agent = home.start_in_namespace(&before, 1);
    agent.shell_inside(&format!("cat /dev/zero > {directory}/filler || true"));
    let long = "x".repeat(240);
    let mut last = String::new();
    for number in 0..100 {
        last = format!("{number} {long}");
        let answer = agent.ask_inside("snmpset", &[SYS_CONTACT, "s", &last]);
        assert!(answer.contains(&last), "{answer}");
    }
    let process = agent.process();
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap();
    let killed = Command::new("kill")
        .args(["-KILL", children.trim()])
        .status();
    assert!(killed.unwrap().success());
    agent.addresses.clear();
    agent.await_listeners(1);
    assert_eq!(
        agent.ask_inside("snmpget", &[SYS_CONTACT]),
        format!("{SYS_CONTACT} = STRING: \"{last}\"")
    );
    let boots = agent.ask_inside("snmpget", &[SNMP_ENGINE_BOOTS]);
    assert!(boots.ends_with("INTEGER: 2"), "{boots}");
}
