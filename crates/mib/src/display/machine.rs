use std::net::Ipv4Addr;

use varbind_codec::smi::{OidScratch, OpaqueNumber, ValueRef};

use super::name::{dotted, format_name};
use super::options::OutputOptions;
use super::value::{
    END_OF_MIB_VIEW, NO_SUCH_INSTANCE, NO_SUCH_OBJECT, append_float, append_time, bits_set,
};
use crate::hint;
use crate::mib::Mib;
use crate::object::Object;
use crate::syntax::BaseType;

/// A variable binding for programs: every part on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineVarBind {
    /// `IF-MIB::ifDescr.1`.
    pub name: String,
    /// `1.3.6.1.2.1.2.2.1.2.1`, without a dot in front.
    pub oid: String,
    /// The type on the wire: `Integer`, `OctetString`, `Null`, `ObjectIdentifier`, `IpAddress`, `Counter32`, `Gauge32`,
    /// `TimeTicks`, `Opaque`, `Counter64`, `NoSuchObject`, `NoSuchInstance` or `EndOfMibView`.
    pub value_type: &'static str,
    /// The value as it is.
    pub value: RawValue,
    /// The value for people: enumerations by name, strings by their display hint, names of objects. Without units.
    pub shown: String,
    /// The units of the object.
    pub units: Option<String>,
}

/// A value without its SNMP type.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    /// NULL and the exceptions.
    None,
    /// INTEGER, and signed numbers in Opaque.
    Signed(i64),
    /// Counter32, Gauge32, TimeTicks, Counter64, and unsigned numbers in Opaque.
    Unsigned(u64),
    /// Floating point numbers in Opaque.
    Float(f64),
    /// OCTET STRING that is not text by the definition of its object, BITS, and Opaque that holds no number.
    Octets(Vec<u8>),
    /// OCTET STRING whose DISPLAY-HINT is one of text, as that of DisplayString; what is no UTF-8 becomes U+FFFD.
    Characters(String),
    /// IpAddress as `192.0.2.1`, and OBJECT IDENTIFIER as `1.3.6.1`.
    Text(String),
}

impl MachineVarBind {
    /// Takes a variable binding apart.
    #[must_use]
    pub fn new(mib: &Mib, name: &[u32], value: ValueRef<'_>) -> Self {
        let object = mib.object(name).map(|resolved| resolved.object);
        let mut text = String::new();
        format_name(mib, &OutputOptions::default(), name, &mut text);
        Self {
            name: text,
            oid: dotted(name),
            value_type: value_type(value),
            value: raw(object, value),
            shown: shown(mib, object, value),
            units: object.and_then(|object| object.units()).map(str::to_owned),
        }
    }
}

const fn value_type(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Integer(_) => "Integer",
        ValueRef::OctetString(_) => "OctetString",
        ValueRef::Null => "Null",
        ValueRef::ObjectIdentifier(_) => "ObjectIdentifier",
        ValueRef::IpAddress(_) => "IpAddress",
        ValueRef::Counter32(_) => "Counter32",
        ValueRef::Gauge32(_) => "Gauge32",
        ValueRef::TimeTicks(_) => "TimeTicks",
        ValueRef::Opaque(_) => "Opaque",
        ValueRef::Counter64(_) => "Counter64",
        ValueRef::NoSuchObject => "NoSuchObject",
        ValueRef::NoSuchInstance => "NoSuchInstance",
        ValueRef::EndOfMibView => "EndOfMibView",
    }
}

/// Whether the definition of an object, never its value, makes its octets text: `255a`, `255t` and the like.
fn is_text(object: Option<Object<'_>>) -> bool {
    let syntax = object.and_then(|object| object.syntax());
    let hint = syntax.and_then(|syntax| syntax.display_hint());
    hint.is_some_and(|hint| {
        let length = hint.strip_suffix(['a', 't']).unwrap_or_default();
        !length.is_empty() && length.bytes().all(|octet| octet.is_ascii_digit())
    })
}

fn raw(object: Option<Object<'_>>, value: ValueRef<'_>) -> RawValue {
    match value {
        ValueRef::Integer(number) => RawValue::Signed(i64::from(number)),
        ValueRef::OctetString(octets) if is_text(object) => {
            RawValue::Characters(String::from_utf8_lossy(octets).into_owned())
        }
        ValueRef::OctetString(octets) => RawValue::Octets(octets.to_vec()),
        ValueRef::ObjectIdentifier(oid) => RawValue::Text(oid.to_string()),
        ValueRef::IpAddress(address) => RawValue::Text(Ipv4Addr::from(address).to_string()),
        ValueRef::Counter32(number) | ValueRef::Gauge32(number) | ValueRef::TimeTicks(number) => {
            RawValue::Unsigned(u64::from(number))
        }
        ValueRef::Counter64(number) => RawValue::Unsigned(number),
        ValueRef::Opaque(octets) => match OpaqueNumber::decode(octets) {
            Some(OpaqueNumber::Float(number)) => RawValue::Float(f64::from(number)),
            Some(OpaqueNumber::Double(number)) => RawValue::Float(number),
            Some(OpaqueNumber::Signed64(number)) => RawValue::Signed(number),
            Some(OpaqueNumber::Unsigned64(number)) => RawValue::Unsigned(number),
            None => RawValue::Octets(octets.to_vec()),
        },
        ValueRef::Null
        | ValueRef::NoSuchObject
        | ValueRef::NoSuchInstance
        | ValueRef::EndOfMibView => RawValue::None,
    }
}

fn shown(mib: &Mib, object: Option<Object<'_>>, value: ValueRef<'_>) -> String {
    let syntax = object.and_then(|object| object.syntax());
    let hint = syntax.and_then(|syntax| syntax.display_hint());
    let mut out = String::new();
    match value {
        ValueRef::Integer(number) => {
            let number = i64::from(number);
            if let Some(name) = syntax.and_then(|syntax| syntax.name_of(number)) {
                out.push_str(name);
            } else if hint
                .and_then(|hint| hint::format_integer(hint, number, &mut out))
                .is_none()
            {
                out = number.to_string();
            }
        }
        ValueRef::OctetString(octets) => match syntax {
            Some(syntax) if syntax.base() == BaseType::Bits => {
                let name = |bit| match syntax.name_of(bit) {
                    Some(name) => name.to_owned(),
                    None => bit.to_string(),
                };
                out = bits_set(octets).map(name).collect::<Vec<_>>().join(" ");
            }
            _ => out = hint::show_octets(hint, octets),
        },
        ValueRef::ObjectIdentifier(oid) => {
            let name = oid.decode_into(&mut OidScratch::new()).to_vec();
            format_name(mib, &OutputOptions::default(), &name, &mut out);
        }
        ValueRef::TimeTicks(ticks) => append_time(&OutputOptions::default(), ticks, &mut out),
        ValueRef::NoSuchObject => out.push_str(NO_SUCH_OBJECT),
        ValueRef::NoSuchInstance => out.push_str(NO_SUCH_INSTANCE),
        ValueRef::EndOfMibView => out.push_str(END_OF_MIB_VIEW),
        _ => match raw(object, value) {
            RawValue::None => {}
            RawValue::Signed(number) => out = number.to_string(),
            RawValue::Unsigned(number) => out = number.to_string(),
            RawValue::Float(number) => append_float(number, &mut out),
            RawValue::Octets(octets) => out = hint::show_octets(None, &octets),
            RawValue::Characters(text) | RawValue::Text(text) => out = text,
        },
    }
    out
}
