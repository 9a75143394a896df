//! What goes wrong with what is sent.

use std::net::{TcpListener, UdpSocket};
use std::path::Path;

use crate::program::{Receive, run, succeed, varbind};

#[test]
fn an_unacknowledged_inform_fails() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = silent.local_addr().unwrap().to_string();
    let (code, error) = run(&["inform", "-t", "0.05", "-r", "2", &target, "", "coldStart"]);
    assert_eq!(code, Some(3), "{error}");
    assert!(error.contains(" attempts, at 0 s "), "{error}");
    // Nobody tells about a trap.
    succeed(&["trap", &target, "", "coldStart"]);
}

#[test]
fn a_refused_port_is_reported() {
    let closed = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (code, error) = run(&["inform", &closed.to_string(), "", "coldStart"]);
    assert_eq!(code, Some(4), "{error}");
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (code, error) = run(&["trap", &format!("tcp:{closed}"), "", "coldStart"]);
    assert_eq!(code, Some(4), "{error}");
    assert!(error.contains("connection refused"), "{error}");
}

#[test]
fn wrong_words_are_reported_before_anything_is_sent() {
    let receive = Receive::start(&["--json"]);
    let target = receive.address.as_str();
    for (arguments, part) in [
        (&["trap", target, "", ""][..], "TRAP-OID is missing"),
        (&["trap", target, "0"], "UPTIME TRAP-OID"),
        (&["trap", target, "soon", "coldStart"], "UPTIME"),
        (&["trap", target, "", "coldStarts"], "coldStart"),
        (
            &["trap", target, "", "coldStart", "sysName.0", "s"],
            "the value is missing",
        ),
        (
            &["trap", "-v1", target, "", "", "6", "1", ""],
            "ENTERPRISE is missing",
        ),
        (&["trap", "-v1", target, "", "x", "0", "", ""], "AGENT"),
        (&["trap", "-v1", target, "", "", "7", "", ""], "GENERIC"),
        (
            &["trap", "-v1", target, "", "", "0"],
            "ENTERPRISE AGENT GENERIC",
        ),
        (
            &[
                "trap",
                "-v1",
                target,
                "",
                "",
                "0",
                "",
                "",
                "ifHCInOctets.1",
                "C",
                "1",
            ],
            "Counter64",
        ),
        (&["inform", "-v1", target, "", "", "0", "", ""], "no inform"),
    ] {
        let (code, error) = run(arguments);
        assert_eq!(code, Some(1), "{arguments:?} {error}");
        assert!(error.contains(part), "{error}");
    }
    succeed(&["inform", target, "", "coldStart"]);
    assert_eq!(receive.next_json()["kind"], "inform");
    let (lines, _) = receive.stop("-TERM");
    assert!(lines.is_empty(), "{lines:?}");
}

#[test]
fn defaults_are_the_uptime_and_the_address_of_this_host() {
    let receive = Receive::start(&["--json"]);
    succeed(&["trap", "-v1", &receive.address, "", "", "linkUp", "", ""]);
    let json = receive.next_json();
    assert_eq!(json["v1"]["agent_address"], "127.0.0.1");
    assert_eq!(json["v1"]["enterprise"], "1.3.6.1.6.3.1.1.5");
    let up_time = json["up_time"].as_u64().unwrap();
    let text = std::fs::read_to_string("/proc/uptime").unwrap();
    let seconds: f64 = text.split(' ').next().unwrap().parse().unwrap();
    assert!((seconds - up_time as f64 / 100.0).abs() < 60.0 || seconds > 4e7);
}

#[test]
fn notifications_are_named_as_in_modules_of_ones_own() {
    let modules = tempfile::tempdir().unwrap();
    let module = "VARBIND-EXAMPLE-MIB.txt";
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mib/tests/modules");
    std::fs::copy(tests.join(module), modules.path().join(module)).unwrap();
    let receive = Receive::start(&["--json"]);
    for command in ["trap", "inform"] {
        let directory = modules.path().to_str().unwrap();
        let output = varbind(&[command, "-M", directory, "-m", "VARBIND-EXAMPLE-MIB"])
            .args([&receive.address, "", "exampleTooWarm"])
            .args(["exampleTemperature.0", "i", "300"])
            .env("HOME", directory)
            .env_remove("XDG_CACHE_HOME")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let json = receive.next_json();
        assert_eq!(json["oid"], "1.3.6.1.4.1.32473.1.0.1", "{json}");
    }
    let (code, error) = run(&[
        "trap",
        "-M",
        "",
        "-m",
        "NO-SUCH-MIB",
        &receive.address,
        "",
        "coldStart",
    ]);
    // It is sent all the same, as by Net-SNMP's tools.
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("NO-SUCH-MIB is not known"), "{error}");
}
