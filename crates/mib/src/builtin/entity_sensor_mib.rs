//! The objects of ENTITY-SENSOR-MIB.

use crate::clauses::Access::ReadOnly;
use crate::syntax::{BaseType, Syntax};
use super::syntax::{SNMP_ADMIN_STRING_0_TO_255, TIME_STAMP, UNSIGNED32};
use super::row::{Module, Row, column, entry, node, part, table};

pub(super) const MODULE: Module = Module { name: "ENTITY-SENSOR-MIB", last_updated: "200212160000Z", rows: ROWS };

static PHYSICAL_INDEX_1_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).convention("PhysicalIndex").hint("d").range(&[(1, 2147483647)]);
static ENTITY_SENSOR_DATA_TYPE: Syntax = Syntax::new(BaseType::Integer32).convention("EntitySensorDataType").names(&[
    ("other", 1), ("unknown", 2), ("voltsAC", 3), ("voltsDC", 4), ("amperes", 5), ("watts", 6), ("hertz", 7),
    ("celsius", 8), ("percentRH", 9), ("rpm", 10), ("cmm", 11), ("truthvalue", 12),
]);
static ENTITY_SENSOR_DATA_SCALE: Syntax = Syntax::new(BaseType::Integer32).convention("EntitySensorDataScale").names(&[
    ("yocto", 1), ("zepto", 2), ("atto", 3), ("femto", 4), ("pico", 5), ("nano", 6), ("micro", 7), ("milli", 8),
    ("units", 9), ("kilo", 10), ("mega", 11), ("giga", 12), ("tera", 13), ("exa", 14), ("peta", 15), ("zetta", 16),
    ("yotta", 17),
]);
static ENTITY_SENSOR_PRECISION_MINUS_8_TO_9: Syntax = Syntax::new(BaseType::Integer32).convention("EntitySensorPrecision").range(&[(-8, 9)]);
static ENTITY_SENSOR_VALUE_MINUS_1000000000_TO_1000000000: Syntax = Syntax::new(BaseType::Integer32).convention("EntitySensorValue").range(&[(-1000000000, 1000000000)]);
static ENTITY_SENSOR_STATUS: Syntax = Syntax::new(BaseType::Integer32).convention("EntitySensorStatus").names(&[("ok", 1), ("unavailable", 2), ("nonoperational", 3)]);

const ROWS: &[Row] = &[
    node("entitySensorMIB", &[1, 3, 6, 1, 2, 1, 99]),
    node("entitySensorObjects", &[1, 3, 6, 1, 2, 1, 99, 1]),
    table("entPhySensorTable", &[1, 3, 6, 1, 2, 1, 99, 1, 1]),
    entry("entPhySensorEntry", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1], const { &[part("entPhysicalIndex", &PHYSICAL_INDEX_1_TO_2147483647)] }),
    column("entPhySensorType", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 1], ReadOnly, &ENTITY_SENSOR_DATA_TYPE),
    column("entPhySensorScale", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 2], ReadOnly, &ENTITY_SENSOR_DATA_SCALE),
    column("entPhySensorPrecision", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 3], ReadOnly, &ENTITY_SENSOR_PRECISION_MINUS_8_TO_9),
    column("entPhySensorValue", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 4], ReadOnly, &ENTITY_SENSOR_VALUE_MINUS_1000000000_TO_1000000000),
    column("entPhySensorOperStatus", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 5], ReadOnly, &ENTITY_SENSOR_STATUS),
    column("entPhySensorUnitsDisplay", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 6], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhySensorValueTimeStamp", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 7], ReadOnly, &TIME_STAMP),
    column("entPhySensorValueUpdateRate", &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 8], ReadOnly, &UNSIGNED32).units("milliseconds"),
    node("entitySensorConformance", &[1, 3, 6, 1, 2, 1, 99, 3]),
    node("entitySensorCompliances", &[1, 3, 6, 1, 2, 1, 99, 3, 1]),
    node("entitySensorCompliance", &[1, 3, 6, 1, 2, 1, 99, 3, 1, 1]),
    node("entitySensorGroups", &[1, 3, 6, 1, 2, 1, 99, 3, 2]),
    node("entitySensorValueGroup", &[1, 3, 6, 1, 2, 1, 99, 3, 2, 1]),
];
