//! Objects of another agent as the command responder reads them: for requests that concern others too, and for requesters
//! who may not see all of them.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};
use varbind_engine::applications::proxy_forwarder::{
    ForwardedRequest, ForwardedResponse, Operation, ProxyTarget,
};
use varbind_engine::instrumentation::{
    DynamicObjects, ManagedObject, PreparedSet, ReadError, Reply, RequestContext, SetError, Start,
    Transaction,
};

use super::Remote;
use super::read_ahead::ReadAhead;

/// How many instances a target is asked for at once, at most.
const MOST_REPETITIONS: u16 = 50;

/// The objects of a target: all, or those of a subtree.
pub(crate) struct RemoteObjects {
    remote: Arc<Remote>,
    root: Option<Oid>,
    ahead: Mutex<ReadAhead>,
}

/// How many instances before the start of a search are skipped: a device could name them for ever.
const MOST_PASSED: usize = 10;

impl RemoteObjects {
    pub(crate) fn new(remote: Arc<Remote>, root: Option<Oid>) -> Self {
        Self {
            remote,
            root,
            ahead: Mutex::default(),
        }
    }

    /// The response of the target, which is waited for.
    fn request(&self, operation: Operation, name: Oid) -> Result<Vec<VarBind>, ReadError> {
        let (sender, response) = sync_channel(1);
        let request = ForwardedRequest {
            version: Version::V2c,
            operation,
            var_binds: vec![VarBind::new(name, Value::Null)],
        };
        let reply = move |response: ForwardedResponse| {
            // Whoever asks waits.
            let _ = sender.send(response);
        };
        self.remote.forward(request, Box::new(reply));
        match response.recv() {
            Ok(ForwardedResponse {
                error_status: ErrorStatus::NoError,
                var_binds,
                ..
            }) => Ok(var_binds),
            _ => Err(ReadError::Failed),
        }
    }

    /// The first instance behind `name`.
    fn next(&self, transaction: Transaction, name: &[u32]) -> Result<Option<VarBind>, ReadError> {
        let asked = short(name);
        let mut found = self.first_behind(transaction, asked)?;
        let mut passed = 0;
        while let Some(early) = found.take_if(|found| found.name.arcs() <= name) {
            passed += 1;
            if passed > MOST_PASSED {
                return Err(ReadError::Failed);
            }
            found = self.first_behind(transaction, early.name.arcs())?;
        }
        Ok(found)
    }

    fn first_behind(
        &self,
        transaction: Transaction,
        name: &[u32],
    ) -> Result<Option<VarBind>, ReadError> {
        // Behind a name that cannot be written there is nothing.
        let Ok(name) = Oid::new(name) else {
            return Ok(None);
        };
        if let Some(known) = self.ahead().take(transaction, &name) {
            return Ok(Some(known));
        }
        let repetitions = transaction.repetitions.min(MOST_REPETITIONS);
        let operation = match repetitions > 1 && self.remote.takes_bulk() {
            true => Operation::GetBulk {
                non_repeaters: 0,
                max_repetitions: repetitions,
            },
            false => Operation::GetNext,
        };
        let found = self.request(operation, name)?.into_iter();
        let mut found = found.take_while(|found| !found.value.as_value_ref().is_exception());
        let Some(first) = found.next() else {
            return Ok(None);
        };
        self.ahead().keep(transaction, &first.name, found);
        Ok(Some(first))
    }

    fn ahead(&self) -> MutexGuard<'_, ReadAhead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ManagedObject for RemoteObjects {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        request.transaction.ok_or(ReadError::MustWait)?;
        let name = Oid::new(name).map_err(|_| ReadError::NoSuchObject)?;
        let found = self.request(Operation::Get, name)?.into_iter().next();
        match found.map(|found| found.value) {
            None => Err(ReadError::Failed),
            Some(Value::NoSuchObject) => Err(ReadError::NoSuchObject),
            Some(Value::NoSuchInstance | Value::EndOfMibView) => Err(ReadError::NoSuchInstance),
            Some(value) => {
                reply.value(value.as_value_ref());
                Ok(())
            }
        }
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let transaction = request.transaction.ok_or(ReadError::MustWait)?;
        let Some(root) = &self.root else {
            return self.get_next_before(request, Start::Behind(name), None, reply);
        };
        let start = if name < root.arcs() {
            root.arcs()
        } else {
            name
        };
        // What cannot be had costs its own rows: the search goes on behind them.
        let found = self.next(transaction, start).unwrap_or_default();
        if let Some(found) = found.filter(|found| root.is_prefix_of(found.name.arcs())) {
            reply.name().set(found.name.arcs());
            reply.value(found.value.as_value_ref());
        }
        Ok(())
    }

    /// A SetRequest for one target alone is passed on as a whole; of any other, the parts could not be made or taken back
    /// together.
    fn prepare_set(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        Err(match self.remote.may_write() {
            true => SetError::Failed,
            false => SetError::NotWritable,
        })
    }
}

impl DynamicObjects for RemoteObjects {
    fn get_next_before(
        &self,
        request: &RequestContext,
        start: Start<'_>,
        end: Option<&[u32]>,
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let transaction = request.transaction.ok_or(ReadError::MustWait)?;
        let first = match start {
            Start::Behind(_) => None,
            Start::At(name) => before(name),
        };
        let from = first.as_deref().unwrap_or_else(|| start.name());
        let mut found = self.next(transaction, from)?;
        let mut passed = 0;
        while let Some(early) = found.take_if(|found| !start.includes(found.name.arcs())) {
            passed += 1;
            if passed > MOST_PASSED {
                return Err(ReadError::Failed);
            }
            found = self.next(transaction, early.name.arcs())?;
        }
        let found = found.filter(|found| end.is_none_or(|end| found.name.arcs() < end));
        if let Some(found) = found {
            reply.name().set(found.name.arcs());
            reply.value(found.value.as_value_ref());
        }
        Ok(())
    }
}

/// The name without all but one of the largest sub-identifiers at its end. Behind what a view excludes a search begins with as
/// many of them as a name can have, which some agents do not take.
fn short(name: &[u32]) -> &[u32] {
    let end = name.iter().rposition(|&arc| arc != u32::MAX);
    let length = end.map_or(0, |end| end + 2);
    name.get(..length).unwrap_or(name)
}

/// A name before this one and behind most that are smaller: a search that begins there comes upon it.
fn before(name: &[u32]) -> Option<Vec<u32>> {
    let (last, parent) = name.split_last()?;
    let mut before = parent.to_vec();
    if let Some(last) = last.checked_sub(1) {
        before.extend([last, u32::MAX]);
    }
    Some(before)
}
