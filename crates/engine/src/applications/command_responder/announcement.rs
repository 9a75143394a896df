//! Dynamic objects learn which variables a request is about to read, so that they can fetch them together.

use varbind_codec::pdu::PduType;
use varbind_codec::smi::Oid;

use super::{Request, Stop, Workspace};
use crate::access_control::ViewTree;
use crate::instrumentation::{Expected, Registry};

/// Octets of a variable binding beside its name: three headers and the shortest value.
const LEAST_OCTETS: usize = 7;

/// Announces the variables of a request that may wait, if there are dynamic objects.
pub(super) fn announce(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
) -> Result<(), Stop> {
    let (Some(dynamic), Some(_)) = (request.registry.dynamic(), request.context.transaction) else {
        return Ok(());
    };
    let pdu = request.pdu;
    let is_bulk = pdu.pdu_type == PduType::GetBulkRequest;
    let non_repeaters = if is_bulk {
        pdu.non_repeaters()
    } else {
        usize::MAX
    };
    let repetitions = if is_bulk {
        most_repetitions(request, non_repeaters)
    } else {
        1
    };
    let mut expected = Vec::new();
    for (at, var_bind) in pdu.var_binds.clone().enumerate() {
        let name = var_bind?.name.decode_into(&mut workspace.asked);
        let repetitions = if at < non_repeaters { 1 } else { repetitions };
        if pdu.pdu_type == PduType::GetRequest {
            let is_dynamic = view.includes(name) && !request.registry.is_registered(name);
            let name = is_dynamic.then(|| Oid::new(name).ok()).flatten();
            expected.extend(name.map(Expected::Instance));
        } else if repetitions > 0 {
            expected.extend(next(request.registry, name, repetitions));
        }
    }
    if !expected.is_empty() {
        dynamic.expect(&request.context, &expected);
    }
    Ok(())
}

/// How many repetitions are worth fetching: more would not fit the response.
fn most_repetitions(request: &Request<'_>, non_repeaters: usize) -> u16 {
    let var_binds = request.pdu.var_binds.clone();
    let repeaters = var_binds.skip(non_repeaters).filter_map(Result::ok);
    let row: usize = repeaters
        .map(|var_bind| var_bind.name.content().len() + LEAST_OCTETS)
        .sum();
    let fitting = request.bulk_room.min(request.room) / row.max(1) + 1;
    let repetitions = request.pdu.max_repetitions().min(fitting);
    u16::try_from(repetitions).unwrap_or(u16::MAX)
}

/// The search behind a name that no registered object is responsible for.
fn next(registry: &Registry, name: &[u32], repetitions: u16) -> Option<Expected> {
    let is_dynamic = !registry.is_registered(name);
    let start = is_dynamic.then(|| Oid::new(name).ok()).flatten()?;
    let following = registry.subtree(registry.position(name, usize::MAX));
    Some(Expected::Next {
        start,
        is_included: false,
        end: following.map(|(root, _)| root.clone()),
        repetitions,
    })
}
