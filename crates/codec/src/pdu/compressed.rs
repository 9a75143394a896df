//! PDUs whose lists of variable bindings are compressed.
//!
//! Such a PDU has the fields of the PDU that it stands for, and another tag, which is free in the standards: of the context
//! class the number of the PDU and 10 for prefix compression, 20 for delta compression; of the private class the number of
//! the PDU for names that are told by their succession. So whoever does not know it takes it for what it is, no PDU.

use alloc::vec::Vec;

use super::{CommonPdu, PduType, VarBinds};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use crate::compression::NameCompression;

/// Which PDU a tag stands for, and how its names are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompressedForm {
    compression: NameCompression,
    /// Never `TrapV1`.
    pdu_type: PduType,
}

/// A list of variable bindings whose names are compressed.
#[derive(Clone, Debug)]
pub(super) struct CompressedList<'a> {
    compression: NameCompression,
    content: Reader<'a>,
}

/// Between the tag of a PDU and those of its compressed forms.
const fn tag_offset(compression: NameCompression) -> u8 {
    match compression {
        NameCompression::Prefix => 10,
        NameCompression::Delta => 20,
        NameCompression::Successor => 0x40,
    }
}

impl CompressedForm {
    const fn tag(self) -> Tag {
        Tag(self.pdu_type.tag().0 + tag_offset(self.compression))
    }

    pub(super) fn from_tag(tag: Tag) -> Option<Self> {
        NameCompression::ALL.into_iter().find_map(|compression| {
            let tag = tag.0.checked_sub(tag_offset(compression))?;
            let pdu_type = PduType::from_tag(Tag(tag))?;
            // A Trap-PDU has other fields.
            (pdu_type != PduType::TrapV1).then_some(Self {
                compression,
                pdu_type,
            })
        })
    }

    /// Reads the PDU that begins at `start`. Its variable bindings cannot be read before it is [expanded](CommonPdu::expand).
    pub(super) fn decode<'a>(
        self,
        start: Reader<'a>,
        mut content: Reader<'a>,
    ) -> Result<CommonPdu<'a>, DecodeError> {
        let request_id = content.integer32()?;
        let error_status = content.integer32()?;
        let error_index = content.integer32()?;
        let list = CompressedList {
            compression: self.compression,
            content: content.expect(Tag::SEQUENCE)?,
        };
        content.finish()?;
        Ok(CommonPdu {
            pdu_type: self.pdu_type,
            request_id,
            error_status,
            error_index,
            var_binds: VarBinds::of_compressed(start, list),
        })
    }
}

impl<'a> CommonPdu<'a> {
    /// How the names are compressed; `None` in a PDU of the standards.
    #[must_use]
    pub fn compression(&self) -> Option<NameCompression> {
        let (_, list) = self.var_binds.compressed()?;
        Some(list.compression)
    }

    /// Refuses a PDU that is compressed otherwise than is accepted.
    ///
    /// # Errors
    /// `UnknownPduTag`, as without this feature.
    pub fn admit(&self, accepts: impl FnOnce(NameCompression) -> bool) -> Result<(), DecodeError> {
        match self.var_binds.compressed() {
            Some((start, list)) if !accepts(list.compression) => {
                let form = CompressedForm {
                    compression: list.compression,
                    pdu_type: self.pdu_type,
                };
                Err(start.error(DecodeErrorKind::UnknownPduTag(form.tag())))
            }
            _ => Ok(()),
        }
    }

    /// The PDU that a compressed one stands for; any other stays as it is. The variable bindings are in `expanded`, whose
    /// former content is lost, and take no more than `limit` octets.
    ///
    /// # Errors
    /// As [`NameCompression::expand`].
    pub fn expand(self, limit: usize, expanded: &'a mut Vec<u8>) -> Result<Self, DecodeError> {
        let Some((_, list)) = self.var_binds.compressed() else {
            return Ok(self);
        };
        list.compression
            .expand_from(list.content, limit, expanded)?;
        Ok(Self {
            var_binds: VarBinds::of_encoded(expanded),
            ..self
        })
    }
}

impl Writer<'_> {
    /// As [`prepend_pdu`](Self::prepend_pdu), for variable bindings that are compressed.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    pub fn prepend_compressed_pdu(
        &mut self,
        compression: NameCompression,
        pdu_type: PduType,
        request_id: i32,
        error_status: i32,
        error_index: i32,
    ) -> Result<(), EncodeError> {
        let form = CompressedForm {
            compression,
            pdu_type,
        };
        self.prepend_pdu_tagged(form.tag(), request_id, error_status, error_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_pdus_have_one_tag() {
        let mut tags: Vec<u8> = (0xa0..0xa9).collect();
        for tag in 0..=u8::MAX {
            if let Some(form) = CompressedForm::from_tag(Tag(tag)) {
                assert_eq!(form.tag(), Tag(tag));
                // 0x1f announces a tag of several octets.
                assert_ne!(tag & 0x1f, 0x1f);
                tags.push(tag);
            }
        }
        let all = tags.len();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!((all, tags.len()), (9 + 24, 9 + 24));
    }
}
