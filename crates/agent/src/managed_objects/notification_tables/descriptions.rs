//! What the tables are.

use crate::managed_objects::rows::{Column, Constant, IndexPart, Syntax, TableDescription};

/// SnmpAdminString (SIZE (1..32)), IMPLIED: the name of a row.
const NAME: &[IndexPart] = &[IndexPart::ImpliedText(1, 32)];
const EMPTY: Constant = Constant::Octets(b"");
/// How many rows managers can make of each, so that nobody can have the agent send to the whole world.
const CAPACITY: usize = 200;

/// snmpTargetAddrTable, with the columns of snmpTargetAddrExtTable.
pub(crate) mod address {
    use super::{CAPACITY, Column, Constant, EMPTY, NAME, Syntax, TableDescription};

    pub(crate) const T_DOMAIN: u32 = 2;
    pub(crate) const T_ADDRESS: u32 = 3;
    /// In hundredths of a second.
    pub(crate) const TIMEOUT: u32 = 4;
    pub(crate) const RETRY_COUNT: u32 = 5;
    pub(crate) const TAG_LIST: u32 = 6;
    pub(crate) const PARAMS: u32 = 7;
    /// snmpTargetAddrTMask.
    pub(crate) const T_MASK: u32 = 101;
    /// snmpTargetAddrMMS.
    pub(crate) const MMS: u32 = 102;
    pub(crate) const EXTENSION_COLUMNS: &[(u32, u32)] = &[(1, T_MASK), (2, MMS)];

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpTargetAddrTable",
        entry: &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1],
        index: NAME,
        columns: &[
            Column::required(T_DOMAIN, Syntax::ObjectIdentifier).fixed_while_active(),
            Column::required(T_ADDRESS, Syntax::Octets(1, 255)).fixed_while_active(),
            Column::with_default(
                TIMEOUT,
                Syntax::Integer(0, i32::MAX),
                Constant::Integer(1500),
            ),
            Column::with_default(RETRY_COUNT, Syntax::Integer(0, 255), Constant::Integer(3)),
            Column::with_default(TAG_LIST, Syntax::TagList, EMPTY),
            Column::required(PARAMS, Syntax::AdminString(1, 32)),
            Column::storage_type(8),
            Column::row_status(9),
            Column::with_default(T_MASK, Syntax::Octets(0, 255), EMPTY).augmenting(),
            Column::with_default(MMS, Syntax::Integer(0, i32::MAX), Constant::Integer(484))
                .augmenting(),
        ],
        capacity: CAPACITY,
    };
}

/// snmpTargetParamsTable.
pub(crate) mod parameters {
    use super::{CAPACITY, Column, NAME, Syntax, TableDescription};

    pub(crate) const MP_MODEL: u32 = 2;
    pub(crate) const SECURITY_MODEL: u32 = 3;
    pub(crate) const SECURITY_NAME: u32 = 4;
    pub(crate) const SECURITY_LEVEL: u32 = 5;

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpTargetParamsTable",
        entry: &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1],
        index: NAME,
        columns: &[
            Column::required(MP_MODEL, Syntax::Integer(0, i32::MAX)).fixed_while_active(),
            Column::required(SECURITY_MODEL, Syntax::Integer(1, i32::MAX)).fixed_while_active(),
            Column::required(SECURITY_NAME, Syntax::AdminString(0, 255)).fixed_while_active(),
            Column::required(SECURITY_LEVEL, Syntax::Enumeration(&[1, 2, 3])).fixed_while_active(),
            Column::storage_type(6),
            Column::row_status(7),
        ],
        capacity: CAPACITY,
    };
}

/// snmpProxyTable. Only the configuration adds rows: a manager that could add one could send requests into the agent's network.
pub(crate) mod proxy {
    use super::{Column, Constant, EMPTY, NAME, Syntax, TableDescription};

