use std::io;

use varbind_codec::ber::{DecodeError, FrameLength, Tag, frame_length_of};

use crate::transport::TransportError;

/// Octets read from a stream at once.
pub(super) const READ: usize = 16_384;

/// What messages begin with, and frames.
const TAGS: &[Tag] = &[
    Tag::SEQUENCE,
    #[cfg(feature = "experiments")]
    crate::compression::FRAME,
];

/// What has arrived of a stream but not been taken.
#[derive(Debug, Default)]
pub(super) struct Framing {
    arrived: Vec<u8>,
    taken: usize,
}

/// The length of the message or frame at the beginning of a stream. Whether a frame was to be expected is for the
/// connection to know.
pub(super) fn next_length(stream: &[u8]) -> Result<FrameLength, DecodeError> {
    frame_length_of(stream, TAGS)
}

impl Framing {
    fn untaken(&self) -> &[u8] {
        self.arrived.get(self.taken..).unwrap_or(&[])
    }

    /// The text at the beginning of what was not taken, if it is one and no message: a program's error message.
    #[cfg(feature = "ssh")]
    pub(super) fn text(&self) -> Option<String> {
        crate::transport::ssh::first_line(self.untaken())
    }

    /// Whether there is a whole message, or what can be none.
    pub(super) fn has_message(&self) -> bool {
        let untaken = self.untaken();
        !untaken.is_empty()
            && match next_length(untaken) {
                Ok(FrameLength::Octets(length)) => length <= untaken.len(),
                Ok(FrameLength::Incomplete) => false,
                // The error is told by the next read.
                Err(_) => true,
            }
    }

    /// Moves the next whole message into `buffer`, and has `read` append what it can as long as there is none. `read`
    /// returns `None` when there is nothing more to read now, and 0 at the end of the stream.
    pub(super) fn receive<'b>(
        &mut self,
        buffer: &'b mut [u8],
        mut read: impl FnMut(&mut Vec<u8>) -> io::Result<Option<usize>>,
    ) -> io::Result<Option<&'b [u8]>> {
        loop {
            if let Some(length) = self.take(buffer)? {
                return Ok(Some(buffer.get(..length).unwrap_or(&[])));
            }
            match read(&mut self.arrived)? {
                None => return Ok(None),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) => {}
            }
        }
    }

    /// Moves one whole message into `buffer`.
    fn take(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let untaken = self.untaken();
        let length = match next_length(untaken) {
            Ok(FrameLength::Octets(length)) if length > buffer.len() => {
                return Err(io::Error::other(TransportError::MessageTooLarge));
            }
            Ok(FrameLength::Octets(length)) => length,
            Ok(FrameLength::Incomplete) => usize::MAX,
            Err(_) => return Err(io::Error::other(TransportError::NotSnmp)),
        };
        if let (Some(message), Some(room)) = (untaken.get(..length), buffer.get_mut(..length)) {
            room.copy_from_slice(message);
            self.taken += length;
            return Ok(Some(length));
        }
        // The rest of a message is to come: what was taken makes room for it.
        self.arrived.drain(..self.taken);
        self.taken = 0;
        Ok(None)
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn held(&self) -> usize {
        self.arrived.len()
    }
}
