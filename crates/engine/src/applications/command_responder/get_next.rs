use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, Oid, OidScratch, Value};

use super::{Request, Stop, Workspace, error_at, is_visible, unwritten};
use crate::access_control::ViewTree;
use crate::instrumentation::{ManagedObject, Reply, ReplyOutcome};

/// How many instances outside the view a walk passes before it gives up with genErr: a bound on the work of one
/// request, far above any table.
const MAX_WITHHELD: usize = 1 << 20;

/// GetNextRequest-PDU (RFC 3416 section 4.2.2).
pub(super) fn process(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
    writer: &mut Writer<'_>,
) -> Result<(), Stop> {
    for (at, var_bind) in request.pdu.var_binds.clone().enumerate() {
        let var_bind = var_bind?;
        let name = var_bind.name.decode_into(&mut workspace.asked);
        workspace.from.set(name);
        match next_instance(
            request,
            view,
            &mut workspace.from,
            &mut workspace.answer,
            writer,
        ) {
            Ok(true) => {}
            // RFC 3584 4.4: SNMPv1 has no exceptions.
            Ok(false) if request.version == Version::V1 => {
                return Err(error_at(ErrorStatus::NoSuchName, at));
            }
            Ok(false) => writer
                .append_encoded_var_bind(var_bind.name, Value::EndOfMibView)
                .map_err(|error| unwritten(error, at))?,
            Err(NotRead::Failed) => return Err(error_at(ErrorStatus::GenErr, at)),
            Err(NotRead::Unwritten(error)) => return Err(unwritten(error, at)),
        }
    }
    Ok(())
}

/// Why the next instance is not in the response.
pub(super) enum NotRead {
    Failed,
    Unwritten(EncodeError),
}

/// Appends the first instance behind `from` that is in the view; its name is then in `answer`. `false` if there is
/// none. `from` is used up.
pub(super) fn next_instance(
    request: &Request<'_>,
    view: &ViewTree,
    from: &mut OidScratch,
    answer: &mut OidScratch,
    writer: &mut Writer<'_>,
) -> Result<bool, NotRead> {
    let mut withheld = 0;
    // `from` only grows, so the objects need not be looked up again.
    let objects = request.registry.from_name(from.arcs());
    let is_admitted =
        |name: &[u32], value: &Value<'_>| is_visible(request.version, value) && view.includes(name);
    for (root, object) in objects {
        loop {
            let length = writer.len();
            match answer_of(request, object, from, answer, writer, &is_admitted)? {
                ReplyOutcome::Unanswered => break,
                ReplyOutcome::Failed(error) => return Err(NotRead::Unwritten(error)),
                _ if !is_in_order(root, from, answer) => {
                    writer.truncate(length);
                    return Err(NotRead::Failed);
                }
                ReplyOutcome::Written => return Ok(true),
                ReplyOutcome::Withheld => skip(view, from, answer),
            }
            withheld += 1;
            if withheld > MAX_WITHHELD {
                return Err(NotRead::Failed);
            }
        }
    }
    Ok(false)
}

fn answer_of(
    request: &Request<'_>,
    object: &dyn ManagedObject,
    from: &OidScratch,
    answer: &mut OidScratch,
    writer: &mut Writer<'_>,
    is_admitted: &dyn Fn(&[u32], &Value<'_>) -> bool,
) -> Result<ReplyOutcome, NotRead> {
    let mut reply = Reply::new(answer, writer, is_admitted);
    object
        .get_next(&request.context, from.arcs(), &mut reply)
        .map_err(|_| NotRead::Failed)?;
    Ok(reply.outcome())
}

/// No managed object is trusted to walk forwards.
fn is_in_order(root: &Oid, from: &OidScratch, answer: &OidScratch) -> bool {
    root.is_prefix_of(answer.arcs()) && answer.arcs() > from.arcs()
}

/// Goes on behind an instance that is not in the view, and behind the whole subtree where that is excluded.
fn skip(view: &ViewTree, from: &mut OidScratch, answer: &OidScratch) {
    match view.excluded_subtree(answer.arcs()) {
        Some(subtree) => {
            from.set(subtree.arcs());
            // The last name that can lie below the subtree.
            from.extend(&[u32::MAX; MAX_SUB_IDENTIFIERS]);
        }
        None => from.set(answer.arcs()),
    }
}
