//! The objects of subagents as the command responder reads and sets them (RFC 2741 section 7.2).

use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};
use varbind_engine::instrumentation::{
    DynamicObjects, ManagedObject, PreparedSet, ReadError, Reply, RequestContext, SetError, Start,
    Transaction,
};

use super::connection::NoAnswer;
use super::protocol::{Packet, Pdu, ResponseError, SearchRange};
use super::regions::{Piece, Registration};
use super::sessions::Sessions;
use super::sets::{PreparedVariable, Sets};
use crate::read_ahead::ReadAhead;

/// How many instances a subagent is asked for at once, at most: their answer is to fit the largest PDU.
const MOST_REPETITIONS: u16 = 100;

/// The objects of all subagents.
pub(crate) struct SubagentObjects {
    sessions: Arc<Sessions>,
    ahead: Mutex<ReadAhead>,
    sets: Arc<Sets>,
}

impl SubagentObjects {
    pub(crate) fn new(sessions: Arc<Sessions>) -> Self {
        Self {
            sets: Sets::new(Arc::clone(&sessions)),
            sessions,
            ahead: Mutex::default(),
        }
    }

    /// The value of an instance.
    fn read(
        &self,
        transaction: Transaction,
        registration: &Registration,
        name: &[u32],
    ) -> Result<Value, ReadError> {
        let range = SearchRange {
            start: Oid::new(name).map_err(|_| ReadError::NoSuchObject)?,
            is_included: true,
            end: None,
        };
        let answer = self.ask(transaction, registration, Pdu::Get(vec![range]))?;
        match answer.into_iter().next() {
            Some(VarBind { name: found, value }) if *found.arcs() == *name => match value {
                Value::NoSuchObject => Err(ReadError::NoSuchObject),
                Value::NoSuchInstance | Value::EndOfMibView => Err(ReadError::NoSuchInstance),
                value => Ok(value),
            },
            _ => {
                log::warn!("a subagent answers for another name than it was asked for");
                Err(ReadError::Failed)
            }
        }
    }

    /// The first instance in a piece, if there is one.
    fn read_next(&self, transaction: Transaction, piece: &Piece) -> Option<VarBind> {
        if !piece.is_included
            && let Some(found) = self.ahead().take(transaction, &piece.start)
        {
            return Some(found).filter(|found| piece.contains(&found.name));
        }
        let range = SearchRange {
            start: piece.start.clone(),
            is_included: piece.is_included,
            end: piece.end.clone(),
        };
        let answer = self.search(transaction, &piece.registration, range)?;
        let mut last = piece.start.clone();
        let mut is_first = true;
        let is_good = |found: &VarBind| {
            let is_behind = found.name > last || is_first && piece.contains(&found.name);
            let is_value = !found.value.as_value_ref().is_exception();
            last = found.name.clone();
            is_first = false;
            is_behind && is_value && piece.contains(&found.name)
        };
        let mut found = answer.into_iter().take_while(is_good);
        let first = found.next()?;
        self.ahead().keep(transaction, &first.name, found);
        Some(first)
    }

    /// What a subagent finds in a range. What cannot be had costs its own rows: the search goes on behind them.
    fn search(
        &self,
        transaction: Transaction,
        registration: &Registration,
        range: SearchRange,
    ) -> Option<Vec<VarBind>> {
        let repetitions = transaction.repetitions.min(MOST_REPETITIONS);
        if repetitions > 1 && self.sessions.takes_bulk(registration.session) {
            let pdu = Pdu::GetBulk {
                non_repeaters: 0,
                max_repetitions: repetitions,
                ranges: vec![range.clone()],
            };
            if let Ok(found) = self.ask(transaction, registration, pdu) {
                return Some(found);
            }
            // Some know GetNext alone; if it is not that, they are asked no worse.
            self.sessions.note_no_bulk(registration.session);
        }
        let pdu = Pdu::GetNext(vec![range]);
        self.ask(transaction, registration, pdu).ok()
    }

    fn ask(
        &self,
        transaction: Transaction,
        registration: &Registration,
        pdu: Pdu,
    ) -> Result<Vec<VarBind>, ReadError> {
        let answer = self.sessions.ask(registration, transaction.number, pdu);
        match answer {
            Ok(Packet {
                pdu:
                    Pdu::Response {
                        error: ResponseError::NO_ERROR,
                        var_binds,
                        ..
                    },
                ..
            }) => Ok(var_binds),
            Ok(Packet {
                pdu: Pdu::Response { error, .. },
                ..
            }) => {
                log::debug!("a subagent answers with the error {}", error.0);
                Err(ReadError::Failed)
            }
            Ok(_) | Err(NoAnswer::Busy | NoAnswer::TimedOut | NoAnswer::Lost) => {
                Err(ReadError::Failed)
            }
        }
    }

    fn ahead(&self) -> std::sync::MutexGuard<'_, ReadAhead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ManagedObject for SubagentObjects {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let found = self.sessions.find(name);
        let registration = found.ok_or(ReadError::NoSuchObject)?;
        let transaction = request.transaction.ok_or(ReadError::MustWait)?;
        let value = self.read(transaction, &registration, name)?;
        reply.value(value.as_value_ref());
        Ok(())
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.get_next_before(request, Start::Behind(name), None, reply)
    }

    fn prepare_set(
        &self,
        request: &RequestContext,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let registration = self.sessions.find(name).ok_or(SetError::NotWritable)?;
        let transaction = request.transaction.ok_or(SetError::ResourceUnavailable)?;
        let name = Oid::new(name).map_err(|_| SetError::NotWritable)?;
        let variable = VarBind::new(name, value.to_owned());
        Ok(Box::new(PreparedVariable::new(
            &self.sets,
            transaction.number,
            &registration,
            variable,
        )))
    }
}

impl DynamicObjects for SubagentObjects {
    fn get_next_before(
        &self,
        request: &RequestContext,
        start: Start<'_>,
        end: Option<&[u32]>,
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let mut from = start.name().to_vec();
        let mut is_included = matches!(start, Start::At(_));
        while let Some(piece) = self.sessions.next(&from, is_included, end) {
            let transaction = request.transaction.ok_or(ReadError::MustWait)?;
            if let Some(found) = self.read_next(transaction, &piece) {
                reply.name().set(found.name.arcs());
                reply.value(found.value.as_value_ref());
                return Ok(());
            }
            let Some(end) = piece.end else {
                return Ok(());
            };
            from = end.arcs().to_vec();
            is_included = true;
        }
        Ok(())
    }
}

impl Piece {
    fn contains(&self, name: &Oid) -> bool {
        let is_behind = if self.is_included {
            *name >= self.start
        } else {
            *name > self.start
        };
        is_behind && self.end.as_ref().is_none_or(|end| name < end)
    }
}
