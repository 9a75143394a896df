#[cfg(feature = "experiments")]
use super::compressed::CompressedForm;
use super::{ErrorStatus, PduType, TrapV1Pdu, VarBinds};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};

/// A PDU of any shape.
#[derive(Clone, Debug)]
pub enum Pdu<'a> {
    /// All but the Trap-PDU of SNMPv1.
    Common(CommonPdu<'a>),
    /// The Trap-PDU of SNMPv1.
    TrapV1(TrapV1Pdu<'a>),
}

/// PDU and BulkPDU (RFC 3416 section 3).
#[derive(Clone, Debug)]
pub struct CommonPdu<'a> {
    /// Its type; never `TrapV1`.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// error-status as a number; non-repeaters in a GetBulkRequest-PDU.
    pub error_status: i32,
    /// error-index, counted from 1; max-repetitions in a GetBulkRequest-PDU.
    pub error_index: i32,
    /// The variable bindings.
    pub var_binds: VarBinds<'a>,
}

impl<'a> Pdu<'a> {
    /// Reads a PDU of any type.
    ///
    /// # Errors
    /// `UnknownPduTag`, or the errors of the fields. The variable bindings are not looked at yet.
    #[inline]
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let start = *reader;
        let (tag, mut content) = reader.element()?;
        match PduType::from_tag(tag) {
            #[cfg(feature = "experiments")]
            None if let Some(form) = CompressedForm::from_tag(tag) => {
                form.decode(start, content).map(Self::Common)
            }
            None => Err(start.error(DecodeErrorKind::UnknownPduTag(tag))),
            Some(PduType::TrapV1) => TrapV1Pdu::decode(content).map(Self::TrapV1),
            Some(pdu_type) => {
                let request_id = content.integer32()?;
                let error_status = content.integer32()?;
                let error_index = content.integer32()?;
                let var_binds = VarBinds::new(content.expect(Tag::SEQUENCE)?);
                content.finish()?;
                Ok(Self::Common(CommonPdu {
                    pdu_type,
                    request_id,
                    error_status,
                    error_index,
                    var_binds,
                }))
            }
        }
    }

    /// Its type.
    #[must_use]
    pub const fn pdu_type(&self) -> PduType {
        match self {
            Self::Common(pdu) => pdu.pdu_type,
            Self::TrapV1(_) => PduType::TrapV1,
        }
    }
}

impl CommonPdu<'_> {
    /// error-status of a response.
    #[must_use]
    pub fn status(&self) -> ErrorStatus {
        ErrorStatus::from_code(self.error_status)
    }

    /// non-repeaters of a GetBulkRequest-PDU; a negative number counts as 0 (RFC 3416 section 4.2.3).
    #[must_use]
    pub fn non_repeaters(&self) -> usize {
        usize::try_from(self.error_status).unwrap_or(0)
    }

    /// max-repetitions of a GetBulkRequest-PDU; a negative number counts as 0 (RFC 3416 section 4.2.3).
    #[must_use]
    pub fn max_repetitions(&self) -> usize {
        usize::try_from(self.error_index).unwrap_or(0)
    }
}

impl Writer<'_> {
    /// Encloses the variable bindings that were appended in a PDU.
    ///
    /// In a GetBulkRequest-PDU `error_status` is non-repeaters and `error_index` max-repetitions.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up; [`CommunityMessage::HEADROOM`](crate::message::CommunityMessage) is enough.
    #[inline]
    pub fn prepend_pdu(
        &mut self,
        pdu_type: PduType,
        request_id: i32,
        error_status: i32,
        error_index: i32,
    ) -> Result<(), EncodeError> {
        self.prepend_pdu_tagged(pdu_type.tag(), request_id, error_status, error_index)
    }

    #[inline]
    pub(super) fn prepend_pdu_tagged(
        &mut self,
        tag: Tag,
        request_id: i32,
        error_status: i32,
        error_index: i32,
    ) -> Result<(), EncodeError> {
        self.enclose(Tag::SEQUENCE)?;
        self.prepend_integer(error_index)?;
        self.prepend_integer(error_status)?;
        self.prepend_integer(request_id)?;
        self.enclose(tag)
    }
}
