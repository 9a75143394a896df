//! Users, communities and groups.

use super::*;

/// snmpd refuses users that are not created, though groups and rouser name them; so does the result.
#[test]
fn users_that_snmpd_does_not_know_get_no_access() {
    let text = "com2sec -Cn \"\" local 127.0.0.1/32 private\ngroup g v2c local\ngroup g usm local\n\
                view v included .1\naccess g \"\" any noauth exact v v none\n\
                rouser guest noauth\ncreateUser known\nrouser known noauth\n";
    let found = imported(text, "", false);
    assert_eq!(found.notes, []);
    let without_effect = found
        .configuration
        .split("# Without effect in snmpd:\n")
        .nth(1);
    assert_eq!(without_effect.unwrap().lines().count(), 2);
    let users = parsed(&found).users;
    let names: Vec<_> = users.iter().map(|user| &*user.name).collect();
    assert_eq!(names, ["known"]);
}

/// Nobody knows which users snmpd has whose file is not there.
#[test]
fn users_are_reported_if_the_file_of_snmpds_users_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmpd.conf");
    let text = "rouser guest\ncom2sec local 127.0.0.1 private\ngroup g usm local\ngroup g usm other\n\
                iquerySecName internal\nrouser internal\ncreateUser short\nrouser short\n";
    fs::write(&file, text).unwrap();
    let found = import(&ImportOptions {
        file,
        persistent: None,
        keeps_open: false,
    });
    let found = found.unwrap();
    let lines: Vec<_> = found.notes.iter().map(|note| note.line).collect();
    assert_eq!(lines, [1, 8, 4], "{:#?}", found.notes);
    assert!(found.notes[0].message.contains("not created"));
    parsed(&found);
}

/// snmpd starts with lines that name groups and views which no other line has.
#[test]
fn names_that_nothing_explains_leave_a_configuration_that_the_agent_reads() {
    let text = "rocommunity public localhost -V systemonly\naccess nobody \"\" any noauth exact some none none\n\
                group g v2c local\naccess g \"\" any noauth exact missing none none\ncom2sec local 127.0.0.1 private\n\
                extend .1.3.6.1.4.1.99999.1 /bin/sh /a\nextend .1.3.6.1.4.1.99999.2 /bin/sh /b\n";
    let found = imported(text, "", false);
    assert_eq!(found.notes, []);
    let configuration = parsed(&found);
    assert_eq!(configuration.extensions.len(), 2);
    assert!(found.configuration.contains("the group has no members"));
    let named = ["missing", "some", "systemonly"];
    assert!(
        named
            .iter()
            .all(|name| found.configuration.contains(&format!("name = \"{name}\"")))
    );
}

#[test]
fn communities_for_everybody_stay_so_only_when_that_is_asked_for() {
    let text = "rocommunity public default\ncom2sec a default b\ngroup g v2c a\n";
    let safe = imported(text, "", false);
    assert_eq!(safe.notes.len(), 2);
    assert!(
        !safe.configuration.contains("0.0.0.0/0"),
        "{}",
        safe.configuration
    );
    let open = imported(text, "", true);
    assert_eq!(open.notes, []);
    assert_eq!(open.configuration.matches("0.0.0.0/0").count(), 2);
    parsed(&open);
}

#[test]
fn users_keep_their_keys_and_the_agent_its_name() {
    let key = |octets: usize| "ab".repeat(octets);
    let persistent = format!(
        "createUser late SHA \"maple syrup\"\n\
         usmUser 1 3 0x80001f8880aabbccdd 0x6f7073 0x6f7073 NULL .1.3.6.1.6.3.10.1.1.3 0x{} .1.3.6.1.6.3.10.1.2.4 0x{} 0x\n\
         usmUser 1 3 0x80001f8880aabbccdd \"odd\" \"odd\" NULL .1.3.6.1.6.3.10.1.1.99 0x00 .1.2 0x 0x\n\
         setserialno 5\nengineBoots 41\noldEngineID 0x80001f8880aabbccdd\n",
        key(20),
        key(16)
    );
    let found = imported("rouser ops priv\nrouser late auth\n", &persistent, false);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    let configuration = parsed(&found);
    assert!(
        configuration
            .users
            .iter()
            .any(|user| user.name == "ops" && user.has_localized_key())
    );
    let identity = found.identity.unwrap();
    assert_eq!(
        (identity.id.to_string().as_str(), identity.boots),
        ("0x80001f8880aabbccdd", 41)
    );
    assert_eq!(configuration.engine_id, Some(identity.id));
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    assert!(keep_identity(&state, &identity).unwrap());
    assert!(!keep_identity(&state, &identity).unwrap());
    let started = EngineIdentity::start(&state, configuration.engine_id).unwrap();
    assert_eq!(started.boots, 42);
}

#[test]
fn a_user_without_a_key_is_left_out_and_noted() {
    let found = imported(
        "createUser nokey\nrouser nokey priv\ncreateUser open\nrouser open noauth\nrwuser unknown\n",
        "",
        false,
    );
    let lines: Vec<_> = found.notes.iter().map(|note| note.line).collect();
    assert_eq!((lines, found.carried), (vec![2], 4));
    assert!(found.notes[0].message.contains("no password or key"));
    let users = parsed(&found).users;
    assert_eq!(users.len(), 1);
    assert_eq!(users[0].name, "open");
}
