use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, VarBindRef};
use varbind_codec::smi::ValueRef;

use super::{Request, Stop, Workspace, admission, error_at, unwritten};
use crate::access_control::ViewTree;
use crate::instrumentation::{ReadError, Reply, ReplyOutcome};

/// GetRequest-PDU (RFC 3416 section 4.2.1).
pub(super) fn process(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
    writer: &mut Writer<'_>,
) -> Result<(), Stop> {
    for (at, var_bind) in request.pdu.var_binds.clone().enumerate() {
        let var_bind = var_bind?;
        let length = writer.len();
        let exception = match read(request, view, &var_bind, workspace, writer) {
            Ok(ReplyOutcome::Written) => {
                workspace.variables += 1;
                continue;
            }
            Ok(ReplyOutcome::Failed(error)) => return Err(unwritten(error, at)),
            // RFC 3584 4.2.2.1: what SNMPv1 cannot express does not exist for it.
            Ok(ReplyOutcome::Withheld) | Err(ReadError::NoSuchObject) => ValueRef::NoSuchObject,
            Err(ReadError::NoSuchInstance) => ValueRef::NoSuchInstance,
            Err(ReadError::MustWait) => return Err(Stop::MustWait),
            Ok(ReplyOutcome::Unanswered | ReplyOutcome::Refused) | Err(ReadError::Failed) => {
                return Err(error_at(ErrorStatus::GenErr, at));
            }
        };
        // RFC 3584 4.4: SNMPv1 has no exceptions.
        if request.version == Version::V1 {
            return Err(error_at(ErrorStatus::NoSuchName, at));
        }
        // An object may have answered before it failed.
        writer.truncate(length);
        writer
            .append_encoded_var_bind(var_bind.name, exception)
            .map_err(|error| unwritten(error, at))?;
    }
    Ok(())
}

fn read(
    request: &Request<'_>,
    view: &ViewTree,
    var_bind: &VarBindRef<'_>,
    workspace: &mut Workspace,
    writer: &mut Writer<'_>,
) -> Result<ReplyOutcome, ReadError> {
    let name = var_bind.name.decode_into(&mut workspace.asked);
    if !view.includes(name) {
        return Err(ReadError::NoSuchObject);
    }
    let object = request.registry.find(name).ok_or(ReadError::NoSuchObject)?;
    workspace.answer.set(name);
    let admission = |_: &[u32], value: &ValueRef<'_>| admission(request.version, value);
    let asked = Some(var_bind.name);
    let mut reply = Reply::new(&mut workspace.answer, asked, writer, &admission);
    object.get(&request.context, name, &mut reply)?;
    Ok(reply.outcome())
}
