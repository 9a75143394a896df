//! What is written is read as the same, and takes the number of octets that was foretold.

use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use varbind_codec::ber::{EncodeError, FrameLength, Reader, Tag, Writer, frame_length};
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{PduType, var_bind_length};
use varbind_codec::smi::{EncodedOid, Oid, OidRef, OidScratch, OpaqueNumber, ValueRef, VarBind};

use crate::message_parts::{MessageParts, PduFields, assert_same};
use crate::strategies::{arcs, message, oid, value};

fn opaque_number() -> impl Strategy<Value = OpaqueNumber> {
    prop_oneof![
        any::<f32>().prop_map(OpaqueNumber::Float),
        any::<f64>().prop_map(OpaqueNumber::Double),
        any::<i64>().prop_map(OpaqueNumber::Signed64),
        any::<u64>().prop_map(OpaqueNumber::Unsigned64),
    ]
}

proptest! {
    #[test]
    fn a_value_is_read_as_it_was_written(value in value()) {
        let mut buffer = [0; 1024];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        writer.append_value(value.as_value_ref()).unwrap();
        prop_assert_eq!(writer.len(), value.as_value_ref().encoded_length());
        let mut reader = Reader::new(writer.written());
        prop_assert_eq!(reader.peek_tag().unwrap(), value.as_value_ref().tag());
        let read = ValueRef::decode(&mut reader).unwrap();
        prop_assert_eq!(&read.to_owned(), &value);
        prop_assert!(reader.is_empty());
    }

    #[test]
    fn a_name_is_read_as_it_was_written(arcs in arcs()) {
        let mut buffer = [0; 1024];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        writer.append_oid(&arcs).unwrap();
        let mut reader = Reader::new(writer.written());
        let content = reader.expect(Tag::OBJECT_IDENTIFIER).unwrap();
        let name = OidRef::from_content(&content).unwrap();
        prop_assert!(name.arcs().eq(arcs.iter().copied()));
        let mut unread = name.arcs();
        for left in (0..=arcs.len()).rev() {
            prop_assert_eq!(unread.size_hint(), (left, Some(left)));
            unread.next();
        }
        let mut scratch = OidScratch::new();
        prop_assert_eq!(name.decode_into(&mut scratch), &arcs[..]);
        let oid = name.to_oid();
        prop_assert_eq!(oid.arcs(), &arcs[..]);
        prop_assert_eq!(oid.to_string(), name.to_string());
        let encoded = EncodedOid::from(&oid);
        prop_assert_eq!(encoded.as_oid_ref(), name);
        prop_assert_eq!(oid.to_string().parse::<Oid>(), Ok(oid.clone()));
        prop_assert_eq!(format!(".{oid}").parse::<Oid>(), Ok(oid));
    }

    #[test]
    fn a_message_is_read_as_it_was_written(parts in message(6)) {
        let octets = parts.encode().unwrap();
        assert_same(&CommunityMessage::decode(&octets).unwrap(), &parts);
        prop_assert_eq!(frame_length(&octets), Ok(FrameLength::Octets(octets.len())));
    }

    #[test]
    fn octets_behind_a_message_are_ignored(parts in message(2), padding in any::<[u8; 3]>()) {
        let mut octets = parts.encode().unwrap();
        octets.extend(padding);
        assert_same(&CommunityMessage::decode(&octets).unwrap(), &parts);
    }

    #[test]
    fn a_binding_takes_the_octets_foretold_with_its_name_encoded_or_not(
        name in oid(),
        value in value(),
    ) {
        let value = value.as_value_ref();
        let (mut first, mut second) = ([0; 1400], [0; 1400]);
        let mut from_arcs = Writer::new(&mut first, 0).unwrap();
        from_arcs.append_var_bind(name.arcs(), value).unwrap();
        prop_assert_eq!(from_arcs.len(), var_bind_length(name.arcs(), &value).unwrap());
        let encoded = EncodedOid::from(&name);
        let mut from_encoded = Writer::new(&mut second, 0).unwrap();
        from_encoded.append_encoded_var_bind(encoded.as_oid_ref(), value).unwrap();
        prop_assert_eq!(from_encoded.written(), from_arcs.written());
    }

    /// As an agent cuts the response to a GetBulkRequest-PDU (RFC 3416 4.2.3).
    #[test]
    fn bindings_that_do_not_fit_are_taken_back(parts in message(6), room in 0..600_usize) {
        let mut buffer = [0; 2000];
        let mut writer = Writer::new(&mut buffer, CommunityMessage::HEADROOM + 40).unwrap();
        writer.limit_appended(room);
        let mut fitting = 0;
        for VarBind { name, value } in &parts.var_binds {
            let length = writer.len();
            let foretold = var_bind_length(name.arcs(), &value.as_value_ref()).unwrap();
            let appended = writer.append_var_bind(name.arcs(), value.as_value_ref());
            prop_assert_eq!(appended.is_ok(), length + foretold <= room);
            if appended.is_err() {
                prop_assert_eq!(appended, Err(EncodeError::BufferFull));
                writer.truncate(length);
                break;
            }
            fitting += 1;
        }
        let fields = PduFields::Common {
            pdu_type: PduType::Response,
            request_id: 1,
            error_status: 0,
            error_index: 0,
        };
        writer.prepend_pdu(PduType::Response, 1, 0, 0).unwrap();
        writer.prepend_community_header(parts.version, &parts.community).unwrap();
        let message = CommunityMessage::decode(writer.written()).unwrap();
        let var_binds = parts.var_binds[..fitting].to_vec();
        assert_same(&message, &MessageParts { fields, var_binds, ..parts });
    }

    #[test]
    fn a_number_in_an_opaque_is_read_as_it_was_written(number in opaque_number()) {
        let mut buffer = [0; 12];
        let content = number.encode(&mut buffer).unwrap();
        prop_assert_eq!(OpaqueNumber::decode(content), Some(number));
    }

    #[test]
    fn names_are_ordered_as_their_sub_identifiers(first in oid(), second in oid(), arc in any::<u32>()) {
        prop_assert_eq!(first.cmp(&second), first.arcs().iter().cmp(second.arcs()));
        prop_assert_eq!(first.is_prefix_of(second.arcs()), second.arcs().starts_with(first.arcs()));
        if let Ok(child) = first.child(&[arc]) {
            prop_assert!(first < child);
            prop_assert!(first.is_prefix_of(child.arcs()));
        } else {
            prop_assert_eq!(first.arcs().len(), 128);
        }
    }
}

