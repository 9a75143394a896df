//! Targets of notifications that managers make: SNMP-TARGET-MIB, SNMP-NOTIFICATION-MIB (RFC 3413) and
//! snmpTargetAddrExtTable (RFC 3584).

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::engine::security::SecurityLevel;
use varbind::transport::Transport;
use varbind_testkit::peers::is_installed;

use crate::notifications::{
    AUTHENTICATION_FAILURE, COLD_START, PASSWORD, PATIENCE, SYS_NAME, TestReceiver, WARM_START,
};
use crate::process::{Agent, Home, ask};

const ADDRESS: &str = ".1.3.6.1.6.3.12.1.2.1";
const EXTENSION: &str = ".1.3.6.1.6.3.18.1.2.1";
const PARAMETERS: &str = ".1.3.6.1.6.3.12.1.3.1";
const NOTIFY: &str = ".1.3.6.1.6.3.13.1.1.1";
const PROFILE: &str = ".1.3.6.1.6.3.13.1.2.1";
const FILTER: &str = ".1.3.6.1.6.3.13.1.3.1";
const UDP_DOMAIN: &str = ".1.3.6.1.6.1.1";
const CREATE_AND_GO: &str = "4";
const DESTROY: &str = "6";
const QUIET: Duration = Duration::from_millis(200);

