//! What is shown, and in which forms.

use varbind_codec::smi::{Oid, OpaqueNumber, OwnedValue};

/// Letters behind `-O`.
pub(crate) const LETTERS: &[&str] = &[
    "", "0", "a", "b", "e", "E", "f", "n", "q", "Q", "s", "S", "t", "T", "u", "U", "v", "x", "X",
    "qn", "Qs", "qv", "Qv", "eq", "fX", "nX", "bX", "sX", "qX", "QX", "EX", "xT", "aT", "ev", "qt",
    "tX", "0X", "xq", "us", "uX",
];

fn octets(octets: &[u8]) -> OwnedValue {
    OwnedValue::OctetString(octets.to_vec())
}

fn opaque(number: OpaqueNumber) -> OwnedValue {
    let mut buffer = [0; 16];
    OwnedValue::Opaque(number.encode(&mut buffer).expect("room").to_vec())
}

fn oid(text: &str) -> OwnedValue {
    OwnedValue::from(&text.parse::<Oid>().expect("numbers"))
}

/// Names as numbers, and values.
pub(crate) fn var_binds() -> Vec<(Oid, OwnedValue)> {
    let mut all = values_of_system_and_interfaces();
    all.extend(indexes());
    all.extend(wrong_and_unknown());
    all.into_iter()
        .map(|(name, value)| (name.parse().expect("numbers"), value))
        .collect()
}

fn values_of_system_and_interfaces() -> Vec<(&'static str, OwnedValue)> {
    let mac = [2, 0xfc, 0, 0, 0, 1];
    vec![
        ("1.3.6.1.2.1.1.1.0", octets(b"Linux \"x\" \\ 6.1")),
        ("1.3.6.1.2.1.1.2.0", oid("1.3.6.1.4.1.8072.3.2.10")),
        ("1.3.6.1.2.1.1.3.0", OwnedValue::TimeTicks(1234)),
        ("1.3.6.1.2.1.1.4.0", octets(b"")),
        ("1.3.6.1.2.1.1.5.0", octets("gr\u{fc}n".as_bytes())),
        ("1.3.6.1.2.1.1.6.0", octets(b"two\nlines\ttab")),
        ("1.3.6.1.2.1.1.7.0", OwnedValue::Integer(72)),
        (
            "1.3.6.1.2.1.1.8.0",
            OwnedValue::TimeTicks(8_640_000 + 12_345),
        ),
        ("1.3.6.1.2.1.1.9.1.2.1", oid("1.3.6.1.6.3.10.3.1.1")),
        ("1.3.6.1.2.1.1.9.1.2.2", oid("1.3.6.1.2.1.49")),
        ("1.3.6.1.2.1.1.9.1.2.3", oid("0.0")),
        ("1.3.6.1.2.1.1.9.1.2.4", oid("1.3.6.1.2.1.2.2.1.8.17")),
        (
            "1.3.6.1.2.1.1.9.1.4.1",
            OwnedValue::TimeTicks(4_294_967_295),
        ),
        ("1.3.6.1.2.1.2.1.0", OwnedValue::Integer(2)),
        ("1.3.6.1.2.1.2.2.1.1.1", OwnedValue::Integer(1)),
        ("1.3.6.1.2.1.2.2.1.2.1", octets(b"lo")),
        ("1.3.6.1.2.1.2.2.1.3.1", OwnedValue::Integer(24)),
        ("1.3.6.1.2.1.2.2.1.3.2", OwnedValue::Integer(9999)),
        ("1.3.6.1.2.1.2.2.1.4.1", OwnedValue::Integer(-1)),
        ("1.3.6.1.2.1.2.2.1.5.1", OwnedValue::Gauge32(10_000_000)),
        ("1.3.6.1.2.1.2.2.1.6.1", octets(b"")),
        ("1.3.6.1.2.1.2.2.1.6.2", octets(&mac)),
        ("1.3.6.1.2.1.2.2.1.8.2", OwnedValue::Integer(7)),
        (
            "1.3.6.1.2.1.2.2.1.10.2",
            OwnedValue::Counter32(4_294_967_295),
        ),
        ("1.3.6.1.2.1.31.1.1.1.6.2", OwnedValue::Counter64(u64::MAX)),
        ("1.3.6.1.2.1.31.1.1.1.14.2", OwnedValue::Integer(1)),
        (
            "1.3.6.1.2.1.4.20.1.1.127.0.0.1",
            OwnedValue::IpAddress([127, 0, 0, 1]),
        ),
        ("1.3.6.1.2.1.5.1.0", OwnedValue::Counter32(5)),
        ("1.3.6.1.2.1.25.1.1.0", OwnedValue::TimeTicks(8_640_000)),
        (
            "1.3.6.1.2.1.25.1.2.0",
            octets(&[7, 0xe6, 8, 1, 13, 30, 15, 0, b'+', 2, 0]),
        ),
        (
            "1.3.6.1.2.1.25.1.2.1",
            octets(&[7, 0xe6, 8, 1, 13, 30, 15, 0]),
        ),
        ("1.3.6.1.2.1.25.2.2.0", OwnedValue::Integer(2_000_000)),
        ("1.3.6.1.2.1.25.3.5.1.2.1", octets(&[0x80])),
        ("1.3.6.1.2.1.4.39.1.5.2", OwnedValue::Gauge32(600)),
        (
            "1.3.6.1.6.3.10.2.1.1.0",
            octets(&[0x80, 0, 0x1f, 0x88, 4, 1]),
        ),
        ("1.3.6.1.6.3.10.2.1.3.0", OwnedValue::Integer(77)),
    ]
}

