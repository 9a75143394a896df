//! The objects of SNMP-FRAMEWORK-MIB.

use crate::clauses::Access::{ReadOnly};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{INTEGER32_0_TO_2147483647, INTEGER32_1_TO_2147483647, SNMP_ENGINE_ID};
use super::row::{Module, Row, node, scalar};

pub(super) const MODULE: Module = Module { name: "SNMP-FRAMEWORK-MIB", last_updated: "200210140000Z", rows: ROWS };

static INTEGER32_484_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(484, 2147483647)]);

const ROWS: &[Row] = &[
    node("snmpFrameworkMIB", &[1, 3, 6, 1, 6, 3, 10]),
    node("snmpFrameworkAdmin", &[1, 3, 6, 1, 6, 3, 10, 1]),
    node("snmpAuthProtocols", &[1, 3, 6, 1, 6, 3, 10, 1, 1]),
    node("snmpPrivProtocols", &[1, 3, 6, 1, 6, 3, 10, 1, 2]),
    node("snmpFrameworkMIBObjects", &[1, 3, 6, 1, 6, 3, 10, 2]),
    node("snmpEngine", &[1, 3, 6, 1, 6, 3, 10, 2, 1]),
    scalar("snmpEngineID", &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1], ReadOnly, &SNMP_ENGINE_ID),
    scalar("snmpEngineBoots", &[1, 3, 6, 1, 6, 3, 10, 2, 1, 2], ReadOnly, &INTEGER32_1_TO_2147483647),
    scalar("snmpEngineTime", &[1, 3, 6, 1, 6, 3, 10, 2, 1, 3], ReadOnly, &INTEGER32_0_TO_2147483647).units("seconds"),
    scalar("snmpEngineMaxMessageSize", &[1, 3, 6, 1, 6, 3, 10, 2, 1, 4], ReadOnly, &INTEGER32_484_TO_2147483647),
    node("snmpFrameworkMIBConformance", &[1, 3, 6, 1, 6, 3, 10, 3]),
    node("snmpFrameworkMIBCompliances", &[1, 3, 6, 1, 6, 3, 10, 3, 1]),
    node("snmpFrameworkMIBCompliance", &[1, 3, 6, 1, 6, 3, 10, 3, 1, 1]),
    node("snmpFrameworkMIBGroups", &[1, 3, 6, 1, 6, 3, 10, 3, 2]),
    node("snmpEngineGroup", &[1, 3, 6, 1, 6, 3, 10, 3, 2, 1]),
];
