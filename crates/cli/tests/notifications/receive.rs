//! What is received and how it is shown.

use std::net::UdpSocket;

use crate::program::{Receive, count, run, succeed};

#[test]
fn a_notification_is_a_line_and_one_for_each_object() {
    let receive = Receive::start(&[]);
    let target = &receive.address;
    succeed(&[
        "trap",
        target,
        "4711",
        "IF-MIB::linkDown",
        "ifIndex.7",
        "i",
        "7",
        "ifAdminStatus.7",
        "=",
        "up",
    ]);
    let first = receive.next_line();
    let (time, rest) = first.split_once(' ').unwrap();
    assert_eq!(time.len(), "2026-01-01T00:00:00.000Z".len());
    let rest: Vec<_> = rest.split(' ').collect();
    assert!(rest[0].starts_with("udp:127.0.0.1:"));
    assert_eq!(
        rest[1..],
        [
            "v2c",
            "trap",
            "IF-MIB::linkDown",
            "up",
            "(4711)",
            "0:00:47.11"
        ]
    );
    assert_eq!(receive.next_line(), "    IF-MIB::ifIndex.7 = INTEGER: 7");
    assert_eq!(
        receive.next_line(),
        "    IF-MIB::ifAdminStatus.7 = INTEGER: up(1)"
    );
    let (rest, summary) = receive.stop("-TERM");
    assert!(rest.is_empty());
    assert!(
        summary
            .starts_with("varbind: 1 notifications received, 1 delivered; lost: 0 kernel, 0 queue, 0 output, 0 security")
    );
}

#[test]
fn json_has_a_line_for_each_notification() {
    let receive = Receive::start(&["--json"]);
    let tcp = format!("tcp:{}", receive.address);
    succeed(&[
        "trap",
        "-v",
        "1",
        &tcp,
        "1.3.6.1.4.1.32473",
        "198.51.100.7",
        "6",
        "17",
        "99",
        "sysName.0",
        "s",
        "x",
    ]);
    let json = receive.next_json();
    assert_eq!(json["version"], "v1");
    assert_eq!(json["transport"], "tcp");
    assert_eq!(json["oid"], "1.3.6.1.4.1.32473.0.17");
    assert_eq!(json["up_time"], 99);
    assert_eq!(json["v1"]["agent_address"], "198.51.100.7");
    assert_eq!(json["v1"]["enterprise"], "1.3.6.1.4.1.32473");
    assert_eq!(
        (&json["v1"]["generic"], &json["v1"]["specific"]),
        (&6.into(), &17.into())
    );
    assert_eq!(json["var_binds"][0]["name"], "SNMPv2-MIB::sysName.0");
    assert_eq!(json["var_binds"][0]["value"], "x");
    succeed(&["inform", &receive.address, "0", "coldStart"]);
    let json = receive.next_json();
    assert_eq!(
        (&json["kind"], &json["notification"]),
        (&"inform".into(), &"SNMPv2-MIB::coldStart".into())
    );
    assert!(json.get("v1").is_none());
    // The community is nowhere.
    assert!(!json.to_string().contains("public"));
}

#[test]
fn it_ends_after_the_count() {
    let receive = Receive::start(&["--count", "2", "-Oqs"]);
    for _ in 0..2 {
        succeed(&["inform", &receive.address, "0", "coldStart"]);
    }
    let (lines, summary) = receive.finish();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains(" coldStart up "), "{lines:?}");
    assert_eq!(count(&summary, "notifications"), 2);
}

#[test]
fn filters_and_strangers_are_counted() {
    let receive = Receive::start(&[
        "--oid",
        "snmpTraps",
        "--exclude",
        "IF-MIB::linkUp",
        "-c",
        "one",
        "-c",
        "two",
        "--from-user",
        "community-1",
        "--json",
    ]);
    let target = &receive.address;
    succeed(&["trap", "-c", "wrong", target, "0", "coldStart"]);
    succeed(&["trap", "-c", "two", target, "0", "coldStart"]);
    succeed(&["trap", "-c", "one", target, "0", "linkUp"]);
    succeed(&["trap", "-c", "one", target, "0", "1.3.6.1.4.1.1.0.1"]);
    let garbage = UdpSocket::bind("127.0.0.1:0").unwrap();
    garbage.send_to(b"garbage", target).unwrap();
    succeed(&["inform", "-c", "one", target, "0", "warmStart"]);
    assert_eq!(receive.next_json()["notification"], "SNMPv2-MIB::warmStart");
    let (_, summary) = receive.stop("-INT");
    for (what, expected) in [
        ("notifications", 1),
        ("security", 1),
        ("malformed", 1),
        ("unwanted", 3),
    ] {
        assert_eq!(count(&summary, what), expected, "{summary}");
    }
}

#[test]
fn sources_are_checked() {
    let receive = Receive::start(&["--source", "192.0.2.0/24", "-c", "public"]);
    succeed(&["trap", &receive.address, "0", "coldStart"]);
    let (code, error) = run(&[
        "inform",
        "-t",
        "0.1",
        "-r",
        "0",
        &receive.address,
        "0",
        "coldStart",
    ]);
    assert_eq!(code, Some(3), "{error}");
    let (_, summary) = receive.stop("-TERM");
    assert_eq!(count(&summary, "security"), 2);
}

#[test]
fn wrong_arguments_are_reported() {
    for (arguments, part) in [
        (&["receive", "--listen", "unix:x"][..], "not supported"),
        (
            &["receive", "--listen", "udp:192.0.2.1:0"],
            "this host has no such address",
        ),
        (&["receive", "--csv"], "--json"),
        (&["receive", "--source", "router"], "192.0.2.0/24"),
        (&["receive", "--exec-jobs", "2"], "--exec"),
        (&["receive", "--oid", "nothingKnown"], "nothingKnown"),
    ] {
        let (code, error) = run(arguments);
        assert_eq!(code, Some(1), "{arguments:?} {error}");
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn an_address_that_is_taken_is_reported() {
    let receive = Receive::start(&[]);
    let (code, error) = run(&["receive", "--listen", &receive.address]);
    assert_eq!(code, Some(1));
    assert!(error.contains("another program listens there"), "{error}");
}
