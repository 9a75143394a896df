//! What must hold of any stream of messages.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::io;

use varbind_codec::ber::FrameLength;

use super::framing::{Framing, next_length};
use crate::fuzzing::pieces;

const BUFFER: usize = 700;

/// The messages of a stream, and whether it can be read further.
fn at_once(mut stream: &[u8]) -> (Vec<&[u8]>, bool) {
    let mut messages = Vec::new();
    loop {
        match next_length(stream) {
            Ok(FrameLength::Octets(length)) if length <= BUFFER => {
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
    let mut framing = Framing::default();
    let mut arriving = pieces(octets).filter(|piece| !piece.is_empty());
    let mut buffer = [0; BUFFER];
    let mut found: Vec<Vec<u8>> = Vec::new();
    loop {
        let received = framing.receive(&mut buffer, |arrived| {
            let Some(piece) = arriving.next() else {
                return Ok(None);
            };
            arrived.extend_from_slice(piece);
            Ok(Some(piece.len()))
        });
        match received {
            Ok(Some(message)) => found.push(message.to_vec()),
            Ok(None) => {
                assert!(is_good && !framing.has_message());
                break;
            }
            Err(error) => {
                assert!(!is_good && error.kind() == io::ErrorKind::Other, "{error}");
                break;
            }
        }
        assert!(framing.held() <= BUFFER + 255);
    }
    assert_eq!(found, expected);
}
