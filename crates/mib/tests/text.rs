//! Texts of users: what is taken, and what they are told when it is not.
#![cfg(test)]

use varbind_codec::smi::Value;
use varbind_mib::{Mib, RangeCheck, parse_value};

#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("sysDescr.0", "1.3.6.1.2.1.1.1.0"),
    ("  IF-MIB::ifDescr.2 ", "1.3.6.1.2.1.2.2.1.2.2"),
    ("ipAddressIfIndex.ipv4.\"127.0.0.1\"", "1.3.6.1.2.1.4.34.1.3.1.4.127.0.0.1"),
    ("ipAddressIfIndex.ipv6.\"fe80::1\"", "1.3.6.1.2.1.4.34.1.3.2.16.254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1"),
    ("ipAddressIfIndex.ipv4z.\"10.0.0.1%2\"", "1.3.6.1.2.1.4.34.1.3.3.8.10.0.0.1.0.0.0.2"),
    ("ifRcvAddressStatus.2.\"1:0:5e:0:0:1\"", "1.3.6.1.2.1.31.1.4.1.2.2.6.1.0.94.0.0.1"),
    ("snmpTargetAddrTDomain.\"t1\"", "1.3.6.1.6.3.12.1.2.1.2.116.49"),
    ("vacmGroupName.3.\"a.b\"", "1.3.6.1.6.3.16.1.2.1.3.3.3.97.46.98"),
    ("enterprises.9.\"ab\"", "1.3.6.1.4.1.9.2.97.98"),
    ("enterprises.9.'ab'", "1.3.6.1.4.1.9.97.98"),
    ("0.0", "0.0"),
    ("1", "1"),
    (".1", "1"),
    ("iso", "1"),
    (".iso", "1"),
    ("iso.3", "1.3"),
];

#[rustfmt::skip]
const REFUSED_NAMES: &[(&str, &str)] = &[
    ("", "the name of an object is empty"),
    ("sysDecsr.0", "unknown object \"sysDecsr\"; did you mean sysDescr?"),
    ("sysdescr", "unknown object \"sysdescr\"; did you mean sysDescr?"),
    ("NO-SUCH-THING::sysDescr.0", "unknown module \"NO-SUCH-THING\""),
    ("IFMIB::ifDescr.1", "unknown module \"IFMIB\"; did you mean IF-MIB?"),
    ("if-mib::ifDescr.1", "unknown module \"if-mib\"; did you mean IF-MIB?"),
    ("IF-MIB::sysDescr.0", "module IF-MIB has no object \"sysDescr\", but SNMPv2-MIB has"),
    ("IF-MIB::ifDesc.0", "module IF-MIB has no object \"ifDesc\"; did you mean ifDescr?"),
    ("system.ifDescr", "there is no \"ifDescr\" below system"),
    ("ifDescr.x", "\"x\" does not fit the index column ifIndex of ifDescr: a number is expected"),
    ("ifDescr.0", "\"0\" does not fit the index column ifIndex of ifDescr: a number (1 to 2147483647) is expected"),
    ("ipAdEntAddr.300.0.0.1", "\"300\" does not fit the index column ipAdEntAddr of ipAdEntAddr: an octet (0 to 255) is expected"),
    ("vacmGroupName.3.\"open", "the quote in \"vacmGroupName.3.\\\"open\" has no end"),
    ("enterprises.4294967296", "\"4294967296\" in \"enterprises.4294967296\" is neither a number up to 4294967295 nor a known name"),
    ("1.3.", "\"\" in \"1.3.\" is neither a number up to 4294967295 nor a known name"),
    ("..1", "\"\" in \"..1\" is neither a number up to 4294967295 nor a known name"),
    ("3.1", "\"3.1\": an object identifier begins with 0, 1 or 2, and 0 and 1 are followed by 0 to 39"),
];

