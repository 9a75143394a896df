use std::time::{Duration, Instant};

use varbind_codec::ber::EncodeError;
use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::ValueRef;
use varbind_engine::engine_id::{EngineId, SNMP_ENGINE_ID};

use super::message::{EngineSession, Probe};
use super::{Discovered, Undiscovered};
use crate::measurement::Outcome;
use crate::request::{Answer, WrongAnswer, usm_report};
use crate::session::{Session, Wait};

/// The msgID of the first probe; those of requests are greater.
const FIRST_ID: i32 = 0x2000_0000;

/// A session with one engine in the transport security model (RFC 5591): the transport protects.
#[derive(Debug)]
pub(crate) struct TransportSession {
    session: EngineSession,
    next_id: i32,
}

impl TransportSession {
    /// All messages have the level that the transport provides.
    pub(crate) fn new(level: SecurityLevel) -> Self {
        Self {
            session: EngineSession::of_transport(level),
            next_id: FIRST_ID,
        }
    }

    /// Puts a PDU into a message whose msgID is its request-id.
    pub(super) fn enclose(&mut self, pdu: &[u8], id: i32) -> Result<&[u8], EncodeError> {
        self.session.enclose(pdu, id)
    }

    /// Reads a message of the agent.
    pub(super) fn incoming<'a>(&'a mut self, octets: &'a [u8]) -> Result<Answer<'a>, WrongAnswer> {
        self.session.incoming(octets)
    }

    /// Sends a request for the engine ID; `false` if it cannot be sent.
    pub(crate) fn send_probe(&mut self, session: &mut Session) -> bool {
        let message = self.session.probe(Probe::Discovery, FIRST_ID);
        message.is_ok_and(|message| session.send(message).is_ok())
    }

    /// Discovers the engine ID (RFC 5343 section 3.2).
    pub(crate) fn probe(
        &mut self,
        session: &mut Session,
        (timeout, retries): (Duration, u32),
        outcome: &mut Outcome,
    ) -> Result<Discovered, Undiscovered> {
        let begun = Instant::now();
        self.session.set_engine_id(None);
        for attempt in 0..=retries {
            let id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1).max(FIRST_ID);
            outcome.requests += 1;
            outcome.retries += u64::from(attempt > 0);
            let message = self.session.probe(Probe::Discovery, id);
            session.send(message.map_err(|_| Undiscovered::Broken)?)?;
            let deadline = Instant::now() + timeout;
            let mut wait = Wait::Silence;
            while let Some(message) = session.receive(wait)? {
                wait = Wait::Until(deadline);
                match self.session.incoming(message) {
                    Err(_) => outcome.wrong_answers += 1,
                    // To an earlier attempt.
                    Ok(answer) if answer.id != id => outcome.late_answers += 1,
                    Ok(answer) => {
                        let id = engine_id(&answer)?;
                        self.session.set_engine_id(Some(id));
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
        ValueRef::OctetString(octets)
            if var_bind.name.arcs().eq(SNMP_ENGINE_ID.iter().copied()) =>
        {
            EngineId::new(octets).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use varbind_codec::ber::Writer;

    use super::*;

    const ID: i32 = 0x4000_0001;

    fn response(engine_id: Option<EngineId>) -> Vec<u8> {
        let mut buffer = [0; 200];
        let mut writer = Writer::new(&mut buffer, 100).unwrap();
        let value = ValueRef::OctetString(&[0x80, 0, 0, 1, 5, 6]);
        writer.append_var_bind(SNMP_ENGINE_ID, value).unwrap();
        writer.prepend_pdu(PduType::Response, ID, 0, 0).unwrap();
        let mut agent = TransportSession::new(SecurityLevel::AuthPriv);
        agent.session.set_engine_id(engine_id);
        agent.enclose(writer.written(), ID).unwrap().to_vec()
    }

    #[test]
    fn an_engine_tells_its_id_and_answers_in_its_context_alone() {
        let octets = response(None);
        let mut manager = TransportSession::new(SecurityLevel::AuthPriv);
        let answer = manager.incoming(&octets).unwrap();
        let id = engine_id(&answer).unwrap();
        assert_eq!(id, EngineId::new(&[0x80, 0, 0, 1, 5, 6]).unwrap());
        manager.session.set_engine_id(Some(id));
        assert!(manager.incoming(&response(Some(id))).is_ok());
        let refused = manager.incoming(&octets).err();
        assert_eq!(refused, Some(WrongAnswer::Unauthentic));
    }

    #[test]
    fn an_answer_of_another_level_is_refused() {
        let octets = response(None);
        let mut manager = TransportSession::new(SecurityLevel::AuthNoPriv);
        let refused = manager.incoming(&octets).err();
        assert_eq!(refused, Some(WrongAnswer::Unauthentic));
    }

    #[test]
    fn an_answer_of_another_security_model_is_refused() {
        let mut octets = response(None);
        let mut manager = TransportSession::new(SecurityLevel::AuthPriv);
        let model = octets.windows(3).position(|at| at == [2, 1, 4]).unwrap();
        octets[model + 2] = 3;
        assert!(manager.incoming(&octets).is_err());
    }
}
