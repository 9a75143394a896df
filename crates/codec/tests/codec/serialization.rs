//! Names and values in the formats of serde.

use proptest::prelude::{prop_assert_eq, proptest};
use serde_json::json;
use varbind_codec::ber::Reader;
use varbind_codec::oid;
use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};

use crate::strategies::{oid as any_oid, value, var_bind};

/// A name whose last sub-identifier is longer than it needs to be.
fn long_encoded() -> Value {
    let element = [6, 4, 0x2b, 6, 0x80, 1];
    Value::from(ValueRef::decode(&mut Reader::new(&element)).unwrap())
}

#[test]
fn each_type_is_written_in_json_as_a_person_expects() {
    let typed = |value_type: &str, value| json!({"type": value_type, "value": value});
    let hex = |value_type: &str, value: &str| json!({"type": value_type, "value": value, "encoding": "hex"});
    for (value, expected) in [
        (Value::Integer(-7), typed("Integer", json!(-7))),
        ("switch7".into(), typed("OctetString", json!("switch7"))),
        ("".into(), typed("OctetString", json!(""))),
        (
            "Zürich\r\n".into(),
            typed("OctetString", json!("Zürich\r\n")),
        ),
        (
            Value::OctetString(vec![2, 0, 0x5e]),
            hex("OctetString", "02005e"),
        ),
        (
            Value::OctetString(vec![b'a', 0xff]),
            hex("OctetString", "61ff"),
        ),
        (Value::Null, json!({"type": "Null"})),
        (
            oid!("1.3.6.1").into(),
            typed("ObjectIdentifier", json!("1.3.6.1")),
        ),
        (long_encoded(), hex("ObjectIdentifier", "2b068001")),
        (
            Value::IpAddress([192, 0, 2, 1]),
            typed("IpAddress", json!("192.0.2.1")),
        ),
        (
            Value::Counter32(u32::MAX),
            typed("Counter32", json!(u32::MAX)),
        ),
        (Value::Gauge32(0), typed("Gauge32", json!(0))),
        (Value::TimeTicks(4711), typed("TimeTicks", json!(4711))),
        (Value::Opaque(b"abc".to_vec()), hex("Opaque", "616263")),
        (
            Value::Counter64(u64::MAX),
            typed("Counter64", json!(u64::MAX)),
        ),
        (Value::NoSuchObject, json!({"type": "NoSuchObject"})),
        (Value::NoSuchInstance, json!({"type": "NoSuchInstance"})),
        (Value::EndOfMibView, json!({"type": "EndOfMibView"})),
    ] {
        assert_eq!(serde_json::to_value(&value).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Value>(expected).unwrap(), value);
    }
    let var_bind = VarBind::new(oid!("1.3.6.1.2.1.1.5.0"), "switch7");
    assert_eq!(
        serde_json::to_string(&var_bind).unwrap(),
        r#"{"oid":"1.3.6.1.2.1.1.5.0","type":"OctetString","value":"switch7"}"#
    );
    assert_eq!(
        serde_json::to_string(&var_bind.name).unwrap(),
        r#""1.3.6.1.2.1.1.5.0""#
    );
}

#[test]
fn what_the_commands_write_as_json_is_read() {
    let written = r#"{"name":"SNMPv2-MIB::sysName.0","oid":"1.3.6.1.2.1.1.5.0","type":"OctetString","value":"switch7",
        "encoding":"text","display":"switch7"}"#;
    let read: VarBind = serde_json::from_str(written).unwrap();
    assert_eq!(read, VarBind::new(oid!("1.3.6.1.2.1.1.5.0"), "switch7"));
    let nothing = r#"{"type":"NoSuchInstance","value":null}"#;
    assert_eq!(
        serde_json::from_str::<Value>(nothing).unwrap(),
        Value::NoSuchInstance
    );
}

