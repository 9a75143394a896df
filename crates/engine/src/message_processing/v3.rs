use std::ops::Range;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{
    HeaderData, ScopedPdu, ScopedPduData, SecurityLevel, V3Message, Version,
};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, Pdu, PduType};
use varbind_codec::smi::Value;

use super::{DataElements, Refusal, StateReference};
use crate::clock::Instant;
use crate::discard::Discard;
use crate::engine_id::EngineId;
use crate::security::SecurityModel;
use crate::security::usm::{
    Envelope, HEADROOM, LocalEngine, Plaintext, Protected, Protection, SECURITY_MODEL, UserTable,
    UsmError, process_incoming_message,
};
use crate::transport::Received;

/// What any answer to a message of SNMPv3 needs.
#[derive(Clone, Copy, Debug)]
struct Answer<'a> {
    engine: &'a LocalEngine,
    msg_id: i32,
    user_name: &'a [u8],
    protection: Protection<'a>,
}

/// What the response to a message of SNMPv3 needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct V3State<'a> {
    answer: Answer<'a>,
    context_engine_id: &'a [u8],
    context_name: &'a [u8],
}

/// What a Report needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportState<'a> {
    answer: Answer<'a>,
    request_id: i32,
}

/// Takes a message of SNMPv3 apart (RFC 3412 section 7.2).
pub(super) fn prepare_data_elements<'a>(
    engine: &'a LocalEngine,
    users: &'a UserTable,
    received: &Received<'a>,
    content: Reader<'a>,
    plaintext: &'a mut Plaintext,
) -> Result<DataElements<'a>, Refusal<'a>> {
    let message = V3Message::decode_content(content)?;
    let header = message.header;
    // RFC 3412 7.2 (4)
    if header.msg_security_model != SECURITY_MODEL {
        return Err(Discard::UnknownSecurityModel(header.msg_security_model).into());
    }
    let protected = Protected::new(received.message, &message)?;
    let user_name = protected.parameters.user_name;
    let answer = |protection| Answer {
        engine,
        msg_id: header.msg_id,
        user_name,
        protection,
    };
    let level = header.msg_flags.security_level;
    // RFC 3412 7.2 (6)
    let incoming =
        process_incoming_message(engine, users, received.now, &protected, level, plaintext);
    let (authenticated, scoped_pdu) = incoming.map_err(|refused| {
        let protection = refused
            .authenticated
            .map_or(Protection::NoAuthNoPriv, |known| known.protection);
        Refusal {
            discard: refused.error.into(),
            report: report_unread(answer(protection), &header, protected.data),
        }
    })?;
    let answer = answer(authenticated.protection);
    // RFC 3412 7.2 (7)
    let scoped_pdu = match ScopedPdu::decode(scoped_pdu) {
        Ok(scoped_pdu) => scoped_pdu,
        // What another key encrypted decrypts to anything.
        Err(_) if level == SecurityLevel::AuthPriv => {
            return Err(Refusal {
                discard: UsmError::DecryptionError.into(),
                report: report_unread(answer, &header, protected.data),
            });
        }
        Err(error) => return Err(error.into()),
    };
    let ScopedPdu {
        context_engine_id,
        context_name,
        pdu,
    } = scoped_pdu;
    let Pdu::Common(pdu) = pdu else {
        return Err(Discard::UnknownPduHandler(PduType::TrapV1).into());
    };
    let state = V3State {
        answer,
        context_engine_id,
        context_name,
    };
    let refuse = |discard| Refusal {
        discard,
        report: state.report(&pdu),
    };
    if !is_context_here(engine, context_engine_id, pdu.pdu_type) {
        return Err(refuse(Discard::UnknownContextEngineId));
    }
    let context_name =
        std::str::from_utf8(context_name).map_err(|_| refuse(Discard::UnknownContext))?;
    Ok(DataElements {
        version: Version::V3,
        security_model: SecurityModel::UserBased,
        security_name: authenticated.user.name(),
        security_level: level,
        context_name,
        max_message_size: usize::try_from(header.msg_max_size).unwrap_or(usize::MAX),
        state: StateReference::V3(state),
        pdu,
    })
}

