use varbind::transport::SecurityFailureKind;
use varbind::transport::certificate::TlsStatistics;
use varbind_codec::smi::{Oid, Value, VarBind};

use crate::managed_objects::rows::append_octets;
use crate::managed_objects::tlstm_tables::{
    ADDR_ENTRY, SERVER_FINGERPRINT, SESSION, TlstmTables, counter32,
};

/// snmpTlstmNotifications.
const NOTIFICATIONS: [u32; 8] = [1, 3, 6, 1, 2, 1, 198, 0];

/// What is told of a target whose certificate was not accepted: snmpTlstmServerCertificateUnknown or
/// snmpTlstmServerInvalidCertificate and its objects (RFC 6353 section 7); nothing of other failures.
pub(super) fn notification(
    kind: SecurityFailureKind,
    target: &str,
    tables: &TlstmTables,
    statistics: &TlsStatistics,
) -> Option<(Oid, Vec<VarBind>)> {
    let name = |arc: u32| Oid::new(&[&NOTIFICATIONS[..], &[arc]].concat()).ok();
    let counter = |number: u32| Oid::new(&[&SESSION[..], &[number, 0]].concat()).ok();
    match kind {
        SecurityFailureKind::UnknownPeer => {
            let unknown = counter32(&statistics.unknown_server_certificates);
            Some((name(1)?, vec![VarBind::new(counter(8)?, unknown)]))
        }
        SecurityFailureKind::InvalidPeer => {
            let mut fingerprint = [ADDR_ENTRY, &[SERVER_FINGERPRINT]].concat();
            append_octets(&mut fingerprint, target.as_bytes());
            let octets = Value::OctetString(tables.server_fingerprint(target));
            let invalid = counter32(&statistics.invalid_server_certificates);
            let var_binds = vec![
                VarBind::new(Oid::new(&fingerprint).ok()?, octets),
                VarBind::new(counter(9)?, invalid),
            ];
            Some((name(2)?, var_binds))
        }
        _ => None,
    }
}
