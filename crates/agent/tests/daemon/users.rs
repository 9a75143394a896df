//! Users of SNMPv3, asked for by Net-SNMP's tools.

use std::fs;
use std::process::Command;

use varbind::transport::ssh::HostKey;
use varbind_testkit::peers::{is_installed, skip};

use crate::process::{Agent, Home, has_namespaces};

const SYS_SERVICES: &str = ".1.3.6.1.2.1.1.7.0";
const SYS_CONTACT: &str = ".1.3.6.1.2.1.1.4.0";
const ENGINE: &str = ".1.3.6.1.6.3.10.2.1";
const USM_STATS: &str = ".1.3.6.1.6.3.15.1.1";
const PASSWORD: &str = "maplesyrup";
const OTHER_PASSWORD: &str = "apple sauce";

const AUTHENTICATION: [&str; 6] = ["MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];
const PRIVACY: [&str; 6] = ["DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"];

fn user(name: &str, keys: &str, rest: &str) -> String {
    format!("[[user]]\nname = {name:?}\n{keys}\n{rest}\n")
}

fn keys(authentication: &str, privacy: &str) -> String {
    format!(
        "authentication = {{ protocol = {authentication:?}, password = {PASSWORD:?} }}\n\
         privacy = {{ protocol = {privacy:?}, password = {OTHER_PASSWORD:?} }}"
    )
}

fn home(users: &str) -> Home {
    Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\", \"tcp:127.0.0.1:0\"]\n{users}"
    ))
}

fn ask(tool: &str, address: &str, session: &[&str], arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .args(["-v3", "-t", "2", "-r", "1", "-m", "", "-On", "-Oe"])
        .args(session)
        .arg(address)
        .args(arguments)
        .env("SNMPCONFPATH", "/nonexistent")
        .env("SNMP_PERSISTENT_DIR", "/nonexistent")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap().trim_end().to_owned()
}

fn private<'a>(user: &'a str, authentication: &'a str, privacy: &'a str) -> Vec<&'a str> {
    vec![
        "-l",
        "authPriv",
        "-u",
        user,
        "-a",
        authentication,
        "-A",
        PASSWORD,
        "-x",
        privacy,
        "-X",
        OTHER_PASSWORD,
    ]
}

/// What ops is asked for.
fn ops(agent: &Agent, tool: &str, arguments: &[&str]) -> String {
    let session = private("ops", "SHA-256", "AES");
    ask(tool, &agent.addresses[0], &session, arguments)
}

#[test]
fn each_pair_of_protocols_is_spoken_over_each_transport() {
    if !is_installed("snmpget") {
        return;
    }
    let pairs = AUTHENTICATION
        .iter()
        .flat_map(|authentication| PRIVACY.map(|privacy| (*authentication, privacy)));
    let pairs: Vec<_> = pairs
        .map(|(authentication, privacy)| {
            (
                format!("{authentication}/{privacy}"),
                authentication,
                privacy,
            )
        })
        .collect();
    let users: String = pairs
        .iter()
        .map(|(name, authentication, privacy)| {
            user(
                name,
                &keys(authentication, privacy),
                "level = \"authNoPriv\"",
            )
        })
        .collect();
    let nobody = user("nobody", "", "level = \"noAuthNoPriv\"");
    let agent = home(&format!("{users}{nobody}")).start(2);
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    for address in &agent.addresses {
        for (name, authentication, privacy) in &pairs {
            let session = private(name, authentication, privacy);
            let answer = ask("snmpget", address, &session, &[SYS_SERVICES]);
            if answer.contains("Invalid privacy protocol") {
                skip(&format!("snmpget does not know {privacy}"));
                continue;
            }
            assert_eq!(answer, right, "{name} {address}");
        }
        for (name, authentication, _) in pairs.iter().step_by(PRIVACY.len()) {
            let session = [
                "-l",
                "authNoPriv",
                "-u",
                name,
                "-a",
                authentication,
                "-A",
                PASSWORD,
            ];
            let answer = ask("snmpget", address, &session, &[SYS_SERVICES]);
            assert_eq!(answer, right, "{name} {address}");
        }
        let session = ["-l", "noAuthNoPriv", "-u", "nobody"];
        let answer = ask("snmpget", address, &session, &[SYS_SERVICES]);
        assert_eq!(answer, right, "{address}");
    }
}

