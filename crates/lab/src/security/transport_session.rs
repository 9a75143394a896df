use std::time::{Duration, Instant};

use varbind_codec::ber::{EncodeError, Tag, Writer};
use varbind_codec::message::{
    HeaderData, MsgFlags, ScopedPdu, ScopedPduData, SecurityLevel, V3Message,
};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::ValueRef;
use varbind_engine::engine_id::EngineId;

use super::{Discovered, Undiscovered};
use crate::measurement::Outcome;
use crate::request::{Answer, WrongAnswer, usm_report};
use crate::session::{Session, Wait};

/// The largest message, and our msgMaxSize.
const LARGEST: usize = 65_507;
/// More octets than all headers take.
const HEADROOM: usize = V3Message::HEADROOM + EngineId::LONGEST;
/// The msgID of the first probe; those of requests are greater.
const FIRST_ID: i32 = 0x2000_0000;
/// snmpEngineID.0 (RFC 3411 section 5).
const SNMP_ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

/// A session with one engine in the transport security model (RFC 5591): the transport protects.
#[derive(Debug)]
pub(crate) struct TransportSession {
    /// contextEngineID; until it is known, that of whichever engine listens (RFC 5343 section 3.1).
    engine_id: Option<EngineId>,
    /// What the transport provides: all messages have this level.
    level: SecurityLevel,
    next_id: i32,
    buffer: Vec<u8>,
}

impl TransportSession {
    pub(crate) fn new(level: SecurityLevel) -> Self {
        Self {
            engine_id: None,
            level,
            next_id: FIRST_ID,
            buffer: vec![0; LARGEST],
        }
    }

    /// Puts a PDU into a message whose msgID is its request-id.
    pub(super) fn enclose(&mut self, pdu: &[u8], id: i32) -> Result<&[u8], EncodeError> {
        let engine_id = self.engine_id.as_ref();
        let engine_id = engine_id.map_or(EngineId::LOCAL, EngineId::as_octets);
        let mut writer = Writer::new(&mut self.buffer, HEADROOM)?;
        writer.append(pdu)?;
        writer.prepend_scoped_pdu(engine_id, b"")?;
        // RFC 5591 5.1 (3)
        writer.prepend_element(Tag::OCTET_STRING, &[])?;
        writer.prepend_v3_header(&HeaderData {
            msg_id: id,
            msg_max_size: LARGEST as i32,
            msg_flags: MsgFlags {
                security_level: self.level,
                reportable: true,
            },
            msg_security_model: V3Message::TRANSPORT_SECURITY_MODEL,
        })?;
        let range = writer.range();
        Ok(self.buffer.get(range).unwrap_or_default())
    }

    /// Reads a message of the agent.
    pub(super) fn incoming<'a>(&self, octets: &'a [u8]) -> Result<Answer<'a>, WrongAnswer> {
        let message = V3Message::decode(octets).map_err(|_| WrongAnswer::Undecodable)?;
        let header = message.header;
        let is_ours = header.msg_security_model == V3Message::TRANSPORT_SECURITY_MODEL
            && message.security_parameters.rest().is_empty();
        let ScopedPduData::Plaintext(scoped_pdu) = message.data else {
            return Err(WrongAnswer::Undecodable);
        };
        let scoped_pdu = ScopedPdu::decode(scoped_pdu).map_err(|_| WrongAnswer::Undecodable)?;
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            return Err(WrongAnswer::Undecodable);
        };
        let is_in_context = self.engine_id.is_none_or(|id| {
            scoped_pdu.context_engine_id == id.as_octets() && scoped_pdu.context_name.is_empty()
        });
        match pdu.pdu_type {
            PduType::Report => {}
            // RFC 3412 7.2 (12)
            PduType::Response
                if is_ours
                    && is_in_context
                    && header.msg_flags.security_level == self.level
                    && pdu.request_id == header.msg_id => {}
            PduType::Response => return Err(WrongAnswer::Unauthentic),
            _ => return Err(WrongAnswer::Undecodable),
        }
        Ok(Answer {
            id: header.msg_id,
            pdu,
        })
    }

    /// Sends the question who the engine is; `false` if it cannot be sent.
    pub(crate) fn ask(&mut self, session: &mut Session) -> bool {
        let message = engine_id_request(FIRST_ID).and_then(|pdu| self.enclose(&pdu, FIRST_ID));
        message.is_ok_and(|message| session.send(message).is_ok())
    }

    /// Asks an engine who it is (RFC 5343 section 3.2).
    pub(crate) fn probe(
        &mut self,
        session: &mut Session,
        (timeout, retries): (Duration, u32),
        outcome: &mut Outcome,
    ) -> Result<Discovered, Undiscovered> {
        let begun = Instant::now();
        self.engine_id = None;
        for attempt in 0..=retries {
            let id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1).max(FIRST_ID);
            outcome.requests += 1;
            outcome.retries += u64::from(attempt > 0);
            let pdu = engine_id_request(id).map_err(|_| Undiscovered::Broken)?;
            session.send(self.enclose(&pdu, id).map_err(|_| Undiscovered::Broken)?)?;
            let deadline = Instant::now() + timeout;
            let mut wait = Wait::Silence;
            while let Some(message) = session.receive(wait)? {
                wait = Wait::Until(deadline);
                match self.incoming(message) {
                    Err(_) => outcome.wrong_answers += 1,
                    // To an earlier attempt.
                    Ok(answer) if answer.id != id => outcome.late_answers += 1,
                    Ok(answer) => {
                        self.engine_id = Some(engine_id(&answer)?);
                        return Ok(Discovered {
                            discovery: begun.elapsed(),
                            key_derivation: None,
                        });
                    }
                }
            }
        }
        outcome.timeouts += 1;
        Err(Undiscovered::TimedOut)
    }
}

