//! SNMP-TLS-TM-MIB (RFC 6353 section 7): the counters of sessions, and which certificates stand for whom.

mod descriptions;

use std::sync::Arc;

use varbind::clock::Clock;
use varbind::transport::TransportCounter;
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, Fingerprint, Mapping, PeerIdentity, TlsStatistics,
};
use varbind_codec::smi::{Oid, ParseOidError, Value};
use varbind_engine::instrumentation::{Rows, SetError};

use super::Objects;
use super::rows::{
    Assignment, Cell, ConceptualTable, IndexValue, Row, RowRules, RowSet, StorageType,
    append_octets,
};
use crate::configuration::ConfiguredTarget;
use crate::operating_system::time_ticks;
use crate::persistence::Store;
pub(crate) use descriptions::{ADDR_ENTRY, SERVER_FINGERPRINT};
use descriptions::{
    ADDR_TABLE, CERT_DATA, CERT_FINGERPRINT, CERT_MAP_TYPE, CERT_TO_TSN_TABLE, CLIENT_FINGERPRINT,
    IDENTITIES, PARAMS_TABLE, SERVER_IDENTITY,
};

/// The number of an object, and where its counter is.
type SessionCounter = (u32, fn(&TlsStatistics) -> &TransportCounter);

/// snmpTlstmSessionOpens ... snmpTlstmSessionInvalidCaches.
const SESSION_COUNTERS: [SessionCounter; 10] = [
    (1, |statistics| &statistics.opens),
    (2, |statistics| &statistics.client_closes),
    (3, |statistics| &statistics.open_errors),
    (4, |statistics| &statistics.accepts),
    (5, |statistics| &statistics.server_closes),
    (6, |statistics| &statistics.no_sessions),
    (7, |statistics| &statistics.invalid_client_certificates),
    (8, |statistics| &statistics.unknown_server_certificates),
    (9, |statistics| &statistics.invalid_server_certificates),
    (10, |statistics| &statistics.invalid_caches),
];
/// snmpTlstmSession.
pub(crate) const SESSION: [u32; 9] = [1, 3, 6, 1, 2, 1, 198, 2, 1];
/// snmpTlstmCertificateMapping: below it each table has its count, the time of its last change, and itself.
const MAPPING: [u32; 10] = [1, 3, 6, 1, 2, 1, 198, 2, 2, 1];

/// The tables of the TLS transport model.
#[derive(Debug)]
pub(crate) struct TlstmTables {
    /// snmpTlstmCertToTSNTable: the names of clients.
    certificates: Arc<ConceptualTable>,
    /// snmpTlstmParamsTable: the certificates that are shown to targets.
    parameters: Arc<ConceptualTable>,
    /// snmpTlstmAddrTable: the certificates of targets.
    addresses: Arc<ConceptualTable>,
}

impl TlstmTables {
    /// The tables with the rows that managers made.
    ///
    /// # Errors
    /// None is known: the names of the tables are constants.
    pub(crate) fn open(store: &Arc<Store>) -> Result<Self, ParseOidError> {
        let open = |description, fingerprint| {
            let rules = FingerprintRules { fingerprint };
            ConceptualTable::open(description, rules, store).map(Arc::new)
        };
        let addresses = ConceptualTable::open(&ADDR_TABLE, AddressRules, store)?;
        Ok(Self {
            certificates: open(&CERT_TO_TSN_TABLE, CERT_FINGERPRINT)?,
            parameters: open(&PARAMS_TABLE, CLIENT_FINGERPRINT)?,
            addresses: Arc::new(addresses),
        })
    }

    /// Puts the rules for names of a configuration file in the place of those of the former one.
    pub(crate) fn configure_map(&self, rows: &[CertificateMapRow]) {
        let rows = rows.iter().map(configured_rule);
        self.certificates.configure(rows);
    }

    /// Puts the targets of a configuration file in the place of those of the former one.
    pub(crate) fn configure_targets(&self, targets: &[ConfiguredTarget]) {
        let rows = targets.iter().filter_map(configured_address);
        self.addresses.configure(rows);
    }

