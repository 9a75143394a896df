//! Objects read and set in the name of a principal without a message, for protocols other than SNMP.

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::VarBind;

use super::Dispatcher;
use crate::access_control::ViewType;
use crate::applications::command_responder::{
    Assignment, ObjectReader, Principal, RequestError, Stop, Workspace,
};
use crate::clock::Instant;
use crate::instrumentation::RequestContext;
use crate::local_configuration::LocalConfiguration;

impl Dispatcher {
    /// Lends the objects that a principal may read to `read`, for protocols other than SNMP; `None` if the principal is
    /// not authorised at all. The counters of SNMP do not count it.
    pub fn read_objects<T>(
        &self,
        local: &LocalConfiguration,
        principal: &Principal,
        now: Instant,
        workspace: &mut Workspace,
        read: impl FnOnce(&mut ObjectReader<'_>) -> T,
    ) -> Option<T> {
        let context = RequestContext {
            now,
            requester: Some(principal.requester()),
            transaction: None,
        };
        let mut reader = ObjectReader::new(local, principal, context, workspace)?;
        Some(read(&mut reader))
    }

    /// Sets objects in the name of a principal, all or none, on stable storage when it returns: what a SetRequest with
    /// these variable bindings does, by the same code, but without a message. It waits, so a thread that serves others should not call it.
    ///
    /// # Errors
    /// The error-status and error-index of the SetRequest (RFC 3416 section 4.2.5).
    pub fn set_objects(
        &self,
        local: &LocalConfiguration,
        principal: &Principal,
        now: Instant,
        objects: &[VarBind],
    ) -> Result<(), SetRefused> {
        let registry = local
            .registry(&principal.context_name)
            .ok_or(SetRefused::whole(ErrorStatus::NoAccess))?;
        let view = local
            .access_control
            .view(&principal.access(ViewType::Write))
            .map_err(|_| SetRefused::whole(ErrorStatus::AuthorizationError))?;
        let context = RequestContext {
            now,
            requester: Some(principal.requester()),
            transaction: Some(self.next_transaction(1)),
        };
        self.responder
            .set_objects(Assignment::new(context, registry, view), objects)
            .map_err(|stop| match stop {
                Stop::Error(RequestError { status, index }) => SetRefused { status, index },
                Stop::Discard(_) | Stop::MustWait => SetRefused::whole(ErrorStatus::GenErr),
            })
    }
}

/// Why objects were not set, in the terms of a response (RFC 3416 section 4.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetRefused {
    /// error-status.
    pub status: ErrorStatus,
    /// error-index: which assignment, counted from 1; 0 for all.
    pub index: usize,
}

impl SetRefused {
    const fn whole(status: ErrorStatus) -> Self {
        Self { status, index: 0 }
    }
}
