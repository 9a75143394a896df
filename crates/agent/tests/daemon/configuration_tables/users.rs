//! usmUserTable (RFC 3414 section 5).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{
    ADMIN, AUTH, CONFIGURATION, ENGINE_ID, GUEST, PRIV, SYS_SERVICES, Who, admin_does,
    assert_refused, assign, has_tools, kill_and_start,
};
use crate::process::{Agent, Home, ask};

const USM_USER_ENTRY: &str = ".1.3.6.1.6.3.15.1.2.2.1";
const USM_USER_SPIN_LOCK: &str = ".1.3.6.1.6.3.15.1.2.1.0";
/// The engine ID as part of an index.
const ENGINE_INDEX: &str = "17.128.0.0.0.5.1.2.3.4.5.6.7.8.9.10.11.12";

/// The index of a user: engine ID and name.
fn user(name: &str) -> String {
    let name: String = name.bytes().map(|octet| format!(".{octet}")).collect();
    format!("{ENGINE_INDEX}.{}{name}", name.split('.').count() - 1)
}

/// The files of the state directory do not have any of these texts, and are their owner's alone.
fn assert_kept_secret(home: &Home, secrets: &[&str]) {
    for entry in fs::read_dir(home.state()).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for secret in secrets {
            assert!(!text.contains(secret), "{}", path.display());
        }
        if path.ends_with("values") {
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        }
    }
}

/// The column of a user's row.
fn cell(column: &str, name: &str) -> String {
    format!("{USM_USER_ENTRY}.{column}.{}", user(name))
}

const KEYS_CHANGED: &str = "SNMPv3 Key(s) successfully changed";
const ACTIVATED: &str = "successfully activated";
const ALICE: Who<'static> = Who {
    name: "alice",
    auth: "new maplesyrup",
    privacy: "new apple sauce",
    ..ADMIN
};
/// What alice's keys are before she has her own.
const CLONED_ALICE: Who<'static> = Who {
    name: "alice",
    ..ADMIN
};

fn usm(agent: &Agent, options: &[&str], arguments: &[&str], answer: &str) {
    admin_does(agent, "snmpusm", options, arguments, answer);
}

/// Makes alice, who may do what the administrator may.
fn make_alice(agent: &Agent) {
    usm(
        agent,
        &["-Cw"],
        &["create", "alice", "template"],
        "successfully created",
    );
    usm(
        agent,
        &["-Ca"],
        &["passwd", AUTH, ALICE.auth, "alice"],
        KEYS_CHANGED,
    );
    usm(
        agent,
        &["-Cx"],
        &["passwd", PRIV, ALICE.privacy, "alice"],
        KEYS_CHANGED,
    );
    usm(agent, &[], &["activate", "alice"], ACTIVATED);
    let group = ["createSec2Group", "3", "alice", "user-1"];
    admin_does(agent, "snmpvacm", &[], &group, "successfully created");
}

/// RFC 3414 section 5, usmUserStatus: not before it has keys of its own.
#[test]
fn a_user_that_was_cloned_is_active_when_it_has_keys_of_its_own() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let create = ["create", "alice", "template"];
    let activate = ["activate", "alice"];
    usm(&agent, &[], &create, "inconsistentValue");
    usm(&agent, &["-Cw"], &create, "successfully created");
    usm(&agent, &[], &activate, "inconsistentValue");
    let answer = CLONED_ALICE.get(&agent, SYS_SERVICES);
    assert!(answer.contains("Unknown user name"), "{answer}");
    usm(
        &agent,
        &["-Ca"],
        &["passwd", AUTH, ALICE.auth, "alice"],
        KEYS_CHANGED,
    );
    usm(&agent, &[], &activate, "inconsistentValue");
    // It is kept that one key is her own.
    let agent = kill_and_start(&home, agent);
    usm(
        &agent,
        &["-Cx"],
        &["passwd", PRIV, ALICE.privacy, "alice"],
        KEYS_CHANGED,
    );
    usm(&agent, &[], &activate, ACTIVATED);
    // Who has no group may do nothing.
    let answer = ALICE.get(&agent, SYS_SERVICES);
    assert!(answer.contains("authorizationError"), "{answer}");
}

