//! Which requests are passed on as a whole, and what is a response to them.

use std::sync::Arc;

use varbind_codec::pdu::{CommonPdu, PduType};
use varbind_codec::smi::{OidScratch, Value};

use super::{ForwardedResponse, ProxyTarget};
use crate::access_control::ViewTree;
use crate::instrumentation::{ProxiedObjects, Registry};

/// The target that a request is passed on to as a whole: the one that all of its names concern (RFC 3413 section 3.5.1.1).
///
/// A name that the requester may not read or write stays with the command responder, which says so.
pub(crate) fn select<'r>(
    registry: &'r Registry,
    view: &ViewTree,
    pdu: &CommonPdu<'_>,
) -> Option<&'r Arc<dyn ProxyTarget>> {
    if !registry.has_proxies() {
        return None;
    }
    let is_named = matches!(pdu.pdu_type, PduType::GetRequest | PduType::SetRequest);
    let mut scratch = OidScratch::new();
    let mut proxied: Option<&ProxiedObjects> = None;
    for var_bind in pdu.var_binds.clone() {
        let name = var_bind.ok()?.name.decode_into(&mut scratch);
        let of_name = registry.proxied(name)?;
        if is_named && !view.includes(name)
            || proxied.is_some_and(|other| !std::ptr::eq(other, of_name))
        {
            return None;
        }
        proxied = Some(of_name);
    }
    let target = proxied?.target();
    (pdu.pdu_type != PduType::SetRequest || target.may_write()).then_some(target)
}

/// Whether a response to a request that was passed on answers it: nothing in it lies outside of the view of the requester, or
/// of what the target stands for. Otherwise the command responder goes on behind such instances.
pub(crate) fn is_answer(
    registry: &Registry,
    view: &ViewTree,
    pdu: &CommonPdu<'_>,
    response: &ForwardedResponse,
) -> bool {
    if pdu.pdu_type == PduType::SetRequest {
        return true;
    }
    let mut scratch = OidScratch::new();
    let first = pdu.var_binds.clone().next().and_then(Result::ok);
    let Some(proxied) =
        first.and_then(|first| registry.proxied(first.name.decode_into(&mut scratch)))
    else {
        return false;
    };
    response.var_binds.iter().all(|var_bind| {
        let name = var_bind.name.arcs();
        match var_bind.value {
            Value::EndOfMibView => proxied.is_whole(),
            Value::NoSuchObject | Value::NoSuchInstance => true,
            _ => {
                view.includes(name)
                    && registry
                        .proxied(name)
                        .is_some_and(|other| std::ptr::eq(other, proxied))
            }
        }
    })
}