    /// A number that is another one whenever the rules for names have changed.
    pub(crate) fn map_version(&self) -> u64 {
        self.certificates.version()
    }

    /// A number that is another one whenever what is to be known of targets has changed.
    pub(crate) fn target_version(&self) -> u64 {
        self.parameters.version() + self.addresses.version()
    }

    /// These rules for names, which a configuration file has, and those of managers.
    pub(crate) fn map(&self, configured: &[CertificateMapRow]) -> CertificateMap {
        let rows = self.certificates.rows();
        let made = rows
            .active()
            .filter(|row| row.storage_type() != StorageType::ReadOnly)
            .filter_map(|row| rule(row))
            .filter(|row| configured.iter().all(|other| other.id != row.id));
        CertificateMap::new(configured.iter().cloned().chain(made).collect())
    }

    /// Which certificate the target of this name must have; none if no row says so.
    pub(crate) fn peer(&self, target: &str) -> Option<PeerIdentity> {
        let rows = self.addresses.rows();
        let row = active(&rows, target)?;
        let fingerprint = row.octets(SERVER_FINGERPRINT)?;
        if !fingerprint.is_empty() {
            let fingerprint = Fingerprint::from_octets(fingerprint).ok();
            return fingerprint.map(PeerIdentity::Fingerprint);
        }
        let name = row.text(SERVER_IDENTITY).filter(|name| !name.is_empty());
        name.map(|name| PeerIdentity::Name(name.to_owned()))
    }

    /// snmpTlstmAddrServerFingerprint of the target of this name; empty if no row says it.
    pub(crate) fn server_fingerprint(&self, target: &str) -> Vec<u8> {
        let rows = self.addresses.rows();
        let row = active(&rows, target);
        let octets = row.and_then(|row| row.octets(SERVER_FINGERPRINT));
        octets.unwrap_or_default().to_vec()
    }

    /// The fingerprint of the certificate that is to be shown with these parameters; none if any will do.
    pub(crate) fn client(&self, parameters: &str) -> Option<Fingerprint> {
        let rows = self.parameters.rows();
        let octets = active(&rows, parameters)?.octets(CLIENT_FINGERPRINT)?;
        // A row has none or one that was checked.
        Fingerprint::from_octets(octets).ok()
    }

    /// Registers the objects of the module.
    pub(crate) fn register(
        &self,
        objects: &mut Objects,
        statistics: &Arc<TlsStatistics>,
        clock: Clock,
    ) {
        for (number, counter) in SESSION_COUNTERS {
            let statistics = Arc::clone(statistics);
            objects.computed(&[&SESSION[..], &[number]].concat(), move || {
                Some(counter32(counter(&statistics)))
            });
        }
        for (first, table) in [
            (1, &self.certificates),
            (4, &self.parameters),
            (7, &self.addresses),
        ] {
            let counted = Arc::clone(table);
            objects.computed(&[&MAPPING[..], &[first]].concat(), move || {
                let count = counted.rows().len();
                u32::try_from(count).ok().map(Value::Gauge32)
            });
            let timed = Arc::clone(table);
            objects.computed(&[&MAPPING[..], &[first + 1]].concat(), move || {
                let changed = timed.last_change();
                let changed = changed.map(|changed| time_ticks(clock.at(changed)));
                Some(Value::TimeTicks(changed.unwrap_or(0)))
            });
            objects.conceptual(table);
        }
    }
}

/// A counter as a Counter32, which wraps.
pub(crate) fn counter32(counter: &TransportCounter) -> Value {
    let value = counter.value() & u64::from(u32::MAX);
    Value::Counter32(u32::try_from(value).unwrap_or(u32::MAX))
}

fn active<'r>(rows: &'r RowSet, name: &str) -> Option<&'r Row> {
    let mut index = Vec::new();
    append_octets(&mut index, name.as_bytes());
    let row = rows.with_index(&index).map(|row| &**row);
    row.filter(|row| row.is_active())
}

