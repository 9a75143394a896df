use std::fmt;

use flate2::{Compress, Compression as Effort, Decompress, FlushCompress, FlushDecompress, Status};
use varbind_codec::ber::{FrameLength, Reader, Tag, Writer, frame_length};

use super::preset::preset;

/// The tag of a frame: private, so that it is not an element of SNMP.
pub const FRAME: Tag = Tag(0xc1);

/// With what the flush of DEFLATE ends (RFC 7692 section 7.2.1): both sides know it, so it is not sent.
const FLUSH: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// Octets by which what is written grows.
const CHUNK: usize = 2048;

/// More than the header of any frame takes.
const HEADER: usize = 6;

/// The base-2 logarithm of how many octets before a message are remembered.
const WINDOW_BITS: u8 = 15;

/// Why a message was not compressed, or a frame not expanded: the session cannot go on with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{}", self.as_str())]
pub enum DictionaryError {
    /// The frame is not a frame, or its content no DEFLATE.
    Damaged,
    /// What is in the frame exceeds the largest message.
    TooLarge,
    /// What is in the frame is not one message.
    NoMessage,
}

impl DictionaryError {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Damaged => "its compressed message is damaged",
            Self::TooLarge => "its compressed message exceeds the limit",
            Self::NoMessage => "its content is not an SNMP message",
        }
    }
}

/// Compresses the messages of one direction of a session.
pub struct DictionaryEncoder {
    deflate: Compress,
    content: Vec<u8>,
}

impl Default for DictionaryEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for DictionaryEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DictionaryEncoder").finish_non_exhaustive()
    }
}

impl DictionaryEncoder {
    /// Before the first message.
    #[must_use]
    pub fn new() -> Self {
        let mut deflate = Compress::new_with_window_bits(Effort::default(), false, WINDOW_BITS);
        // It fails in the middle of a stream alone. The peer would notice that it was not done.
        let _ = deflate.set_dictionary(preset());
        Self {
            deflate,
            content: Vec::new(),
        }
    }

    /// Appends the frame with a message to `output`.
    ///
    /// # Errors
    /// When the library fails: then nothing more can be compressed for this session.
    pub fn compress(
        &mut self,
        message: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), DictionaryError> {
        self.content.clear();
        let before = self.deflate.total_in();
        loop {
            self.content.reserve(CHUNK);
            let taken = usize::try_from(self.deflate.total_in() - before).unwrap_or(usize::MAX);
            let rest = message.get(taken..).unwrap_or(&[]);
            self.deflate
                .compress_vec(rest, &mut self.content, FlushCompress::Sync)
                .map_err(|_| DictionaryError::Damaged)?;
            // A flush is over when it leaves room.
            let is_all_in = self.deflate.total_in() - before >= message.len() as u64;
            if is_all_in && self.content.len() < self.content.capacity() {
                break;
            }
        }
        let content = self
            .content
            .strip_suffix(&FLUSH)
            .ok_or(DictionaryError::Damaged)?;
        let mut header = [0; HEADER];
        let mut writer = Writer::new(&mut header, 0).map_err(|_| DictionaryError::TooLarge)?;
        writer
            .append_header(FRAME, content.len())
            .map_err(|_| DictionaryError::TooLarge)?;
        output.extend_from_slice(writer.written());
        output.extend_from_slice(content);
        if self.content.capacity() > 4 * CHUNK {
            // A session that is idle keeps no room for its largest message.
            self.content = Vec::new();
        }
        Ok(())
    }
}

/// Expands the frames of one direction of a session.
pub struct DictionaryDecoder {
    inflate: Decompress,
    message: Vec<u8>,
}

impl Default for DictionaryDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for DictionaryDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DictionaryDecoder").finish_non_exhaustive()
    }
}

impl DictionaryDecoder {
    /// Before the first frame.
    #[must_use]
    pub fn new() -> Self {
        let mut inflate = Decompress::new_with_window_bits(false, WINDOW_BITS);
        // As for the encoder.
        let _ = inflate.set_dictionary(preset());
        Self {
            inflate,
            message: Vec::new(),
        }
    }

    /// The message in a frame. No more than `limit` octets are made of it, whatever it would become.
    ///
    /// # Errors
    /// When there is no such message; then no later frame can be expanded either.
    pub fn expand(&mut self, frame: &[u8], limit: usize) -> Result<&[u8], DictionaryError> {
        let mut reader = Reader::new(frame);
        let content = reader.expect(FRAME).map_err(|_| DictionaryError::Damaged)?;
        reader.finish().map_err(|_| DictionaryError::Damaged)?;
        // An idle session keeps no room for its largest message.
        self.message = Vec::new();
        self.inflate_part(content.rest(), limit)?;
        self.inflate_part(&FLUSH, limit)?;
        match frame_length(&self.message) {
            Ok(FrameLength::Octets(length)) if length == self.message.len() => Ok(&self.message),
            _ => Err(DictionaryError::NoMessage),
        }
    }

