//! The rows of SNMP-PROXY-MIB (RFC 3413 section 4.4), and the rows of SNMP-TARGET-MIB that they name: the `[[proxy]]` entries of the
//! configuration. Their names are `proxy-1` and so on; those of notification targets begin with `target-`.

use varbind_codec::message::Version;
use varbind_codec::smi::Value;
use varbind_engine::applications::command_generator::{MessageProcessing, V3Security};
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use super::configured::{hundredths, index, octets, parameters_row};
use super::{address, proxy, transport_domain};
use crate::configuration::{ConfiguredProxy, ProxyScope};
use crate::managed_objects::rows::{Row, RowSet};

/// The entries that the tables can express, with their names. snmpProxyTable selects by context, not by subtree.
fn named(proxies: &[ConfiguredProxy]) -> impl Iterator<Item = (String, &ConfiguredProxy)> {
    let numbered = (1..).zip(proxies);
    numbered
        .filter(|(_, proxy)| !matches!(proxy.scope, ProxyScope::Subtree(_)))
        .map(|(number, proxy): (u32, _)| (format!("proxy-{number}"), proxy))
}

/// snmpProxyTable: a row for reading, and one for writing where that is allowed.
pub(in crate::managed_objects) fn proxies(
    proxies: &[ConfiguredProxy],
    own_engine: &EngineId,
) -> RowSet {
    let rows = named(proxies).flat_map(|(name, proxy)| {
        let write = proxy.may_write.then(|| format!("{name}-write"));
        let write = write.map(|write| proxy_row(&write, proxy::WRITE, &name, proxy, own_engine));
        let read = proxy_row(&name, proxy::READ, &name, proxy, own_engine);
        [Some(read), write].into_iter().flatten()
    });
    RowSet::new(rows)
}

/// Access control alone decides which requests are forwarded, so snmpProxyTargetParamsIn is empty.
fn proxy_row(
    name: &str,
    kind: i32,
    target: &str,
    proxied: &ConfiguredProxy,
    own_engine: &EngineId,
) -> Row {
    let (engine, context) = match &proxied.scope {
        ProxyScope::Engine(engine, context) => (engine, context.as_str()),
        ProxyScope::Context(context) => (own_engine, context.as_str()),
        ProxyScope::Subtree(_) => (own_engine, ""),
    };
    let values = [
        (proxy::TYPE, Value::Integer(kind)),
        (
            proxy::CONTEXT_ENGINE_ID,
            Value::OctetString(engine.as_octets().to_vec()),
        ),
        (proxy::CONTEXT_NAME, octets(context)),
        (proxy::SINGLE_TARGET_OUT, octets(target)),
    ];
    Row::configured(&proxy::TABLE, index(name), values)
}

/// snmpTargetAddrTable: without tags, so that no notification goes there.
pub(super) fn addresses(proxies: &[ConfiguredProxy]) -> impl Iterator<Item = Row> {
    named(proxies).map(|(name, proxy)| {
        let mut target = proxy.address.clone();
        target.port.get_or_insert(target.transport.agent_port());
        let mut values = vec![
            (address::PARAMS, octets(&name)),
            // A request ends with this time, however often it is sent until then.
            (address::TIMEOUT, Value::Integer(hundredths(proxy.timeout))),
            (address::RETRY_COUNT, Value::Integer(0)),
            (address::MMS, Value::Integer(0)),
        ];
        if let Some((domain, octets)) = transport_domain::of_address(&target) {
            values.push((address::T_DOMAIN, domain));
            values.push((address::T_ADDRESS, Value::OctetString(octets)));
        }
        Row::configured(&address::TABLE, index(&name), values)
    })
}

/// snmpTargetParamsTable.
pub(super) fn parameters(proxies: &[ConfiguredProxy]) -> impl Iterator<Item = Row> {
    named(proxies)
        .map(|(name, proxy)| parameters_row(&name, proxy.processing.version(), &principal(proxy)))
}

