//! The objects of NET-SNMP-EXTEND-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{DISPLAY_STRING_0_TO_255, INTEGER32, ROW_STATUS, STORAGE_TYPE};
use super::row::{Module, Row, augmenting, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "NET-SNMP-EXTEND-MIB", last_updated: "201003170000Z", rows: ROWS };

static NS_EXTEND_EXEC_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("exec", 1), ("shell", 2)]);
static NS_EXTEND_RUN_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("run-on-read", 1), ("run-on-set", 2), ("run-command", 3)]);
static INTEGER32_1_TO_1024: Syntax = Syntax::new(BaseType::Integer32).range(&[(1, 1024)]);

const ROWS: &[Row] = &[
    node("netSnmpExtendMIB", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 1]),
    node("nsExtendObjects", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2]),
    scalar("nsExtendNumEntries", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 1], ReadOnly, &INTEGER32),
    table("nsExtendConfigTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2]),
    entry("nsExtendConfigEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1], const { &[part("nsExtendToken", &DISPLAY_STRING_0_TO_255)] }),
    column("nsExtendToken", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 1], NotAccessible, &DISPLAY_STRING_0_TO_255),
    column("nsExtendCommand", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 2], ReadCreate, &DISPLAY_STRING_0_TO_255),
    column("nsExtendArgs", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 3], ReadCreate, &DISPLAY_STRING_0_TO_255),
    column("nsExtendInput", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 4], ReadCreate, &DISPLAY_STRING_0_TO_255),
    column("nsExtendCacheTime", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 5], ReadCreate, &INTEGER32),
    column("nsExtendExecType", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 6], ReadCreate, &NS_EXTEND_EXEC_TYPE),
    column("nsExtendRunType", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 7], ReadCreate, &NS_EXTEND_RUN_TYPE),
    column("nsExtendStorage", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 20], ReadCreate, &STORAGE_TYPE),
    column("nsExtendStatus", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1, 21], ReadCreate, &ROW_STATUS),
    table("nsExtendOutput1Table", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3]),
    augmenting("nsExtendOutput1Entry", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1], "nsExtendConfigEntry", const { &[part("nsExtendToken", &DISPLAY_STRING_0_TO_255)] }),
    column("nsExtendOutput1Line", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 1], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("nsExtendOutputFull", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("nsExtendOutNumLines", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 3], ReadOnly, &INTEGER32),
    column("nsExtendResult", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 4], ReadOnly, &INTEGER32),
    table("nsExtendOutput2Table", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4]),
    entry("nsExtendOutput2Entry", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4, 1], const { &[part("nsExtendToken", &DISPLAY_STRING_0_TO_255), part("nsExtendLineIndex", &INTEGER32_1_TO_1024)] }),
    column("nsExtendLineIndex", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4, 1, 1], NotAccessible, &INTEGER32_1_TO_1024),
    column("nsExtendOutLine", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    node("nsExtendGroups", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3]),
    node("nsExtendConfigGroup", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3, 1]),
    node("nsExtendOutputGroup", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3, 2]),
];
