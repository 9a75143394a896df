use varbind::{Oid, VarBind};

use super::*;
use crate::module::ModuleConfiguration;

/// A metric with the oid 1.2.3 and these properties, of these instances: the series, sorted.
fn series(properties: &str, objects: &[(&str, Value)]) -> Vec<String> {
    scraped(
        &format!("    - {{name: m, oid: 1.2.3, {properties}}}\n"),
        objects,
    )
    .0
}

fn scraped(metrics: &str, objects: &[(&str, Value)]) -> (Vec<String>, Samples) {
    let text = format!("modules:\n  m:\n    metrics:\n{metrics}");
    let configuration = ModuleConfiguration::parse(&text).unwrap();
    let objects = objects.iter().map(|(name, value)| {
        let name: Oid = name.parse().unwrap();
        VarBind::new(name, value.clone())
    });
    let samples = samples(
        &configuration.modules["m"],
        &Objects::new(objects.collect()),
    );
    let mut series: Vec<String> = samples
        .iter()
        .map(|sample| {
            let labels: Vec<_> = sample
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            format!(
                "{}{{{}}} {}",
                sample.family.name,
                labels.join(","),
                sample.value
            )
        })
        .collect();
    series.sort();
    (series, samples)
}

fn text(octets: &[u8]) -> Value {
    Value::OctetString(octets.to_vec())
}