/// The principal of requests to the target. The name of the entry stands in for a community, which stays secret, and for the
/// identity of a secure transport.
fn principal(proxy: &ConfiguredProxy) -> TargetPrincipal {
    let own_name = || SecurityName::new(proxy.name.clone());
    let (security_model, security_name, security_level) = match &proxy.processing {
        MessageProcessing::V3(parameters) => match &parameters.security {
            V3Security::User(user) => (
                SecurityModel::UserBased,
                user.user_name().clone(),
                user.credentials.security_level(),
            ),
            V3Security::Transport(transport) => (
                SecurityModel::Transport,
                own_name(),
                transport.security_level,
            ),
        },
        community => {
            let model = match community.version() {
                Version::V1 => SecurityModel::SnmpV1,
                _ => SecurityModel::SnmpV2c,
            };
            (model, own_name(), SecurityLevel::NoAuthNoPriv)
        }
    };
    TargetPrincipal {
        security_model,
        security_name,
        security_level,
        context_name: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use varbind_engine::applications::command_generator::V3Parameters;

    use super::super::parameters::{MP_MODEL, SECURITY_LEVEL, SECURITY_MODEL, SECURITY_NAME};
    use super::*;

    fn entry(address: &str, scope: ProxyScope, processing: MessageProcessing) -> ConfiguredProxy {
        let mut proxy = ConfiguredProxy::front(address.parse().unwrap(), processing);
        proxy.name = "switch7".to_owned();
        proxy.scope = scope;
        proxy
    }

    fn community() -> MessageProcessing {
        MessageProcessing::V2c {
            community: b"s3cret".to_vec(),
        }
    }

    fn context(name: &str) -> ProxyScope {
        ProxyScope::Context(name.to_owned())
    }

    #[test]
    fn a_context_has_a_row_for_reading_and_one_for_writing() {
        let own = EngineId::new(&[0x80, 0, 0, 1, 5]).unwrap();
        let other = EngineId::new(&[0x80, 0, 0, 2, 5]).unwrap();
        let mut writable = entry("udp:192.0.2.7", context("switch7"), community());
        writable.may_write = true;
        let entries = [
            entry(
                "udp:192.0.2.8",
                ProxyScope::Subtree("1.3.6.1.4.1.9".parse().unwrap()),
                community(),
            ),
            writable,
            entry(
                "udp:192.0.2.9",
                ProxyScope::Engine(other, "blue".to_owned()),
                community(),
            ),
        ];
        let rows = proxies(&entries, &own);
        let expected = [
            ("proxy-2", proxy::READ, "switch7", "proxy-2", own),
            ("proxy-2-write", proxy::WRITE, "switch7", "proxy-2", own),
            ("proxy-3", proxy::READ, "blue", "proxy-3", other),
        ];
        assert_eq!(rows.iter().count(), expected.len());
        for (row, (name, kind, context, target, engine)) in rows.iter().zip(expected) {
            assert_eq!(row.index(), index(name));
            let id = row.octets(proxy::CONTEXT_ENGINE_ID);
            assert_eq!(id, Some(engine.as_octets()));
            assert_eq!(row.integer(proxy::TYPE), Some(kind));
            assert_eq!(row.text(proxy::CONTEXT_NAME), Some(context));
            assert_eq!(row.text(proxy::SINGLE_TARGET_OUT), Some(target));
            let mut columns = proxy::COLUMNS.iter();
            assert!(columns.all(|&column| row.value(column).is_some()));
        }
    }

    #[test]
    fn a_target_is_shown_without_its_community() {
        let entries = [
            entry("udp:192.0.2.7", context("one"), community()),
            entry(
                "tls:device.example.net",
                context("two"),
                MessageProcessing::V3(Box::new(V3Parameters::transport())),
            ),
        ];
        let rows: Vec<Row> = addresses(&entries).collect();
        let target = |row: &Row| row.octets(address::T_ADDRESS).unwrap().to_vec();
        assert_eq!(target(&rows[0]), [192, 0, 2, 7, 0, 161]);
        assert_eq!(target(&rows[1]), b"device.example.net:10161");
        assert_eq!(rows[0].octets(address::TAG_LIST), Some(&[][..]));
        assert_eq!(rows[0].integer(address::TIMEOUT), Some(300));
        let rows: Vec<Row> = parameters(&entries).collect();
        let models = |row: &Row| {
            [MP_MODEL, SECURITY_MODEL, SECURITY_LEVEL].map(|column| row.integer(column).unwrap())
        };
        assert_eq!(models(&rows[0]), [1, 2, 1]);
        assert_eq!(models(&rows[1]), [3, 4, 3]);
        assert_eq!(rows[0].text(SECURITY_NAME), Some("switch7"));
    }
}
