use std::time::Duration;

use varbind_mib::{Mib, RangeCheck, parse_value};

use crate::peer::NetSnmp;
use crate::responder::Responder;

/// An instance, the letter of a type, and a value.
const CASES: &[(&str, char, &str)] = &[
    ("sysName.0", 's', "a name"),
    ("sysName.0", '=', "a name"),
    ("sysName.0", 's', ""),
    ("sysName.0", 'x', "61 62"),
    ("sysName.0", 'x', "6162"),
    ("sysName.0", 'd', "97 98 99"),
    ("sysName.0", 'd', "97.98.99"),
    ("ifAdminStatus.2", 'i', "2"),
    ("ifAdminStatus.2", 'i', "down"),
    ("ifAdminStatus.2", '=', "testing"),
    // Not a number outside the enumeration: snmpset sends it, and we refuse it.
    ("ifAdminStatus.2", 'i', "nonsense"),
    ("ipDefaultTTL.0", 'i', "300"),
    ("ipDefaultTTL.0", 'i', "64"),
    ("ifPhysAddress.2", 's', "2:fc:0:0:0:1"),
    ("ifPhysAddress.2", '=', "2:fc:0:0:0:1"),
    ("ifSpeed.2", 'u', "4294967295"),
    ("ifSpeed.2", '=', "5"),
    ("sysUpTime.0", 't', "1234"),
    ("ipAdEntAddr.1.2.3.4", 'a', "1.2.3.4"),
    ("sysObjectID.0", 'o', "enterprises.9.1"),
    ("sysObjectID.0", 'o', "IF-MIB::ifDescr.1"),
    ("sysLocation.0", 'i', "5"),
    ("sysLocation.0", 'a', "1.2.3.4"),
    ("sysLocation.0", 'u', "4"),
    ("sysLocation.0", 'b', "1,2"),
    ("sysLocation.0", 'n', ""),
    ("sysUpTime.0", 'u', "1"),
    ("ifSpeed.2", 'c', "1"),
    ("ifInOctets.2", 'u', "1"),
    ("sysObjectID.0", 's', "1.3"),
    ("enterprises.9.1", 'i', "-5"),
    ("enterprises.9.1", 'i', "five"),
    ("enterprises.9.1", 'b', "0 3 9"),
    ("enterprises.9.1", 'b', "15,1"),
    ("enterprises.9.1", 'x', "0g"),
    ("enterprises.9.1", 'x', "0x0a0b"),
    ("enterprises.9.1", 'U', "7"),
    ("enterprises.9.1", 'I', "-7"),
    ("enterprises.9.1", 'F', "1.5"),
    ("enterprises.9.1", 'D', "-0.25"),
    ("enterprises.9.1", '=', "5"),
    ("enterprises.9.1", 'q', "1"),
];

#[test]
fn values_are_read_as_snmpset_reads_them() {
    let Some(net_snmp) = NetSnmp::find() else {
        return;
    };
    let responder = Responder::start(Vec::new());
    let mib = Mib::builtin();
    let mut differences = Vec::new();
    for &(name, letter, text) in CASES {
        let arguments: Vec<String> = ["-v2c", "-cpublic", "-r0", "-t5"]
            .iter()
            .map(|&argument| argument.to_owned())
            .chain([
                format!("127.0.0.1:{}", responder.port),
                name.to_owned(),
                letter.to_string(),
                text.to_owned(),
            ])
            .collect();
        let output = net_snmp.run("snmpset", &arguments);
        // The agent has received what was sent before the tool ended.
        let theirs = responder
            .set
            .recv_timeout(Duration::from_millis(if output.status.success() {
                5000
            } else {
                0
            }))
            .ok();
        let oid = mib.resolve(name).expect("a known name");
        let ours = parse_value(&mib, oid.arcs(), letter, text, RangeCheck::Enforce);
        match (&ours, &theirs) {
            (Ok(ours), Some(theirs)) if *ours == theirs.value => {}
            (Err(_), None) => {}
            _ => differences.push(format!(
                "{name} {letter} {text:?}: ours {ours:?}, theirs {theirs:?} {}",
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
