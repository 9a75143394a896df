//! The type of a metric that an object becomes.

use varbind_mib::{BaseType, Mib, Object};

/// Textual conventions with a metric type of their own.
const CONVENTIONS: [(&str, &str); 11] = [
    ("DateAndTime", "DateAndTime"),
    ("DisplayString", "DisplayString"),
    ("Double", "Double"),
    ("Float", "Float"),
    ("InetAddress", "InetAddress"),
    ("InetAddressIPv4", "InetAddressIPv4"),
    ("InetAddressIPv6", "InetAddressIPv6"),
    ("LldpPortId", "LldpPortId"),
    ("NTPTimeStamp", "NTPTimeStamp"),
    ("ParseDateAndTime", "ParseDateAndTime"),
    ("PhysAddress", "PhysAddress48"),
];

/// The types that `overrides` may name.
pub(super) const OVERRIDES: [&str; 18] = [
    "gauge",
    "counter",
    "OctetString",
    "DisplayString",
    "PhysAddress48",
    "Float",
    "Double",
    "InetAddressIPv4",
    "InetAddressIPv6",
    "InetAddress",
    "InetAddressMissingSize",
    "LldpPortId",
    "DateAndTime",
    "ParseDateAndTime",
    "NTPTimeStamp",
    "EnumAsInfo",
    "EnumAsStateSet",
    "Bits",
];

/// Types with a discriminator before them, and the textual convention of the discriminator.
pub(super) const COMBINED: [(&str, &str); 3] = [
    ("InetAddress", "InetAddressType"),
    ("InetAddressMissingSize", "InetAddressType"),
    ("LldpPortId", "LldpPortIdSubtype"),
];

/// The metric type of an SMI type, if there is one.
pub(super) fn of_object(mib: &Mib, object: &Object<'_>) -> Option<&'static str> {
    let syntax = object.syntax()?;
    let convention = syntax.textual_convention().unwrap_or_default();
    if let Some((_, kind)) = CONVENTIONS.iter().find(|(name, _)| *name == convention) {
        return Some(kind);
    }
    let hint = syntax.display_hint().unwrap_or_default();
    if hint == "1x:" && matches!(fixed_size(mib, object), None | Some(6)) {
        return Some("PhysAddress48");
    }
    if is_text(hint) {
        return Some("DisplayString");
    }
    Some(match syntax.base() {
        BaseType::Integer32 | BaseType::Unsigned32 | BaseType::Gauge32 | BaseType::TimeTicks => {
            "gauge"
        }
        BaseType::Counter32 | BaseType::Counter64 => "counter",
        BaseType::OctetString | BaseType::ObjectIdentifier => "OctetString",
        BaseType::Bits => "Bits",
        BaseType::IpAddress => "InetAddressIPv4",
        BaseType::Opaque => return None,
    })
}

/// Whether a DISPLAY-HINT is one of text alone, as `255a`.
fn is_text(hint: &str) -> bool {
    let length = hint.strip_suffix(['a', 't']);
    length.is_some_and(|length| {
        !length.is_empty() && length.bytes().all(|octet| octet.is_ascii_digit())
    })
}

/// The count of octets that a textual convention fixes. As in snmp_exporter, the SIZE of an object itself fixes nothing.
pub(super) fn fixed_size(mib: &Mib, object: &Object<'_>) -> Option<usize> {
    let syntax = object.syntax()?;
    let name = syntax.textual_convention()?;
    let fixed = match mib.textual_convention(name) {
        Some(convention) => convention.syntax()?.fixed_length(),
        // What is built in has objects alone.
        None => syntax.fixed_length(),
    };
    usize::try_from(fixed?).ok().filter(|size| *size > 0)
}
