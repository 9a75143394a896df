//! Nothing that a sender chooses begins a line or steers a terminal.

use crate::program::{Receive, run, succeed};

const TEXT: &str = "a\nSNMPv2-MIB::snmpTrapOID.0 IF-MIB::linkDown\r\u{1b}[2J\u{9b}31m";
const SHOWN: &str = "a\\nSNMPv2-MIB::snmpTrapOID.0 IF-MIB::linkDown\\r.[2J.31m";

fn send(receive: &Receive, hexadecimal: &str) {
    let target = &receive.address;
    let words = [
        "inform",
        target,
        "4711",
        "coldStart",
        "sysName.0",
        "s",
        TEXT,
    ];
    let more = ["1.3.6.1.4.1.32473.1", "x", hexadecimal];
    succeed(&[&words[..], &more].concat());
}

#[test]
fn each_object_is_one_line() {
    let long = "00".repeat(40);
    let shown = "00 ".repeat(40);
    let receive = Receive::start(&["-OTL"]);
    send(&receive, &long);
    assert!(receive.next_line().contains("SNMPv2-MIB::coldStart"));
    let name = format!("    SNMPv2-MIB::sysName.0 = STRING: {SHOWN}");
    assert_eq!(receive.next_line(), name);
    let line = receive.next_line();
    assert!(line.contains(&format!("Hex-STRING: {shown}")), "{line}");
    let (rest, _) = receive.stop("-TERM");
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn each_object_is_one_line_for_commands() {
    let receive = Receive::start(&["--exec", "cat", "--count", "1"]);
    send(&receive, &"00".repeat(40));
    let (lines, _) = receive.finish();
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert_eq!(lines[4], format!("SNMPv2-MIB::sysName.0 {SHOWN}"));
}

#[test]
fn json_has_the_text_as_it_is() {
    let receive = Receive::start(&["--json"]);
    send(&receive, "00");
    let json = receive.next_json();
    // The object is text, whatever it contains; control characters are escaped.
    assert_eq!(json["var_binds"][0]["encoding"], "text");
    assert_eq!(json["var_binds"][0]["value"], TEXT);
    let target = &receive.address;
    succeed(&[
        "inform",
        target,
        "1",
        "coldStart",
        "sysName.0",
        "s",
        "a\r\nb",
    ]);
    assert_eq!(receive.next_json()["var_binds"][0]["value"], "a\r\nb");
    let (code, _) = run(&[
        "inform",
        "-c",
        "x\u{1b}[2J",
        "-t",
        "0.1",
        "-r",
        "0",
        target,
        "",
        "coldStart",
    ]);
    assert_eq!(code, Some(3));
}
