use super::Connection;
use crate::compression::SessionDictionary;
use crate::transport::{SessionError, TransportError};

/// A dictionary, and room for a frame.
#[derive(Debug, Default)]
pub(super) struct Compressed {
    dictionary: SessionDictionary,
    frame: Vec<u8>,
    /// Whether the peer has sent a frame, too.
    is_confirmed: bool,
}

impl Compressed {
    /// The frame in which a message is sent.
    pub(super) fn frame(&mut self, message: &[u8]) -> Result<&[u8], SessionError> {
        self.frame.clear();
        self.dictionary
            .compress(message, &mut self.frame)
            .map_err(|_| TransportError::MessageTooLarge)?;
        Ok(&self.frame)
    }

    /// Puts the message in the place of the frame at the beginning of `buffer`, if it is one, and returns its length. Peers
    /// send no frames before a dictionary was begun.
    pub(super) fn expand(
        compressed: Option<&mut Self>,
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, SessionError> {
        let limit = buffer.len();
        let frame = buffer.get(..length).unwrap_or(&[]);
        if !SessionDictionary::is_frame(frame) {
            return Ok(length);
        }
        let Some(compressed) = compressed else {
            return Err(TransportError::NotSnmp.into());
        };
        let message = compressed.dictionary.expand(frame, limit);
        let message = message.map_err(|_| TransportError::NotSnmp)?;
        compressed.is_confirmed = true;
        let room = buffer.get_mut(..message.len()).unwrap_or_default();
        room.copy_from_slice(message);
        Ok(message.len())
    }
}

impl Connection {
    /// Compresses messages with a dictionary from now on: only a peer that has said so takes them, over a stream.
    pub(crate) fn begin_dictionary(&mut self) {
        self.compressed = Some(Compressed::default());
    }

    /// Whether messages are compressed, but the peer has sent none that is.
    pub(crate) fn is_dictionary_in_doubt(&self) -> bool {
        self.compressed.as_ref().is_some_and(|it| !it.is_confirmed)
    }
}
