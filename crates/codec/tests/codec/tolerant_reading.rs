//! What real devices send though the standards say otherwise, and what is refused all the same.

use proptest::prelude::{any, prop_assert_eq, proptest};
use varbind_codec::ber::{DecodeErrorKind, Reader, Tag};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::Pdu;
use varbind_codec::smi::{OidRef, ValueRef};

fn element(tag: u8, content: &[u8], length_octets: usize) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let count = u8::try_from(length_octets).expect("at most 8");
    let mut octets = vec![tag, 0x80 | count];
    octets.extend(&length[length.len() - length_octets..]);
    octets.extend(content);
    octets
}

fn read(octets: &[u8]) -> Result<ValueRef<'_>, DecodeErrorKind> {
    let mut reader = Reader::new(octets);
    let value = ValueRef::decode(&mut reader).map_err(|error| {
        assert!(error.offset <= octets.len());
        error.kind
    })?;
    assert!(reader.is_empty());
    Ok(value)
}

fn name(content: &[u8]) -> Result<Vec<u32>, DecodeErrorKind> {
    match OidRef::from_content(&Reader::new(content)) {
        Ok(name) => Ok(name.arcs().collect()),
        Err(error) => Err(error.kind),
    }
}

proptest! {
    #[test]
    fn lengths_and_integers_may_be_longer_than_needed(
        request_id in any::<i32>(),
        number in any::<i32>(),
        counter in any::<u64>(),
        length_octets in 2..=8_usize,
        padding in 0..6_usize,
    ) {
        let integer = |value: i32| {
            let mut content = vec![if value < 0 { 0xff } else { 0 }; padding];
            content.extend(value.to_be_bytes());
            element(0x02, &content, length_octets)
        };
        let mut counter_content = vec![0; padding + 1];
        counter_content.extend(counter.to_be_bytes());
        let list = |parts: &[Vec<u8>], tag| element(tag, &parts.concat(), length_octets);
        let var_bind = |value| {
            list(&[element(0x06, &[0x2b, 6, 1], length_octets), value], 0x30)
        };
        let var_binds = list(
            &[var_bind(integer(number)), var_bind(element(0x46, &counter_content, length_octets))],
            0x30,
        );
        let pdu = list(&[integer(request_id), integer(5), integer(1), var_binds], 0xa2);
        let octets = list(&[integer(1), element(0x04, b"public", length_octets), pdu], 0x30);

        let message = CommunityMessage::decode(&octets).unwrap();
        prop_assert_eq!(message.version, Version::V2c);
        prop_assert_eq!(message.community, b"public");
        let Pdu::Common(pdu) = message.pdu else { panic!("a Response-PDU") };
        prop_assert_eq!((pdu.request_id, pdu.error_status, pdu.error_index), (request_id, 5, 1));
        let values: Vec<_> = pdu.var_binds.map(|var_bind| var_bind.unwrap().value).collect();
        prop_assert_eq!(values, [ValueRef::Integer(number), ValueRef::Counter64(counter)]);
    }

    #[test]
    fn an_unsigned_value_may_be_written_as_a_negative_one(
        number in 0x8000_0000..=u32::MAX,
        wide in 1_u64 << 63..=u64::MAX,
        padding in 0..4_usize,
    ) {
        let negative = |octets: &[u8]| [&vec![0xff; padding], octets].concat();
        for (tag, expected) in [
            (0x41, ValueRef::Counter32(number)),
            (0x42, ValueRef::Gauge32(number)),
            (0x43, ValueRef::TimeTicks(number)),
            (0x47, ValueRef::Gauge32(number)),
        ] {
            let octets = element(tag, &negative(&number.to_be_bytes()), 1);
            prop_assert_eq!(read(&octets), Ok(expected));
        }
        let octets = element(0x46, &negative(&wide.to_be_bytes()), 1);
        prop_assert_eq!(read(&octets), Ok(ValueRef::Counter64(wide)));
    }

    #[test]
    fn sub_identifiers_may_be_padded(arcs in crate::strategies::arcs(), padding in 1..4_usize) {
        let padded = |value: u64| {
            let mut octets = vec![0x80; padding];
            octets.extend((1..10).rev().map(|at| 0x80 | (value >> (7 * at)).to_le_bytes()[0]));
            octets.push(value.to_le_bytes()[0] & 0x7f);
            octets
        };
        let first = u64::from(arcs[0]) * 40 + u64::from(arcs[1]);
        let content: Vec<u8> = [first]
            .into_iter()
            .chain(arcs[2..].iter().map(|&arc| u64::from(arc)))
            .flat_map(padded)
            .collect();
        prop_assert_eq!(name(&content), Ok(arcs));
    }
}

