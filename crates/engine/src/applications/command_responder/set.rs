use std::sync::PoisonError;

use varbind_codec::ber::Writer;
use varbind_codec::pdu::{ErrorStatus, VarBindRef};

use super::{CommandResponder, Request, RequestError, Stop, TOO_BIG, Workspace, error_at};
use crate::access_control::ViewTree;
use crate::instrumentation::PreparedSet;

impl CommandResponder {
    /// SetRequest-PDU (RFC 3416 section 4.2.5): all or nothing, and on stable storage before it is answered.
    pub(super) fn set(
        &self,
        request: &Request<'_>,
        view: &ViewTree,
        workspace: &mut Workspace,
        writer: &mut Writer<'_>,
    ) -> Result<(), Stop> {
        let _one_at_a_time = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let mut prepared = prepare(request, view, workspace)?;
        // The response repeats the request. Whether it fits must be known before anything changes.
        writer
            .append(request.pdu.var_binds.encoded())
            .map_err(|_| TOO_BIG)?;
        for at in 0..prepared.len() {
            if prepared
                .get_mut(at)
                .is_some_and(|set| set.commit().is_err())
            {
                let (committed, _) = prepared.split_at_mut(at);
                return Err(failed(at, committed));
            }
        }
        if !prepared.is_empty() && self.storage.make_durable().is_err() {
            return Err(failed(0, &mut prepared));
        }
        Ok(())
    }
}

/// The first phase: every variable binding is checked, none is changed.
fn prepare(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
) -> Result<Vec<Box<dyn PreparedSet>>, Stop> {
    let mut prepared = Vec::new();
    for (at, var_bind) in request.pdu.var_binds.clone().enumerate() {
        let VarBindRef { name, value } = var_bind?;
        let name = name.decode_into(&mut workspace.asked);
        // RFC 3416 4.2.5 (1)
        if !view.includes(name) {
            return Err(error_at(ErrorStatus::NoAccess, at));
        }
        // RFC 3416 4.2.5 (2)
        let object = request
            .registry
            .find(name)
            .ok_or(error_at(ErrorStatus::NotWritable, at))?;
        let set = object
            .prepare_set(&request.context, name, value)
            .map_err(|error| error_at(error.into(), at))?;
        prepared.push(set);
    }
    for (at, set) in prepared.iter_mut().enumerate() {
        set.check().map_err(|error| error_at(error.into(), at))?;
    }
    Ok(prepared)
}

/// Takes back what was committed, last first.
fn failed(at: usize, committed: &mut [Box<dyn PreparedSet>]) -> Stop {
    let mut is_undone = true;
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
