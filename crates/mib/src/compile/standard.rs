//! The modules that are built in as text, for others to import from where there is no file of them.
//!
//! Vendors' modules import `ifIndex` or `SnmpAdminString`, whose modules not every system may ship.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::builtin::CATALOG;
use crate::clauses::Kind;
use crate::object::Object;
use crate::syntax::{BaseType, Syntax};

/// Where textual conventions are defined; what is not here is in SNMPv2-TC.
const CONVENTIONS: [(&str, &[&str]); 16] = [
    ("SNMP-TLS-TM-MIB", &["SnmpTLSFingerprint"]),
    (
        "SNMP-FRAMEWORK-MIB",
        &[
            "SnmpAdminString",
            "SnmpEngineID",
            "SnmpMessageProcessingModel",
            "SnmpSecurityLevel",
            "SnmpSecurityModel",
        ],
    ),
    ("SNMP-TARGET-MIB", &["SnmpTagList", "SnmpTagValue"]),
    ("SNMP-USER-BASED-SM-MIB", &["KeyChange"]),
    (
        "IF-MIB",
        &["InterfaceIndex", "InterfaceIndexOrZero", "OwnerString"],
    ),
    (
        "INET-ADDRESS-MIB",
        &[
            "InetAddress",
            "InetAddressPrefixLength",
            "InetAddressType",
            "InetAutonomousSystemNumber",
            "InetPortNumber",
            "InetVersion",
            "InetZoneIndex",
        ],
    ),
    (
        "HOST-RESOURCES-MIB",
        &["InternationalDisplayString", "KBytes", "ProductID"],
    ),
    ("BRIDGE-MIB", &["BridgeId", "Timeout"]),
    (
        "ENTITY-MIB",
        &[
            "PhysicalClass",
            "PhysicalIndex",
            "PhysicalIndexOrZero",
            "SnmpEngineIdOrNone",
        ],
    ),
    (
        "ENTITY-SENSOR-MIB",
        &[
            "EntitySensorDataScale",
            "EntitySensorDataType",
            "EntitySensorPrecision",
            "EntitySensorStatus",
            "EntitySensorValue",
        ],
    ),
    ("HCNUM-TC", &["CounterBasedGauge64"]),
    ("IANA-RTPROTO-MIB", &["IANAipRouteProtocol"]),
    ("NET-SNMP-AGENT-MIB", &["NetsnmpCacheStatus"]),
    ("NET-SNMP-TC", &["Float"]),
    ("UCD-SNMP-MIB", &["UCDErrorFix", "UCDErrorFlag"]),
    (
        "IP-MIB",
        &[
            "IpAddressOriginTC",
            "IpAddressPrefixOriginTC",
            "IpAddressStatusTC",
            "Ipv6AddressIfIdentifierTC",
        ],
    ),
];

const IANA_IF_TYPE: (&str, &str) = ("IANAifType-MIB", "IANAifType");

