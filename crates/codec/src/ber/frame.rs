use super::{DecodeError, DecodeErrorKind, Reader, Tag};

/// What the first octets of a stream tell of the message that begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameLength {
    /// The whole message takes this many octets, header included.
    Octets(usize),
    /// More octets are needed to tell.
    Incomplete,
}

/// Finds the length of the message at the beginning of `stream` (RFC 3430 section 2.1).
///
/// # Errors
/// Any error means that the stream is out of step: it cannot be used further.
pub fn frame_length(stream: &[u8]) -> Result<FrameLength, DecodeError> {
    frame_length_of(stream, &[Tag::SEQUENCE])
}

/// As [`frame_length`], for streams in which other elements than messages are, too.
///
/// # Errors
/// As [`frame_length`].
pub fn frame_length_of(stream: &[u8], tags: &[Tag]) -> Result<FrameLength, DecodeError> {
    let mut reader = Reader::new(stream);
    match reader.element() {
        Ok((tag, _)) if tags.contains(&tag) => Ok(FrameLength::Octets(reader.offset())),
        Ok((found, _)) => Err(unexpected(found)),
        Err(DecodeError {
            kind: DecodeErrorKind::Truncated,
            offset,
        }) => incomplete(stream, offset, tags),
        Err(error) => Err(error),
    }
}

fn incomplete(
    stream: &[u8],
    content_offset: usize,
    tags: &[Tag],
) -> Result<FrameLength, DecodeError> {
    let Some((&tag, after_tag)) = stream.split_first() else {
        return Ok(FrameLength::Incomplete);
    };
    if !tags.contains(&Tag(tag)) {
        return Err(unexpected(Tag(tag)));
    }
    let Some((&first, octets)) = after_tag.split_first() else {
        return Ok(FrameLength::Incomplete);
    };
    if first < 0x80 {
        return Ok(FrameLength::Octets(2 + usize::from(first)));
    }
    let count = usize::from(first & 0x7f);
    let Some(octets) = octets.get(..count) else {
        return Ok(FrameLength::Incomplete);
    };
    let length = octets
        .iter()
        .fold(0_usize, |length, &octet| length << 8 | usize::from(octet));
    length
        .checked_add(2 + count)
        .map(FrameLength::Octets)
        .ok_or(DecodeError {
            kind: DecodeErrorKind::LengthTooLarge,
            offset: content_offset,
        })
}

const fn unexpected(found: Tag) -> DecodeError {
    DecodeError {
        kind: DecodeErrorKind::UnexpectedTag {
            expected: Tag::SEQUENCE,
            found,
        },
        offset: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_of_a_message_is_incomplete_or_tells_the_length() {
        let mut message = std::vec![0x30, 0x82, 0x01, 0x00];
        message.resize(260, 0);
        for length in 0..4 {
            assert_eq!(
                frame_length(&message[..length]),
                Ok(FrameLength::Incomplete)
            );
        }
        for length in 4..=message.len() {
            assert_eq!(
                frame_length(&message[..length]),
                Ok(FrameLength::Octets(260))
            );
        }
    }

    #[test]
    fn a_stream_out_of_step_is_an_error() {
        assert!(frame_length(&[0x02]).is_err());
        assert!(frame_length(&[0x30, 0x80]).is_err());
        assert!(frame_length(&[0x30, 0x89, 1, 1, 1, 1, 1, 1]).is_err());
    }
}
