use std::sync::{MutexGuard, PoisonError};

use varbind_codec::ber::Writer;
use varbind_codec::pdu::{ErrorStatus, VarBindRef};
use varbind_codec::smi::{ValueRef, VarBind};

use super::{CommandResponder, Request, RequestError, Stop, TOO_BIG, Workspace, error_at};
use crate::access_control::ViewTree;
use crate::instrumentation::{PreparedSet, Registry, RequestContext, Storage};

/// Objects that are being set: all are prepared and checked before any changes (RFC 3416 section 4.2.5).
pub(crate) struct Assignment<'a> {
    context: RequestContext<'a>,
    registry: &'a Registry,
    view: &'a ViewTree,
    prepared: Vec<Box<dyn PreparedSet>>,
}

impl CommandResponder {
    /// SetRequest-PDU (RFC 3416 section 4.2.5): all or nothing, and on stable storage before it is answered.
    pub(super) fn set(
        &self,
        request: &Request<'_>,
        view: &ViewTree,
        workspace: &mut Workspace,
        writer: &mut Writer<'_>,
    ) -> Result<(), Stop> {
        let _one_at_a_time = self.lock_sets();
        let mut assignment = Assignment::new(request.context, request.registry, view);
        for var_bind in request.pdu.var_binds.clone() {
            let VarBindRef { name, value } = var_bind?;
            assignment.prepare(name.decode_into(&mut workspace.asked), value)?;
        }
        assignment.check()?;
        // The response repeats the request. Whether it fits must be known before anything changes.
        writer
            .append(request.pdu.var_binds.encoded())
            .map_err(|_| TOO_BIG)?;
        workspace.variables = assignment.len();
        assignment.commit(&*self.storage)
    }

    /// Sets objects as a SetRequest-PDU does.
    pub(crate) fn set_objects(
        &self,
        mut assignment: Assignment<'_>,
        objects: &[VarBind],
    ) -> Result<(), Stop> {
        let _one_at_a_time = self.lock_sets();
        for VarBind { name, value } in objects {
            assignment.prepare(name.arcs(), value.as_value_ref())?;
        }
        assignment.check()?;
        assignment.commit(&*self.storage)
    }

    fn lock_sets(&self) -> MutexGuard<'_, ()> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Assignment<'a> {
    pub(crate) const fn new(
        context: RequestContext<'a>,
        registry: &'a Registry,
        view: &'a ViewTree,
    ) -> Self {
        Self {
            context,
            registry,
            view,
            prepared: Vec::new(),
        }
    }

    /// How many objects are prepared.
    fn len(&self) -> u64 {
        u64::try_from(self.prepared.len()).unwrap_or(u64::MAX)
    }

    /// Prepares the next object.
    fn prepare(&mut self, name: &[u32], value: ValueRef<'_>) -> Result<(), Stop> {
        let at = self.prepared.len();
        // RFC 3416 4.2.5 (1)
        if !self.view.includes(name) {
            return Err(error_at(ErrorStatus::NoAccess, at));
        }
        // RFC 3416 4.2.5 (2)
        let object = self
            .registry
            .find(name)
            .ok_or(error_at(ErrorStatus::NotWritable, at))?;
        let set = object
            .prepare_set(&self.context, name, value)
            .map_err(|error| error_at(error.into(), at))?;
        self.prepared.push(set);
        Ok(())
    }

    /// Checks the objects together, once all are prepared.
    fn check(&mut self) -> Result<(), Stop> {
        for (at, set) in self.prepared.iter_mut().enumerate() {
            set.check().map_err(|error| error_at(error.into(), at))?;
        }
        Ok(())
    }

    /// Changes the objects, or none.
    fn commit(mut self, storage: &dyn Storage) -> Result<(), Stop> {
        let prepared = &mut self.prepared;
        for at in 0..prepared.len() {
            let Some(set) = prepared.get_mut(at) else {
                break;
            };
            if set.commit().is_err() {
                let is_undone = !set.is_left_changed();
                let (committed, _) = prepared.split_at_mut(at);
                return Err(failed(at, is_undone, committed));
            }
        }
        if !prepared.is_empty() && storage.make_durable().is_err() {
            return Err(failed(0, true, prepared));
        }
        Ok(())
    }
}

/// Takes back what was committed, last first.
fn failed(at: usize, mut is_undone: bool, committed: &mut [Box<dyn PreparedSet>]) -> Stop {
    for set in committed.iter_mut().rev() {
        is_undone &= set.undo().is_ok();
    }
    if is_undone {
        error_at(ErrorStatus::CommitFailed, at)
    } else {
        // RFC 3416 4.2.5: undoFailed has error-index 0.
        Stop::Error(RequestError {
            status: ErrorStatus::UndoFailed,
            index: 0,
        })
    }
}