#[test]
fn clone_from_reuses_the_allocation_of_a_name() {
    let mut name: Oid = "1.3.6.1.2.1".parse().unwrap();
    let before = name.arcs().as_ptr();
    name.clone_from(&"1.3.6.1.4".parse().unwrap());
    assert_eq!(name.to_string(), "1.3.6.1.4");
    assert_eq!(name.arcs().as_ptr(), before);
}

#[test]
fn a_name_that_is_none_is_not_written() {
    let too_long = [1; 129];
    for arcs in [&[][..], &[3], &[1, 40], &[0, 40], &[3, 1], &too_long] {
        let mut buffer = [0; 1024];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        let error = Err(EncodeError::InvalidObjectIdentifier);
        assert_eq!(writer.append_oid(arcs), error, "{arcs:?}");
        assert_eq!(writer.append_var_bind(arcs, ValueRef::Null), error);
        assert!(writer.is_empty());
        assert!(Oid::new(arcs).is_err());
    }
}

#[test]
fn a_root_alone_is_written_as_its_first_child() {
    for root in 0..=2 {
        let written = |arcs: &[u32]| {
            let mut buffer = [0; 16];
            let mut writer = Writer::new(&mut buffer, 0).unwrap();
            writer.append_oid(arcs).unwrap();
            writer.written().to_vec()
        };
        let name = Oid::new(&[root]).unwrap();
        assert_eq!(name.to_string(), root.to_string());
        assert_eq!(written(name.arcs()), written(&[root, 0]));
        assert!(name.is_prefix_of(&[root, 3, 6]));
    }
    let iso = Oid::new(&[1]).unwrap();
    assert_eq!(iso.child(&[3]).unwrap().arcs(), [1, 3]);
    assert!(iso.child(&[40]).is_err());
}
