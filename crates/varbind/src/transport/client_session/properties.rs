//! What must hold of any stream of messages.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use varbind_codec::ber::{FrameLength, frame_length_of};

use super::stream::{LARGEST_MESSAGE, MESSAGE, take_messages};
use crate::fuzzing::pieces;

/// The messages of a stream, and whether it can be read further.
fn at_once(mut stream: &[u8]) -> (Vec<&[u8]>, bool) {
    let mut messages = Vec::new();
    loop {
        match frame_length_of(stream, MESSAGE) {
            Ok(FrameLength::Octets(length)) if length <= LARGEST_MESSAGE => {
                match stream.split_at_checked(length) {
                    Some((message, rest)) => {
                        messages.push(message);
                        stream = rest;
                    }
                    None => return (messages, true),
                }
            }
            Ok(FrameLength::Incomplete) => return (messages, true),
            Ok(FrameLength::Octets(_)) | Err(_) => return (messages, false),
        }
    }
}

/// The octets are those of a stream, in the pieces in which they arrive: the messages are those of the stream as a whole,
/// whatever the pieces are, and nothing is held but a message that is not whole.
pub fn framing(octets: &[u8]) {
    let stream: Vec<u8> = pieces(octets).flatten().copied().collect();
    let (expected, is_good) = at_once(&stream);
    let mut input = Vec::new();
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut taken = Ok(());
    for piece in pieces(octets) {
        input.extend_from_slice(piece);
        taken = take_messages(&mut input, MESSAGE, |message| found.push(message.to_vec()));
        if taken.is_err() {
            break;
        }
        assert!(input.len() < LARGEST_MESSAGE);
    }
    assert_eq!(taken.is_ok(), is_good, "{taken:?}");
    assert_eq!(found, expected);
}