/// Textual conventions that no built-in object has: module, name, hint, syntax.
const OTHER_CONVENTIONS: [(&str, &str, &str, &str); 21] = [
    (
        "SNMP-TLS-TM-MIB",
        "SnmpTLSAddress",
        "1a",
        "OCTET STRING (SIZE (1..255))",
    ),
    (
        "SNMP-SSH-TM-MIB",
        "SnmpSSHAddress",
        "1a",
        "OCTET STRING (SIZE (1..255))",
    ),
    (
        "TRANSPORT-ADDRESS-MIB",
        "TransportDomain",
        "",
        "OBJECT IDENTIFIER",
    ),
    (
        "TRANSPORT-ADDRESS-MIB",
        "TransportAddress",
        "",
        "OCTET STRING (SIZE (0..255))",
    ),
    (
        "TRANSPORT-ADDRESS-MIB",
        "TransportAddressIPv4",
        "1d.1d.1d.1d:2d",
        "OCTET STRING (SIZE (6))",
    ),
    (
        "TRANSPORT-ADDRESS-MIB",
        "TransportAddressIPv6",
        "0a[2x:2x:2x:2x:2x:2x:2x:2x]0a:2d",
        "OCTET STRING (SIZE (18))",
    ),
    (
        "TRANSPORT-ADDRESS-MIB",
        "TransportAddressDns",
        "1a",
        "OCTET STRING (SIZE (1..255))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAddressIPv4",
        "1d.1d.1d.1d",
        "OCTET STRING (SIZE (4))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAddressIPv6",
        "2x:2x:2x:2x:2x:2x:2x:2x",
        "OCTET STRING (SIZE (16))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAddressIPv4z",
        "1d.1d.1d.1d%4d",
        "OCTET STRING (SIZE (8))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAddressIPv6z",
        "2x:2x:2x:2x:2x:2x:2x:2x%4d",
        "OCTET STRING (SIZE (20))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAddressDNS",
        "255a",
        "OCTET STRING (SIZE (1..255))",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetAutonomousSystemNumber",
        "d",
        "Unsigned32",
    ),
    (
        "INET-ADDRESS-MIB",
        "InetScopeType",
        "",
        "INTEGER { interfaceLocal(1), linkLocal(2), subnetLocal(3), adminLocal(4), siteLocal(5), organizationLocal(8), global(14) }",
    ),
    (
        "SNMPv2-TM",
        "SnmpUDPAddress",
        "1d.1d.1d.1d/2d",
        "OCTET STRING (SIZE (6))",
    ),
    (
        "SNMPv2-TM",
        "SnmpOSIAddress",
        "*1x:/1x:",
        "OCTET STRING (SIZE (1 | 4..85))",
    ),
    (
        "SNMPv2-TM",
        "SnmpNBPAddress",
        "",
        "OCTET STRING (SIZE (3..99))",
    ),
    (
        "SNMPv2-TM",
        "SnmpIPXAddress",
        "4x.1x:1x:1x:1x:1x:1x.2d",
        "OCTET STRING (SIZE (12))",
    ),
    (
        MIB_II,
        "DisplayString",
        "255a",
        "OCTET STRING (SIZE (0..255))",
    ),
    (MIB_II, "PhysAddress", "1x:", "OCTET STRING"),
    ("HCNUM-TC", "ZeroBasedCounter64", "", "Counter64"),
];

/// RFC 1213: its objects are built in as those of later modules.
const MIB_II: &str = "RFC1213-MIB";

/// The text of a module, if it is one that is built in.
pub(super) fn text(module: &str) -> Option<String> {
    let objects = objects(module);
    let is_known = CATALOG.module(module).is_some()
        || CONVENTIONS.iter().any(|known| known.0 == module)
        || OTHER_CONVENTIONS.iter().any(|known| known.0 == module);
    if !is_known || module.is_empty() || module == "SNMPv2-SMI" {
        return None;
    }
    let mut body = String::new();
    let mut imports = Imports::new(module);
    for &(_, name, hint, syntax) in OTHER_CONVENTIONS.iter().filter(|known| known.0 == module) {
        append_convention(name, hint, syntax, &mut body);
    }
    for name in own_conventions(module) {
        if let Some(syntax) = widest(name) {
            let hint = syntax.display_hint().unwrap_or_default();
            append_convention(name, hint, &base_syntax(syntax), &mut body);
        }
    }
    for &object in &objects {
        append_object(object, &objects, &mut imports, &mut body);
    }
    let mut text = format!("{module} DEFINITIONS ::= BEGIN\nIMPORTS\n");
    for (from, names) in imports.names {
        let names: Vec<&str> = names.into_iter().collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {} FROM {from}", names.join(", "));
    }
    text.push_str(";\n");
    text.push_str(&body);
    text.push_str("END\n");
    Some(text)
}

fn all_objects() -> impl Iterator<Item = Object<'static>> {
    CATALOG.subtree(&[]).map(Object::new)
}