/// RFC 3414 section 5: a user lives, changes its keys, rests and goes.
#[test]
fn a_user_is_made_by_snmpusm_and_survives_a_kill() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    let denied = |who: Who<'_>, agent: &Agent, error: &str| {
        let answer = who.get(agent, SYS_SERVICES);
        assert!(answer.contains(error), "{answer}");
    };
    make_alice(&agent);
    assert_eq!(ALICE.get(&agent, SYS_SERVICES), right);
    denied(CLONED_ALICE, &agent, "Authentication failure");
    let agent = kill_and_start(&home, agent);
    assert_eq!(ALICE.get(&agent, SYS_SERVICES), right);
    // Her own key.
    let passwd = ["passwd", ALICE.auth, "own maplesyrup"];
    let answer = ALICE.run(&agent, "snmpusm", &["-Ca"], &passwd);
    assert!(answer.contains(KEYS_CHANGED), "{answer}");
    denied(ALICE, &agent, "Authentication failure");
    let alice = Who {
        auth: "own maplesyrup",
        ..ALICE
    };
    assert_eq!(alice.get(&agent, SYS_SERVICES), right);
    let agent = kill_and_start(&home, agent);
    assert_eq!(alice.get(&agent, SYS_SERVICES), right);
    assert_kept_secret(&home, &[AUTH, PRIV, alice.auth, alice.privacy]);
    // The configuration is read again, and alice stays.
    agent.signal("-HUP");
    assert_eq!(alice.get(&agent, SYS_SERVICES), right);
    usm(
        &agent,
        &[],
        &["deactivate", "alice"],
        "successfully deactivated",
    );
    denied(alice, &agent, "Unknown user name");
    usm(&agent, &[], &["activate", "alice"], ACTIVATED);
    assert_eq!(alice.get(&agent, SYS_SERVICES), right);
    usm(&agent, &[], &["delete", "alice"], "successfully deleted");
    denied(alice, &agent, "Unknown user name");
    // Not even former keys are left.
    let text = fs::read_to_string(home.state().join("values")).unwrap();
    assert!(!text.contains(&USM_USER_ENTRY[1..]), "{text}");
    let agent = kill_and_start(&home, agent);
    denied(alice, &agent, "Unknown user name");
}

/// RFC 3414 section 5, usmUserOwnAuthKeyChange: of the requester alone.
#[test]
fn a_user_cannot_change_the_key_of_another() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    make_alice(&agent);
    // In any order, with the present value of the spin lock.
    let clone = format!("4/bob o 3/template {USM_USER_SPIN_LOCK} i 0 13/bob i 5");
    let answer = assign(&agent, cell, &clone);
    assert!(
        answer.contains(&format!("{} = INTEGER: 5", cell("13", "bob"))),
        "{answer}"
    );
    let from = cell("4", "bob");
    assert_eq!(ADMIN.get(&agent, &from), format!("{from} = OID: .0.0"));
    let (auth, privacy) = ("00".repeat(64), "00".repeat(32));
    assert_refused(
        &agent,
        cell,
        &[
            (&format!("7/bob x {auth}"), "noAccess"),
            (&format!("10/alice x {privacy}"), "noAccess"),
            // The spin lock has gone on.
            (&clone, "inconsistentValue"),
        ],
    );
    let own = ALICE.set(&agent, &[&cell("7", "alice"), "x", &auth]);
    assert!(own.contains("Hex-STRING"), "{own}");
    let answer = GUEST.set(&agent, &[&cell("7", "guest"), "x", &auth]);
    assert!(answer.contains("authorizationError"), "{answer}");
}

/// "When a set is received and the security model in use is not USM, then a 'noAccess' error must be returned."
#[test]
fn a_community_changes_no_own_key() {
    if !has_tools() {
        return;
    }
    let community =
        "[[community]]\nname = \"alice\"\naccess = \"read-write\"\nview = \"everything\"";
    let home = Home::new(&format!("{CONFIGURATION}{community}"));
    let agent = home.start(1);
    make_alice(&agent);
    let own = [&*cell("7", "alice"), "x", &"00".repeat(64)];
    let answer = ask("snmpset", "alice", &agent.addresses[0], &own);
    assert!(answer.contains("noAccess"), "{answer}");
}

/// Passwords in the file become keys, and users that managers made stay as they are.
#[test]
fn a_configuration_can_be_sealed_under_an_agent_with_made_users() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    make_alice(&agent);
    let sealed = varbind_agent::seal(&home.configuration()).unwrap();
    assert_eq!(sealed.engine_id.to_string(), format!("0x{ENGINE_ID}"));
    let text = fs::read_to_string(home.configuration()).unwrap();
    assert!(!text.contains(AUTH) && !text.contains("alice"), "{text}");
    agent.signal("-HUP");
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    assert_eq!(ALICE.get(&agent, SYS_SERVICES), right);
    let agent = kill_and_start(&home, agent);
    assert_eq!(ALICE.get(&agent, SYS_SERVICES), right);
    assert_eq!(ADMIN.get(&agent, SYS_SERVICES), right);
    usm(
        &agent,
        &["-Cw"],
        &["create", "bob", "alice"],
        "successfully created",
    );
}

