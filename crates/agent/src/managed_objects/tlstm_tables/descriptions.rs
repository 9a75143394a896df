//! What the tables are.

use crate::managed_objects::rows::{Column, Constant, IndexPart, Syntax, TableDescription};

/// snmpTlstmCertToTSNMIdentities: below it are the kinds of mappings.
pub(super) const IDENTITIES: [u32; 9] = [1, 3, 6, 1, 2, 1, 198, 1, 1];
/// snmpTlstmCertSpecified.
const SPECIFIED: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 1, 1, 1];
/// snmpTlstmAddrEntry.
pub(crate) const ADDR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1];
const EMPTY: Constant = Constant::Octets(b"");
/// How many rows managers can make of each.
const CAPACITY: usize = 200;

pub(super) const CERT_FINGERPRINT: u32 = 2;
pub(super) const CERT_MAP_TYPE: u32 = 3;
pub(super) const CERT_DATA: u32 = 4;
pub(super) const CLIENT_FINGERPRINT: u32 = 1;
pub(crate) const SERVER_FINGERPRINT: u32 = 1;
pub(super) const SERVER_IDENTITY: u32 = 2;

pub(super) static CERT_TO_TSN_TABLE: TableDescription = TableDescription {
    name: "snmpTlstmCertToTSNTable",
    entry: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1],
    index: &[IndexPart::Integer(1, u32::MAX)],
    columns: &[
        Column::required(CERT_FINGERPRINT, Syntax::Octets(1, 255)).fixed_while_active(),
        Column::with_default(
            CERT_MAP_TYPE,
            Syntax::ObjectIdentifier,
            Constant::ObjectIdentifier(SPECIFIED),
        )
        .fixed_while_active(),
        Column::with_default(CERT_DATA, Syntax::Octets(0, 1024), EMPTY).fixed_while_active(),
        Column::storage_type(5),
        Column::row_status(6),
    ],
    capacity: CAPACITY,
};

pub(super) static PARAMS_TABLE: TableDescription = TableDescription {
    name: "snmpTlstmParamsTable",
    entry: &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1],
    index: &[IndexPart::ImpliedText(1, 32)],
    columns: &[
        Column::required(CLIENT_FINGERPRINT, Syntax::Octets(0, 255)).fixed_while_active(),
        Column::storage_type(2),
        Column::row_status(3),
    ],
    capacity: CAPACITY,
};

pub(super) static ADDR_TABLE: TableDescription = TableDescription {
    name: "snmpTlstmAddrTable",
    entry: ADDR_ENTRY,
    index: &[IndexPart::ImpliedText(1, 32)],
    columns: &[
        Column::with_default(SERVER_FINGERPRINT, Syntax::Octets(0, 255), EMPTY)
            .fixed_while_active(),
        Column::with_default(SERVER_IDENTITY, Syntax::AdminString(0, 255), EMPTY),
        Column::storage_type(3),
        Column::row_status(4),
    ],
    capacity: CAPACITY,
};
