//! The objects of LM-SENSORS-MIB.

use crate::clauses::Access::ReadOnly;
use super::syntax::{DISPLAY_STRING_0_TO_255, GAUGE32, INTEGER32_0_TO_65535};
use super::row::{Module, Row, column, entry, node, part, table};

pub(super) const MODULE: Module = Module { name: "LM-SENSORS-MIB", last_updated: "200011050000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("lmSensors", &[1, 3, 6, 1, 4, 1, 2021, 13, 16]),
    node("lmSensorsMIB", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 1]),
    table("lmTempSensorsTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2]),
    entry("lmTempSensorsEntry", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2, 1], const { &[part("lmTempSensorsIndex", &INTEGER32_0_TO_65535)] }),
    column("lmTempSensorsIndex", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2, 1, 1], ReadOnly, &INTEGER32_0_TO_65535),
    column("lmTempSensorsDevice", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("lmTempSensorsValue", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2, 1, 3], ReadOnly, &GAUGE32),
    table("lmFanSensorsTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3]),
    entry("lmFanSensorsEntry", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3, 1], const { &[part("lmFanSensorsIndex", &INTEGER32_0_TO_65535)] }),
    column("lmFanSensorsIndex", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3, 1, 1], ReadOnly, &INTEGER32_0_TO_65535),
    column("lmFanSensorsDevice", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("lmFanSensorsValue", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3, 1, 3], ReadOnly, &GAUGE32),
    table("lmVoltSensorsTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4]),
    entry("lmVoltSensorsEntry", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4, 1], const { &[part("lmVoltSensorsIndex", &INTEGER32_0_TO_65535)] }),
    column("lmVoltSensorsIndex", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4, 1, 1], ReadOnly, &INTEGER32_0_TO_65535),
    column("lmVoltSensorsDevice", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("lmVoltSensorsValue", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4, 1, 3], ReadOnly, &GAUGE32),
    table("lmMiscSensorsTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5]),
    entry("lmMiscSensorsEntry", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5, 1], const { &[part("lmMiscSensorsIndex", &INTEGER32_0_TO_65535)] }),
    column("lmMiscSensorsIndex", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5, 1, 1], ReadOnly, &INTEGER32_0_TO_65535),
    column("lmMiscSensorsDevice", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("lmMiscSensorsValue", &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5, 1, 3], ReadOnly, &GAUGE32),
];
