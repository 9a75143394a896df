//! Syntaxes that several modules use, most of them textual conventions.

use crate::syntax::{BaseType, Syntax};

pub(super) static DISPLAY_STRING_0_TO_255: Syntax = Syntax::new(BaseType::OctetString).convention("DisplayString").hint("255a").range(&[(0, 255)]);
pub(super) static OBJECT_IDENTIFIER: Syntax = Syntax::new(BaseType::ObjectIdentifier);
pub(super) static TIME_TICKS: Syntax = Syntax::new(BaseType::TimeTicks);
pub(super) static TIME_STAMP: Syntax = Syntax::new(BaseType::TimeTicks).convention("TimeStamp");
pub(super) static INTEGER32_1_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(1, 2147483647)]);
pub(super) static INTEGER32: Syntax = Syntax::new(BaseType::Integer32);
pub(super) static INTERFACE_INDEX: Syntax = Syntax::new(BaseType::Integer32).convention("InterfaceIndex").hint("d").range(&[(1, 2147483647)]);
pub(super) static GAUGE32: Syntax = Syntax::new(BaseType::Gauge32);
pub(super) static COUNTER32: Syntax = Syntax::new(BaseType::Counter32);
pub(super) static IP_ADDRESS: Syntax = Syntax::new(BaseType::IpAddress);
pub(super) static INTEGER32_0_TO_65535: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 65535)]);
pub(super) static INTEGER32_0_TO_255: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 255)]);
pub(super) static UNSIGNED32: Syntax = Syntax::new(BaseType::Unsigned32);
pub(super) static COUNTER64: Syntax = Syntax::new(BaseType::Counter64);
pub(super) static INET_ADDRESS_TYPE: Syntax = Syntax::new(BaseType::Integer32).convention("InetAddressType").names(&[
    ("unknown", 0), ("ipv4", 1), ("ipv6", 2), ("ipv4z", 3), ("ipv6z", 4), ("dns", 16),
]);
pub(super) static INET_ADDRESS: Syntax = Syntax::new(BaseType::OctetString).convention("InetAddress").range(&[(0, 255)]);
pub(super) static TRUTH_VALUE: Syntax = Syntax::new(BaseType::Integer32).convention("TruthValue").names(&[("true", 1), ("false", 2)]);
pub(super) static TEST_AND_INCR: Syntax = Syntax::new(BaseType::Integer32).convention("TestAndIncr").range(&[(0, 2147483647)]);
pub(super) static ROW_POINTER: Syntax = Syntax::new(BaseType::ObjectIdentifier).convention("RowPointer");
pub(super) static ROW_STATUS: Syntax = Syntax::new(BaseType::Integer32).convention("RowStatus").names(&[
    ("active", 1), ("notInService", 2), ("notReady", 3), ("createAndGo", 4), ("createAndWait", 5), ("destroy", 6),
]);
pub(super) static STORAGE_TYPE: Syntax = Syntax::new(BaseType::Integer32).convention("StorageType").names(&[
    ("other", 1), ("volatile", 2), ("nonVolatile", 3), ("permanent", 4), ("readOnly", 5),
]);
pub(super) static INTEGER32_0_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 2147483647)]);
pub(super) static INET_PORT_NUMBER: Syntax = Syntax::new(BaseType::Unsigned32).convention("InetPortNumber").hint("d").range(&[(0, 65535)]);
pub(super) static ENABLED_OR_DISABLED: Syntax = Syntax::new(BaseType::Integer32).names(&[("enabled", 1), ("disabled", 2)]);
pub(super) static AUTONOMOUS_TYPE: Syntax = Syntax::new(BaseType::ObjectIdentifier).convention("AutonomousType");
pub(super) static DISPLAY_STRING_0_TO_64: Syntax = Syntax::new(BaseType::OctetString).convention("DisplayString").hint("255a").range(&[(0, 64)]);
pub(super) static INTERFACE_INDEX_OR_ZERO: Syntax = Syntax::new(BaseType::Integer32).convention("InterfaceIndexOrZero").hint("d").range(&[(0, 2147483647)]);
pub(super) static OCTET_STRING: Syntax = Syntax::new(BaseType::OctetString);
pub(super) static SNMP_ENGINE_ID: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpEngineID").range(&[(5, 32)]);
pub(super) static SNMP_ADMIN_STRING_1_TO_32: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpAdminString").hint("255t").range(&[(1, 32)]);
pub(super) static SNMP_SECURITY_MODEL_1_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).convention("SnmpSecurityModel").range(&[(1, 2147483647)]);
pub(super) static SNMP_ADMIN_STRING_0_TO_255: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpAdminString").hint("255t").range(&[(0, 255)]);
pub(super) static SNMP_SECURITY_LEVEL: Syntax = Syntax::new(BaseType::Integer32).convention("SnmpSecurityLevel").names(&[("noAuthNoPriv", 1), ("authNoPriv", 2), ("authPriv", 3)]);
pub(super) static SNMP_TAG_VALUE: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpTagValue").hint("255t").range(&[(0, 255)]);
pub(super) static OCTET_STRING_0_TO_16: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 16)]);
pub(super) static SNMP_NOTIFY_FILTER_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("included", 1), ("excluded", 2)]);
pub(super) static SNMP_ADMIN_STRING_0_TO_32: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpAdminString").hint("255t").range(&[(0, 32)]);
