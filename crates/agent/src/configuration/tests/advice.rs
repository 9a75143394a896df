//! What errors say to write instead.

use super::*;

fn assert_advice(mistakes: &[(&str, &str)]) {
    for (text, expected) in mistakes {
        let error = parse(text).unwrap_err().to_string();
        let message = error.lines().next().unwrap_or_default();
        assert!(message.ends_with(*expected), "{text}: {error}");
        assert!(!error.contains("secret"), "{text}: {error}");
    }
}

#[test]
fn near_keys_are_suggested() {
    assert_advice(&[
        ("liste = []", "unknown key liste; did you mean listen?"),
        (
            "[limits]\ntcp_sessions = 3",
            "unknown key tcp_sessions; did you mean tcp-sessions?",
        ),
        (
            "[system]\nlocaton = \"here\"",
            "unknown key locaton; did you mean location?",
        ),
        (
            "[counters]\ncolour = 1",
            "unknown key colour; the keys here are max-age",
        ),
    ]);
}

#[test]
fn near_values_are_suggested_and_each_value_is_listed_once() {
    assert_advice(&[
        (
            "[[user]]\nlevel = \"athPriv\"",
            "unknown value \"athPriv\" of level; did you mean \"authPriv\"? The values are \"noAuthNoPriv\", \"authNoPriv\", \
             \"authPriv\"",
        ),
        (
            "[[access]]\nsecurity-level = \"AUTH_PRIV\"",
            "unknown value \"AUTH_PRIV\" of security-level; did you mean \"authPriv\"? The values are \"noAuthNoPriv\", \
             \"authNoPriv\", \"authPriv\"",
        ),
        (
            "[[community]]\naccess = \"rw\"",
            "unknown value \"rw\" of access: write one of \"none\", \"read-only\", \"read-write\"",
        ),
        (
            "[[transport-user]]\nversions = [\"v3\", \"v4\"]",
            "unknown value \"v4\": write one of \"v1\", \"v2c\", \"v3\"",
        ),
        (
            "[process]\nlandlock = true",
            "invalid type: write one of \"if-available\", \"required\", \"off\"",
        ),
        (
            "[[user]]\nlevel = \"a secret\"",
            "unknown value of level: write one of \"noAuthNoPriv\", \"authNoPriv\", \"authPriv\"",
        ),
    ]);
}

#[test]
fn values_of_a_wrong_type_are_written_in_the_right_one() {
    assert_advice(&[
        (
            "listen = \"udp:127.0.0.1:161\"",
            "expected a list: write listen = [\"udp:127.0.0.1:161\"]",
        ),
        (
            "[[community]]\nname = \"a\"\nsources = \"::/0\"",
            "write sources = [\"::/0\"]",
        ),
        (
            "[limits]\ntcp-sessions = \"3\"",
            "expected a number from 0: write tcp-sessions = 3",
        ),
        (
            "[limits]\nmessage-size = \"1400\"",
            "expected a number of octets from 484 to 65507: write message-size = 1400",
        ),
        ("[web]\nconnections = 0", "expected a number from 1"),
        (
            "[ssh]\naccounts = \"yes\"",
            "expected true or false: write accounts = true",
        ),
        ("[ssh]\naccounts = \"Off\"", "write accounts = false"),
        (
            "[ssh]\naccounts = \"some\"",
            "write accounts = true or false",
        ),
        (
            "[system]\nlocation = 4",
            "expected a string: write location = \"..\"",
        ),
        (
            "host.process = [{ name = \"x\", minimum = \"1\" }]",
            "expected a number from 0 to 65535: write minimum = 1",
        ),
        (
            "[[user]]\nauthentication = { protocol = \"SHA\", password = 5 }",
            "expected a string: write password = \"..\"",
        ),
    ]);
}

#[test]
fn durations_get_a_unit() {
    assert_advice(&[
        (
            "[limits]\ntcp-idle-timeout = 5",
            "expected a number with a unit, as 100ms, 30s, 5min or 1h: write tcp-idle-timeout = \"5s\"",
        ),
        (
            "[limits]\ntcp-idle-timeout = \"5\"",
            "write tcp-idle-timeout = \"5s\"",
        ),
        (
            "[web]\nidle-timeout = \"2 m\"",
            "write idle-timeout = \"2min\"",
        ),
        (
            "[limits]\nsession-lifetime = \"7d\"",
            "write session-lifetime = \"168h\"",
        ),
        (
            "[counters]\nmax-age = \"long\"",
            "invalid value, expected a number with a unit, as 100ms, 30s, 5min or 1h",
        ),
    ]);
}

#[test]
fn tables_get_the_header_that_they_have() {
    let user = "user is a table: write [[user]] on a line of its own, with its keys below it: name, authentication, privacy, \
                access, view, level";
    assert_advice(&[
        ("user = \"ops:secret\"", user),
        ("user = { name = \"ops\" }", user),
        (
            "counters = \"5s\"",
            "counters is a table: write [counters] on a line of its own, with its keys below it: max-age",
        ),
        (
            "[host]\ndisk = \"/srv\"",
            "disk is a table: write [[host.disk]] on a line of its own, with its keys below it: path, minimum",
        ),
        (
            "[user]\nname = \"ops\"",
            "wrong header: write [[user]], as there may be several",
        ),
        (
            "[ view ]\nname = \"ops\"",
            "write [[view]], as there may be several",
        ),
        (
            "[[tls]]\ntrust = []",
            "wrong header: write [tls], as there is only one",
        ),
        (
            "[[ssh.subsystem]]\nall-users = true",
            "write [ssh.subsystem], as there is only one",
        ),
        ("[user.privacy]\nprotocol = \"AES\"", "expected a list"),
    ]);
}
