//! The instance part of a name: index values as Net-SNMP writes them.

use std::fmt::Write;

use varbind_codec::smi::ValueRef;

use super::name::{append_dotted, append_name, push_number};
use super::options::OutputOptions;
use super::value::{append_octets, append_time};
use crate::clauses::Kind;
use crate::index::{INET_ADDRESS, INET_ADDRESS_TYPE, IndexPart, IndexParts};
use crate::mib::Mib;
use crate::object::Object;
use crate::syntax::BaseType;

/// Appends what stands behind an object, with the dot or bracket before it.
pub(super) fn append_instance(
    mib: &Mib,
    options: &OutputOptions,
    object: Object<'_>,
    instance: &[u32],
    out: &mut String,
) {
    let mut rest = instance;
    out.push('.');
    if !options.numeric_indexes {
        let row = match object.kind() {
            Kind::Row => Some(object),
            Kind::Column => object
                .oid()
                .split_last()
                .and_then(|(_, row)| mib.object_at(row)),
            _ => None,
        };
        // The number behind a row is that of a column that is not known.
        if let (Kind::Row, Some((&column, after))) = (object.kind(), rest.split_first()) {
            push_number(column, out);
            out.push('.');
            rest = after;
        }
        if let Some(index) = row.and_then(|row| row.index()) {
            rest = append_parts(mib, options, index.parts(), rest, out);
        }
    }
    if !out.ends_with('.') {
        out.push('.');
    }
    for &arc in rest {
        push_number(arc, out);
        out.push('.');
    }
    out.pop();
}

/// Appends the values of an index, each with a dot or in brackets, and returns what does not fit the index.
fn append_parts<'n>(
    mib: &Mib,
    options: &OutputOptions,
    parts: IndexParts<'_>,
    instance: &'n [u32],
    out: &mut String,
) -> &'n [u32] {
    let mut rest = instance;
    let mut address_type = None;
    for part in parts.iter() {
        if rest.is_empty() {
            break;
        }
        if options.extended_indexes {
            if out.ends_with('.') {
                out.pop();
            }
            out.push('[');
        }
        let Some((content, after)) = part.take(rest) else {
            break;
        };
        append_part(mib, options, &part, content, address_type, out);
        address_type = match (part.syntax().textual_convention(), content) {
            (Some(INET_ADDRESS_TYPE), &[number]) => Some(number),
            _ => None,
        };
        rest = after;
        out.push(if options.extended_indexes { ']' } else { '.' });
    }
    rest
}

fn append_part(
    mib: &Mib,
    options: &OutputOptions,
    part: &IndexPart<'_>,
    content: &[u32],
    address_type: Option<u32>,
    out: &mut String,
) {
    match (part.syntax().base(), content) {
        (BaseType::OctetString | BaseType::Bits | BaseType::Opaque, _) => {
            append_string(options, part, content, address_type, out);
        }
        (BaseType::ObjectIdentifier, _) if options.extended_indexes => {
            append_name(mib, options, content, mib.object(content), out);
        }
        (BaseType::ObjectIdentifier, _) => {
            // Net-SNMP keeps the length of a name in a name.
            if part.has_length() {
                push_number(u32::try_from(content.len()).unwrap_or(u32::MAX), out);
                if !content.is_empty() {
                    out.push('.');
                }
            }
            append_dotted(content, out);
        }
        (BaseType::TimeTicks, &[ticks]) if options.extended_indexes => {
            append_time(options, ticks, out);
        }
        (_, &[number]) => match part.syntax().name_of(i64::from(number)) {
            Some(name) => out.push_str(name),
            None => push_number(number, out),
        },
        _ => append_dotted(content, out),
    }
}

fn append_string(
    options: &OutputOptions,
    part: &IndexPart<'_>,
    content: &[u32],
    address_type: Option<u32>,
    out: &mut String,
) {
    if let (true, Some(hint)) = (options.extended_indexes, part.syntax().display_hint()) {
        let octets: Vec<u8> = content.iter().map(|&arc| arc.to_le_bytes()[0]).collect();
        return append_octets(options, Some(hint), "", ValueRef::OctetString(&octets), out);
    }
    let quote = if part.has_length() { '"' } else { '\'' };
    if part.syntax().textual_convention() == Some(INET_ADDRESS)
        && let Some(address_type) = address_type
        && let Some(address) = inet_address(address_type, content)
    {
        out.push(quote);
        out.push_str(&address);
        out.push(quote);
        return;
    }
    // An empty string is written only where its length is.
    if content.is_empty() && !part.has_length() {
        return;
    }
    let push_quote = |out: &mut String| {
        if options.escape_quotes {
            out.push('\\');
        }
        out.push(quote);
    };
    push_quote(out);
    for &arc in content {
        out.push(match u8::try_from(arc) {
            Ok(octet @ b' '..=b'~') => char::from(octet),
            _ => '.',
        });
    }
    push_quote(out);
}

/// An address as Net-SNMP writes it in names: IPv6 with all its octets.
fn inet_address(address_type: u32, content: &[u32]) -> Option<String> {
    let octets: Vec<u8> = content
        .iter()
        .map(|&arc| u8::try_from(arc).ok())
        .collect::<Option<_>>()?;
    let length = match (address_type, octets.len()) {
        (1, 4) | (3, 8) => 4,
        (2, 16) | (4, 20) => 16,
        _ => return None,
    };
    let (address, zone) = octets.split_at_checked(length)?;
    let mut text = String::new();
    for (at, octet) in address.iter().enumerate() {
        let _ = match (at, length) {
            (0, 4) => write!(text, "{octet}"),
            (_, 4) => write!(text, ".{octet}"),
            (0, _) => write!(text, "{octet:02x}"),
            _ => write!(text, ":{octet:02x}"),
        };
    }
    if let Ok(zone) = zone.try_into() {
        let _ = write!(text, "%{}", u32::from_be_bytes(zone));
    }
    Some(text)
}
