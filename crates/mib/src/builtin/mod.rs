//! The objects that are built in: facts of the IETF's and Net-SNMP's modules that agents and managers meet most.
//!
//! Each module is a table with one row per object. The compiler makes a catalog of them, with the orders that look-ups
//! need, so that a command that runs for a millisecond spends none of it on them.

mod order;
mod pack;
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

use crate::catalog::Catalog;
use pack::Pack;
use row::{Module, node};

/// The roots belong to no module (X.660).
const ROOTS: Module = Module {
    name: "",
    last_updated: "",
    rows: &[
        node("ccitt", &[0]),
        node("iso", &[1]),
        node("joint-iso-ccitt", &[2]),
    ],
};

/// In order of their names, in which a catalog has them.
const MODULES: &[Module] = &[
    ROOTS,
    bridge_mib::MODULE,
    entity_mib::MODULE,
    entity_sensor_mib::MODULE,
    ether_like_mib::MODULE,
    host_resources_mib::MODULE,
    host_resources_types::MODULE,
    iana_if_type_mib::MODULE,
    if_mib::MODULE,
    inet_address_mib::MODULE,
    ip_forward_mib::MODULE,
    ip_mib::MODULE,
    lm_sensors_mib::MODULE,
    net_snmp_agent_mib::MODULE,
    net_snmp_extend_mib::MODULE,
    net_snmp_mib::MODULE,
    snmp_community_mib::MODULE,
    snmp_framework_mib::MODULE,
    snmp_mpd_mib::MODULE,
    snmp_notification_mib::MODULE,
    snmp_proxy_mib::MODULE,
    snmp_ssh_tm_mib::MODULE,
    snmp_target_mib::MODULE,
    snmp_tls_tm_mib::MODULE,
    snmp_tsm_mib::MODULE,
    snmp_user_based_sm_mib::MODULE,
    snmp_usm_aes_mib::MODULE,
    snmp_usm_hmac_sha2_mib::MODULE,
    snmp_view_based_acm_mib::MODULE,
    snmpv2_mib::MODULE,
    snmpv2_smi::MODULE,
    snmpv2_tm::MODULE,
    tcp_mib::MODULE,
    transport_address_mib::MODULE,
    ucd_diskio_mib::MODULE,
    ucd_snmp_mib::MODULE,
    udp_mib::MODULE,
];

const COUNT: usize = order::count(MODULES);
const BY_OID: [order::Position; COUNT] = order::by_oid(MODULES);
const BY_NAME: [u32; COUNT] = order::by_name(MODULES, &BY_OID);
const PARENTS: [u32; COUNT] = order::parents(MODULES, &BY_OID);

const PACK: Pack = Pack::new(MODULES, &BY_OID, &BY_NAME, &PARENTS);
static WORDS: [u32; PACK.length()] = PACK.words();

/// All objects that are built in.
pub(crate) static CATALOG: Catalog = Catalog::of_program(&WORDS, PACK.sections());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Entry;
    use crate::clauses::Kind;
    use crate::index::Index;

    #[test]
    fn catalog_has_each_row_as_it_is_written_down() {
        for module in MODULES {
            let packed = CATALOG.module(module.name).expect("each module");
            assert_eq!(packed.last_updated(), module.last_updated);
            assert_eq!(
                CATALOG.objects_of(module.name).count(),
                module.rows.len(),
                "{}",
                module.name
            );
            for row in module.rows {
                let name = row.name;
                let entry = CATALOG
                    .named(name)
                    .find(|entry| entry.module_name() == module.name)
                    .expect("each row");
                assert_eq!(entry.arcs(), row.arcs, "{name}");
                assert_eq!(entry.kind(), row.kind, "{name}");
                assert_eq!(entry.access(), row.access, "{name}");
                assert_eq!(entry.syntax(), row.syntax.copied(), "{name}");
                assert_eq!(entry.units(), row.units, "{name}");
                assert_eq!(entry.augments(), row.augments, "{name}");
                let index = (row.kind == Kind::Row).then(|| Index::new(row.index));
                assert_eq!(entry.index(), index, "{name}");
                assert_eq!(entry.notification_objects(), row.notification_objects);
                assert_eq!((entry.status(), entry.macro_name()), (None, None), "{name}");
                assert_eq!(entry.description(), "", "{name}");
            }
        }
    }

    #[test]
    fn catalog_is_in_the_orders_that_it_is_searched_by() {
        assert_eq!(CATALOG.names().count(), COUNT);
        assert!(CATALOG.names().is_sorted());
        assert!(CATALOG.modules().map(|module| module.name()).is_sorted());
        let all: Vec<&[u32]> = CATALOG.subtree(&[]).map(Entry::arcs).collect();
        assert_eq!(all.len(), COUNT);
        assert!(all.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn unknown_names_lead_to_the_nearest_object_above() {
        for entry in CATALOG.subtree(&[]) {
            let unknown = [entry.arcs(), &[u32::MAX]].concat();
            let found = CATALOG.longest_prefix(&unknown).map(Entry::arcs);
            assert_eq!(found, Some(entry.arcs()), "{}", entry.name());
        }
        assert!(CATALOG.longest_prefix(&[3, 1]).is_none());
    }
}