#[test]
fn mistakes_are_reported_and_counted() {
    if !is_installed("snmpget") {
        return;
    }
    let agent = home(&user("ops", &keys("SHA-256", "AES"), "")).start(2);
    let mut wrong_digest = private("ops", "SHA-256", "AES");
    wrong_digest[7] = "mapleSyrup";
    let mut wrong_privacy = private("ops", "SHA-256", "AES");
    wrong_privacy[11] = "apple sauces";
    let wrong_user = private("sop", "SHA-256", "AES");
    let unknown_context = [&private("ops", "SHA-256", "AES")[..], &["-n", "backup"]].concat();
    let low_level = vec![
        "-l",
        "authNoPriv",
        "-u",
        "ops",
        "-a",
        "SHA-256",
        "-A",
        PASSWORD,
    ];
    let cases = [
        (wrong_digest, "Authentication failure", 5),
        (wrong_privacy, "", 6),
        (wrong_user, "Unknown user name", 3),
    ];
    for (session, expected, counter) in cases {
        let counted = || ops(&agent, "snmpget", &[&format!("{USM_STATS}.{counter}.0")]);
        let before = counted();
        let answer = ask("snmpget", &agent.addresses[0], &session, &[SYS_SERVICES]);
        assert!(
            answer.contains(expected) && !answer.contains("72"),
            "{answer}"
        );
        assert_ne!(before, counted(), "{expected}");
    }
    let answer = ask(
        "snmpget",
        &agent.addresses[0],
        &unknown_context,
        &[SYS_SERVICES],
    );
    assert!(
        !answer.contains("72") && !answer.contains("Timeout"),
        "{answer}"
    );
    // The user may do nothing at a lower level than was configured (RFC 3413 3.2).
    let answer = ask("snmpget", &agent.addresses[0], &low_level, &[SYS_SERVICES]);
    assert!(answer.contains("authorizationError"), "{answer}");
}

#[test]
fn users_set_what_they_may() {
    if !is_installed("snmpset") {
        return;
    }
    let users = user("ops", &keys("SHA-256", "AES"), "access = \"read-write\"")
        + &user("guest", &keys("SHA-512", "AES-256"), "");
    let home = home(&users);
    let agent = home.start(2);
    let set = [SYS_CONTACT, "s", "ops@example.net"];
    let right = format!("{SYS_CONTACT} = STRING: \"ops@example.net\"");
    let answer = ask(
        "snmpset",
        &agent.addresses[0],
        &private("guest", "SHA-512", "AES-256"),
        &set,
    );
    // RFC 3413 3.2: guest has no write view at all.
    assert!(answer.contains("authorizationError"), "{answer}");
    assert_eq!(ops(&agent, "snmpset", &set), right);
    agent.signal("-KILL");
    agent.wait();
    let agent = home.start(2);
    assert_eq!(ops(&agent, "snmpget", &[SYS_CONTACT]), right);
}

#[test]
fn the_engine_tells_who_it_is_and_counts_its_starts() {
    if !is_installed("snmpget") {
        return;
    }
    let home = home(&user("ops", &keys("SHA-256", "AES"), ""));
    let mut first_id = None;
    for boots in 1..=3 {
        let agent = home.start(2);
        let get = |column| ops(&agent, "snmpget", &[&format!("{ENGINE}.{column}.0")]);
        let id = get(1);
        assert!(id.contains("Hex-STRING: 80 00 00 00 05"), "{id}");
        assert_eq!(*first_id.get_or_insert(id.clone()), id);
        assert_eq!(get(2), format!("{ENGINE}.2.0 = INTEGER: {boots}"));
        assert!(get(3).contains(" = INTEGER: "), "{}", get(3));
        assert_eq!(get(4), format!("{ENGINE}.4.0 = INTEGER: 65507"));
        agent.signal(if boots == 2 { "-KILL" } else { "-TERM" });
        agent.wait();
    }
}