/// RFC 3412 4.2.2.1 (1), RFC 5343 3.1. The context of an inform is one of its originator.
fn is_context_here(engine: &LocalEngine, context_engine_id: &[u8], pdu_type: PduType) -> bool {
    pdu_type == PduType::InformRequest
        || context_engine_id == engine.id().as_octets()
        || context_engine_id == EngineId::LOCAL
}

/// Whether a PDU is answered (Confirmed Class, RFC 3411 section 2.8).
const fn is_confirmed(pdu_type: PduType) -> bool {
    matches!(
        pdu_type,
        PduType::GetRequest
            | PduType::GetNextRequest
            | PduType::GetBulkRequest
            | PduType::SetRequest
            | PduType::InformRequest
    )
}

/// A Report on a message that was not read to its PDU (RFC 3412 section 7.1 (3) a and b).
fn report_unread<'a>(
    answer: Answer<'a>,
    header: &HeaderData,
    data: ScopedPduData<'_>,
) -> Option<ReportState<'a>> {
    let pdu = match data {
        ScopedPduData::Plaintext(reader) => ScopedPdu::decode(reader).ok().map(|s| s.pdu),
        ScopedPduData::Encrypted(_) => None,
    };
    match pdu {
        Some(Pdu::Common(pdu)) => answer.report(&pdu),
        Some(Pdu::TrapV1(_)) => None,
        None => header.msg_flags.reportable.then_some(ReportState {
            answer,
            request_id: 0,
        }),
    }
}

impl<'a> Answer<'a> {
    fn report(self, pdu: &CommonPdu<'_>) -> Option<ReportState<'a>> {
        is_confirmed(pdu.pdu_type).then_some(ReportState {
            answer: self,
            request_id: pdu.request_id,
        })
    }

    /// Encloses a scopedPDU.
    fn enclose(
        &self,
        now: Instant,
        protection: Protection<'_>,
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let envelope = Envelope {
            msg_id: self.msg_id,
            msg_max_size: self.engine.max_message_size(),
            // RFC 3412 6.4: never set in a message that is not answered.
            reportable: false,
            engine_id: self.engine.id().as_octets(),
            // RFC 3414 3.1 (6): those of the local engine, at every level.
            engine_time: self.engine.time(now),
            user_name: self.user_name,
            protection,
            salt: self.engine.next_salt(),
        };
        envelope.enclose(writer)
    }
}

impl<'a> V3State<'a> {
    /// A Report on this message, if its sender waits for an answer.
    pub(super) fn report(&self, pdu: &CommonPdu<'_>) -> Option<ReportState<'a>> {
        self.answer.report(pdu)
    }

    /// What the headers of the response take at most.
    pub(super) fn header_octets(&self) -> usize {
        V3Message::HEADROOM
            + self.answer.engine.id().as_octets().len()
            + self.answer.protection.octets()
            + self.answer.user_name.len()
            + self.context_engine_id.len()
            + self.context_name.len()
    }

    /// Encloses the variable bindings of a response in its headers.
    pub(super) fn prepare_response_message(
        &self,
        now: Instant,
        request: &CommonPdu<'_>,
        error_status: ErrorStatus,
        error_index: i32,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        writer.prepend_pdu(
            PduType::Response,
            request.request_id,
            error_status.code(),
            error_index,
        )?;
        writer.prepend_scoped_pdu(self.context_engine_id, self.context_name)?;
        self.answer.enclose(now, self.answer.protection, writer)
    }
}

impl ReportState<'_> {
    /// Writes a Report that tells the value of a counter (RFC 3412 section 7.1 (3)).
    pub(crate) fn prepare_report_message(
        &self,
        now: Instant,
        level: SecurityLevel,
        counter: (&[u32], u32),
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let answer = &self.answer;
        let protection = match (level, answer.protection.authentication()) {
            (SecurityLevel::AuthNoPriv, Some(key)) => Protection::AuthNoPriv(key),
            _ => Protection::NoAuthNoPriv,
        };
        let headroom = HEADROOM + answer.user_name.len() + EngineId::LONGEST;
        let mut writer = Writer::new(buffer, headroom)?;
        let (name, value) = counter;
        writer.append_var_bind(name, Value::Counter32(value))?;
        writer.prepend_pdu(PduType::Report, self.request_id, 0, 0)?;
        // RFC 3412 7.1 (3) e and f
        writer.prepend_scoped_pdu(answer.engine.id().as_octets(), b"")?;
        answer.enclose(now, protection, writer)
    }
}