    pub(crate) const TYPE: u32 = 2;
    pub(crate) const READ: i32 = 1;
    pub(crate) const WRITE: i32 = 2;
    pub(crate) const CONTEXT_ENGINE_ID: u32 = 3;
    pub(crate) const CONTEXT_NAME: u32 = 4;
    pub(crate) const TARGET_PARAMS_IN: u32 = 5;
    pub(crate) const SINGLE_TARGET_OUT: u32 = 6;
    pub(crate) const MULTIPLE_TARGET_OUT: u32 = 7;
    pub(crate) const COLUMNS: &[u32] = &[
        TYPE,
        CONTEXT_ENGINE_ID,
        CONTEXT_NAME,
        TARGET_PARAMS_IN,
        SINGLE_TARGET_OUT,
        MULTIPLE_TARGET_OUT,
        8,
        9,
    ];

    const NO_NAME: (Syntax, Constant) = (Syntax::AdminString(0, 255), EMPTY);

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpProxyTable",
        entry: &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1],
        index: NAME,
        columns: &[
            Column::required(TYPE, Syntax::Enumeration(&[READ, WRITE])),
            Column::required(CONTEXT_ENGINE_ID, Syntax::Octets(5, 32)),
            Column::with_default(CONTEXT_NAME, NO_NAME.0, NO_NAME.1),
            Column::with_default(TARGET_PARAMS_IN, NO_NAME.0, NO_NAME.1),
            Column::with_default(SINGLE_TARGET_OUT, NO_NAME.0, NO_NAME.1),
            Column::with_default(MULTIPLE_TARGET_OUT, Syntax::TagValue, EMPTY),
            Column::storage_type(8),
            Column::row_status(9),
        ],
        capacity: 0,
    };
}

/// snmpNotifyTable.
pub(crate) mod notify {
    use super::{CAPACITY, Column, Constant, EMPTY, NAME, Syntax, TableDescription};

    pub(crate) const TAG: u32 = 2;
    pub(crate) const TYPE: u32 = 3;
    pub(crate) const TRAP: i32 = 1;
    pub(crate) const INFORM: i32 = 2;

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpNotifyTable",
        entry: &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1],
        index: NAME,
        columns: &[
            Column::with_default(TAG, Syntax::TagValue, EMPTY),
            Column::with_default(
                TYPE,
                Syntax::Enumeration(&[TRAP, INFORM]),
                Constant::Integer(TRAP),
            ),
            Column::storage_type(4),
            Column::row_status(5),
        ],
        capacity: CAPACITY,
    };
}

/// snmpNotifyFilterProfileTable.
pub(crate) mod profile {
    use super::{CAPACITY, Column, NAME, Syntax, TableDescription};

    pub(crate) const NAME_OF_PROFILE: u32 = 1;

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpNotifyFilterProfileTable",
        entry: &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1],
        index: NAME,
        columns: &[
            Column::required(NAME_OF_PROFILE, Syntax::AdminString(1, 32)),
            Column::storage_type(2),
            Column::row_status(3),
        ],
        capacity: CAPACITY,
    };
}

/// snmpNotifyFilterTable.
pub(crate) mod filter {
    use super::{CAPACITY, Column, Constant, EMPTY, IndexPart, Syntax, TableDescription};

    pub(crate) const MASK: u32 = 2;
    pub(crate) const TYPE: u32 = 3;
    pub(crate) const INCLUDED: i32 = 1;
    pub(crate) const EXCLUDED: i32 = 2;

    pub(crate) static TABLE: TableDescription = TableDescription {
        name: "snmpNotifyFilterTable",
        entry: &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1],
        index: &[IndexPart::Text(1, 32), IndexPart::ImpliedObjectIdentifier],
        columns: &[
            Column::with_default(MASK, Syntax::Octets(0, 16), EMPTY),
            Column::with_default(
                TYPE,
                Syntax::Enumeration(&[INCLUDED, EXCLUDED]),
                Constant::Integer(INCLUDED),
            ),
            Column::storage_type(4),
            Column::row_status(5),
        ],
        capacity: 10 * CAPACITY,
    };
}
