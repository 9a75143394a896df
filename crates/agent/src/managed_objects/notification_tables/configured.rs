//! The rows of the notification targets in the configuration file. Tag, parameters and profile of a target have its name.

use std::time::Duration;

use varbind_codec::message::Version;
use varbind_codec::smi::Value;
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::applications::command_generator::RetryPolicy;
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::security::{SecurityLevel, SecurityModel};

use super::{address, filter, notify, parameters, profile, transport_domain};
use crate::configuration::ConfiguredTarget;
use crate::managed_objects::rows::{Row, append_counted, append_octets};

/// The IMPLIED index of a row with this name.
pub(super) fn index(name: &str) -> Vec<u32> {
    let mut index = Vec::new();
    append_octets(&mut index, name.as_bytes());
    index
}

pub(super) fn octets(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

pub(super) fn address(target: &ConfiguredTarget) -> Row {
    let mut values = vec![
        (address::TAG_LIST, octets(&target.name)),
        (address::PARAMS, octets(&target.name)),
        // As much as the transport carries.
        (address::MMS, Value::Integer(0)),
    ];
    if let Some((domain, address)) = transport_domain::of_address(&target.address) {
        values.push((address::T_DOMAIN, domain));
        values.push((address::T_ADDRESS, Value::OctetString(address)));
    }
    if let Some(RetryPolicy::Fixed { timeout, retries }) = target.retry {
        let retries = i32::try_from(retries).unwrap_or(i32::MAX).min(255);
        values.push((address::TIMEOUT, Value::Integer(hundredths(timeout))));
        values.push((address::RETRY_COUNT, Value::Integer(retries)));
    }
    Row::configured(&address::TABLE, index(&target.name), values)
}

pub(super) fn hundredths(time: Duration) -> i32 {
    i32::try_from(time.as_millis() / 10).unwrap_or(i32::MAX)
}

pub(super) fn parameters(target: &ConfiguredTarget) -> Row {
    parameters_row(&target.name, target.processing.version(), &target.principal)
}

/// A row of snmpTargetParamsTable.
pub(super) fn parameters_row(name: &str, version: Version, principal: &TargetPrincipal) -> Row {
    let processing_model = match version {
        Version::V1 => 0,
        Version::V2c => 1,
        Version::V3 => 3,
    };
    let values = [
        (parameters::MP_MODEL, Value::Integer(processing_model)),
        (
            parameters::SECURITY_MODEL,
            Value::Integer(match principal.security_model {
                SecurityModel::SnmpV1 => 1,
                SecurityModel::SnmpV2c => 2,
                SecurityModel::UserBased => 3,
                SecurityModel::Transport => 4,
            }),
        ),
        (
            parameters::SECURITY_NAME,
            octets(principal.security_name.as_str()),
        ),
        (
            parameters::SECURITY_LEVEL,
            Value::Integer(match principal.security_level {
                SecurityLevel::NoAuthNoPriv => 1,
                SecurityLevel::AuthNoPriv => 2,
                SecurityLevel::AuthPriv => 3,
            }),
        ),
    ];
    Row::configured(&parameters::TABLE, index(name), values)
}

pub(super) fn notify(target: &ConfiguredTarget) -> Row {
    let kind = match target.kind {
        NotificationKind::Trap => notify::TRAP,
        NotificationKind::Inform => notify::INFORM,
    };
    let values = [
        (notify::TAG, octets(&target.name)),
        (notify::TYPE, Value::Integer(kind)),
    ];
    Row::configured(&notify::TABLE, index(&target.name), values)
}

/// None where everything is wanted.
pub(super) fn profile(target: &ConfiguredTarget) -> Option<Row> {
    let values = [(profile::NAME_OF_PROFILE, octets(&target.name))];
    (!target.filter.is_empty())
        .then(|| Row::configured(&profile::TABLE, index(&target.name), values))
}

pub(super) fn filters(target: &ConfiguredTarget) -> impl Iterator<Item = Row> {
    target
        .filter
        .iter()
        .map(|family| family_row(target, family))
}

fn family_row(target: &ConfiguredTarget, family: &ViewTreeFamily) -> Row {
    let mut index = Vec::new();
    append_counted(&mut index, target.name.bytes().map(u32::from));
    index.extend_from_slice(family.subtree.arcs());
    let included = if family.included {
        filter::INCLUDED
    } else {
        filter::EXCLUDED
    };
    let mask = family.mask.octets().to_vec();
    let values = [
        (filter::MASK, Value::OctetString(mask)),
        (filter::TYPE, Value::Integer(included)),
    ];
    Row::configured(&filter::TABLE, index, values)
}
