use alloc::vec::Vec;

use super::{CommonPdu, PduType, VarBinds};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use crate::compression::NameCompression;

/// A PDU whose list of variable bindings is compressed.
///
/// It has the fields of the PDU that it stands for, and another tag, which is free in the standards: of the context class
/// the number of the PDU and 10 for prefix compression, 20 for delta compression; of the private class the number of the PDU
/// for names that are told by their succession. So whoever does not know it takes it for what it is, no PDU.
#[derive(Clone, Debug)]
pub struct CompressedPdu<'a> {
    /// How the names are compressed.
    pub compression: NameCompression,
    /// The type of the PDU that it stands for; never `TrapV1`.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// error-status as a number; non-repeaters in a GetBulkRequest-PDU.
    pub error_status: i32,
    /// error-index; max-repetitions in a GetBulkRequest-PDU.
    pub error_index: i32,
    var_binds: Reader<'a>,
    /// Before its tag.
    start: Reader<'a>,
}

/// Between the tag of a PDU and those of its compressed forms.
const fn tag_offset(compression: NameCompression) -> u8 {
    match compression {
        NameCompression::Prefix => 10,
        NameCompression::Delta => 20,
        NameCompression::Successor => 0x40,
    }
}

impl<'a> CompressedPdu<'a> {
    /// The tag of the compressed form of a PDU.
    #[must_use]
    pub const fn tag(compression: NameCompression, pdu_type: PduType) -> Tag {
        Tag(pdu_type.tag().0 + tag_offset(compression))
    }

    pub(super) fn from_tag(tag: Tag) -> Option<(NameCompression, PduType)> {
        NameCompression::ALL.into_iter().find_map(|compression| {
            let tag = tag.0.checked_sub(tag_offset(compression))?;
            let pdu_type = PduType::from_tag(Tag(tag))?;
            // A Trap-PDU has other fields.
            (pdu_type != PduType::TrapV1).then_some((compression, pdu_type))
        })
    }

    pub(super) fn decode(
        start: Reader<'a>,
        mut content: Reader<'a>,
        compression: NameCompression,
        pdu_type: PduType,
    ) -> Result<Self, DecodeError> {
        let request_id = content.integer32()?;
        let error_status = content.integer32()?;
        let error_index = content.integer32()?;
        let var_binds = content.expect(Tag::SEQUENCE)?;
        content.finish()?;
        Ok(Self {
            compression,
            pdu_type,
            request_id,
            error_status,
            error_index,
            var_binds,
            start,
        })
    }

    /// What it is for those who do not accept this compression: no PDU.
    #[must_use]
    pub fn unknown(&self) -> DecodeError {
        let tag = Self::tag(self.compression, self.pdu_type);
        self.start.error(DecodeErrorKind::UnknownPduTag(tag))
    }

    /// The PDU that it stands for. Its variable bindings are in `expanded`, whose former content is lost, and take no
    /// more than `limit` octets.
    ///
    /// # Errors
    /// As [`NameCompression::expand`].
    pub fn expand<'e>(
        &self,
        limit: usize,
        expanded: &'e mut Vec<u8>,
    ) -> Result<CommonPdu<'e>, DecodeError> {
        self.compression
            .expand_from(self.var_binds, limit, expanded)?;
        Ok(CommonPdu {
            pdu_type: self.pdu_type,
            request_id: self.request_id,
            error_status: self.error_status,
            error_index: self.error_index,
            var_binds: VarBinds::of_encoded(expanded),
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
        let tag = CompressedPdu::tag(compression, pdu_type);
        self.prepend_pdu_tagged(tag, request_id, error_status, error_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_pdus_have_one_tag() {
        let mut tags: Vec<u8> = (0xa0..0xa9).collect();
        for tag in 0..=u8::MAX {
            if let Some((compression, pdu_type)) = CompressedPdu::from_tag(Tag(tag)) {
                assert_eq!(CompressedPdu::tag(compression, pdu_type), Tag(tag));
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
