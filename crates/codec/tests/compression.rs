//! Compression of names: what goes in comes out, nothing grows, and nothing that is sent does harm.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use varbind_codec::ber::{DecodeErrorKind, Writer};
use varbind_codec::compression::{Compressed, NameCompression, compress_message, expand_message};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::ValueRef;
use varbind_testkit::codec::check_compressed_list;
use varbind_testkit::corpus;

/// Names as tables have them: neighbours differ in a few places, if at all.
fn names() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let arc = || prop_oneof![0..4_u32, 120..140_u32, any::<u32>()];
    let root = prop_oneof![
        Just(vec![1, 3, 6, 1, 2, 1, 2, 2, 1]),
        Just(vec![0, 0]),
        Just(vec![1, 3]),
    ];
    let change = (
        any::<proptest::sample::Index>(),
        vec(arc(), 0..4),
        any::<bool>(),
    );
    (root, vec(arc(), 0..8), vec(change, 0..40)).prop_map(|(root, rest, changes)| {
        let mut name: Vec<u32> = [&root[..], &rest].concat();
        let mut names = vec![name.clone()];
        for (at, arcs, is_cut) in changes {
            let at = 2 + at.index(name.len() - 1);
            let end = if is_cut {
                name.len()
            } else {
                (at + arcs.len()).min(name.len())
            };
            name.splice(at.min(end)..end, arcs);
            name.truncate(128);
            names.push(name.clone());
        }
        names
    })
}

fn list(names: &[Vec<u32>]) -> Vec<u8> {
    let mut buffer = vec![0; 700 * names.len()];
    let mut writer = Writer::new(&mut buffer, 0).unwrap();
    for (at, name) in names.iter().enumerate() {
        let value = u32::try_from(at * at).unwrap();
        writer
            .append_var_bind(name, ValueRef::Counter32(value))
            .unwrap();
    }
    writer.written().to_vec()
}

fn message(list: &[u8], pdu_type: PduType) -> Vec<u8> {
    let mut buffer = vec![0; list.len() + 128];
    let mut writer = Writer::new(&mut buffer, 100).unwrap();
    writer.append(list).unwrap();
    writer.prepend_pdu(pdu_type, 0x7654_3210, 0, 10).unwrap();
    writer
        .prepend_community_header(Version::V2c, b"public")
        .unwrap();
    writer.written().to_vec()
}

proptest! {
    #[test]
    fn a_list_comes_back_as_it_was_and_is_never_longer(names in names()) {
        let list = list(&names);
        for compression in NameCompression::ALL {
            let mut compressed = Vec::new();
            let done = compression.compress(&list, usize::MAX, &mut compressed);
            prop_assert_eq!(done, Ok(Compressed { taken: list.len() }));
            prop_assert!(compressed.len() <= list.len());
            let mut expanded = Vec::new();
            compression.expand(&compressed, list.len(), &mut expanded).unwrap();
            prop_assert_eq!(&expanded, &list);
            // One octet less is too little.
            let error = compression.expand(&compressed, list.len() - 1, &mut expanded).unwrap_err();
            prop_assert_eq!(error.kind, DecodeErrorKind::ExpansionTooLarge);
        }
    }

    #[test]
    fn a_list_that_is_cut_ends_with_a_whole_binding(names in names(), limit in 0..200_usize) {
        let list = list(&names);
        for compression in NameCompression::ALL {
            let mut compressed = Vec::new();
            let Compressed { taken } = compression.compress(&list, limit, &mut compressed).unwrap();
            prop_assert!(compressed.len() <= limit);
            let mut expanded = Vec::new();
            compression.expand(&compressed, usize::MAX, &mut expanded).unwrap();
            prop_assert_eq!(&expanded[..], &list[..taken]);
        }
    }

    #[test]
    fn a_message_comes_back_as_it_was(names in names()) {
        let list = list(&names);
        for pdu_type in [PduType::GetBulkRequest, PduType::Response, PduType::SetRequest] {
            let message = message(&list, pdu_type);
            for compression in NameCompression::ALL {
                let compressed = compress_message(&message, compression).unwrap();
                prop_assert!(compressed.len() <= message.len());
                prop_assert_eq!(&expand_message(&compressed, 65_507).unwrap(), &message);
                let Pdu::Common(mut pdu) = CommunityMessage::decode(&compressed).unwrap().pdu else {
                    panic!("another PDU");
                };
                prop_assert_eq!((pdu.pdu_type, pdu.compression()), (pdu_type, Some(compression)));
                prop_assert!(pdu.var_binds.next().unwrap().is_err());
                prop_assert_eq!((pdu.request_id, pdu.error_index), (0x7654_3210, 10));
            }
        }
    }

    #[test]
    fn any_octets_do_no_harm(octets in vec(any::<u8>(), 0..120)) {
        check_compressed_list(&octets);
    }

    /// Damage finds more than chance when most of the message is right.
    #[test]
    fn damaged_lists_do_no_harm(names in names(), at in any::<proptest::sample::Index>(), octet in any::<u8>()) {
        let list = list(&names);
        for compression in NameCompression::ALL {
            let mut compressed = Vec::new();
            compression.compress(&list, usize::MAX, &mut compressed).unwrap();
            let at = at.index(compressed.len());
            check_compressed_list(&compressed[..at]);
            compressed[at] = octet;
            check_compressed_list(&compressed);
        }
    }
}

