//! The objects of UCD-DISKIO-MIB.

use crate::clauses::Access::ReadOnly;
use crate::syntax::{BaseType, Syntax};
use super::syntax::{COUNTER32, COUNTER64, DISPLAY_STRING_0_TO_255, INTEGER32_0_TO_65535};
use super::row::{Module, Row, column, entry, node, part, table};

pub(super) const MODULE: Module = Module { name: "UCD-DISKIO-MIB", last_updated: "201604040000Z", rows: ROWS };

static INTEGER32_0_TO_100: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 100)]);

const ROWS: &[Row] = &[
    node("ucdDiskIOMIB", &[1, 3, 6, 1, 4, 1, 2021, 13, 15]),
    table("diskIOTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1]),
    entry("diskIOEntry", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1], const { &[part("diskIOIndex", &INTEGER32_0_TO_65535)] }),
    column("diskIOIndex", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 1], ReadOnly, &INTEGER32_0_TO_65535),
    column("diskIODevice", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("diskIONRead", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 3], ReadOnly, &COUNTER32),
    column("diskIONWritten", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 4], ReadOnly, &COUNTER32),
    column("diskIOReads", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 5], ReadOnly, &COUNTER32),
    column("diskIOWrites", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 6], ReadOnly, &COUNTER32),
    column("diskIOLA1", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 9], ReadOnly, &INTEGER32_0_TO_100),
    column("diskIOLA5", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 10], ReadOnly, &INTEGER32_0_TO_100),
    column("diskIOLA15", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 11], ReadOnly, &INTEGER32_0_TO_100),
    column("diskIONReadX", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 12], ReadOnly, &COUNTER64),
    column("diskIONWrittenX", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 13], ReadOnly, &COUNTER64),
    column("diskIOBusyTime", &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 14], ReadOnly, &COUNTER64),
];