fn indexes() -> Vec<(&'static str, OwnedValue)> {
    let one = || OwnedValue::Integer(1);
    vec![
        ("1.3.6.1.2.1.4.34.1.3.1.4.127.0.0.1", one()),
        (
            "1.3.6.1.2.1.4.34.1.3.2.16.254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1",
            one(),
        ),
        ("1.3.6.1.2.1.4.34.1.3.3.8.10.0.0.1.0.0.0.2", one()),
        (
            "1.3.6.1.2.1.4.34.1.3.4.20.254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.7",
            one(),
        ),
        ("1.3.6.1.2.1.4.34.1.3.16.3.97.98.99", one()),
        ("1.3.6.1.2.1.4.34.1.3.1.3.1.2.3", one()),
        ("1.3.6.1.2.1.4.34.1.3.1.0", one()),
        ("1.3.6.1.2.1.4.34.1.3.1.9.1", one()),
        ("1.3.6.1.2.1.4.34.1.3.9", one()),
        (
            "1.3.6.1.2.1.4.35.1.4.2.1.4.10.0.0.1",
            octets(&[2, 0xfc, 0, 0, 0, 1]),
        ),
        ("1.3.6.1.2.1.4.31.1.1.3.1", OwnedValue::Counter32(5)),
        ("1.3.6.1.2.1.4.31.1.1.3.2", OwnedValue::Counter32(5)),
        ("1.3.6.1.2.1.5.30.1.3.2.128", OwnedValue::Counter32(5)),
        (
            "1.3.6.1.2.1.4.22.1.3.2.10.0.0.1",
            OwnedValue::IpAddress([10, 0, 0, 1]),
        ),
        ("1.3.6.1.2.1.31.1.4.1.2.2.6.1.0.94.0.0.1", one()),
        ("1.3.6.1.2.1.31.1.2.1.3.0.1", one()),
        ("1.3.6.1.2.1.6.13.1.1.127.0.0.1.161.10.0.0.1.40000", one()),
        (
            "1.3.6.1.2.1.6.19.1.7.1.4.127.0.0.1.161.1.4.10.0.0.1.40000",
            one(),
        ),
        (
            "1.3.6.1.2.1.7.7.1.8.1.4.0.0.0.0.161.1.4.0.0.0.0.0.1",
            OwnedValue::Gauge32(1),
        ),
        (
            "1.3.6.1.6.3.16.1.2.1.3.3.5.97.100.109.105.110",
            octets(b"group"),
        ),
        ("1.3.6.1.6.3.16.1.2.1.3.3.2.34.200", octets(b"group")),
        ("1.3.6.1.6.3.16.1.4.1.4.1.103.0.3.1", one()),
        ("1.3.6.1.6.3.16.1.5.2.1.4.3.97.108.108.3.1.3.6", one()),
        ("1.3.6.1.6.3.16.1.5.2.1.4.3.97.108.108.2.1.3", one()),
        ("1.3.6.1.6.3.12.1.2.1.4.116.49", one()),
        ("1.3.6.1.6.3.13.1.3.1.3.1.112.1.3.6.1.2", one()),
        (
            "1.3.6.1.6.3.15.1.2.2.1.5.5.128.0.0.0.1.2.109.101",
            oid("1.3.6.1.6.3.10.1.1.3"),
        ),
        ("1.3.6.1.2.1.2.2.1.99.5", one()),
        ("1.3.6.1.2.1.2.2.1.2.1.7", octets(b"x")),
        ("1.3.6.1.2.1.4.34.1.99.1.4.1.2.3.4", one()),
    ]
}

