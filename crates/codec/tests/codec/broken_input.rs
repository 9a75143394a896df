//! Octets that are no message, or no longer one: always an error with an offset in the input, never a panic.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use varbind_codec::ber::{DecodeError, FrameLength, frame_length};
use varbind_codec::message::CommunityMessage;
use varbind_testkit::codec::{check_message, var_binds};

use crate::strategies::message;

fn read_all(octets: &[u8]) -> Result<(), DecodeError> {
    let message = CommunityMessage::decode(octets)?;
    var_binds(&message.pdu).try_for_each(|var_bind| var_bind.map(|_| ()))
}

/// Octets that look like elements more often than random ones do.
fn element_like() -> impl Strategy<Value = Vec<u8>> {
    let tags = [
        0x02, 0x04, 0x05, 0x06, 0x30, 0x40, 0x41, 0x42, 0x43, 0x44, 0x46, 0x47, 0x80, 0x81, 0x82,
        0xa0, 0xa2, 0xa4, 0xa5,
    ];
    let octet = prop_oneof![
        (0..tags.len()).prop_map(move |at| tags[at]),
        0..16_u8,
        any::<u8>()
    ];
    vec(octet, 0..200)
}

proptest! {
    #[test]
    fn every_truncation_is_an_error_in_the_input(parts in message(2)) {
        let octets = parts.encode().unwrap();
        for length in 0..octets.len() {
            let error = read_all(&octets[..length]).unwrap_err();
            prop_assert!(error.offset <= length, "{error:?} in {length} octets");
            let framed = frame_length(&octets[..length]);
            prop_assert!(
                framed == Ok(FrameLength::Incomplete) || framed == Ok(FrameLength::Octets(octets.len())),
                "{framed:?}"
            );
        }
        prop_assert_eq!(read_all(&octets), Ok(()));
    }

    /// The outer length is put right, so that the error must be found further inside.
    #[test]
    fn every_truncation_with_the_length_put_right_is_an_error_in_the_input(parts in message(2)) {
        let octets = parts.encode().unwrap();
        let header = match octets[1] {
            0x81 => 3,
            0x82 => 4,
            _ => 2,
        };
        for length in header..octets.len() {
            let content = length - header;
            let mut cut = vec![0x30, 0x82, content.to_be_bytes()[6], content.to_be_bytes()[7]];
            cut.extend(&octets[header..length]);
            let error = read_all(&cut).unwrap_err();
            prop_assert!(error.offset <= cut.len(), "{error:?}");
            check_message(&cut);
        }
    }

    #[test]
    fn a_changed_octet_does_no_harm(
        parts in message(3),
        changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut octets = parts.encode().unwrap();
        for (at, octet) in changes {
            let at = at.index(octets.len());
            octets[at] = octet;
        }
        check_message(&octets);
    }

    #[test]
    fn random_octets_do_no_harm(octets in vec(any::<u8>(), 0..300)) {
        check_message(&octets);
    }

    #[test]
    fn octets_like_elements_do_no_harm(content in element_like()) {
        check_message(&content);
        let mut octets = vec![0x30, 0x81, content.len().to_be_bytes()[7], 2, 1, 1, 4, 0, 0xa2];
        let content_length = content.len().min(120);
        octets[2] = u8::try_from(content_length + 7).unwrap();
        octets.push(u8::try_from(content_length).unwrap());
        octets.extend(&content[..content_length]);
        check_message(&octets);
    }
}
