//! Targets that stand in each other's way, or are this agent itself.

use std::net::IpAddr;
use std::ops::Range;

use varbind::transport::TransportAddress;

use super::{ConfiguredProxy, ProxyScope};
use crate::configuration::ListenAddress;
use crate::configuration::error::Problem;

/// Two targets for one request.
pub(super) fn check_pair(
    proxy: &ConfiguredProxy,
    other: &ConfiguredProxy,
    span: &Range<usize>,
) -> Result<(), Problem> {
    let (name, other_name) = (&proxy.name, &other.name);
    let message = match (&proxy.scope, &other.scope) {
        (one, another) if one == another => {
            format!("{name:?} and {other_name:?} stand for the same requests: remove one")
        }
        (ProxyScope::Subtree(one), ProxyScope::Subtree(another))
            if one.is_prefix_of(another.arcs()) || another.is_prefix_of(one.arcs()) =>
        {
            format!("the subtrees of {name:?} and {other_name:?} overlap: {one} and {another}")
        }
        (ProxyScope::Subtree(_), ProxyScope::Context(context))
        | (ProxyScope::Context(context), ProxyScope::Subtree(_))
            if context.is_empty() =>
        {
            format!(
                "one of {name:?} and {other_name:?} passes on everything: no subtree is left of the default context"
            )
        }
        _ if name == other_name
            || proxy.access_context() == other.access_context() && proxy.has_own_access() =>
        {
            format!(
                "{name:?} and {other_name:?} are one context for access control: give one another `name` or `context`"
            )
        }
        _ => return Ok(()),
    };
    Err(Problem::at(span.clone(), message))
}

/// Refuses targets at which this agent listens itself (a proxy loop, RFC 3413 section 3.5).
pub(in crate::configuration) fn check_loops<'a>(
    proxies: impl IntoIterator<Item = &'a ConfiguredProxy>,
    listen: &[ListenAddress],
) -> Result<(), Problem> {
    for proxy in proxies {
        let mut listen = listen.iter().map(|listen| &listen.address);
        if let Some(own) = listen.find(|own| is_at(&proxy.address, own)) {
            return Err(Problem::anywhere(format!(
                "{:?} of [[proxy]] has the target {}, where this agent listens itself ({own}): requests would go round in a loop",
                proxy.name, proxy.address
            )));
        }
    }
    Ok(())
}

/// Whether what is sent to an address surely arrives at a listener.
fn is_at(target: &TransportAddress, own: &TransportAddress) -> bool {
    let port = |address: &TransportAddress| {
        let usual = address.transport.agent_port();
        address.port.unwrap_or(usual)
    };
    let is_loopback = |address: &TransportAddress| {
        let ip: Option<IpAddr> = address.host.parse().ok();
        address.host == "localhost" || ip.is_some_and(|ip| ip.is_loopback())
    };
    let own_ip: Option<IpAddr> = own.host.parse().ok();
    let is_any = own_ip.is_some_and(|ip| ip.is_unspecified());
    target.transport == own.transport
        && port(target) == port(own)
        && port(target) != 0
        && (target.host == own.host || is_any && is_loopback(target))
}
