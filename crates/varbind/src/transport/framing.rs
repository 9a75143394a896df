//! Messages one behind the other in a stream (RFC 3430 section 2.1, which RFC 6353 and RFC 5592 have too).

use varbind_codec::ber::{FrameLength, Tag, frame_length_of};

use super::TransportError;

/// Why a stream cannot be read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutOfStep {
    /// The stream has something else than a message.
    NotSnmp,
    /// The next message exceeds the limit.
    TooLarge,
}

impl From<OutOfStep> for TransportError {
    fn from(reason: OutOfStep) -> Self {
        match reason {
            OutOfStep::NotSnmp => Self::NotSnmp,
            OutOfStep::TooLarge => Self::MessageTooLarge,
        }
    }
}

/// A message, and the octets after it.
type Cut<'s> = (&'s [u8], &'s [u8]);

/// The message at the beginning of a stream, and the octets after it; `None` if it has not arrived whole. Messages begin with
/// one of `tags` and have `largest` octets at most.
pub(crate) fn next_message<'s>(
    stream: &'s [u8],
    tags: &[Tag],
    largest: usize,
) -> Result<Option<Cut<'s>>, OutOfStep> {
    match frame_length_of(stream, tags) {
        Ok(FrameLength::Octets(length)) if length > largest => Err(OutOfStep::TooLarge),
        Ok(FrameLength::Octets(length)) => Ok(stream.split_at_checked(length)),
        Ok(FrameLength::Incomplete) => Ok(None),
        Err(_) => Err(OutOfStep::NotSnmp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &[Tag] = &[Tag::SEQUENCE];

    #[test]
    fn messages_are_cut_off_one_by_one() {
        let stream = [0x30, 2, 5, 0, 0x30, 0, 0x30, 1];
        let (first, rest) = next_message(&stream, MESSAGE, 4).unwrap().unwrap();
        assert_eq!(first, &[0x30, 2, 5, 0]);
        let (second, rest) = next_message(rest, MESSAGE, 4).unwrap().unwrap();
        assert_eq!(second, &[0x30, 0]);
        assert_eq!(next_message(rest, MESSAGE, 4), Ok(None));
        assert_eq!(next_message(&[], MESSAGE, 4), Ok(None));
    }

    #[test]
    fn message_above_the_limit_is_refused_before_it_has_arrived() {
        let header = [0x30, 0x82, 0x01, 0x00];
        assert_eq!(next_message(&header, MESSAGE, 260), Ok(None));
        let refused = next_message(&header, MESSAGE, 259);
        assert_eq!(refused, Err(OutOfStep::TooLarge));
    }

    #[test]
    fn other_elements_than_messages_are_refused() {
        let refused = next_message(b"GET / HTTP/1.1\r\n", MESSAGE, 65_535);
        assert_eq!(refused, Err(OutOfStep::NotSnmp));
    }
}