/// A row as the transport takes it; none if its mapping is of a kind that is not known here.
fn rule(row: &Row) -> Option<CertificateMapRow> {
    let index = row.index_values()?;
    let kind: Vec<u32> = row.object_identifier(CERT_MAP_TYPE)?.arcs().collect();
    let mapping = match kind.strip_prefix(&IDENTITIES[..])? {
        [1] => Mapping::Specified(row.text(CERT_DATA)?.to_owned()),
        [2] => Mapping::Rfc822Name,
        [3] => Mapping::DnsName,
        [4] => Mapping::IpAddress,
        [5] => Mapping::AnyAlternativeName,
        [6] => Mapping::CommonName,
        _ => return None,
    };
    Some(CertificateMapRow {
        id: index.first().and_then(IndexValue::integer)?,
        fingerprint: Fingerprint::from_octets(row.octets(CERT_FINGERPRINT)?).ok()?,
        mapping,
    })
}

fn configured_rule(rule: &CertificateMapRow) -> Row {
    let (number, data) = match &rule.mapping {
        Mapping::Specified(name) => (1, name.as_str()),
        Mapping::Rfc822Name => (2, ""),
        Mapping::DnsName => (3, ""),
        Mapping::IpAddress => (4, ""),
        Mapping::AnyAlternativeName => (5, ""),
        Mapping::CommonName => (6, ""),
    };
    let kind = Oid::new(&[&IDENTITIES[..], &[number]].concat()).ok();
    let kind = kind.map(|kind| (CERT_MAP_TYPE, Value::from(&kind)));
    let fingerprint = Value::OctetString(rule.fingerprint.to_octets());
    let values = [
        (CERT_FINGERPRINT, fingerprint),
        (CERT_DATA, Value::OctetString(data.as_bytes().to_vec())),
    ];
    let values = values.into_iter().chain(kind);
    Row::configured(&CERT_TO_TSN_TABLE, vec![rule.id], values)
}

/// None where the address of the target says which certificate it has.
fn configured_address(target: &ConfiguredTarget) -> Option<Row> {
    let (column, octets) = match &target.peer {
        PeerIdentity::Fingerprint(fingerprint) => (SERVER_FINGERPRINT, fingerprint.to_octets()),
        PeerIdentity::Name(name) => (SERVER_IDENTITY, name.clone().into_bytes()),
        PeerIdentity::Target | PeerIdentity::AnyTrusted => return None,
    };
    let mut index = Vec::new();
    append_octets(&mut index, target.name.as_bytes());
    let value = Value::OctetString(octets);
    Some(Row::configured(&ADDR_TABLE, index, [(column, value)]))
}

/// Takes a value over, if it is not a fingerprint of an unknown algorithm or a wrong length.
fn assign(row: &mut Row, assignment: &Assignment, fingerprint: u32) -> Result<(), SetError> {
    let octets = assignment.octets().unwrap_or_default();
    if assignment.column == fingerprint
        && !octets.is_empty()
        && Fingerprint::from_octets(octets).is_err()
    {
        return Err(SetError::WrongValue);
    }
    let value = Cell::Value(assignment.value.clone());
    row.put(assignment.column, Some(value));
    Ok(())
}

/// What is peculiar to a table with fingerprints in this column.
struct FingerprintRules {
    fingerprint: u32,
}

impl RowRules for FingerprintRules {
    fn assign(&self, row: &mut Row, assignment: &Assignment, _: &RowSet) -> Result<(), SetError> {
        assign(row, assignment, self.fingerprint)
    }
}

/// What is peculiar to snmpTlstmAddrTable.
struct AddressRules;

impl RowRules for AddressRules {
    fn assign(&self, row: &mut Row, assignment: &Assignment, _: &RowSet) -> Result<(), SetError> {
        assign(row, assignment, SERVER_FINGERPRINT)
    }

    /// "Rows MUST NOT be active if the snmpTlstmAddrServerFingerprint column is blank and the
    /// snmpTlstmAddrServerIdentity is set to '*'".
    fn is_ready(&self, row: &Row) -> bool {
        let fingerprint = row.octets(SERVER_FINGERPRINT).unwrap_or_default();
        !fingerprint.is_empty() || row.octets(SERVER_IDENTITY) != Some(b"*")
    }
}