#[test]
#[allow(clippy::too_many_lines, reason = "it is a table")]
fn scalars_are_numbers() {
    for (properties, value, expected) in [
        ("type: gauge", Value::Integer(-5), "m{} -5"),
        (
            "type: counter",
            Value::Counter64(u64::MAX),
            "m{} 18446744073709551615",
        ),
        (
            "type: gauge, scale: 0.125, offset: 3.0",
            Value::Gauge32(8),
            "m{} 4",
        ),
        ("type: gauge, offset: -1.5", Value::Gauge32(8), "m{} 6.5"),
        ("type: gauge", text(b"12"), "m{} 0"),
        (
            "type: DateAndTime",
            text(&[7, 232, 3, 31, 1, 2, 3, 4]),
            "m{} 1711846923",
        ),
        (
            "type: NTPTimeStamp",
            text(&[131, 170, 126, 129, 0, 0, 0, 0]),
            "m{} 1",
        ),
        (
            "type: ParseDateAndTime, datetime_pattern: '%Y'",
            text(b"1971"),
            "m{} 31536000",
        ),
        (
            "type: Float",
            Value::Opaque(vec![0x9f, 0x78, 4, 0x40, 0x20, 0, 0]),
            "m{} 2.5",
        ),
        ("type: DisplayString", text(b"a\"b"), "m{m=\"a\\\"b\"} 1"),
        ("type: OctetString", text(&[1, 0xab]), "m{m=\"0x01AB\"} 1"),
        (
            "type: OctetString, display_hint: '1d.'",
            text(&[1, 2]),
            "m{m=\"1.2\"} 1",
        ),
        (
            "type: DisplayString, display_hint: '1d.'",
            text(b"x"),
            "m{m=\"x\"} 1",
        ),
        (
            "type: PhysAddress48",
            text(&[0, 1, 2, 3, 4, 255]),
            "m{m=\"00:01:02:03:04:FF\"} 1",
        ),
        (
            "type: InetAddressIPv4",
            Value::IpAddress([192, 0, 2, 1]),
            "m{m=\"192.0.2.1\"} 1",
        ),
        (
            "type: InetAddressIPv6",
            text(&[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            "m{m=\"FE80:0000:0000:0000:0000:0000:0000:0001\"} 1",
        ),
        (
            "type: EnumAsInfo, enum_values: {1: up}",
            Value::Integer(1),
            "m_info{m=\"up\"} 1",
        ),
        (
            "type: EnumAsInfo, enum_values: {1: up}",
            Value::Integer(2),
            "m_info{m=\"2\"} 1",
        ),
    ] {
        assert_eq!(
            series(properties, &[("1.2.3.0", value)]),
            [expected],
            "{properties}"
        );
    }
}

#[test]
fn state_sets_and_bits_have_a_series_for_each_name() {
    let states = "type: EnumAsStateSet, enum_values: {1: up, 2: down}";
    let found = series(states, &[("1.2.3.0", Value::Integer(2))]);
    assert_eq!(found, ["m{m=\"down\"} 1", "m{m=\"up\"} 0"]);
    let found = series(states, &[("1.2.3.0", Value::Integer(7))]);
    assert_eq!(found, ["m{m=\"7\"} 1", "m{m=\"down\"} 0", "m{m=\"up\"} 0"]);
    let bits = "type: Bits, enum_values: {0: a, 9: b, 40: c}";
    let found = series(bits, &[("1.2.3.0", text(&[0x80, 0x40]))]);
    assert_eq!(found, ["m{m=\"a\"} 1", "m{m=\"b\"} 1", "m{m=\"c\"} 0"]);
}

#[test]
fn expressions_find_numbers_in_texts() {
    let metric = "type: DisplayString, scale: 10, regex_extracts: {Temp: [{regex: '(\\d+)C'}, {regex: '(\\d+)F', value: '$1'}], \
                  On: [{regex: 'True', value: '1'}, {regex: '.*', value: '0'}]}";
    assert_eq!(
        series(metric, &[("1.2.3.0", text(b"25C"))]),
        ["mOn{} 0", "mTemp{} 250"]
    );
    assert_eq!(
        series(metric, &[("1.2.3.0", text(b"77F"))]),
        ["mOn{} 0", "mTemp{} 770"]
    );
    assert_eq!(series(metric, &[("1.2.3.0", text(b"True"))]), ["mOn{} 10"]);
}

#[test]
#[allow(clippy::too_many_lines, reason = "it is a table")]
fn indexes_become_labels() {
    for (indexes, index, labels) in [
        ("[{labelname: i, type: gauge}]", "7", "i=\"7\""),
        (
            "[{labelname: i, type: Integer32}, {labelname: a, type: Integer}]",
            "7.8",
            "a=\"8\",i=\"7\"",
        ),
        (
            "[{labelname: i, type: PhysAddress48}]",
            "0.1.2.3.4.255",
            "i=\"00:01:02:03:04:FF\"",
        ),
        (
            "[{labelname: i, type: OctetString}]",
            "2.1.171",
            "i=\"0x01AB\"",
        ),
        (
            "[{labelname: i, type: OctetString, fixed_size: 2}, {labelname: j, type: gauge}]",
            "1.171.9",
            "i=\"0x01AB\",j=\"9\"",
        ),
        (
            "[{labelname: i, type: OctetString, implied: true}]",
            "1.171",
            "i=\"0x01AB\"",
        ),
        (
            "[{labelname: i, type: DisplayString}, {labelname: j, type: gauge}]",
            "3.97.98.99.4",
            "i=\"abc\",j=\"4\"",
        ),
        (
            "[{labelname: i, type: DisplayString, implied: true}]",
            "97.98",
            "i=\"ab\"",
        ),
        (
            "[{labelname: i, type: InetAddressIPv4}]",
            "192.0.2.1",
            "i=\"192.0.2.1\"",
        ),
        (
            "[{labelname: i, type: InetAddress}, {labelname: j, type: gauge}]",
            "1.4.192.0.2.1.5",
            "i=\"192.0.2.1\",j=\"5\"",
        ),
        (
            "[{labelname: i, type: InetAddress}]",
            "2.16.254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1",
            "i=\"FE80:0000:0000:0000:0000:0000:0000:0001\"",
        ),
        // A type that is not known, with its length.
        (
            "[{labelname: i, type: InetAddress}, {labelname: j, type: gauge}]",
            "3.2.1.2.5",
            "i=\"0x03020102\",j=\"5\"",
        ),
        (
            "[{labelname: i, type: InetAddressMissingSize}]",
            "1.192.0.2.1",
            "i=\"192.0.2.1\"",
        ),
        (
            "[{labelname: i, type: InetAddressMissingSize}]",
            "9.1.2",
            "i=\"0x090102\"",
        ),
        (
            "[{labelname: i, type: EnumAsInfo, enum_values: {1: up}}]",
            "1",
            "i=\"up\"",
        ),
        (
            "[{labelname: i, type: EnumAsInfo, enum_values: {1: up}}]",
            "5",
            "i=\"5\"",
        ),
        // Numbers that the agent left out are zeros.
        (
            "[{labelname: i, type: InetAddressIPv4}]",
            "192.0",
            "i=\"192.0.0.0\"",
        ),
        (
            "[{labelname: i, type: gauge}, {labelname: j, type: gauge}]",
            "1",
            "i=\"1\",j=\"0\"",
        ),
        // No length makes more than names can hold.
        ("[{labelname: i, type: DisplayString}]", "4294967295.97", ""),
    ] {
        let properties = format!("type: gauge, indexes: {indexes}");
        let found = series(
            &properties,
            &[(&format!("1.2.3.{index}"), Value::Integer(1))],
        );
        if labels.is_empty() {
            assert!(found[0].len() < 2000);
        } else {
            assert_eq!(found, [format!("m{{{labels}}} 1")], "{indexes}");
        }
    }
}

#[test]
fn lookups_follow_each_other() {
    let metric = "type: gauge, indexes: [{labelname: port, type: gauge}], lookups: [{labels: [port], labelname: ifIndex, oid: 1.5, \
                  type: gauge}, {labels: [ifIndex], labelname: ifDescr, oid: 1.6, type: DisplayString}, {labels: [], labelname: port}]";
    let objects = [
        ("1.2.3.1", Value::Gauge32(10)),
        ("1.2.3.2", Value::Gauge32(20)),
        ("1.5.1", Value::Integer(101)),
        ("1.6.101", text(b"eth0")),
    ];
    assert_eq!(
        series(metric, &objects),
        [
            "m{ifDescr=\"\",ifIndex=\"\"} 20",
            "m{ifDescr=\"eth0\",ifIndex=\"101\"} 10"
        ]
    );
}

#[test]
#[allow(clippy::too_many_lines, reason = "it is a table")]
fn lookups_have_the_types_of_their_objects() {
    for (lookup, objects, label) in [
        (
            "type: PhysAddress48",
            &[("1.5.1", text(&[1, 2, 3, 4, 5, 6]))][..],
            "01:02:03:04:05:06",
        ),
        (
            "type: EnumAsInfo, enum_values: {2: half}",
            &[("1.5.1", Value::Integer(2))],
            "half",
        ),
        (
            "type: EnumAsInfo, enum_values: {2: half}",
            &[("1.5.1", Value::Integer(3))],
            "3",
        ),
        (
            "type: OctetString, display_hint: '1d-'",
            &[("1.5.1", text(&[1, 2]))],
            "1-2",
        ),
        (
            "type: InetAddressIPv4",
            &[("1.5.1", Value::IpAddress([10, 0, 0, 1]))],
            "10.0.0.1",
        ),
        (
            "type: InetAddress",
            &[
                ("1.4.1", Value::Integer(1)),
                ("1.5.1", text(&[10, 0, 0, 1])),
            ],
            "10.0.0.1",
        ),
        (
            "type: LldpPortId",
            &[
                ("1.4.1", Value::Integer(3)),
                ("1.5.1", text(&[1, 2, 3, 4, 5, 6])),
            ],
            "01:02:03:04:05:06",
        ),
        (
            "type: LldpPortId",
            &[("1.4.1", Value::Integer(5)), ("1.5.1", text(b"ge-0/0/1"))],
            "ge-0/0/1",
        ),
        (
            "type: DisplayString",
            &[("1.5.1", Value::from(&"1.3.6".parse::<Oid>().unwrap()))],
            "1.3.6",
        ),
        (
            "type: DisplayString",
            &[("1.5.1", text(b"\xff\xfe"))],
            "\u{fffd}",
        ),
    ] {
        let properties = format!(
            "type: gauge, indexes: [{{labelname: i, type: gauge}}], lookups: [{{labels: [i], labelname: l, oid: 1.5, {lookup}}}]"
        );
        let objects: Vec<_> = objects
            .iter()
            .cloned()
            .chain([("1.2.3.1", Value::Integer(1))])
            .collect();
        assert_eq!(
            series(&properties, &objects),
            [format!("m{{i=\"1\",l={label:?}}} 1")],
            "{lookup}"
        );
    }
}

#[test]
fn a_lookup_by_several_labels_joins_their_parts() {
    let metric = "type: gauge, indexes: [{labelname: a, type: gauge}, {labelname: b, type: DisplayString}], \
                  lookups: [{labels: [a, b], labelname: l, oid: 1.5, type: gauge}]";
    let objects = [
        ("1.2.3.4.2.97.98", Value::Integer(1)),
        ("1.5.4.2.97.98", Value::Integer(77)),
    ];
    assert_eq!(series(metric, &objects), ["m{a=\"4\",b=\"ab\",l=\"77\"} 1"]);
}

#[test]
fn the_type_of_an_address_is_in_the_object_before_it() {
    let objects = [("1.2.2.1", Value::Integer(2)), ("1.2.3.1", text(&[0; 16]))];
    assert_eq!(
        series("type: InetAddress", &objects),
        ["m{m=\"0000:0000:0000:0000:0000:0000:0000:0000\"} 1"]
    );
    assert_eq!(
        series("type: InetAddress", &objects[1..]),
        [format!("m{{m=\"0x{}\"}} 1", "00".repeat(16))]
    );
}

#[test]
fn a_text_that_is_an_index_too_is_one_label() {
    let properties = "type: DisplayString, indexes: [{labelname: m, type: gauge}]";
    assert_eq!(
        series(properties, &[("1.2.3.5", text(b"x"))]),
        ["m{m=\"5\"} 1"]
    );
    let info = "type: EnumAsInfo, indexes: [{labelname: m, type: EnumAsInfo}]";
    assert!(series(info, &[("1.2.3.5", Value::Integer(5))]).is_empty());
}

#[test]
fn rows_with_the_same_labels_are_reported_once() {
    let metrics = "    - {name: m, oid: 1.2.3, type: gauge, indexes: [{labelname: i, type: gauge}], lookups: [{labels: [i], \
                   labelname: l, oid: 1.5, type: DisplayString}, {labels: [], labelname: i}]}\n";
    let objects = [
        ("1.2.3.1", Value::Integer(1)),
        ("1.2.3.2", Value::Integer(2)),
        ("1.5.1", text(b"same")),
        ("1.5.2", text(b"same")),
    ];
    let (series, samples) = scraped(metrics, &objects);
    assert_eq!(series, ["m{l=\"same\"} 1"]);
    let (faults, count) = samples.faults();
    assert_eq!(count, 1);
    assert_eq!(faults[0].reason, FaultReason::Duplicate);
    assert!(faults[0].to_string().starts_with("1.2.3.2: "));
}

#[test]
fn wrong_values_are_counted() {
    let metrics = "    - {name: a, oid: 1.2, type: DateAndTime}\n    - {name: b, oid: 1.3, type: Bits, enum_values: {0: x}}\n    \
                   - {name: c, oid: 1.4, type: Bits, enum_values: {0: x}, indexes: [{labelname: c, type: gauge}]}\n";
    let objects = [
        ("1.2.0", text(b"")),
        ("1.3.0", Value::Integer(1)),
        ("1.4.1", text(b"a")),
    ];
    let (series, samples) = scraped(metrics, &objects);
    assert!(series.is_empty());
    let reasons: Vec<_> = samples
        .faults()
        .0
        .iter()
        .map(|fault| fault.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            FaultReason::NoTime,
            FaultReason::NoBits,
            FaultReason::LabelTwice
        ]
    );
}

#[test]
fn exceptions_are_no_objects_and_the_last_of_equal_names_counts() {
    let objects = [
        ("1.2.3.2", Value::Integer(1)),
        ("1.2.3.1", Value::NoSuchInstance),
        ("1.2.3.2", Value::Integer(2)),
    ];
    let metric = "type: gauge, indexes: [{labelname: i, type: gauge}]";
    assert_eq!(series(metric, &objects), ["m{i=\"2\"} 2"]);
}
