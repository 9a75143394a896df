//! What a request may read or write (RFC 3413 section 3.2 (2) to (4)).

use varbind_codec::pdu::PduType;

use crate::access_control::{AccessDenied, AccessRequest, ViewTree, ViewType};
use crate::discard::Discard;
use crate::instrumentation::Registry;
use crate::local_configuration::LocalConfiguration;
use crate::message_processing::{DataElements, Refusal};

/// What a request may touch.
pub(super) struct Access<'l> {
    pub(super) registry: &'l Registry,
    /// `None` if the requester is not authorised at all.
    pub(super) view: Option<&'l ViewTree>,
}

/// Looks up what a request may touch (RFC 3413 section 3.2 (2) to (4)).
pub(super) fn authorize<'l, 'a>(
    local: &'l LocalConfiguration,
    elements: &DataElements<'a>,
) -> Result<Access<'l>, Refusal<'a>> {
    let pdu_type = elements.pdu.pdu_type;
    let view_type =
        view_type(pdu_type).ok_or_else(|| elements.refuse(Discard::UnknownPduHandler(pdu_type)))?;
    let (registry, context_name) = match &elements.proxied_engine {
        Some(engine_id) => local
            .proxied_context(engine_id, elements.context_name)
            .map(|context| (&*context.registry, context.access_context.as_str()))
            .ok_or_else(|| elements.refuse(Discard::NoProxyTarget))?,
        // RFC 3413 3.2 (2)
        None => local
            .registry(elements.context_name)
            .map(|registry| (registry, elements.context_name))
            .ok_or_else(|| elements.refuse(Discard::UnknownContext))?,
    };
    let access = AccessRequest {
        security_model: elements.security_model,
        security_name: elements.security_name,
        security_level: elements.security_level,
        view_type,
        context_name,
    };
    let view = view(local, &access).map_err(|discard| elements.refuse(discard))?;
    Ok(Access { registry, view })
}

/// The view of a request, `None` if it is not authorised at all.
fn view<'l>(
    local: &'l LocalConfiguration,
    access: &AccessRequest<'_>,
) -> Result<Option<&'l ViewTree>, Discard> {
    match local.access_control.view(access) {
        Ok(view) => Ok(Some(view)),
        Err(AccessDenied::NoSuchContext) => Err(Discard::UnknownContext),
        Err(_) => Ok(None),
    }
}

/// Which view decides on a request (RFC 3413 section 3.2 (3)); `None` for PDUs that a command responder does not take.
const fn view_type(pdu_type: PduType) -> Option<ViewType> {
    match pdu_type {
        PduType::GetRequest | PduType::GetNextRequest | PduType::GetBulkRequest => {
            Some(ViewType::Read)
        }
        PduType::SetRequest => Some(ViewType::Write),
        PduType::Response
        | PduType::TrapV1
        | PduType::InformRequest
        | PduType::TrapV2
        | PduType::Report => None,
    }
}