#[test]
fn short_negative_values_extend_their_sign() {
    assert_eq!(read(&[0x42, 1, 0xff]), Ok(ValueRef::Gauge32(u32::MAX)));
    assert_eq!(
        read(&[0x41, 2, 0x80, 0]),
        Ok(ValueRef::Counter32(0xffff_8000))
    );
    assert_eq!(
        read(&[0x46, 1, 0xfe]),
        Ok(ValueRef::Counter64(u64::MAX - 1))
    );
    assert_eq!(
        read(&[0x46, 4, 0x80, 0, 0, 0]),
        Ok(ValueRef::Counter64(0xffff_ffff_8000_0000))
    );
}

#[test]
fn an_unsigned_value_of_five_octets_has_a_zero_in_front() {
    let value = read(&[0x41, 5, 0, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(value, Ok(ValueRef::Counter32(u32::MAX)));
    let value = read(&[0x43, 7, 0, 0, 0, 0x80, 0, 0, 1]);
    assert_eq!(value, Ok(ValueRef::TimeTicks(0x8000_0001)));
}

#[test]
fn numbers_out_of_range_are_refused() {
    for octets in [
        &[0x41, 5, 1, 0, 0, 0, 0][..],
        &[0x41, 5, 0xfe, 0xff, 0xff, 0xff, 0xff],
        &[0x42, 5, 0xff, 0x7f, 0xff, 0xff, 0xff],
        &[0x02, 5, 0, 0x80, 0, 0, 0],
        &[0x02, 5, 0xff, 0x7f, 0xff, 0xff, 0xff],
        &[0x46, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        &[
            0x46, 9, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ],
    ] {
        assert_eq!(
            read(octets),
            Err(DecodeErrorKind::IntegerOutOfRange),
            "{octets:02x?}"
        );
    }
    for tag in [0x02, 0x41, 0x42, 0x43, 0x46] {
        assert_eq!(read(&[tag, 0]), Err(DecodeErrorKind::EmptyInteger));
    }
}

#[test]
fn names_at_the_edges_are_read() {
    assert_eq!(name(&[]), Ok(vec![0, 0]));
    assert_eq!(name(&[0]), Ok(vec![0, 0]));
    assert_eq!(name(&[39]), Ok(vec![0, 39]));
    assert_eq!(name(&[40]), Ok(vec![1, 0]));
    assert_eq!(name(&[79]), Ok(vec![1, 39]));
    assert_eq!(name(&[80]), Ok(vec![2, 0]));
    // X.690 8.19.5: 2.999.3
    assert_eq!(name(&[0x88, 0x37, 3]), Ok(vec![2, 999, 3]));
    assert_eq!(name(&[0x80, 0x80, 0x2b]), Ok(vec![1, 3]));
    assert_eq!(name(&[0x90, 0x80, 0x80, 0x80, 0x4f]), Ok(vec![2, u32::MAX]));
    assert_eq!(
        name(&[0x2b, 0x8f, 0xff, 0xff, 0xff, 0x7f]),
        Ok(vec![1, 3, u32::MAX])
    );
    assert_eq!(name(&[1; 127]).map(|arcs| arcs.len()), Ok(128));
    assert_eq!(
        read(&[0x06, 0]),
        Ok(ValueRef::ObjectIdentifier(OidRef::ZERO_DOT_ZERO))
    );
}

#[test]
fn names_beyond_the_edges_are_refused() {
    use DecodeErrorKind as Kind;
    assert_eq!(name(&[1; 128]), Err(Kind::TooManySubIdentifiers));
    for content in [
        &[0x90, 0x80, 0x80, 0x80, 0x50][..],
        &[0x2b, 0x90, 0x80, 0x80, 0x80, 0],
        &[
            0x2b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
        ],
    ] {
        assert_eq!(name(content), Err(Kind::SubIdentifierTooLarge));
    }
    for content in [&[0x80][..], &[0x2b, 0x86], &[0x2b, 6, 0x80, 0x80]] {
        assert_eq!(name(content), Err(Kind::TruncatedSubIdentifier));
    }
}

#[test]
fn elements_that_snmp_does_not_have_are_refused() {
    use DecodeErrorKind as Kind;
    assert_eq!(read(&[0x04, 0x80, 0, 0]), Err(Kind::IndefiniteLength));
    assert_eq!(read(&[0x1f, 0x81, 1, 0]), Err(Kind::MultiOctetTag));
    assert_eq!(
        read(&[0x04, 0x85, 1, 0, 0, 0, 0]),
        Err(Kind::LengthTooLarge)
    );
    assert_eq!(
        read(&[0x04, 0x84, 0xff, 0xff, 0xff, 0xff]),
        Err(Kind::Truncated)
    );
    assert_eq!(read(&[0x01, 1, 0]), Err(Kind::UnknownValueTag(Tag(0x01))));
    assert_eq!(read(&[0x05, 1, 0]), Err(Kind::WrongContentLength));
    assert_eq!(read(&[0x82, 1, 0]), Err(Kind::WrongContentLength));
    assert_eq!(read(&[0x40, 3, 1, 2, 3]), Err(Kind::WrongContentLength));
    assert_eq!(
        read(&[0x40, 5, 1, 2, 3, 4, 5]),
        Err(Kind::WrongContentLength)
    );
}
