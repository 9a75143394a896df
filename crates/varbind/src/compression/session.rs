use super::{DictionaryDecoder, DictionaryEncoder, DictionaryError, FRAME};

/// Both directions of a session.
#[derive(Debug, Default)]
pub(crate) struct SessionDictionary {
    encoder: DictionaryEncoder,
    decoder: DictionaryDecoder,
}

impl SessionDictionary {
    /// Whether these octets begin a frame.
    pub(crate) fn is_frame(octets: &[u8]) -> bool {
        octets.first() == Some(&FRAME.0)
    }

    pub(crate) fn compress(
        &mut self,
        message: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), DictionaryError> {
        self.encoder.compress(message, output)
    }

    pub(crate) fn expand(&mut self, frame: &[u8], limit: usize) -> Result<&[u8], DictionaryError> {
        self.decoder.expand(frame, limit)
    }
}
