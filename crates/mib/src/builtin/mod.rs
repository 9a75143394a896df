//! The objects that are built in: facts of the IETF's and Net-SNMP's modules that agents and managers meet most.
//!
//! Each module is a table with one row per object. The orders that look-ups need are computed by the compiler, so that
//! a command that runs for a millisecond spends none of it on them.

mod order;
mod row;

#[rustfmt::skip]
mod bridge_mib;
#[rustfmt::skip]
mod entity_mib;
#[rustfmt::skip]
mod entity_sensor_mib;
#[rustfmt::skip]
mod ether_like_mib;
#[rustfmt::skip]
mod host_resources_mib;
#[rustfmt::skip]
mod host_resources_types;
#[rustfmt::skip]
mod iana_if_type_mib;
#[rustfmt::skip]
mod if_mib;
#[rustfmt::skip]
mod inet_address_mib;
#[rustfmt::skip]
mod ip_forward_mib;
#[rustfmt::skip]
mod ip_mib;
#[rustfmt::skip]
mod lm_sensors_mib;
#[rustfmt::skip]
mod net_snmp_agent_mib;
#[rustfmt::skip]
mod net_snmp_extend_mib;
#[rustfmt::skip]
mod net_snmp_mib;
#[rustfmt::skip]
mod snmp_community_mib;
#[rustfmt::skip]
mod snmp_framework_mib;
#[rustfmt::skip]
mod snmp_mpd_mib;
#[rustfmt::skip]
mod snmp_notification_mib;
#[rustfmt::skip]
mod snmp_proxy_mib;
#[rustfmt::skip]
mod snmp_ssh_tm_mib;
#[rustfmt::skip]
mod snmp_target_mib;
#[rustfmt::skip]
mod snmp_tls_tm_mib;
#[rustfmt::skip]
mod snmp_tsm_mib;
#[rustfmt::skip]
mod snmp_user_based_sm_mib;
#[rustfmt::skip]
mod snmp_usm_aes_mib;
#[rustfmt::skip]
mod snmp_usm_hmac_sha2_mib;
#[rustfmt::skip]
mod snmp_view_based_acm_mib;
#[rustfmt::skip]
mod snmpv2_mib;
#[rustfmt::skip]
mod snmpv2_smi;
#[rustfmt::skip]
mod snmpv2_tm;
#[rustfmt::skip]
mod syntax;
#[rustfmt::skip]
mod tcp_mib;
#[rustfmt::skip]
mod transport_address_mib;
#[rustfmt::skip]
mod ucd_diskio_mib;
#[rustfmt::skip]
mod ucd_snmp_mib;
#[rustfmt::skip]
mod udp_mib;

use crate::source::{Module, Position, Source};
use row::node;

/// The roots belong to no module (X.660).
const ROOTS: Module = Module {
    name: "",
    rows: &[
        node("ccitt", &[0]),
        node("iso", &[1]),
        node("joint-iso-ccitt", &[2]),
    ],
};

const MODULES: &[Module] = &[
    ROOTS,
    snmpv2_smi::MODULE,
    snmpv2_tm::MODULE,
    snmpv2_mib::MODULE,
    if_mib::MODULE,
    iana_if_type_mib::MODULE,
    inet_address_mib::MODULE,
    ip_mib::MODULE,
    tcp_mib::MODULE,
    udp_mib::MODULE,
    host_resources_mib::MODULE,
    host_resources_types::MODULE,
    ip_forward_mib::MODULE,
    bridge_mib::MODULE,
    ether_like_mib::MODULE,
    entity_mib::MODULE,
    entity_sensor_mib::MODULE,
    snmp_framework_mib::MODULE,
    snmp_mpd_mib::MODULE,
    snmp_target_mib::MODULE,
    snmp_notification_mib::MODULE,
    snmp_proxy_mib::MODULE,
    snmp_user_based_sm_mib::MODULE,
    snmp_usm_aes_mib::MODULE,
    snmp_usm_hmac_sha2_mib::MODULE,
    snmp_view_based_acm_mib::MODULE,
    snmp_community_mib::MODULE,
    snmp_tsm_mib::MODULE,
    snmp_tls_tm_mib::MODULE,
    snmp_ssh_tm_mib::MODULE,
    transport_address_mib::MODULE,
    net_snmp_mib::MODULE,
    net_snmp_agent_mib::MODULE,
    net_snmp_extend_mib::MODULE,
    ucd_snmp_mib::MODULE,
    ucd_diskio_mib::MODULE,
    lm_sensors_mib::MODULE,
];

