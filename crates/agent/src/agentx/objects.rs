//! The objects of subagents as the command responder reads and sets them (RFC 2741 section 7.2).

use std::sync::Arc;

use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};
use varbind_engine::instrumentation::{
    DynamicObjects, Expected, ManagedObject, PreparedSet, ReadError, Reply, RequestContext,
    SetError, Start, Transaction,
};

use super::context::Context;
use super::fetched::Found;
use super::fetching::Fetching;
use super::sessions::Sessions;
use super::sets::{PreparedVariable, Sets};

/// The objects of all subagents in one context.
pub(crate) struct SubagentObjects {
    context: Context,
    fetching: Fetching,
    sets: Arc<Sets>,
}

impl SubagentObjects {
    /// Those in the context of this name.
    pub(crate) fn new(sessions: Arc<Sessions>, context_name: &str) -> Self {
        let context = Context::new(sessions, context_name);
        Self {
            fetching: Fetching::new(context.clone()),
            sets: Sets::new(context.clone()),
            context,
        }
    }

    fn read(&self, transaction: Option<Transaction>, name: &Oid) -> Result<Value, ReadError> {
        let found = self.context.find(name.arcs());
        let registration = found.ok_or(ReadError::NoSuchObject)?;
        if registration.is_absent() {
            return Err(ReadError::Failed);
        }
        let transaction = transaction.ok_or(ReadError::MustWait)?;
        self.fetching.read(transaction.number, &registration, name)
    }
}

impl ManagedObject for SubagentObjects {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let asked = Oid::new(name).map_err(|_| ReadError::NoSuchObject)?;
        // What was fetched counts, even if its session has ended since.
        let transaction = request.transaction;
        let known = transaction.and_then(|one| self.fetching.known(one.number, &asked));
        let value = match known {
            Some(known) => known?,
            None => self.read(transaction, &asked)?,
        };
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
        let registration = self.context.find(name).ok_or(SetError::NotWritable)?;
        if registration.is_absent() {
            return Err(SetError::Failed);
        }
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
        while let Some(piece) = self.context.next(&from, is_included, end) {
            if piece.registration.is_absent() {
                // A walk of these rows fails, so that nobody takes them for deleted. One from before them goes on behind them.
                if matches!(start, Start::Behind(name) if piece.start.arcs().starts_with(name)) {
                    return Err(ReadError::Failed);
                }
            } else {
                let transaction = request.transaction.ok_or(ReadError::MustWait)?;
                let found =
                    self.fetching
                        .read_next(transaction.number, &piece, transaction.repetitions);
                if let Found::Instance(found) = found {
                    reply.name().set(found.name.arcs());
                    reply.value(found.value.as_value_ref());
                    return Ok(());
                }
            }
            let Some(end) = piece.end else {
                return Ok(());
            };
            from = end.arcs().to_vec();
            is_included = true;
        }
        Ok(())
    }

    fn expect(&self, request: &RequestContext, expected: &[Expected]) {
        if let Some(transaction) = request.transaction {
            self.fetching.expect(transaction.number, expected);
        }
    }
}
