//! Notifications of targets that are passed on.

use std::net::IpAddr;
use std::ops::Range;

use toml::Spanned;
use varbind::transport::TransportAddress;
use varbind_engine::security::usm::Credentials;
use varbind_engine::security::{SecurityName, SourceAddresses, SourceFilter};

use super::{ConfiguredProxy, NotificationSource};
use crate::configuration::document;
use crate::configuration::error::Problem;

/// From where notifications of a target are taken: its own address, if nothing else is written.
pub(super) fn notification_source(
    written: &document::Proxy,
    user: Option<(SecurityName, Credentials)>,
    address: &TransportAddress,
    span: Range<usize>,
) -> Result<Option<NotificationSource>, Problem> {
    if !written.notifications {
        return match &written.sources {
            Some(sources) => Err(Problem::at(
                sources.span(),
                "`sources` are those of notifications: write `notifications = true` too",
            )),
            None => Ok(None),
        };
    }
    if address.transport.is_secure() && user.is_none() {
        return Err(Problem::at(
            span,
            "notifications are taken over UDP and TCP from targets with a community or a user; have this target send to the \
             receiver itself",
        ));
    }
    let filters = match (&written.sources, address.host.parse::<IpAddr>()) {
        (Some(sources), _) => sources.get_ref().iter().map(|source| source.0).collect(),
        (None, Ok(ip)) => {
            let length = if ip.is_ipv4() { 32 } else { 128 };
            vec![SourceFilter::network(ip, length)]
        }
        (None, Err(_)) => {
            return Err(Problem::at(
                span,
                "the target is a host name, so notifications from it can be forged: write `sources = [\"192.0.2.7\"]`, its addresses",
            ));
        }
    };
    Ok(Some(NotificationSource {
        sources: SourceAddresses::Within(filters),
        user,
    }))
}

/// Where notifications of targets arrive.
pub(in crate::configuration) fn notification_listen(
    written: Vec<Spanned<document::ListenAddress>>,
    proxies: &[ConfiguredProxy],
    warnings: &mut Vec<String>,
) -> Result<Vec<TransportAddress>, Problem> {
    let is_awaited = proxies.iter().any(|proxy| proxy.notifications.is_some());
    match (is_awaited, written.first()) {
        (true, None) => warnings.push(
            "[[proxy]] has `notifications = true`, and they arrive nowhere: write `listen = [\"udp:0.0.0.0:162\"]` in \
             [notifications]"
                .to_owned(),
        ),
        (false, Some(address)) => {
            return Err(Problem::at(
                address.span(),
                "notifications are taken from the targets of [[proxy]] that have `notifications = true`, and there are none; \
                 `varbind receive` takes them from anybody",
            ));
        }
        _ => {}
    }
    let addresses = written.into_iter().map(|address| {
        let span = address.span();
        let mut address = address.into_inner().0;
        if address.transport.is_secure() {
            return Err(Problem::at(
                span,
                "notifications that are passed on are taken over UDP and TCP",
            ));
        }
        let usual = address.transport.notification_port();
        address.port = address.port.or(Some(usual));
        Ok(address)
    });
    addresses.collect()
}