fn objects(module: &str) -> Vec<Object<'static>> {
    all_objects()
        .filter(|object| match (module, object.oid()) {
            // system to snmp
            (MIB_II, &[1, 3, 6, 1, 2, 1, 1..=11, ..]) => true,
            _ => object.module() == module,
        })
        .collect()
}

fn own_conventions(module: &str) -> impl Iterator<Item = &'static str> {
    let known = CONVENTIONS.iter().filter(move |known| known.0 == module);
    let iana = (module == IANA_IF_TYPE.0).then_some(IANA_IF_TYPE.1);
    known.flat_map(|known| known.1.iter().copied()).chain(iana)
}

fn home_of(convention: &str) -> &'static str {
    if convention == IANA_IF_TYPE.1 {
        return IANA_IF_TYPE.0;
    }
    let home = CONVENTIONS
        .iter()
        .find(|known| known.1.contains(&convention));
    home.map_or("SNMPv2-TC", |known| known.0)
}

/// The least restricted syntax of this convention.
fn widest(convention: &str) -> Option<Syntax<'static>> {
    all_objects()
        .filter_map(|object| object.syntax())
        .filter(|syntax| syntax.textual_convention() == Some(convention))
        .max_by_key(|syntax| match syntax.ranges().is_empty() {
            true => i64::MAX,
            false => syntax
                .ranges()
                .iter()
                .map(|(lowest, highest)| highest.saturating_sub(lowest))
                .sum(),
        })
}

/// What is imported, by module.
struct Imports {
    module: String,
    names: BTreeMap<&'static str, BTreeSet<&'static str>>,
}

impl Imports {
    fn new(module: &str) -> Self {
        let smi = [
            "OBJECT-TYPE",
            "NOTIFICATION-TYPE",
            "Integer32",
            "Unsigned32",
            "Gauge32",
            "Counter32",
            "Counter64",
            "TimeTicks",
            "IpAddress",
        ];
        let conventions = BTreeSet::from(["TEXTUAL-CONVENTION"]);
        Self {
            module: module.to_owned(),
            names: BTreeMap::from([
                ("SNMPv2-SMI", BTreeSet::from(smi)),
                ("SNMPv2-TC", conventions),
            ]),
        }
    }

    fn add(&mut self, from: &'static str, name: &'static str) {
        if from != self.module {
            self.names.entry(from).or_default().insert(name);
        }
    }
}

fn append_convention(name: &str, hint: &str, syntax: &str, out: &mut String) {
    let hint = match hint {
        "" => String::new(),
        hint => format!("DISPLAY-HINT \"{hint}\" "),
    };
    let _ = writeln!(
        out,
        "{name} ::= TEXTUAL-CONVENTION {hint}STATUS current DESCRIPTION \"\" SYNTAX {syntax}"
    );
}