fn engine_id_request(id: i32) -> Result<Vec<u8>, EncodeError> {
    let mut buffer = [0; 128];
    let mut writer = Writer::new(&mut buffer, 64)?;
    writer.append_var_bind(&SNMP_ENGINE_ID, ValueRef::Null)?;
    writer.prepend_pdu(PduType::GetRequest, id, 0, 0)?;
    Ok(writer.written().to_vec())
}

fn engine_id(answer: &Answer<'_>) -> Result<EngineId, Undiscovered> {
    if answer.pdu.pdu_type == PduType::Report {
        return Err(Undiscovered::Wrong(WrongAnswer::Report(usm_report(
            &answer.pdu,
        ))));
    }
    let wrong = || Undiscovered::Wrong(WrongAnswer::Names);
    let first = answer.pdu.var_binds.clone().next();
    let var_bind = first.and_then(Result::ok).ok_or_else(wrong)?;
    match var_bind.value {
        ValueRef::OctetString(octets) if var_bind.name.arcs().eq(SNMP_ENGINE_ID) => {
            EngineId::new(octets).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: i32 = 0x4000_0001;

    fn response(engine_id: Option<EngineId>) -> Vec<u8> {
        let mut buffer = [0; 200];
        let mut writer = Writer::new(&mut buffer, 100).unwrap();
        let value = ValueRef::OctetString(&[0x80, 0, 0, 1, 5, 6]);
        writer.append_var_bind(&SNMP_ENGINE_ID, value).unwrap();
        writer.prepend_pdu(PduType::Response, ID, 0, 0).unwrap();
        let mut agent = TransportSession::new(SecurityLevel::AuthPriv);
        agent.engine_id = engine_id;
        agent.enclose(writer.written(), ID).unwrap().to_vec()
    }

    #[test]
    fn an_engine_tells_its_id_and_answers_in_its_context_alone() {
        let octets = response(None);
        let mut manager = TransportSession::new(SecurityLevel::AuthPriv);
        let answer = manager.incoming(&octets).unwrap();
        let id = engine_id(&answer).unwrap();
        assert_eq!(id, EngineId::new(&[0x80, 0, 0, 1, 5, 6]).unwrap());
        manager.engine_id = Some(id);
        assert!(manager.incoming(&response(Some(id))).is_ok());
        let refused = manager.incoming(&octets).err();
        assert_eq!(refused, Some(WrongAnswer::Unauthentic));
    }

    #[test]
    fn an_answer_of_another_level_is_refused() {
        let octets = response(None);
        let manager = TransportSession::new(SecurityLevel::AuthNoPriv);
        let refused = manager.incoming(&octets).err();
        assert_eq!(refused, Some(WrongAnswer::Unauthentic));
    }

    #[test]
    fn an_answer_of_another_security_model_is_refused() {
        let mut octets = response(None);
        let manager = TransportSession::new(SecurityLevel::AuthPriv);
        let model = octets.windows(3).position(|at| at == [2, 1, 4]).unwrap();
        octets[model + 2] = 3;
        assert!(manager.incoming(&octets).is_err());
    }
}