fn wrong_and_unknown() -> Vec<(&'static str, OwnedValue)> {
    vec![
        ("1.3.6.1.2.1.2.2.1.2.50", OwnedValue::Integer(5)),
        ("1.3.6.1.2.1.2.2.1.3.50", OwnedValue::Gauge32(5)),
        ("1.3.6.1.2.1.2.2.1.5.50", OwnedValue::Integer(5)),
        ("1.3.6.1.2.1.2.2.1.5.51", octets(b"5")),
        ("1.3.6.1.2.1.2.2.1.10.50", OwnedValue::Counter64(5)),
        ("1.3.6.1.2.1.2.2.1.9.50", OwnedValue::Integer(5)),
        ("1.3.6.1.2.1.2.2.1.22.50", octets(&[1, 2])),
        ("1.3.6.1.2.1.31.1.1.1.6.50", OwnedValue::Counter32(5)),
        ("1.3.6.1.2.1.4.20.1.1.1.1.1.1", OwnedValue::Integer(1)),
        ("1.3.6.1.2.1.25.3.5.1.2.50", OwnedValue::Integer(1)),
        ("1.3.6.1.2.1.2.2.1.4.50", OwnedValue::Null),
        ("1.3.6.1.2.1.2.2.1.4.51", OwnedValue::NoSuchObject),
        ("1.3.6.1.2.1.2.2.1.4.52", OwnedValue::NoSuchInstance),
        ("1.3.6.1.2.1.2.2.1.4.53", OwnedValue::EndOfMibView),
        ("1.3.6.1.4.1.9.1.1", OwnedValue::Integer(5)),
        ("1.3.6.1.4.1.9.1.2", octets(b"text with \"quotes\"")),
        ("1.3.6.1.4.1.9.1.3", octets(&[0, 1, 0xfe])),
        (
            "1.3.6.1.4.1.9.1.4",
            octets(&(65..105).chain([0]).collect::<Vec<u8>>()),
        ),
        ("1.3.6.1.4.1.9.1.5", octets(b"")),
        ("1.3.6.1.4.1.9.1.6", opaque(OpaqueNumber::Float(1.5))),
        ("1.3.6.1.4.1.9.1.7", opaque(OpaqueNumber::Double(-0.25))),
        ("1.3.6.1.4.1.9.1.8", opaque(OpaqueNumber::Signed64(-7))),
        ("1.3.6.1.4.1.9.1.9", opaque(OpaqueNumber::Unsigned64(7))),
        ("1.3.6.1.4.1.9.1.10", OwnedValue::Opaque(vec![4, 1, 65])),
        ("1.3.6.1.4.1.9.1.11", OwnedValue::Null),
        ("1.3.6.1.4.1.9.1.12", OwnedValue::Gauge32(7)),
        ("1.3.6.1.3.5", OwnedValue::Counter64(7)),
        ("1.3.6.1.2.1.99.1", OwnedValue::TimeTicks(7)),
        ("1.3.6.1.6.3.99.1", OwnedValue::IpAddress([1, 2, 3, 4])),
        ("2.5.1", OwnedValue::Integer(1)),
        ("1.2.3", OwnedValue::Integer(1)),
    ]
}