#[rustfmt::skip]
const REFUSED_VALUES: &[(&str, char, &str, &str)] = &[
    ("ifAdminStatus.1", 'i', "off", "\"off\" is not a value of ifAdminStatus; its values are up(1), down(2), testing(3)"),
    ("ifMtu.1", 'i', "big", "\"big\" is not a number from -2147483648 to 2147483647"),
    ("ifAdminStatus.1", 'i', "7", "\"7\" is not a value of ifAdminStatus; its values are up(1), down(2), testing(3)"),
    ("sysLocation.0", 'i', "5", "sysLocation is OCTET STRING, not a value of type 'i'; write s or = as its type"),
    ("sysLocation.0", 'a', "1.2.3.4", "sysLocation is OCTET STRING, not a value of type 'a'; write s or = as its type"),
    ("sysLocation.0", 'u', "4", "sysLocation is OCTET STRING, not a value of type 'u'; write s or = as its type"),
    ("sysLocation.0", 'b', "1,2", "sysLocation is OCTET STRING, not a value of type 'b'; write s or = as its type"),
    ("ipDefaultTTL.0", 'i', "300", "\"300\" is out of range for ipDefaultTTL: 300 as a value, allowed (1 to 255)"),
    ("enterprises.9", 'u', "-1", "\"-1\" is not a number from 0 to 4294967295"),
    ("enterprises.9", '=', "1", "the type of 1.3.6.1.4.1.9 is not known; give its letter instead of ="),
    ("enterprises.9", 'x', "0g", "\"0g\" is not hexadecimal octets like 0a1b or 0a:1b"),
    ("enterprises.9", 'x', "abc", "\"abc\" is not hexadecimal octets like 0a1b or 0a:1b"),
    ("enterprises.9", 'd', "256", "\"256\" is not decimal octets (0 to 255) like 10 0 255"),
    ("enterprises.9", 'a', "1.2.3", "\"1.2.3\" is not an IPv4 address like 192.0.2.1"),
    ("enterprises.9", 'b', "99999999", "\"99999999\" is not a list of bits below 524280"),
    ("sysObjectID.0", 'o', "sysDecsr", "unknown object \"sysDecsr\"; did you mean sysDescr?"),
];

fn resolved(text: &str) -> Result<String, String> {
    Mib::builtin()
        .resolve(text)
        .map(|oid| oid.to_string())
        .map_err(|error| error.to_string())
}

fn value(name: &str, letter: char, text: &str) -> Result<Value, String> {
    let mib = Mib::builtin();
    let name = mib.resolve(name).expect("a known name");
    parse_value(&mib, name.arcs(), letter, text, RangeCheck::Enforce)
        .map_err(|error| error.to_string())
}

#[test]
fn names_are_read() {
    for &(text, oid) in NAMES {
        assert_eq!(resolved(text).as_deref(), Ok(oid), "{text}");
    }
}

#[test]
fn names_that_are_not_read_say_why() {
    for &(text, reason) in REFUSED_NAMES {
        assert_eq!(resolved(text), Err(reason.to_owned()), "{text}");
    }
}

#[test]
fn values_are_read() {
    let octets = |octets: &[u8]| Ok(Value::OctetString(octets.to_vec()));
    assert_eq!(value("sysName.0", 'x', "61:62"), octets(b"ab"));
    assert_eq!(value("sysName.0", 'x', "0x6162"), octets(b"ab"));
    assert_eq!(value("sysName.0", 'x', "6:1"), octets(&[6, 1]));
    assert_eq!(value("sysName.0", 'd', "97,98"), octets(b"ab"));
    assert_eq!(
        value("ifPhysAddress.1", '=', "2:fc:0:0:0:1"),
        octets(&[2, 0xfc, 0, 0, 0, 1])
    );
    assert_eq!(value("ifAdminStatus.1", '=', "up"), Ok(Value::Integer(1)));
    assert_eq!(value("ifInOctets.1", 'c', "5"), Ok(Value::Counter32(5)));
    assert_eq!(value("ifHCInOctets.1", '=', "5"), Ok(Value::Counter64(5)));
    assert_eq!(value("enterprises.9", 'b', "0 9"), octets(&[0x80, 0x40]));
    assert_eq!(value("enterprises.9", 'n', ""), Ok(Value::Null));
}

#[test]
fn values_that_are_not_read_say_why() {
    for &(name, letter, text, reason) in REFUSED_VALUES {
        assert_eq!(
            value(name, letter, text),
            Err(reason.to_owned()),
            "{name} {letter} {text}"
        );
    }
    let error = value("sysName.0", 'q', "1").expect_err("no such type");
    assert!(
        error.starts_with("unknown type 'q'; the types are i (INTEGER)"),
        "{error}"
    );
    let long = "x".repeat(256);
    let error = value("sysName.0", 's', &long).expect_err("too long");
    assert!(
        error.ends_with("is out of range for sysName: 256 octets, allowed (0 to 255)"),
        "{error}"
    );
}

#[test]
fn types_and_ranges_need_not_be_kept() {
    let mib = Mib::builtin();
    let name = mib.resolve("sysLocation.0").expect("known");
    let value = parse_value(&mib, name.arcs(), 'i', "5", RangeCheck::Skip);
    assert_eq!(value, Ok(Value::Integer(5)));
    let name = mib.resolve("ipDefaultTTL.0").expect("known");
    let value = parse_value(&mib, name.arcs(), 'i', "300", RangeCheck::Skip);
    assert_eq!(value, Ok(Value::Integer(300)));
}