/// A list of few octets whose names all are as long as names can be.
#[test]
fn a_bomb_ends_at_the_limit() {
    let mut longest = vec![u32::MAX; 128];
    longest.splice(..2, [1, 3]);
    let cases: [(NameCompression, &[u8]); 3] = [
        // All sub-identifiers of the name before.
        (NameCompression::Prefix, &[0x4f, 2, 0x81, 0x01]),
        (NameCompression::Delta, &[0x2a, 0]),
        (NameCompression::Successor, &[0x04, 2, 0x82, 0x00]),
    ];
    for (compression, short) in cases {
        let mut bomb = list(std::slice::from_ref(&longest));
        for _ in 0..6000 {
            bomb.extend([0x30, u8::try_from(short.len() + 2).unwrap()]);
            bomb.extend(short);
            bomb.extend([0x05, 0]);
        }
        assert!(bomb.len() < 65_507);
        let mut expanded = Vec::new();
        let error = compression
            .expand(&bomb, 65_507, &mut expanded)
            .unwrap_err();
        assert_eq!(
            error.kind,
            DecodeErrorKind::ExpansionTooLarge,
            "{compression}"
        );
        assert!(expanded.len() <= 65_507 && expanded.capacity() <= 2 * 65_536);
        // Without the limit, it would have become so much.
        compression
            .expand(&bomb, usize::MAX, &mut expanded)
            .unwrap();
        assert!(expanded.len() > 60 * bomb.len());
    }
}

/// The example of draft-ietf-eos-oidcompression-00, section 10, without its last two bindings.
#[test]
fn a_list_is_compressed_by_prefix_as_the_draft_has_it() {
    let name = |tail: &[u32]| [&[1, 3, 6, 1, 2, 1, 25], tail].concat();
    let bindings = [
        (name(&[1, 1, 0]), ValueRef::TimeTicks(41_687_412)),
        (name(&[1, 5, 0]), ValueRef::Gauge32(20)),
        (name(&[1, 6, 0]), ValueRef::Gauge32(126)),
        (name(&[1, 7, 0]), ValueRef::Integer(3562)),
        (name(&[3, 2, 1, 5, 1]), ValueRef::Integer(2)),
    ];
    let mut buffer = [0; 200];
    let mut writer = Writer::new(&mut buffer, 0).unwrap();
    for (name, value) in bindings {
        writer.append_var_bind(&name, value).unwrap();
    }
    let list = writer.written();
    let mut compressed = Vec::new();
    NameCompression::Prefix
        .compress(list, usize::MAX, &mut compressed)
        .unwrap();
    let first = [&[0x30, 0x11, 0x4e, 9][..], &list[4..19]].concat();
    let expected = [
        &first[..],
        &[0x30, 8, 0x4f, 3, 9, 5, 0, 0x42, 1, 0x14],
        &[0x30, 8, 0x4f, 3, 9, 6, 0, 0x42, 1, 0x7e],
        &[0x30, 9, 0x4f, 3, 9, 7, 0, 2, 2, 0x0d, 0xea],
        &[0x30, 11, 0x4f, 6, 8, 3, 2, 1, 5, 1, 2, 1, 2],
    ];
    assert_eq!(compressed, expected.concat());
    // A name with the usual tag is one, too.
    compressed[2] = 0x06;
    let mut expanded = Vec::new();
    NameCompression::Prefix
        .expand(&compressed, 200, &mut expanded)
        .unwrap();
    assert_eq!(expanded, list);
}

/// The draft counts positions up to 119 only.
#[test]
fn names_that_differ_far_behind_are_not_compressed_by_prefix() {
    let name = |last| {
        let mut name = vec![1; 119];
        name.push(last);
        name
    };
    let list = list(&[name(1), name(2), name(2)[..119].to_vec()]);
    let mut compressed = Vec::new();
    let done = NameCompression::Prefix.compress(&list, usize::MAX, &mut compressed);
    assert_eq!(done, Ok(Compressed { taken: list.len() }));
    assert_eq!(compressed.len(), list.len());
    let mut expanded = Vec::new();
    NameCompression::Prefix
        .expand(&compressed, usize::MAX, &mut expanded)
        .unwrap();
    assert_eq!(expanded, list);
}

