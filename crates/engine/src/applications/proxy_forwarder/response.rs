use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::Value;

use super::ForwardedResponse;
use crate::applications::command_responder::{NotProcessed, Request, RequestError, error_response};

/// Writes the variable bindings of a response that a target gave, and returns its error-status and error-index
/// (RFC 3413 section 3.5.1.2).
pub(crate) fn write_response(
    request: &Request<'_>,
    response: &ForwardedResponse,
    writer: &mut Writer<'_>,
) -> Result<(ErrorStatus, i32), NotProcessed> {
    let error = |status, index, writer: &mut Writer<'_>| {
        Ok(error_response(
            request,
            RequestError { status, index },
            writer,
        )?)
    };
    if response.error_status != ErrorStatus::NoError {
        return error(response.error_status, response.error_index, writer);
    }
    if request.pdu.pdu_type == PduType::SetRequest {
        return match writer.append(request.pdu.var_binds.encoded()) {
            Ok(()) => Ok((ErrorStatus::NoError, 0)),
            Err(_) => error(ErrorStatus::TooBig, 0, writer),
        };
    }
    let is_bulk = request.pdu.pdu_type == PduType::GetBulkRequest;
    if is_bulk {
        writer.limit_appended(request.bulk_room.min(request.room));
    }
    for (at, var_bind) in response.var_binds.iter().enumerate() {
        let value = var_bind.value.as_value_ref();
        // RFC 3584 4.4 and 4.2.2.1: SNMPv1 has neither exceptions nor Counter64.
        let is_for_v1 = !value.is_exception() && !matches!(var_bind.value, Value::Counter64(_));
        if request.version == Version::V1 && !is_for_v1 {
            return error(ErrorStatus::NoSuchName, at + 1, writer);
        }
        let length = writer.len();
        let mut appended = writer.append_var_bind(var_bind.name.arcs(), value);
        if appended.is_err() {
            writer.truncate(length);
            if is_bulk && at > 0 {
                break;
            }
            // A first value that is longer than what is sent in one piece goes alone.
            writer.limit_appended(request.room);
            appended = writer.append_var_bind(var_bind.name.arcs(), value);
        }
        if appended.is_err() {
            return error(ErrorStatus::TooBig, 0, writer);
        }
    }
    writer.limit_appended(request.room);
    Ok((ErrorStatus::NoError, 0))
}
