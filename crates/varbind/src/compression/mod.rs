//! A dictionary for each session over streams, experimental: what was in earlier messages need not be sent again.
//!
//! Each message goes as the content of a frame, an element with the tag [`FRAME`], which begins no message of SNMP. The
//! contents of all frames of one direction are one stream of DEFLATE (RFC 1951) that is flushed behind each message, and
//! whose window holds the preset dictionary at its beginning (as permessage-deflate of RFC 7692 without its preset).
//! Frames go only to peers that announced support; docs/compression.md describes how, and why
//! secrets and what strangers choose should not be in one such stream.
//!
//! ```
//! use varbind::compression::{DictionaryDecoder, DictionaryEncoder};
//!
//! let message = [0x30, 3, 0x02, 1, 1];
//! let mut encoder = DictionaryEncoder::new();
//! let mut decoder = DictionaryDecoder::new();
//! for _ in 0..3 {
//!     let mut frame = Vec::new();
//!     encoder.compress(&message, &mut frame)?;
//!     assert_eq!(decoder.expand(&frame, 65_507)?, message);
//! }
//! # Ok::<(), varbind::compression::DictionaryError>(())
//! ```

mod conversation;
mod dictionary;
mod preset;

pub use conversation::ConversationOctets;
pub(crate) use dictionary::SessionDictionary;
pub use dictionary::{DictionaryDecoder, DictionaryEncoder, DictionaryError, FRAME};
pub use varbind_codec::compression::{NameCompression, compress_message, expand_message};
pub use varbind_engine::compression::{Compression, CompressionSet, UnknownCompression};