/// A user's keys are good at one engine: those of another one are nobody's.
#[test]
fn users_of_an_engine_with_another_name_are_left_out() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    make_alice(&agent);
    agent.signal("-TERM");
    agent.wait();
    let other = ENGINE_ID.replace("0c", "0d");
    home.configure(&CONFIGURATION.replace(ENGINE_ID, &other));
    let agent = home.start(1);
    let answer = ALICE.get(&agent, SYS_SERVICES);
    assert!(answer.contains("Unknown user name"), "{answer}");
    let shown = ADMIN.run(&agent, "snmpbulkwalk", &[], &[USM_USER_ENTRY]);
    assert_eq!(shown.matches("\"admin\"").count(), 1, "{shown}");
    assert!(!shown.contains("alice"), "{shown}");
}

#[test]
fn each_wrong_user_has_its_error() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let foreign = format!("{USM_USER_ENTRY}.13.5.128.0.0.0.1.3.98.111.98 i 5");
    let long = format!("11/carol s {}", "x".repeat(33));
    let answer = assign(&agent, cell, "4/carol o 3/template 13/carol i 5");
    assert!(answer.contains("INTEGER: 5"), "{answer}");
    let cases = [
        // Rows of other engines are none of this one's.
        (&*foreign, "noCreation"),
        ("13/ i 5", "noCreation"),
        ("3/carol s x", "notWritable"),
        ("1/carol s x", "notWritable"),
        ("101/carol s x", "notWritable"),
        ("13/bob i 1", "inconsistentValue"),
        ("13/bob i 3", "wrongValue"),
        ("13/bob s x", "wrongType"),
        ("11/bob s x", "inconsistentName"),
        ("13/bob i 5 4/bob o 3/nobody", "inconsistentName"),
        ("13/bob i 5 4/bob o 3/carol", "inconsistentName"),
        ("13/bob i 5 4/bob o 5/template", "inconsistentName"),
        ("13/bob i 5 4/bob o .0.0", "inconsistentName"),
        ("13/bob i 5 6/bob x 00", "inconsistentName"),
        ("13/bob i 5 5/bob o .1.3.6.1.6.3.10.1.1.99", "wrongValue"),
        (
            "13/bob i 5 8/bob o .1.3.6.1.6.3.10.1.2.4",
            "inconsistentValue",
        ),
        ("13/bob i 5 12/bob i 5", "wrongValue"),
        ("6/carol x 0011", "wrongLength"),
        ("9/carol x 0011", "wrongLength"),
        ("5/carol o .1.3.6.1.6.3.10.1.1.3", "inconsistentValue"),
        // Authentication cannot be given up before privacy.
        ("5/carol o .1.3.6.1.6.3.10.1.1.1", "inconsistentValue"),
        (&long, "wrongLength"),
        ("13/carol i 1", "inconsistentValue"),
        ("13/carol i 4", "inconsistentValue"),
        // What the file says cannot be changed.
        ("13/template i 6", "notWritable"),
        ("6/template x 0011", "notWritable"),
        ("12/template i 3", "wrongValue"),
    ];
    assert_refused(&agent, cell, &cases);
    let bob = ADMIN.get(&agent, &cell("13", "bob"));
    assert!(bob.contains("No Such Instance"), "{bob}");
}

/// RFC 3414 section 5, usmUserAuthProtocol: it can be given up, together with privacy.
#[test]
fn a_user_without_protocols_has_no_keys_to_change() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let answer = assign(&agent, cell, "4/carol o 3/template 13/carol i 5");
    assert!(answer.contains("INTEGER: 5"), "{answer}");
    let none = "5/carol o .1.3.6.1.6.3.10.1.1.1 8/carol o .1.3.6.1.6.3.10.1.2.1";
    let answer = assign(&agent, cell, &format!("{none} 6/carol x 0011 13/carol i 1"));
    assert!(answer.contains("INTEGER: 1"), "{answer}");
    let shown = |column, name| {
        let name = cell(column, name);
        let answer = ADMIN.get(&agent, &name);
        answer.replacen(&format!("{name} = "), "", 1)
    };
    for column in ["6", "7", "9", "10"] {
        assert_eq!(shown(column, "carol"), "\"\"");
    }
    // The users of the file are shown, with their protocols.
    assert_eq!(shown("5", "template"), "OID: .1.3.6.1.6.3.10.1.1.5");
    assert_eq!(shown("8", "template"), "OID: .1.3.6.1.6.3.10.1.2.4");
    assert_eq!(shown("3", "template"), "STRING: \"template\"");
    assert_eq!(shown("12", "template"), "INTEGER: 5");
    assert_eq!(shown("13", "template"), "INTEGER: 1");
}