/// `ifEntry` to `IfEntry`
fn type_name(row: &str) -> String {
    let mut letters = row.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn append_object(
    object: Object<'static>,
    objects: &[Object<'static>],
    imports: &mut Imports,
    out: &mut String,
) {
    let name = object.name();
    let arcs: Vec<String> = object.oid().iter().skip(1).map(u32::to_string).collect();
    let below = |of: Object<'_>, object: &Object<'_>| {
        object.oid().len() == of.oid().len() + 1 && object.oid().starts_with(of.oid())
    };
    let head = match object.kind() {
        Kind::Node => "OBJECT IDENTIFIER".to_owned(),
        Kind::Table => {
            let row = objects.iter().find(|row| below(object, row));
            let row = type_name(row.map_or("", Object::name));
            object_type(&format!("SEQUENCE OF {row}"), "not-accessible")
        }
        Kind::Row => {
            let of = type_name(name);
            let columns = objects.iter().filter(|column| below(object, column));
            let columns: Vec<String> = columns
                .map(|column| format!("{} INTEGER", column.name()))
                .collect();
            let _ = writeln!(out, "{of} ::= SEQUENCE {{ {} }}", columns.join(", "));
            format!(
                "{} {}",
                object_type(&of, "not-accessible"),
                index(object, imports)
            )
        }
        Kind::Scalar | Kind::Column => {
            let access = object.access().map(|access| access.to_string());
            object_type(&object_syntax(object, imports), &access.unwrap_or_default())
        }
        Kind::Notification => {
            let known = object.notification_objects();
            for &name in &known {
                import_object(name, imports);
            }
            let objects = match known.is_empty() {
                true => String::new(),
                false => format!("OBJECTS {{ {} }} ", known.join(", ")),
            };
            format!("NOTIFICATION-TYPE {objects}STATUS current DESCRIPTION \"\"")
        }
    };
    let _ = writeln!(out, "{name} {head} ::= {{ iso {} }}", arcs.join(" "));
}

fn object_type(syntax: &str, access: &str) -> String {
    format!("OBJECT-TYPE SYNTAX {syntax} MAX-ACCESS {access} STATUS current DESCRIPTION \"\"")
}

/// Imports an object, if another module has it.
fn import_object(name: &'static str, imports: &mut Imports) {
    if let Some(entry) = CATALOG.named(name).next()
        && imports.module != MIB_II
    {
        imports.add(entry.module_name(), name);
    }
}

fn index(row: Object<'static>, imports: &mut Imports) -> String {
    if let Some(base) = row.augments() {
        import_object(base, imports);
        return format!("AUGMENTS {{ {base} }}");
    }
    let mut parts = Vec::new();
    for part in row
        .index()
        .into_iter()
        .flat_map(|index| index.parts().iter())
    {
        import_object(part.name(), imports);
        let implied = if part.is_implied() { "IMPLIED " } else { "" };
        parts.push(format!("{implied}{}", part.name()));
    }
    format!("INDEX {{ {} }}", parts.join(", "))
}

fn object_syntax(object: Object<'static>, imports: &mut Imports) -> String {
    let Some(syntax) = object.syntax() else {
        return String::new();
    };
    match syntax.textual_convention() {
        Some(convention) => {
            imports.add(home_of(convention), convention);
            // An enumeration is that of its convention.
            match syntax.named_numbers().is_empty() {
                true => format!("{convention}{}", refinement(syntax)),
                false => convention.to_owned(),
            }
        }
        None => base_syntax(syntax),
    }
}

fn base_syntax(syntax: Syntax<'_>) -> String {
    let base = match syntax.base() {
        BaseType::Integer32 if !syntax.named_numbers().is_empty() => "INTEGER",
        BaseType::Integer32 => "Integer32",
        BaseType::Unsigned32 => "Unsigned32",
        BaseType::Gauge32 => "Gauge32",
        BaseType::Counter32 => "Counter32",
        BaseType::Counter64 => "Counter64",
        BaseType::TimeTicks => "TimeTicks",
        BaseType::OctetString => "OCTET STRING",
        BaseType::Bits => "BITS",
        BaseType::ObjectIdentifier => "OBJECT IDENTIFIER",
        BaseType::IpAddress => "IpAddress",
        BaseType::Opaque => "Opaque",
    };
    let names = syntax.named_numbers().iter();
    let names: Vec<String> = names
        .map(|(name, number)| format!("{name}({number})"))
        .collect();
    match names.is_empty() {
        false => format!("{base} {{ {} }}", names.join(", ")),
        true => format!("{base}{}", refinement(syntax)),
    }
}

/// ` (SIZE (0..255))`
fn refinement(syntax: Syntax<'_>) -> String {
    let ranges: Vec<String> = syntax
        .ranges()
        .iter()
        .map(|(lowest, highest)| match lowest == highest {
            true => lowest.to_string(),
            false => format!("{lowest}..{highest}"),
        })
        .collect();
    match (ranges.is_empty(), syntax.base()) {
        (true, _) => String::new(),
        (_, BaseType::OctetString | BaseType::Bits | BaseType::Opaque) => {
            format!(" (SIZE ({}))", ranges.join(" | "))
        }
        _ => format!(" ({})", ranges.join(" | ")),
    }
}