/// LAST-UPDATED of the modules that the facts are from; what is not here has none.
const LAST_UPDATED: &[(&str, &str)] = &[
    ("BRIDGE-MIB", "200509190000Z"),
    ("ENTITY-MIB", "200508100000Z"),
    ("ENTITY-SENSOR-MIB", "200212160000Z"),
    ("EtherLike-MIB", "200309190000Z"),
    ("HOST-RESOURCES-MIB", "200003060000Z"),
    ("HOST-RESOURCES-TYPES", "200003060000Z"),
    ("IANAifType-MIB", "202104230000Z"),
    ("IF-MIB", "200006140000Z"),
    ("INET-ADDRESS-MIB", "200502040000Z"),
    ("IP-FORWARD-MIB", "200602010000Z"),
    ("IP-MIB", "200602020000Z"),
    ("LM-SENSORS-MIB", "200011050000Z"),
    ("NET-SNMP-AGENT-MIB", "201003170000Z"),
    ("NET-SNMP-EXTEND-MIB", "201003170000Z"),
    ("NET-SNMP-MIB", "200201300000Z"),
    ("SNMP-COMMUNITY-MIB", "200003060000Z"),
    ("SNMP-FRAMEWORK-MIB", "200210140000Z"),
    ("SNMP-MPD-MIB", "200210140000Z"),
    ("SNMP-NOTIFICATION-MIB", "200210140000Z"),
    ("SNMP-PROXY-MIB", "200210140000Z"),
    ("SNMP-SSH-TM-MIB", "200906090000Z"),
    ("SNMP-TARGET-MIB", "200210140000Z"),
    ("SNMP-TLS-TM-MIB", "201107190000Z"),
    ("SNMP-TSM-MIB", "200906090000Z"),
    ("SNMP-USER-BASED-SM-MIB", "200210160000Z"),
    ("SNMP-USM-AES-MIB", "200406140000Z"),
    ("SNMP-USM-HMAC-SHA2-MIB", "201604180000Z"),
    ("SNMP-VIEW-BASED-ACM-MIB", "200210160000Z"),
    ("SNMPv2-MIB", "200210160000Z"),
    ("SNMPv2-TM", "200210160000Z"),
    ("TCP-MIB", "200502180000Z"),
    ("TRANSPORT-ADDRESS-MIB", "200211010000Z"),
    ("UCD-DISKIO-MIB", "201604040000Z"),
    ("UCD-SNMP-MIB", "201606100000Z"),
    ("UDP-MIB", "200505200000Z"),
];

/// LAST-UPDATED of the module that a built-in one is from, empty if it has none.
pub(crate) fn last_updated(module: &str) -> &'static str {
    let known = LAST_UPDATED.iter().find(|(name, _)| *name == module);
    known.map_or("", |(_, date)| date)
}

const COUNT: usize = order::count(MODULES);
static BY_OID: [Position; COUNT] = order::by_oid(MODULES);
static BY_NAME: [Position; COUNT] = order::by_name(MODULES);
static PARENTS: [u16; COUNT] = order::parents(MODULES);

/// All objects that are built in.
pub(crate) static SOURCE: Source = Source {
    modules: MODULES,
    by_oid: &BY_OID,
    by_name: &BY_NAME,
    parents: &PARENTS,
};
