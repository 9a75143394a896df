use std::ops::Range;
use std::sync::Arc;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{
    HeaderData, ScopedPdu, ScopedPduData, SecurityLevel, V3Message, Version,
};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_codec::smi::ValueRef;

use super::{MessageError, MessageSecurity, OutgoingMessage, OutgoingSecurity, unreadable};
use crate::clock::Instant;
use crate::discard::Discard;
use crate::engine_id::EngineId;
use crate::local_configuration::LocalConfiguration;
use crate::message_processing::{DataElements, Refusal, StateReference};
use crate::security::tsm::{self, TransportSecurityModel};
use crate::security::usm::{
    self, LocalEngine, Plaintext, Protected, Protection, UserTable, process_incoming_message,
};
use crate::security::{GlobalData, SecurityModel, SecurityName};
use crate::transport::Received;

/// What any answer to a message of SNMPv3 needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer<'a> {
    pub(super) engine: &'a Arc<LocalEngine>,
    pub(super) msg_id: i32,
    pub(super) security: AnswerSecurity<'a>,
}

/// What protects an answer (securityStateReference, RFC 3412 section 7).
#[derive(Clone, Copy, Debug)]
pub(super) enum AnswerSecurity<'a> {
    /// The keys of a user.
    User {
        user_name: &'a [u8],
        protection: Protection<'a>,
    },
    /// The session that the message came by, whatever the level.
    Transport(SecurityLevel),
}

/// Who sent a message, and what was protected.
struct Authenticated<'a> {
    answer: Answer<'a>,
    security_model: SecurityModel,
    security_name: &'a SecurityName,
    scoped_pdu: Reader<'a>,
}

/// What the response to a message of SNMPv3 needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct V3State<'a> {
    pub(super) answer: Answer<'a>,
    pub(super) context_engine_id: &'a [u8],
    pub(super) context_name: &'a [u8],
}

/// What a Report needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportState<'a> {
    answer: Answer<'a>,
    request_id: i32,
}

/// Takes a message of SNMPv3 to this engine apart (RFC 3412 section 7.2).
pub(in super::super) fn prepare_data_elements<'a>(
    local: &'a LocalConfiguration,
    engine: &'a Arc<LocalEngine>,
    received: &Received<'a>,
    content: Reader<'a>,
    plaintext: &'a mut Plaintext,
) -> Result<DataElements<'a>, Refusal<'a>> {
    let message = V3Message::decode_content(content)?;
    let header = message.header;
    let level = header.msg_flags.security_level;
    let security = MessageSecurity::new(&header, local.transport_security_model)?;
    // RFC 3412 7.2 (6)
    let Authenticated {
        answer,
        security_model,
        security_name,
        scoped_pdu,
    } = match security {
        MessageSecurity::User => user_based(engine, &local.users, received, &message, plaintext)?,
        MessageSecurity::Transport(model) => transport(engine, model, received, &message)?,
    };
    // RFC 3412 7.2 (7)
    let decoded = ScopedPdu::decode(scoped_pdu);
    #[cfg(feature = "experiments")]
    let decoded = decoded.and_then(|scoped_pdu| local.compression.admit_scoped(scoped_pdu));
    let scoped_pdu = match decoded {
        Ok(scoped_pdu) => scoped_pdu,
        Err(error) => {
            let error = unreadable(error, answer.is_encrypted());
            return Err(Refusal {
                discard: error.into(),
                report: match error {
                    MessageError::Usm(_) => report_unread(answer, &header, message.data),
                    _ => None,
                },
            });
        }
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
    let is_here = is_context_here(engine, context_engine_id, pdu.pdu_type);
    let proxied_engine = match is_here {
        true => None,
        false => local.proxied_engine(context_engine_id),
    };
    if !is_here && proxied_engine.is_none() {
        return Err(refuse(Discard::UnknownContextEngineId));
    }
    let context_name =
        std::str::from_utf8(context_name).map_err(|_| refuse(Discard::UnknownContext))?;
    Ok(DataElements {
        version: Version::V3,
        security_model,
        security_name,
        security_level: level,
        proxied_engine,
        context_name,
        max_message_size: usize::try_from(header.msg_max_size).unwrap_or(usize::MAX),
        state: StateReference::V3(state),
        pdu,
        #[cfg(feature = "experiments")]
        compression: None,
    })
}

/// The user-based security model.
fn user_based<'a>(
    engine: &'a Arc<LocalEngine>,
    users: &'a UserTable,
    received: &Received<'a>,
    message: &V3Message<'a>,
    plaintext: &'a mut Plaintext,
) -> Result<Authenticated<'a>, Refusal<'a>> {
    let header = message.header;
    let protected = Protected::new(received.message, message)?;
    let user_name = protected.parameters.user_name;
    let answer = |protection| Answer {
        engine,
        msg_id: header.msg_id,
        security: AnswerSecurity::User {
            user_name,
            protection,
        },
    };
    let level = header.msg_flags.security_level;
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
    Ok(Authenticated {
        answer: answer(authenticated.protection),
        security_model: SecurityModel::UserBased,
        security_name: authenticated.user.name(),
        scoped_pdu,
    })
}

