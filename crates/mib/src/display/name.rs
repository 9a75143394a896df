use std::fmt::Write;

use super::instance::append_instance;
use super::options::{NameStyle, OutputOptions};
use crate::mib::{Mib, Resolved};
use crate::object::Object;

/// The beginnings that `-Ou` leaves out.
const UCD_PREFIXES: [&str; 3] = [
    ".iso.org.dod.internet.mgmt.mib-2",
    ".iso.org.dod.internet.experimental",
    ".iso.org.dod.internet.private",
];

/// Appends the name of an object or an instance to `out`.
pub fn format_name(mib: &Mib, options: &OutputOptions, name: &[u32], out: &mut String) {
    append_name(mib, options, name, mib.object(name), out);
}

pub(super) fn append_name(
    mib: &Mib,
    options: &OutputOptions,
    name: &[u32],
    resolved: Option<Resolved<'_, '_>>,
    out: &mut String,
) {
    let Some(resolved) = resolved.filter(|_| options.names != NameStyle::Numeric) else {
        return append_numbers(name, out);
    };
    let Resolved { object, instance } = resolved;
    let start = out.len();
    match options.names {
        NameStyle::Module if !object.module().is_empty() => {
            out.push_str(object.module());
            out.push_str("::");
            out.push_str(object.name());
        }
        NameStyle::Module | NameStyle::Suffix => out.push_str(object.name()),
        NameStyle::Full | NameStyle::Ucd | NameStyle::Numeric => append_path(mib, object, out),
    }
    if !instance.is_empty() {
        append_instance(mib, options, object, instance, out);
    }
    if options.names == NameStyle::Ucd {
        let text = out.get(start..).unwrap_or("");
        let known = UCD_PREFIXES
            .iter()
            .find(|prefix| text.len() > prefix.len() && text.starts_with(**prefix));
        if let Some(prefix) = known {
            out.replace_range(start..=start + prefix.len(), "");
        }
    }
}

/// The numbers of a name or an index with dots between them.
///
/// ```
/// assert_eq!(varbind_mib::dotted(&[1, 3, 6]), "1.3.6");
/// ```
#[must_use]
pub fn dotted(numbers: &[u32]) -> String {
    let mut text = String::new();
    append_dotted(numbers, &mut text);
    text
}

pub(super) fn append_dotted(numbers: &[u32], out: &mut String) {
    for (at, &number) in numbers.iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        push_number(number, out);
    }
}

/// `.1.3.6`
fn append_numbers(name: &[u32], out: &mut String) {
    for &arc in name {
        out.push('.');
        push_number(arc, out);
    }
}

/// `.iso.org.dod`
fn append_path(mib: &Mib, object: Object<'_>, out: &mut String) {
    let oid = object.oid();
    for length in 1..=oid.len() {
        let above = oid.get(..length).unwrap_or(oid);
        out.push('.');
        match (mib.object_at(above), above.last()) {
            (Some(object), _) => out.push_str(object.name()),
            (None, Some(&arc)) => push_number(arc, out),
            (None, None) => {}
        }
    }
}

/// Decimal, without the cost of the general formatting for small numbers, of which names consist.
pub(super) fn push_number(number: u32, out: &mut String) {
    match u8::try_from(number) {
        Ok(digit @ 0..=9) => out.push(char::from(b'0' + digit)),
        // Writing to a String cannot fail.
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}