    fn inflate_part(&mut self, part: &[u8], limit: usize) -> Result<(), DictionaryError> {
        let before = self.inflate.total_in();
        loop {
            let taken = usize::try_from(self.inflate.total_in() - before).unwrap_or(usize::MAX);
            let rest = part.get(taken..).unwrap_or(&[]);
            let length = self.message.len();
            // One octet beyond the limit tells that there are more.
            let room = (limit + 1).saturating_sub(length).min(CHUNK);
            let mut chunk = [0; CHUNK];
            let chunk = chunk.get_mut(..room).unwrap_or(&mut []);
            let made = self.inflate.total_out();
            let status = self
                .inflate
                .decompress(rest, chunk, FlushDecompress::Sync)
                .map_err(|_| DictionaryError::Damaged)?;
            let made = usize::try_from(self.inflate.total_out() - made).unwrap_or(usize::MAX);
            self.message
                .extend_from_slice(chunk.get(..made).unwrap_or(&[]));
            if self.message.len() > limit {
                return Err(DictionaryError::TooLarge);
            }
            if status == Status::StreamEnd {
                // The stream lasts as long as the session.
                return Err(DictionaryError::Damaged);
            }
            let is_all_in = self.inflate.total_in() - before >= part.len() as u64;
            if is_all_in && made < chunk.len() {
                return Ok(());
            }
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn message(octets: usize, seed: u32) -> Vec<u8> {
        let mut content = vec![0; octets];
        let mut state = seed;
        for octet in &mut content {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *octet = if state >> 30 == 0 {
                (state >> 16).to_le_bytes()[0]
            } else {
                0x41
            };
        }
        let mut buffer = vec![0; octets + 8];
        let mut writer = Writer::new(&mut buffer, 8).unwrap();
        writer.append(&content).unwrap();
        writer.enclose(Tag::SEQUENCE).unwrap();
        writer.written().to_vec()
    }

    #[test]
    fn messages_of_any_length_come_back_in_their_order() {
        let mut encoder = DictionaryEncoder::new();
        let mut decoder = DictionaryDecoder::new();
        let lengths = (0..200).chain([2047, 2048, 2049, 4096, 10_000, 65_000, 3, 65_500]);
        for (seed, length) in (0..).zip(lengths) {
            let message = message(length, seed);
            let mut frame = Vec::new();
            encoder.compress(&message, &mut frame).unwrap();
            assert_eq!(
                decoder.expand(&frame, message.len()),
                Ok(&message[..]),
                "{length}"
            );
        }
    }

    #[test]
    fn what_was_sent_before_costs_little() {
        let mut encoder = DictionaryEncoder::new();
        let message = message(500, 1);
        let mut lengths = Vec::new();
        for _ in 0..3 {
            let mut frame = Vec::new();
            encoder.compress(&message, &mut frame).unwrap();
            lengths.push(frame.len());
        }
        assert!(
            lengths[0] > 100 && lengths[1] < 20 && lengths[2] < 20,
            "{lengths:?}"
        );
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let mut encoder = DictionaryEncoder::new();
        let zeros = vec![0; 50_000_000];
        let mut bomb = Vec::new();
        encoder.compress(&zeros, &mut bomb).unwrap();
        assert!(bomb.len() < 65_507, "{}", bomb.len());
        let mut decoder = DictionaryDecoder::new();
        assert_eq!(
            decoder.expand(&bomb, 65_507),
            Err(DictionaryError::TooLarge)
        );
        assert!(decoder.message.capacity() < 4 * 65_507);
    }

    proptest::proptest! {
        /// Whatever comes, nothing panics, nothing is larger than allowed, and what comes back is one message.
        #[test]
        fn damaged_frames_do_no_harm(
            length in 0..600_usize,
            at in proptest::arbitrary::any::<proptest::sample::Index>(),
            octets in proptest::collection::vec(proptest::arbitrary::any::<u8>(), 0..6),
            limit in 0..900_usize,
        ) {
            let mut frame = Vec::new();
            DictionaryEncoder::new().compress(&message(length, 7), &mut frame).unwrap();
            let at = at.index(frame.len());
            let end = (at + octets.len()).min(frame.len());
            frame.splice(at..end, octets);
            let mut decoder = DictionaryDecoder::new();
            if let Ok(message) = decoder.expand(&frame, limit) {
                assert!(message.len() <= limit);
                assert_eq!(frame_length(message), Ok(FrameLength::Octets(message.len())));
            }
        }
    }

    /// Both sides must have the same: another one is another protocol.
    #[test]
    fn the_preset_is_what_it_was() {
        let sum = preset().iter().fold(0_u32, |sum, octet| {
            sum.wrapping_mul(31).wrapping_add(u32::from(*octet))
        });
        assert_eq!((preset().len(), sum), (555, 3_802_296_215));
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        for (frame, error) in [
            (&[0xc1, 1, 0x06][..], DictionaryError::Damaged),
            (&[0xc1, 2, 0xff, 0xff], DictionaryError::Damaged),
            // The end of the stream.
            (&[0xc1, 2, 0x03, 0x00], DictionaryError::Damaged),
            (&[0xc1, 0], DictionaryError::NoMessage),
            (&[0x30, 0], DictionaryError::Damaged),
            (&[0xc1, 1], DictionaryError::Damaged),
            (&[0xc1, 1, 0, 0], DictionaryError::Damaged),
            (&[], DictionaryError::Damaged),
        ] {
            let expanded = DictionaryDecoder::new()
                .expand(frame, 1000)
                .map(<[u8]>::to_vec);
            assert_eq!(expanded, Err(error), "{frame:?}");
        }
        let mut frame = Vec::new();
        DictionaryEncoder::new()
            .compress(b"GET / HTTP/1.1\r\n", &mut frame)
            .unwrap();
        let mut decoder = DictionaryDecoder::new();
        assert_eq!(
            decoder.expand(&frame, 1000),
            Err(DictionaryError::NoMessage)
        );
    }
}