/// The transport security model.
fn transport<'a>(
    engine: &'a Arc<LocalEngine>,
    model: TransportSecurityModel,
    received: &Received<'a>,
    message: &V3Message<'a>,
) -> Result<Authenticated<'a>, Refusal<'a>> {
    let scoped_pdu = tsm::scoped_pdu(message)?;
    let header = message.header;
    let level = header.msg_flags.security_level;
    let answer = Answer {
        engine,
        msg_id: header.msg_id,
        security: AnswerSecurity::Transport(level),
    };
    let security_name = model
        .process_incoming_message(received.transport_state, level)
        .map_err(|error| Refusal {
            discard: error.into(),
            report: report_unread(answer, &header, message.data),
        })?;
    Ok(Authenticated {
        answer,
        security_model: SecurityModel::Transport,
        security_name,
        scoped_pdu,
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
        Some(Pdu::Common(pdu)) => answer.report(pdu.pdu_type, pdu.request_id),
        Some(Pdu::TrapV1(_)) => None,
        None => header.msg_flags.reportable.then_some(ReportState {
            answer,
            request_id: 0,
        }),
    }
}

impl<'a> Answer<'a> {
    fn report(self, pdu_type: PduType, request_id: i32) -> Option<ReportState<'a>> {
        is_confirmed(pdu_type).then_some(ReportState {
            answer: self,
            request_id,
        })
    }

    /// Whether the message was encrypted by the keys of a user.
    const fn is_encrypted(&self) -> bool {
        matches!(
            self.security,
            AnswerSecurity::User {
                protection: Protection::AuthPriv(..),
                ..
            }
        )
    }

    /// The same, protected as a Report of this level is.
    fn at(self, level: SecurityLevel) -> Self {
        let security = match self.security {
            AnswerSecurity::User {
                user_name,
                protection,
            } => AnswerSecurity::User {
                user_name,
                protection: match (level, protection.authentication()) {
                    (SecurityLevel::AuthNoPriv, Some(key)) => Protection::AuthNoPriv(key),
                    _ => Protection::NoAuthNoPriv,
                },
            },
            AnswerSecurity::Transport(_) => AnswerSecurity::Transport(level),
        };
        Self { security, ..self }
    }

    /// What the security parameters take at most.
    fn security_octets(&self) -> usize {
        match self.security {
            AnswerSecurity::User {
                user_name,
                protection,
            } => self.engine.id().as_octets().len() + protection.octets() + user_name.len(),
            AnswerSecurity::Transport(_) => 0,
        }
    }

    /// Encloses a PDU.
    fn enclose(
        &self,
        now: Instant,
        context: (&[u8], &[u8]),
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let (context_engine_id, context_name) = context;
        let message = OutgoingMessage {
            global_data: GlobalData {
                msg_id: self.msg_id,
                msg_max_size: self.engine.max_message_size(),
                // RFC 3412 6.4: never set in a message that is not answered.
                reportable: false,
            },
            security: match self.security {
                AnswerSecurity::User {
                    user_name,
                    protection,
                } => OutgoingSecurity::User(usm::Envelope {
                    engine_id: self.engine.id().as_octets(),
                    // RFC 3414 3.1 (6): those of the local engine, at every level.
                    engine_time: self.engine.time(now),
                    user_name,
                    protection,
                    salt: self.engine.next_salt(),
                }),
                AnswerSecurity::Transport(level) => OutgoingSecurity::Transport(level),
            },
            context_engine_id,
            context_name,
        };
        message.enclose(writer)
    }
}

impl<'a> V3State<'a> {
    /// A Report on this message, if its sender waits for an answer.
    pub(in super::super) fn report(&self, pdu: &CommonPdu<'_>) -> Option<ReportState<'a>> {
        self.answer.report(pdu.pdu_type, pdu.request_id)
    }

    /// What the headers of the response take at most.
    pub(in super::super) fn header_octets(&self) -> usize {
        V3Message::HEADROOM
            + self.answer.security_octets()
            + self.context_engine_id.len()
            + self.context_name.len()
    }

    /// Encloses the PDU of a response in its headers.
    pub(in super::super) fn prepare_response_message(
        &self,
        now: Instant,
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let context = (self.context_engine_id, self.context_name);
        self.answer.enclose(now, context, writer)
    }
}

impl ReportState<'_> {
    /// Writes a Report with the value of a counter (RFC 3412 section 7.1 (3)).
    pub(crate) fn prepare_report_message(
        &self,
        now: Instant,
        level: SecurityLevel,
        counter: (&[u32], u32),
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let answer = self.answer.at(level);
        let headroom = V3Message::HEADROOM + answer.security_octets() + EngineId::LONGEST;
        let mut writer = Writer::new(buffer, headroom)?;
        let (name, value) = counter;
        writer.append_var_bind(name, ValueRef::Counter32(value))?;
        writer.prepend_pdu(PduType::Report, self.request_id, 0, 0)?;
        // RFC 3412 7.1 (3) e and f
        let context = (answer.engine.id().as_octets(), &b""[..]);
        answer.enclose(now, context, writer)
    }
}
