//! Known octets: elements computed by hand from X.690, and messages that Net-SNMP 5.9.3 sent.

use varbind_codec::ber::{Reader, Tag, Writer};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{GenericTrap, PduType};
use varbind_codec::smi::{Oid, OpaqueNumber, Value, ValueRef, VarBind};

use crate::message_parts::{MessageParts, PduFields, assert_same};

fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn name(text: &str) -> Oid {
    text.parse().unwrap()
}

fn string(text: &str) -> Value {
    Value::OctetString(text.into())
}

fn oid_value(text: &str) -> Value {
    Value::from(&name(text))
}

fn opaque(number: OpaqueNumber) -> Value {
    Value::Opaque(number.encode(&mut [0; 12]).unwrap().to_vec())
}

fn var_binds<const N: usize>(list: [(&str, Value); N]) -> Vec<VarBind> {
    list.map(|(text, value)| VarBind::new(name(text), value))
        .to_vec()
}

const fn common(pdu_type: PduType, request_id: i32, status: i32, index: i32) -> PduFields {
    PduFields::Common {
        pdu_type,
        request_id,
        error_status: status,
        error_index: index,
    }
}

const fn response(request_id: i32) -> PduFields {
    common(PduType::Response, request_id, 0, 0)
}

fn assert_vector<const N: usize>(
    hex: &str,
    version: Version,
    fields: PduFields,
    list: [(&str, Value); N],
) {
    let octets = octets(hex);
    let parts = MessageParts {
        version,
        community: b"public".to_vec(),
        fields,
        var_binds: var_binds(list),
    };
    assert_same(&CommunityMessage::decode(&octets).unwrap(), &parts);
    assert_eq!(parts.encode().unwrap(), octets);
}

#[test]
fn values_take_their_minimal_form() {
    for (hex, value) in [
        ("020100", ValueRef::Integer(0)),
        ("02017f", ValueRef::Integer(127)),
        ("02020080", ValueRef::Integer(128)),
        ("02020100", ValueRef::Integer(256)),
        ("020180", ValueRef::Integer(-128)),
        ("0202ff7f", ValueRef::Integer(-129)),
        ("0201ff", ValueRef::Integer(-1)),
        ("02047fffffff", ValueRef::Integer(i32::MAX)),
        ("020480000000", ValueRef::Integer(i32::MIN)),
        ("0400", ValueRef::OctetString(b"")),
        ("0403616263", ValueRef::OctetString(b"abc")),
        ("0500", ValueRef::Null),
        ("4004c0000201", ValueRef::IpAddress([192, 0, 2, 1])),
        ("410100", ValueRef::Counter32(0)),
        ("41020080", ValueRef::Counter32(128)),
        ("410500ffffffff", ValueRef::Counter32(u32::MAX)),
        ("42047fffffff", ValueRef::Gauge32(0x7fff_ffff)),
        ("430200ff", ValueRef::TimeTicks(255)),
        ("44020500", ValueRef::Opaque(&[5, 0])),
        ("460100", ValueRef::Counter64(0)),
        ("46087fffffffffffffff", ValueRef::Counter64(u64::MAX >> 1)),
        ("460900ffffffffffffffff", ValueRef::Counter64(u64::MAX)),
        ("8000", ValueRef::NoSuchObject),
        ("8100", ValueRef::NoSuchInstance),
        ("8200", ValueRef::EndOfMibView),
    ] {
        let mut buffer = [0; 32];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        writer.append_value(value).unwrap();
        assert_eq!(writer.written(), octets(hex), "{value:?}");
        assert_eq!(ValueRef::decode(&mut Reader::new(&octets(hex))), Ok(value));
    }
}

/// 2.999.3 is the example of X.690 8.19.5.
#[test]
fn names_take_their_minimal_form() {
    for (hex, text) in [
        ("060100", "0.0"),
        ("06012b", "1.3"),
        ("0603883703", "2.999.3"),
        ("06062a864886f70d", "1.2.840.113549"),
        ("06092b0601040182371514", "1.3.6.1.4.1.311.21.20"),
        ("06082b06010201010300", "1.3.6.1.2.1.1.3.0"),
        ("06072b8fffffff7f7f", "1.3.4294967295.127"),
        ("0605908080804f", "2.4294967295"),
    ] {
        let mut buffer = [0; 32];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        writer.append_oid(name(text).arcs()).unwrap();
        assert_eq!(writer.written(), octets(hex), "{text}");
    }
}