/// A community of the configuration that may set everything, and one that the receivers of the tests know.
const CONFIGURATION: &str = "\
listen = [\"udp:127.0.0.1:0\"]
[notifications]
authentication-failure = true
[[community]]
name = \"public\"
access = \"read-write\"
view = \"everything\"
[[community]]
name = \"traps\"
security-name = \"traps\"
access = \"none\"
[[group]]
name = \"receivers\"
security-model = \"v2c\"
security-names = [\"traps\"]
[[access]]
group = \"receivers\"
notify = \"all\"
";

/// A name as an IMPLIED index.
fn implied(name: &str) -> String {
    name.bytes().map(|octet| format!(".{octet}")).collect()
}

fn udp_address(address: SocketAddr) -> String {
    let SocketAddr::V4(address) = address else {
        panic!("{address}");
    };
    let octets = address.ip().octets().into_iter();
    let octets = octets.chain(address.port().to_be_bytes());
    octets.map(|octet| format!("{octet:02x}")).collect()
}

/// Sets all of it in one request, and fails the test if that is refused.
#[track_caller]
fn set(agent: &Agent, assignments: &[(String, &str, &str)]) {
    let answer = try_set(agent, assignments);
    assert!(!answer.contains("Reason"), "{answer}");
}

fn try_set(agent: &Agent, assignments: &[(String, &str, &str)]) -> String {
    let words: Vec<&str> = assignments
        .iter()
        .flat_map(|(name, kind, value)| [name.as_str(), *kind, *value])
        .collect();
    agent.ask("snmpset", &words)
}

/// A target with its parameters, and what selects it, all by one name.
fn create(agent: &Agent, name: &str, receiver: SocketAddr, kind: &str) {
    let index = implied(name);
    let address = udp_address(receiver);
    set(
        agent,
        &[
            (format!("{ADDRESS}.2{index}"), "o", UDP_DOMAIN),
            (format!("{ADDRESS}.3{index}"), "x", &address),
            (format!("{ADDRESS}.4{index}"), "i", "20"),
            (format!("{ADDRESS}.6{index}"), "s", name),
            (format!("{ADDRESS}.7{index}"), "s", name),
            (format!("{ADDRESS}.9{index}"), "i", CREATE_AND_GO),
            (format!("{PARAMETERS}.2{index}"), "i", "1"),
            (format!("{PARAMETERS}.3{index}"), "i", "2"),
            (format!("{PARAMETERS}.4{index}"), "s", "traps"),
            (format!("{PARAMETERS}.5{index}"), "i", "1"),
            (format!("{PARAMETERS}.7{index}"), "i", CREATE_AND_GO),
        ],
    );
    set(
        agent,
        &[
            (format!("{NOTIFY}.2{index}"), "s", name),
            (format!("{NOTIFY}.3{index}"), "i", kind),
            (format!("{NOTIFY}.5{index}"), "i", CREATE_AND_GO),
        ],
    );
}

/// Has the agent tell an authenticationFailure, of which it tells one a second at most.
fn provoke(agent: &Agent) {
    let silent = ["-r0", "-t0.05", SYS_NAME];
    ask("snmpget", "wrong", &agent.addresses[0], &silent);
}

/// Provokes until something arrives.
fn await_failure(agent: &Agent, receiver: &TestReceiver) -> NotificationKind {
    let deadline = Instant::now() + PATIENCE;
    loop {
        provoke(agent);
        if let Some(arrived) = receiver.notifications.next_within(QUIET).unwrap() {
            let received = arrived.deliver();
            let name = received.notification.trap_oid.to_string();
            assert_eq!(name, AUTHENTICATION_FAILURE);
            return received.kind;
        }
        assert!(Instant::now() < deadline, "nothing is told");
    }
}

/// The agent reports a failure to one receiver only.
fn assert_kept_back(agent: &Agent, told: &TestReceiver, silent: &TestReceiver) {
    // The first one may be of before.
    for _ in 0..2 {
        await_failure(agent, told);
    }
    silent.assert_silent(QUIET);
}

fn has_tools() -> bool {
    is_installed("snmpset") && is_installed("snmpget") && is_installed("snmpwalk")
}

#[test]
fn a_target_that_a_manager_makes_gets_the_next_notification_also_after_a_restart() {
    if !has_tools() {
        return;
    }
    for (kind, expected) in [
        ("1", NotificationKind::Trap),
        ("2", NotificationKind::Inform),
    ] {
        let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
        let home = Home::new(CONFIGURATION);
        let agent = home.start(1);
        create(&agent, "noc", receiver.address, kind);
        assert_eq!(await_failure(&agent, &receiver), expected);
        agent.signal("-KILL");
        agent.wait();
        let agent = home.start(1);
        assert_eq!(receiver.next_name(), COLD_START);
        agent.signal("-TERM");
        agent.wait();
        let agent = home.start(1);
        assert_eq!(receiver.next_name(), WARM_START);
        // Without the row of snmpNotifyTable nobody selects it.
        let row = format!("{NOTIFY}.5{}", implied("noc"));
        set(&agent, &[(row, "i", DESTROY)]);
        provoke(&agent);
        receiver.assert_silent(QUIET);
    }
}

#[test]
fn filters_and_the_notify_view_are_obeyed() {
    if !has_tools() {
        return;
    }
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    create(&agent, "noc", receiver.address, "1");
    let other = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    create(&agent, "other", other.address, "1");
    assert_eq!(await_failure(&agent, &receiver), NotificationKind::Trap);
    let index = implied("noc");
    // A profile without families lets nothing pass.
    set(
        &agent,
        &[
            (format!("{PROFILE}.1{index}"), "s", "p"),
            (format!("{PROFILE}.3{index}"), "i", CREATE_AND_GO),
        ],
    );
    assert_kept_back(&agent, &other, &receiver);
    // The profile p, and below what it is about: snmpTraps.
    let family = format!("{FILTER}.5.1.112.1.3.6.1.6.3.1.1.5");
    set(&agent, &[(family, "i", CREATE_AND_GO)]);
    assert_eq!(await_failure(&agent, &receiver), NotificationKind::Trap);
    // Nobody has the security name.
    let changes = |name, status| {
        vec![
            (format!("{PARAMETERS}.7{index}"), "i", "2"),
            (format!("{PARAMETERS}.4{index}"), "s", name),
            (format!("{PARAMETERS}.7{index}"), "i", status),
        ]
    };
    let [out, change, back] = <[_; 3]>::try_from(changes("nobody", "1")).unwrap();
    set(&agent, &[out]);
    set(&agent, &[change]);
    set(&agent, &[back]);
    assert_kept_back(&agent, &other, &receiver);
}

#[test]
fn users_get_traps_of_the_level_of_their_parameters() {
    if !has_tools() {
        return;
    }
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(&format!(
        "{CONFIGURATION}
         [[user]]
         name = \"ops\"
         authentication = {{ protocol = \"SHA-256\", password = \"{PASSWORD}\" }}
         privacy = {{ protocol = \"AES-128\", password = \"{PASSWORD}\" }}"
    ));
    let agent = home.start(1);
    create(&agent, "noc", receiver.address, "2");
    let index = implied("noc");
    set(&agent, &[(format!("{PARAMETERS}.7{index}"), "i", "2")]);
    set(
        &agent,
        &[
            (format!("{PARAMETERS}.2{index}"), "i", "3"),
            (format!("{PARAMETERS}.3{index}"), "i", "3"),
            (format!("{PARAMETERS}.4{index}"), "s", "ops"),
            (format!("{PARAMETERS}.5{index}"), "i", "3"),
            (format!("{PARAMETERS}.7{index}"), "i", "1"),
        ],
    );
    provoke(&agent);
    let received = receiver.next();
    assert_eq!(received.kind, NotificationKind::Inform);
    assert_eq!(received.security_name.as_str(), "ops");
    assert_eq!(received.security_level, SecurityLevel::AuthPriv);
}

/// RFC 3413, snmpTargetAddrRowStatus and snmpTargetParamsRowStatus; RFC 3584, snmpTargetAddrTMask and snmpTargetAddrMMS.
#[test]
fn rows_are_checked_as_their_module_says() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let index = implied("noc");
    create(&agent, "noc", "127.0.0.1:9".parse().unwrap(), "1");
    let refusals = [
        // Not while the row is active.
        (
            format!("{ADDRESS}.3{index}"),
            "x",
            "7f000001000a",
            "inconsistentValue",
        ),
        (
            format!("{PARAMETERS}.4{index}"),
            "s",
            "other",
            "inconsistentValue",
        ),
        (format!("{ADDRESS}.6{index}"), "s", "one  two", "wrongValue"),
        (
            format!("{EXTENSION}.1{index}"),
            "x",
            "ffff",
            "inconsistentValue",
        ),
        (format!("{EXTENSION}.2{index}"), "i", "483", "wrongValue"),
        (format!("{ADDRESS}.101{index}"), "x", "ff", "notWritable"),
        (
            format!("{EXTENSION}.1{}", implied("other")),
            "x",
            "ff",
            "inconsistentName",
        ),
    ];
    for (name, kind, value, error) in refusals {
        let answer = try_set(&agent, &[(name.clone(), kind, value)]);
        assert!(answer.contains(error), "{name}: {answer}");
    }
    // Combinations of models that there are not.
    let other = implied("other");
    let parameters = [
        (format!("{PARAMETERS}.2{other}"), "i", "1"),
        (format!("{PARAMETERS}.3{other}"), "i", "3"),
        (format!("{PARAMETERS}.4{other}"), "s", "ops"),
        (format!("{PARAMETERS}.5{other}"), "i", "1"),
        (format!("{PARAMETERS}.7{other}"), "i", CREATE_AND_GO),
    ];
    let answer = try_set(&agent, &parameters);
    assert!(answer.contains("inconsistentValue"), "{answer}");
    set(
        &agent,
        &[
            (format!("{EXTENSION}.1{index}"), "x", "ffffffff0000"),
            (format!("{EXTENSION}.2{index}"), "i", "1472"),
        ],
    );
    let walk = agent.ask("snmpwalk", &[EXTENSION]);
    let expected = format!(
        "{EXTENSION}.1{index} = Hex-STRING: FF FF FF FF 00 00 \n{EXTENSION}.2{index} = INTEGER: 1472"
    );
    assert!(walk.starts_with(&expected), "{walk}");
}

/// What the file says is shown, and nobody can change it.
#[test]
fn targets_of_the_configuration_are_rows_that_cannot_be_changed() {
    if !has_tools() {
        return;
    }
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(&format!(
        "{CONFIGURATION}
         [[notification-target]]
         address = \"udp:{}\"
         community = \"traps\"
         exclude = [\"{AUTHENTICATION_FAILURE}\"]
         kind = \"inform\"
         timeout = \"2s\"
         retries = 1",
        receiver.address
    ));
    let agent = home.start(1);
    assert_eq!(receiver.next_name(), COLD_START);
    let index = implied("target-1");
    let value = |name: String| {
        let answer = agent.ask("snmpget", &[&name]);
        let (_, value) = answer.split_once(" = ").unwrap();
        value.trim_end().to_owned()
    };
    let octets: Vec<_> = udp_address(receiver.address).to_uppercase().into_bytes();
    let octets: Vec<_> = octets
        .chunks(2)
        .map(|pair| String::from_utf8(pair.to_vec()).unwrap())
        .collect();
    for (name, expected) in [
        (format!("{ADDRESS}.2{index}"), format!("OID: {UDP_DOMAIN}")),
        (format!("{ADDRESS}.4{index}"), "INTEGER: 200".to_owned()),
        (format!("{ADDRESS}.5{index}"), "INTEGER: 1".to_owned()),
        (format!("{ADDRESS}.8{index}"), "INTEGER: 5".to_owned()),
        (
            format!("{PARAMETERS}.4{index}"),
            "STRING: \"traps\"".to_owned(),
        ),
        (format!("{NOTIFY}.3{index}"), "INTEGER: 2".to_owned()),
        (
            format!("{FILTER}.3.8{index}.{AUTHENTICATION_FAILURE}"),
            "INTEGER: 2".to_owned(),
        ),
    ] {
        assert_eq!(value(name.clone()), expected, "{name}");
    }
    let shown = value(format!("{ADDRESS}.3{index}"));
    assert!(
        shown == format!("Hex-STRING: {}", octets.join(" ")) || shown.starts_with("STRING"),
        "{shown}"
    );
    for (name, kind, value) in [
        (format!("{ADDRESS}.4{index}"), "i", "1"),
        (format!("{NOTIFY}.5{index}"), "i", DESTROY),
    ] {
        let answer = try_set(&agent, &[(name, kind, value)]);
        assert!(answer.contains("Reason"), "{answer}");
    }
    // Another row may point to it, and then it is sent what that row says.
    set(
        &agent,
        &[
            (format!("{NOTIFY}.2{}", implied("more")), "s", "target-1"),
            (format!("{NOTIFY}.5{}", implied("more")), "i", CREATE_AND_GO),
        ],
    );
    agent.signal("-TERM");
    agent.wait();
    let _agent = home.start(1);
    let mut kinds = [receiver.next().kind, receiver.next().kind];
    kinds.sort_by_key(|kind| *kind == NotificationKind::Inform);
    assert_eq!(kinds, [NotificationKind::Trap, NotificationKind::Inform]);
}

/// RFC 2579, TestAndIncr.
#[test]
fn the_spin_lock_takes_its_present_value_only() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let lock = ".1.3.6.1.6.3.12.1.1.0";
    assert!(agent.ask("snmpget", &[lock]).ends_with("INTEGER: 0"));
    set(&agent, &[(lock.to_owned(), "i", "0")]);
    let answer = try_set(&agent, &[(lock.to_owned(), "i", "0")]);
    assert!(answer.contains("inconsistentValue"), "{answer}");
    assert!(agent.ask("snmpget", &[lock]).ends_with("INTEGER: 1"));
    let contexts = agent.ask("snmpwalk", &[".1.3.6.1.6.3.12.1.4"]);
    assert!(contexts.ends_with("Counter32: 0"), "{contexts}");
}
