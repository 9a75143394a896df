use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, OidScratch, ValueRef};

use super::{Request, Stop, Workspace, admission, error_at, unwritten};
use crate::access_control::ViewTree;
use crate::instrumentation::{
    Admission, ManagedObject, Registry, Reply, ReplyOutcome, RequestContext,
};

/// How many instances outside the view one request may pass: a bound on its work, far above any table.
const MAX_WITHHELD: usize = 1 << 20;

/// GetNextRequest-PDU (RFC 3416 section 4.2.2).
pub(super) fn process(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
    writer: &mut Writer<'_>,
) -> Result<(), Stop> {
    let Workspace {
        from,
        answer,
        variables,
        ..
    } = workspace;
    let admits = |_: &[u32], value: &ValueRef<'_>| admission(request.version, value);
    let mut search = Search::new(request.context, request.registry, view, &admits);
    for (at, var_bind) in request.pdu.var_binds.clone().enumerate() {
        let var_bind = var_bind?;
        var_bind.name.decode_into(from);
        match search.next_instance(from, answer, writer) {
            Ok(true) => *variables += 1,
            // RFC 3584 4.4: SNMPv1 has no exceptions.
            Ok(false) if request.version == Version::V1 => {
                return Err(error_at(ErrorStatus::NoSuchName, at));
            }
            Ok(false) => writer
                .append_encoded_var_bind(var_bind.name, ValueRef::EndOfMibView)
                .map_err(|error| unwritten(error, at))?,
            Err(NotRead::Failed | NotRead::TooFar) => {
                return Err(error_at(ErrorStatus::GenErr, at));
            }
            Err(NotRead::Unwritten(error)) => return Err(unwritten(error, at)),
        }
    }
    Ok(())
}

/// Why the next instance is not in the response.
pub(super) enum NotRead {
    /// The managed object failed, or did not answer what it was asked.
    Failed,
    /// Too many instances outside the view were passed.
    TooFar,
    Unwritten(EncodeError),
}

/// Looks for instances on behalf of one request.
pub(super) struct Search<'r> {
    context: RequestContext<'r>,
    registry: &'r Registry,
    view: &'r ViewTree,
    /// What is done with an instance that may be seen.
    admits: &'r dyn Fn(&[u32], &ValueRef<'_>) -> Admission,
    withheld: usize,
    /// Where in the registry the last instance was found: the next one is mostly there, too.
    nearby: usize,
}

impl<'r> Search<'r> {
    pub(super) const fn new(
        context: RequestContext<'r>,
        registry: &'r Registry,
        view: &'r ViewTree,
        admits: &'r dyn Fn(&[u32], &ValueRef<'_>) -> Admission,
    ) -> Self {
        Self {
            context,
            registry,
            view,
            admits,
            withheld: 0,
            nearby: 0,
        }
    }

    /// Appends the first instance behind `from` that is in the view; its name is then in `answer`. `false` if there
    /// is none. `from` is used up.
    pub(super) fn next_instance(
        &mut self,
        from: &mut OidScratch,
        answer: &mut OidScratch,
        writer: &mut Writer<'_>,
    ) -> Result<bool, NotRead> {
        let registry = self.registry;
        // `from` only grows, so the objects need not be looked up again.
        let mut at = registry.position(from.arcs(), self.nearby);
        while let Some((root, object)) = registry.subtree(at) {
            loop {
                match self.ask(root, object, from, answer, writer)? {
                    ReplyOutcome::Unanswered => break,
                    ReplyOutcome::Failed(error) => return Err(NotRead::Unwritten(error)),
                    ReplyOutcome::Refused => return Err(NotRead::Failed),
                    ReplyOutcome::Written => {
                        self.nearby = at;
                        return Ok(true);
                    }
                    ReplyOutcome::Withheld => pass(self.view, from, answer),
                }
                self.withheld += 1;
                if self.withheld > MAX_WITHHELD {
                    return Err(NotRead::TooFar);
                }
            }
            at += 1;
        }
        Ok(false)
    }

    fn ask(
        &self,
        root: &Oid,
        object: &dyn ManagedObject,
        from: &OidScratch,
        answer: &mut OidScratch,
        writer: &mut Writer<'_>,
    ) -> Result<ReplyOutcome, NotRead> {
        // No managed object is trusted to walk forwards and to stay below its name.
        let admission = |name: &[u32], value: &ValueRef<'_>| {
            if !root.is_prefix_of(name) || name <= from.arcs() {
                return Admission::Refused;
            }
            // A managed object tells by its silence that nothing follows.
            if value.is_exception() {
                Admission::Refused
            } else if self.view.includes(name) {
                (self.admits)(name, value)
            } else {
                Admission::Withheld
            }
        };
        let mut reply = Reply::new(answer, None, writer, &admission);
        object
            .get_next(&self.context, from.arcs(), &mut reply)
            .map_err(|_| NotRead::Failed)?;
        Ok(reply.outcome())
    }
}

/// Goes on behind an instance that may not be seen, and behind all that is not in the view.
fn pass(view: &ViewTree, from: &mut OidScratch, answer: &OidScratch) {
    if view.includes(answer.arcs()) {
        // It is its type that the requester does not know.
        from.set(answer.arcs());
    } else {
        view.pass(answer.arcs(), from);
    }
}