/// X.690 8.1.3: 38 octets in the short form, 201 in the long form, which needs one octet there.
#[test]
fn lengths_take_their_minimal_form() {
    for (length, hex) in [
        (38, "0426"),
        (127, "047f"),
        (128, "048180"),
        (201, "0481c9"),
        (256, "04820100"),
        (65_535, "0482ffff"),
        (65_536, "0483010000"),
    ] {
        let mut buffer = vec![0; length + 8];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        writer
            .append_element(Tag::OCTET_STRING, &vec![0; length])
            .unwrap();
        assert!(writer.written().starts_with(&octets(hex)), "{length}");
        assert_eq!(writer.len(), hex.len() / 2 + length);
    }
}

#[test]
fn a_v1_response() {
    assert_vector(
        "302b 020100 04067075626c6963 a21e 02042fea6610 020100 020100
         3010 300e 06082b06010201010300 43020094",
        Version::V1,
        response(0x2fea_6610),
        [("1.3.6.1.2.1.1.3.0", Value::TimeTicks(148))],
    );
}

#[test]
fn a_v1_response_with_an_error() {
    assert_vector(
        "3029 020100 04067075626c6963 a21c 020425c04b0c 020102 020101
         300e 300c 06082b06010201630100 0500",
        Version::V1,
        common(PduType::Response, 0x25c0_4b0c, 2, 1),
        [("1.3.6.1.2.1.99.1.0", Value::Null)],
    );
}

#[test]
fn a_v2c_response() {
    assert_vector(
        "305f 020101 04067075626c6963 a252 0204127e7fec 020100 020100
         3044 3016 06082b06010201010200 060a2b06010401bf0803020a
              301b 06082b06010201010400 040f6f7073406578616d706c652e6f7267
              300d 06082b06010201010700 020148",
        Version::V2c,
        response(0x127e_7fec),
        [
            ("1.3.6.1.2.1.1.2.0", oid_value("1.3.6.1.4.1.8072.3.2.10")),
            ("1.3.6.1.2.1.1.4.0", string("ops@example.org")),
            ("1.3.6.1.2.1.1.7.0", Value::Integer(72)),
        ],
    );
}

#[test]
fn a_v2c_response_with_exceptions() {
    assert_vector(
        "3036 020101 04067075626c6963 a229 020456898222 020100 020100
         301b 300c 06082b06010201010101 8100 300b 06072b060102016301 8000",
        Version::V2c,
        response(0x5689_8222),
        [
            ("1.3.6.1.2.1.1.1.1", Value::NoSuchInstance),
            ("1.3.6.1.2.1.99.1", Value::NoSuchObject),
        ],
    );
    assert_vector(
        "3023 020101 04067075626c6963 a216 02044558d472 020100 020100 3008 3006 06028133 8200",
        Version::V2c,
        response(0x4558_d472),
        [("2.99", Value::EndOfMibView)],
    );
}

#[test]
fn a_response_to_a_get_bulk_request() {
    assert_vector(
        "30819e 020101 04067075626c6963 a28190 02040836494c 020100 020100
         308181 300e 06082b06010201010300 43020097
                3010 060a2b060102010202010201 04026c6f
                3011 060b2b060102011f0101010601 46021b73
                3012 060a2b060102010202010202 040469666230
                3010 060b2b060102011f0101010602 460100
                3012 060a2b060102010202010203 040469666231
                3010 060b2b060102011f0101010603 460100",
        Version::V2c,
        response(0x0836_494c),
        [
            ("1.3.6.1.2.1.1.3.0", Value::TimeTicks(151)),
            ("1.3.6.1.2.1.2.2.1.2.1", string("lo")),
            ("1.3.6.1.2.1.31.1.1.1.6.1", Value::Counter64(7027)),
            ("1.3.6.1.2.1.2.2.1.2.2", string("ifb0")),
            ("1.3.6.1.2.1.31.1.1.1.6.2", Value::Counter64(0)),
            ("1.3.6.1.2.1.2.2.1.2.3", string("ifb1")),
            ("1.3.6.1.2.1.31.1.1.1.6.3", Value::Counter64(0)),
        ],
    );
}