#[test]
fn a_damaged_identity_is_an_error_that_names_the_file() {
    let home = home(&user("ops", &keys("SHA-256", "AES"), ""));
    let agent = home.start(2);
    agent.signal("-TERM");
    agent.wait();
    let file = home.state().join("engine");
    fs::write(
        &file,
        fs::read_to_string(&file)
            .unwrap()
            .replace("boots 1", "boots 0"),
    )
    .unwrap();
    let output = home.fail();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    let path = file.display().to_string();
    assert!(text.contains(&path) && text.contains("remove it"), "{text}");
}

#[test]
fn users_need_a_directory_that_can_be_written_to() {
    if !has_namespaces() {
        return;
    }
    let home = home(&user("ops", &keys("SHA-256", "AES"), ""));
    let directory = home.state().display().to_string();
    let before =
        format!("ip link set lo up; mkdir {directory}; mount -t tmpfs -o ro tmpfs {directory}");
    let output = home.fail_in_namespace(&before);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("users of SNMPv3 are not served") && text.contains(&directory),
        "{text}"
    );
}

/// Over secure transports nothing depends on snmpEngineBoots; at its maximum no user is authenticated.
#[test]
fn without_users_the_agent_serves_although_nothing_can_be_written() {
    if !is_installed("snmpget") || !has_namespaces() {
        return;
    }
    let home = home("");
    let key = home.state().with_file_name("host-key");
    HostKey::generate(&key, "agent").unwrap();
    let listen = format!(
        "listen = [\"udp:127.0.0.1:0\", \"ssh:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n[ssh]\nhost-keys = [{key:?}]\n"
    );
    home.configure(&listen);
    let directory = home.state().display().to_string();
    let before =
        format!("ip link set lo up; mkdir {directory}; mount -t tmpfs -o ro tmpfs {directory}");
    let agent = home.start_in_namespace(&before, 2);
    agent.await_log("No user is configured");
    assert_eq!(
        agent.ask_inside("snmpget", &[&format!("{ENGINE}.2.0")]),
        format!("{ENGINE}.2.0 = INTEGER: 2147483647")
    );
    home.configure(&format!(
        "{listen}{}",
        user("ops", &keys("SHA-256", "AES"), "")
    ));
    agent.signal("-HUP");
    let log = agent.await_log("the old configuration stays in force");
    assert!(log.contains("users of SNMPv3 are not served"), "{log}");
}

#[test]
fn an_agent_without_users_needs_no_state_and_does_not_speak_version_3() {
    if !is_installed("snmpget") {
        return;
    }
    let home = home("");
    let agent = home.start(2);
    let kept = fs::read_dir(home.state());
    assert_eq!(kept.map_or(0, Iterator::count), 0);
    assert!(ops(&agent, "snmpget", &[SYS_SERVICES]).contains("Timeout"));
}

#[test]
fn users_come_and_go_with_a_new_configuration() {
    if !is_installed("snmpget") {
        return;
    }
    let listen = "listen = [\"udp:127.0.0.1:0\", \"tcp:127.0.0.1:0\"]\n";
    let home = home("");
    let agent = home.start(2);
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    home.configure(&format!(
        "{listen}{}",
        user("ops", &keys("SHA-256", "AES"), "")
    ));
    agent.signal("-HUP");
    assert!((0..50).any(|_| ops(&agent, "snmpget", &[SYS_SERVICES]) == right));
    home.configure(&format!(
        "{listen}{}",
        user("other", &keys("SHA-256", "AES"), "")
    ));
    agent.signal("-HUP");
    let gone =
        (0..50).any(|_| ops(&agent, "snmpget", &[SYS_SERVICES]).contains("Unknown user name"));
    assert!(gone, "{}", ops(&agent, "snmpget", &[SYS_SERVICES]));
}
