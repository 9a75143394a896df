use varbind_codec::ber::DecodeError;
use varbind_codec::compression::compress_message;
use varbind_engine::compression::Compression;

use super::DictionaryEncoder;

/// Tells how many octets the messages of a conversation would take if they were compressed, for laboratories that have them.
///
/// Messages are those of SNMPv1 and SNMPv2c, in their order; agreeing on a compression is not part of it.
///
/// ```
/// use varbind::codec::ber::Writer;
/// use varbind::codec::message::Version;
/// use varbind::codec::pdu::PduType;
/// use varbind::codec::smi::ValueRef;
/// use varbind::compression::{Compression, ConversationOctets};
///
/// let mut buffer = [0; 512];
/// let mut writer = Writer::new(&mut buffer, 64)?;
/// for column in 1..=22 {
///     writer.append_var_bind(&[1, 3, 6, 1, 2, 1, 2, 2, 1, column, 7], ValueRef::Null)?;
/// }
/// writer.prepend_pdu(PduType::GetRequest, 0x1234_5678, 0, 0)?;
/// writer.prepend_community_header(Version::V2c, b"public")?;
/// let request = writer.written();
/// let octets = |compression| ConversationOctets::new(compression).request(request);
/// assert_eq!(octets(None)?, request.len());
/// assert!(octets(Some(Compression::Delta))? < octets(Some(Compression::Prefix))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConversationOctets {
    compression: Option<Compression>,
    requests: DictionaryEncoder,
    responses: DictionaryEncoder,
    frame: Vec<u8>,
}

impl ConversationOctets {
    /// A conversation that begins; `None` is one without compression.
    #[must_use]
    pub fn new(compression: Option<Compression>) -> Self {
        Self {
            compression,
            requests: DictionaryEncoder::new(),
            responses: DictionaryEncoder::new(),
            frame: Vec::new(),
        }
    }

    /// The octets of the next request, which has these without compression.
    ///
    /// # Errors
    /// When it is no such message.
    pub fn request(&mut self, message: &[u8]) -> Result<usize, DecodeError> {
        self.octets(message, |conversation| &mut conversation.requests)
    }

    /// The octets of the next response, which has these without compression.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn response(&mut self, message: &[u8]) -> Result<usize, DecodeError> {
        self.octets(message, |conversation| &mut conversation.responses)
    }

    fn octets(
        &mut self,
        message: &[u8],
        direction: impl FnOnce(&mut Self) -> &mut DictionaryEncoder,
    ) -> Result<usize, DecodeError> {
        let Some(compression) = self.compression else {
            return Ok(message.len());
        };
        let compressed = compress_message(message, compression.names())?;
        if compression != Compression::Dictionary {
            return Ok(compressed.len());
        }
        let mut frame = std::mem::take(&mut self.frame);
        frame.clear();
        // It only fails when the library does, which takes any octets.
        let done = direction(self).compress(&compressed, &mut frame);
        let octets = if done.is_ok() {
            frame.len()
        } else {
            compressed.len()
        };
        self.frame = frame;
        Ok(octets)
    }
}