#[test]
fn a_set_request_of_many_types() {
    assert_vector(
        "3081da02010104067075626c6963a381cc0204108180df0201000201003081bd3013060b2b06010401bf08ce0f010002
         04800000003014060b2b06010401bf08ce0f0200420500ffffffff3012060b2b06010401bf08ce0f0300430301e24030
         13060b2b06010401bf08ce0f04004004c0000201301c060b2b06010401bf08ce0f0500060d2b060104018fffffff7f81
         007f3012060b2b06010401bf08ce0f0600040300ff803012060b2b06010401bf08ce0f0a0006038837033010060b2b06
         010401bf08ce0f0b00060100300f060b2b06010401bf08ce0f0c000400",
        Version::V2c,
        common(PduType::SetRequest, 0x1081_80df, 0, 0),
        [
            ("1.3.6.1.4.1.8072.9999.1.0", Value::Integer(i32::MIN)),
            ("1.3.6.1.4.1.8072.9999.2.0", Value::Gauge32(u32::MAX)),
            ("1.3.6.1.4.1.8072.9999.3.0", Value::TimeTicks(123_456)),
            ("1.3.6.1.4.1.8072.9999.4.0", Value::IpAddress([192, 0, 2, 1])),
            ("1.3.6.1.4.1.8072.9999.5.0", oid_value("1.3.6.1.4.1.4294967295.128.127")),
            ("1.3.6.1.4.1.8072.9999.6.0", Value::OctetString(vec![0, 0xff, 0x80])),
            ("1.3.6.1.4.1.8072.9999.10.0", oid_value("2.999.3")),
            ("1.3.6.1.4.1.8072.9999.11.0", oid_value("0.0")),
            ("1.3.6.1.4.1.8072.9999.12.0", string("")),
        ],
    );
}

#[test]
fn a_set_request_of_numbers_in_opaque_values() {
    assert_vector(
        "3081e002010104067075626c6963a381d202045bb977050201000201003081c33016060b2b06010401bf08ce0f010044
         079f78043e8000003016060b2b06010401bf08ce0f020044079f7804bfc00000301a060b2b06010401bf08ce0f030044
         0b9f7908400c0000000000003013060b2b06010401bf08ce0f040044049f7a01ff3018060b2b06010401bf08ce0f0500
         44099f7a060100000000003013060b2b06010401bf08ce0f060044049f7b01053014060b2b06010401bf08ce0f070044
         059f7b020080301b060b2b06010401bf08ce0f0800440c9f7b0900ffffffffffffffff",
        Version::V2c,
        common(PduType::SetRequest, 0x5bb9_7705, 0, 0),
        [
            ("1.3.6.1.4.1.8072.9999.1.0", opaque(OpaqueNumber::Float(0.25))),
            ("1.3.6.1.4.1.8072.9999.2.0", opaque(OpaqueNumber::Float(-1.5))),
            ("1.3.6.1.4.1.8072.9999.3.0", opaque(OpaqueNumber::Double(3.5))),
            ("1.3.6.1.4.1.8072.9999.4.0", opaque(OpaqueNumber::Signed64(-1))),
            ("1.3.6.1.4.1.8072.9999.5.0", opaque(OpaqueNumber::Signed64(1 << 40))),
            ("1.3.6.1.4.1.8072.9999.6.0", opaque(OpaqueNumber::Unsigned64(5))),
            ("1.3.6.1.4.1.8072.9999.7.0", opaque(OpaqueNumber::Unsigned64(128))),
            ("1.3.6.1.4.1.8072.9999.8.0", opaque(OpaqueNumber::Unsigned64(u64::MAX))),
        ],
    );
}

#[test]
fn a_v1_trap() {
    assert_vector(
        "304202010004067075626c6963a435060a2b06010401bf0803020a4004c0000207020106020111430500ffffffff3014
         301206082b060102010105000406737769746368",
        Version::V1,
        PduFields::TrapV1 {
            enterprise: name("1.3.6.1.4.1.8072.3.2.10"),
            agent_address: [192, 0, 2, 7],
            generic_trap: GenericTrap::EnterpriseSpecific,
            specific_trap: 17,
            time_stamp: u32::MAX,
        },
        [
            ("1.3.6.1.2.1.1.5.0", string("switch")),
        ],
    );
}

#[test]
fn a_v2_trap() {
    assert_vector(
        "305602010104067075626c6963a74902046c73cc3e020100020100303b300f06082b06010201010300430301e2403017
         060a2b06010603010104010006092b0601060301010503300f060a2b060102010202010102020102",
        Version::V2c,
        common(PduType::TrapV2, 0x6c73_cc3e, 0, 0),
        [
            ("1.3.6.1.2.1.1.3.0", Value::TimeTicks(123_456)),
            ("1.3.6.1.6.3.1.1.4.1.0", oid_value("1.3.6.1.6.3.1.1.5.3")),
            ("1.3.6.1.2.1.2.2.1.1.2", Value::Integer(2)),
        ],
    );
}