#[test]
fn values_that_a_type_does_not_have_are_refused() {
    for (text, expected) in [
        (
            r#"{"type":"Counter32","value":4294967296}"#,
            "Counter32 is a number of 32 bits",
        ),
        (r#"{"type":"Counter32","value":-1}"#, "not negative"),
        (
            r#"{"type":"Counter32","value":"7"}"#,
            "Counter32 is a number",
        ),
        (r#"{"type":"Counter32"}"#, "Counter32 is a number"),
        (
            r#"{"type":"Integer","value":2147483648}"#,
            "Integer is a number of 32 bits",
        ),
        (
            r#"{"type":"Integer","value":1.5}"#,
            "a value is a number or a text",
        ),
        (
            r#"{"type":"Integer","value":[1]}"#,
            "a value is a number or a text",
        ),
        (
            r#"{"type":"OctetString","value":7}"#,
            "OctetString is a text",
        ),
        (
            r#"{"type":"OctetString","value":"0","encoding":"hex"}"#,
            "hexadecimal",
        ),
        (
            r#"{"type":"OctetString","value":"+1","encoding":"hex"}"#,
            "hexadecimal",
        ),
        (
            r#"{"type":"OctetString","value":"","encoding":"base64"}"#,
            "unknown variant",
        ),
        (
            r#"{"type":"Opaque","value":"abc"}"#,
            "with the encoding hex",
        ),
        (r#"{"type":"IpAddress","value":"192.0.2"}"#, "192.0.2.1"),
        (
            r#"{"type":"ObjectIdentifier","value":"1.99"}"#,
            "numbers separated by dots",
        ),
        (
            r#"{"type":"ObjectIdentifier","value":"2b80","encoding":"hex"}"#,
            "separated by dots",
        ),
        (r#"{"type":"Null","value":0}"#, "Null is no value"),
        (r#"{"type":"Float","value":1}"#, "unknown variant `Float`"),
        (r#"{"value":1}"#, "missing field `type`"),
    ] {
        let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let error = serde_json::from_str::<Oid>(r#""1.3.x""#).unwrap_err();
    assert!(error.to_string().contains("consists of numbers"), "{error}");
}

#[test]
fn broken_binary_names_are_refused() {
    // Two sub-identifiers, of which the second is out of range.
    assert!(postcard::from_bytes::<Oid>(&[2, 1, 40]).is_err());
    assert!(postcard::from_bytes::<Oid>(&[0]).is_err());
    // The fourth variant, with an encoded name that is cut short.
    assert!(postcard::from_bytes::<Value>(&[3, 2, 0x2b, 0x86]).is_err());
    let long = postcard::to_allocvec(&long_encoded()).unwrap();
    assert_eq!(
        postcard::from_bytes::<Value>(&long).unwrap(),
        long_encoded()
    );
}

proptest! {
    #[test]
    fn names_come_back_from_each_format(oid in any_oid()) {
        let json = serde_json::to_string(&oid).unwrap();
        prop_assert_eq!(&json, &format!("\"{oid}\""));
        prop_assert_eq!(&serde_json::from_str::<Oid>(&json).unwrap(), &oid);
        let binary = postcard::to_allocvec(&oid).unwrap();
        prop_assert_eq!(&postcard::from_bytes::<Oid>(&binary).unwrap(), &oid);
    }

    #[test]
    fn variable_bindings_come_back_from_each_format(var_bind in var_bind()) {
        let json = serde_json::to_string(&var_bind).unwrap();
        prop_assert_eq!(&serde_json::from_str::<VarBind>(&json).unwrap(), &var_bind);
        let tree = serde_json::to_value(&var_bind).unwrap();
        prop_assert_eq!(&serde_json::from_value::<VarBind>(tree).unwrap(), &var_bind);
        let binary = postcard::to_allocvec(&var_bind).unwrap();
        prop_assert_eq!(&postcard::from_bytes::<VarBind>(&binary).unwrap(), &var_bind);
        // TOML has no integers beyond 63 bits.
        if !matches!(var_bind.value, Value::Counter64(number) if i64::try_from(number).is_err()) {
            let toml = toml::to_string(&var_bind).unwrap();
            prop_assert_eq!(&toml::from_str::<VarBind>(&toml).unwrap(), &var_bind);
        }
    }

    #[test]
    fn broken_binary_values_are_read_or_refused(octets in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
        if let Ok(value) = postcard::from_bytes::<Value>(&octets) {
            let again = postcard::to_allocvec(&value).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Value>(&again).unwrap(), value);
        }
    }

    #[test]
    fn texts_are_never_taken_for_hexadecimal(text in "[0-9a-f]{0,8}", value in value()) {
        let written = serde_json::to_value(Value::from(text.as_str())).unwrap();
        prop_assert_eq!(written["value"].as_str(), Some(text.as_str()));
        prop_assert_eq!(serde_json::from_value::<Value>(written).unwrap(), Value::from(text));
        let written = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
    }
}
