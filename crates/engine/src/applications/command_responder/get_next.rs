use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, OidScratch, ValueRef};

use super::{Request, Stop, Workspace, admission, error_at, unwritten};
use crate::access_control::ViewTree;
use crate::instrumentation::{
    Admission, DynamicObjects, ManagedObject, ReadError, Registry, Reply, ReplyOutcome,
    RequestContext, Start,
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
            Err(NotRead::Failed | NotRead::TooLong) => {
                return Err(error_at(ErrorStatus::GenErr, at));
            }
            Err(NotRead::MustWait) => return Err(Stop::MustWait),
            Err(NotRead::Unwritten(error)) => return Err(unwritten(error, at)),
        }
    }
    Ok(())
}

/// Why the next instance is not in the response.
pub(super) enum NotRead {
    /// The managed object failed, or did not answer what it was asked.
    Failed,
    /// Only a thread that may wait can read it.
    MustWait,
    /// It takes too long: many instances outside the view, or an object that is not ready.
    TooLong,
    Unwritten(EncodeError),
}

impl From<ReadError> for NotRead {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::MustWait => Self::MustWait,
            ReadError::NoSuchObject | ReadError::NoSuchInstance | ReadError::Failed => Self::Failed,
        }
    }
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
    /// Whether the response may end here; then the search does not enter objects that are not ready.
    pub(super) may_end: bool,
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
            may_end: false,
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
        loop {
            let subtree = registry.subtree(at);
            if let Some(dynamic) = registry.dynamic() {
                let end = subtree.map(|(root, _)| root.arcs());
                if self.next_dynamic(dynamic, end, from, answer, writer)? {
                    return Ok(true);
                }
            }
            let Some((root, object)) = subtree else {
                return Ok(false);
            };
            if self.may_end && at != self.nearby && !object.is_ready() {
                return Err(NotRead::TooLong);
            }
            loop {
                match self.read_successor(root, object, from, answer, writer)? {
                    ReplyOutcome::Unanswered => break,
                    ReplyOutcome::Written => {
                        self.nearby = at;
                        return Ok(true);
                    }
                    outcome => self.pass(outcome, from, answer)?,
                }
            }
            if from.arcs() < root.arcs() {
                // What lies before the object was searched.
                from.set(root.arcs());
            }
            at += 1;
            // What is not in the view may reach beyond many objects.
            while let Some((root, _)) = registry.subtree(at)
                && root.arcs() < from.arcs()
                && !root.is_prefix_of(from.arcs())
            {
                at += 1;
            }
        }
    }

    /// The same of the objects that lie between those that are registered, before the one at `end`.
    fn next_dynamic(
        &mut self,
        dynamic: &dyn DynamicObjects,
        end: Option<&[u32]>,
        from: &mut OidScratch,
        answer: &mut OidScratch,
        writer: &mut Writer<'_>,
    ) -> Result<bool, NotRead> {
        loop {
            // Behind an object that is registered, the search begins with the first name that is not below it.
            let behind = self.registry.end_of_registered(from.arcs());
            let start = match &behind {
                Some(name) => Start::At(name),
                None => Start::Behind(from.arcs()),
            };
            if end.is_some_and(|end| end <= start.name()) {
                return Ok(false);
            }
            let admission = |name: &[u32], value: &ValueRef<'_>| {
                let is_between = start.includes(name) && end.is_none_or(|end| name < end);
                match is_between && !value.is_exception() {
                    true => self.admission(name, value),
                    false => Admission::Refused,
                }
            };
            let mut reply = Reply::new(answer, None, writer, &admission);
            dynamic.get_next_before(&self.context, start, end, &mut reply)?;
            match reply.outcome() {
                ReplyOutcome::Unanswered => return Ok(false),
                ReplyOutcome::Written => return Ok(true),
                outcome => self.pass(outcome, from, answer)?,
            }
        }
    }

    /// Goes on behind an instance that may not be seen; other outcomes end the search.
    fn pass(
        &mut self,
        outcome: ReplyOutcome,
        from: &mut OidScratch,
        answer: &OidScratch,
    ) -> Result<(), NotRead> {
        match outcome {
            ReplyOutcome::Failed(error) => return Err(NotRead::Unwritten(error)),
            ReplyOutcome::Refused => return Err(NotRead::Failed),
            _ => pass(self.view, from, answer),
        }
        self.withheld += 1;
        if self.withheld > MAX_WITHHELD {
            return Err(NotRead::TooLong);
        }
        Ok(())
    }

    /// What is done with an instance that answers the question.
    fn admission(&self, name: &[u32], value: &ValueRef<'_>) -> Admission {
        if self.view.includes(name) {
            (self.admits)(name, value)
        } else {
            Admission::Withheld
        }
    }

    fn read_successor(
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
            // A managed object without a reply has no successor.
            if value.is_exception() {
                Admission::Refused
            } else {
                self.admission(name, value)
            }
        };
        let mut reply = Reply::new(answer, None, writer, &admission);
        object.get_next(&self.context, from.arcs(), &mut reply)?;
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