#[test]
fn references_to_what_is_not_there_are_malformed() {
    let null = [0x05, 0];
    let name = [0x30, 7, 0x06, 3, 43, 6, 1, 0x05, 0];
    use NameCompression::{Delta, Prefix, Successor};
    // Those are good, unless there is no name before them.
    let same: [(NameCompression, &[u8]); 4] = [
        (Prefix, &[0x4f, 1, 5]),
        (Delta, &[0x2a, 0]),
        (Delta, &[0x2a, 1, 3]),
        (Successor, &[0x04, 1, 4]),
    ];
    let cases: [(NameCompression, &[u8]); 20] = [
        // Five sub-identifiers of four, or none.
        (Prefix, &[0x4f, 1, 6]),
        (Prefix, &[0x4f, 1, 2]),
        (Prefix, &[0x4f, 0]),
        (Successor, &[0x04, 1, 10]),
        // More are replaced than there are.
        (Successor, &[0x04, 3, 6, 1, 1]),
        // A name of less than two.
        (Successor, &[0x04, 2, 3, 1]),
        // No number at all.
        (Successor, &[0x04, 0x01, 0x80]),
        // An offset without a sub-identifier, or with a part of one.
        (Delta, &[0x2a, 1, 0]),
        (Delta, &[0x2a, 2, 3, 0x81]),
        // A range of none, one too long, and one that goes on.
        (Delta, &[0x2a, 2, 0x83, 0]),
        (Delta, &[0x2a, 3, 0x83, 2, 1]),
        (Delta, &[0x2a, 3, 0x83, 0x80, 1]),
        (Delta, &[0x2a, 1, 0x83]),
        // Beyond 128 sub-identifiers.
        (Delta, &[0x2a, 4, 0xff, 2, 1, 1]),
        // More than 32 bits.
        (Delta, &[0x2a, 6, 3, 0x90, 0x80, 0x80, 0x80, 0]),
        (
            Delta,
            &[0x2a, 8, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ),
        // 3.3 and 1.40.
        (Delta, &[0x2a, 2, 0, 3]),
        (Delta, &[0x2a, 2, 1, 40]),
        // A second part that is wrong.
        (Delta, &[0x2a, 4, 3, 1, 2, 0x81]),
        (Delta, &[0x2a, 3, 3, 1, 0]),
    ];
    let cases = cases.map(|(compression, short)| (compression, short, false));
    let same = same.map(|(compression, short)| (compression, short, true));
    for (compression, short, is_same) in cases.into_iter().chain(same) {
        for is_first in [true, false] {
            let mut list = if is_first { Vec::new() } else { name.to_vec() };
            list.extend([0x30, u8::try_from(short.len() + 2).unwrap()]);
            list.extend(short);
            list.extend(null);
            let refers = compression.expand(&list, 1000, &mut Vec::new());
            let is_good = !is_first && is_same;
            match refers {
                Ok(()) => assert!(is_good, "{short:?}"),
                Err(error) => {
                    assert!(!is_good, "{short:?}: {error}");
                    assert_eq!(error.kind, DecodeErrorKind::CompressedName, "{short:?}");
                }
            }
        }
    }
}

/// 22 columns of one row, as the response to a GetBulkRequest of the studies has them.
#[test]
fn a_row_of_if_table_takes_the_octets_that_the_documentation_tells() {
    let names: Vec<_> = (1..=22)
        .map(|column| vec![1, 3, 6, 1, 2, 1, 2, 2, 1, column, 7])
        .collect();
    let message = message(&list(&names), PduType::Response);
    let of = |compression| compress_message(&message, compression).unwrap().len();
    // 21 names of 10 octets are 3 and 2 octets, and shorter lengths take fewer octets, too.
    let lengths = (
        message.len(),
        of(NameCompression::Prefix),
        of(NameCompression::Delta),
    );
    assert_eq!(lengths, (419, 419 - 21 * 7 - 2, 419 - 21 * 8 - 3));
}

#[test]
fn compressions_have_names() {
    for compression in NameCompression::ALL {
        assert_eq!(compression.to_string().parse(), Ok(compression));
    }
    assert!("gzip".parse::<NameCompression>().is_err());
}

/// The corpus of the fuzz target `expand_names`.
#[test]
fn every_file_of_the_corpus_keeps_the_invariants() {
    let files = corpus("expand_names");
    assert!(files.len() > 10, "{} files", files.len());
    for (name, octets) in files {
        println!("{name}");
        check_compressed_list(&octets);
    }
}
