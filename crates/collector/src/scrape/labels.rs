//! The labels of a row: parts of its index, and values of other objects with parts of that index.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use super::text::{of_value, valid};
use super::{Number, Objects};
use crate::module::rows::{Index, Lookup, LookupValue, Rows};
use crate::module::syntax::Syntax;

/// Upper bound of the length of an index part: names have at most 128 sub-identifiers, addresses at most 255 octets.
const LONGEST: usize = 255;

/// How to read a part of an index.
pub(super) struct Parts<'p> {
    syntax: Syntax,
    fixed_size: usize,
    implied: bool,
    enum_values: Option<&'p BTreeMap<i64, String>>,
}

impl<'p> Parts<'p> {
    /// For the octets of a value, which have no length in front.
    pub(super) const fn of(syntax: Syntax) -> Self {
        Self {
            syntax,
            fixed_size: 0,
            implied: false,
            enum_values: None,
        }
    }

    fn of_index(index: &'p Index) -> Self {
        Self {
            syntax: index.syntax,
            fixed_size: index.fixed_size,
            implied: index.implied,
            enum_values: Some(&index.enum_values),
        }
    }
}

/// Makes labels, and reuses its buffers from row to row.
#[derive(Debug, Default)]
pub(super) struct LabelWriter {
    texts: Vec<String>,
    /// The index part behind each label, the key of later lookups.
    parts: Vec<Vec<u32>>,
    name: Vec<u32>,
    octets: Vec<u8>,
}

impl LabelWriter {
    /// The label values of a row, in the order of the label names.
    pub(super) fn values(
        &mut self,
        rows: &Rows,
        index: &[u32],
        objects: &Objects,
    ) -> Vec<Arc<str>> {
        self.texts.resize_with(rows.slots, String::new);
        self.parts.resize_with(rows.slots, Vec::new);
        for text in &mut self.texts {
            text.clear();
        }
        for part in &mut self.parts {
            part.clear();
        }
        let mut rest = index;
        for index in &rows.indexes {
            let (Some(text), Some(part)) = (
                self.texts.get_mut(index.slot),
                self.parts.get_mut(index.slot),
            ) else {
                continue;
            };
            self.octets.clear();
            part.clear();
            rest = render(rest, &Parts::of_index(index), &mut self.octets, part);
            *text = valid(&self.octets);
        }
        for lookup in &rows.lookups {
            match lookup {
                Lookup::Remove(slot) => {
                    if let Some(text) = self.texts.get_mut(*slot) {
                        text.clear();
                    }
                }
                Lookup::Value(lookup) => self.look_up(lookup, objects),
            }
        }
        let kept = rows.kept.iter();
        kept.map(|slot| self.texts.get(*slot).map_or("", String::as_str).into())
            .collect()
    }

    /// Sets a label to the value of another object.
    fn look_up(&mut self, lookup: &LookupValue, objects: &Objects) {
        let has_keys = lookup.keys.iter().all(Option::is_some);
        self.name.clear();
        self.name.extend_from_slice(lookup.oid.arcs());
        for key in lookup.keys.iter().flatten() {
            let part = self.parts.get(*key);
            self.name.extend_from_slice(part.map_or(&[], Vec::as_slice));
        }
        let value = objects.find(&self.name).filter(|_| has_keys);
        let Some(value) = value else {
            if let Some(text) = self.texts.get_mut(lookup.slot) {
                text.clear();
            }
            return;
        };
        let number = Number::of(value).as_i64();
        let text = if lookup.syntax == Syntax::Enumeration && !lookup.enum_values.is_empty() {
            let name = lookup.enum_values.get(&number);
            name.cloned().unwrap_or_else(|| number.to_string())
        } else {
            let index = self.name.get(lookup.oid.arcs().len()..).unwrap_or_default();
            let before = match lookup.syntax.has_discriminator() {
                true => objects.before(&lookup.oid, index),
                false => None,
            };
            let syntax = before
                .and_then(|value| lookup.syntax.of_discriminator(Number::of(value).as_i64()))
                .unwrap_or(lookup.syntax);
            of_value(value, syntax, lookup.display_hint.as_deref())
        };
        if let (Some(place), Some(part)) = (
            self.texts.get_mut(lookup.slot),
            self.parts.get_mut(lookup.slot),
        ) {
            *place = text;
            part.clear();
            // A later lookup uses this value as its index; an index is never negative or larger than 32 bits.
            part.push(u32::try_from(number).unwrap_or(u32::MAX));
        }
    }
}

/// Takes the first numbers of an index. Some agents leave numbers out; zeros replace them.
fn take<'i>(index: &'i [u32], count: usize, taken: &mut Vec<u32>) -> &'i [u32] {
    let count = count.min(LONGEST);
    let (head, rest) = index.split_at_checked(count).unwrap_or((index, &[]));
    taken.extend_from_slice(head);
    taken.extend(std::iter::repeat_n(0, count - head.len()));
    rest
}

/// Writes a part of an index as text, adds its numbers to `used`, and returns the rest of the index.
pub(super) fn render<'i>(
    index: &'i [u32],
    parts: &Parts<'_>,
    text: &mut Vec<u8>,
    used: &mut Vec<u32>,
) -> &'i [u32] {
    let before = used.len();
    match parts.syntax {
        Syntax::Number | Syntax::Enumeration => {
            let rest = take(index, 1, used);
            let number = used.get(before).copied().unwrap_or_default();
            let names = match parts.syntax {
                Syntax::Enumeration => parts.enum_values,
                _ => None,
            };
            match names.and_then(|names| names.get(&number.into())) {
                Some(name) => text.extend_from_slice(name.as_bytes()),
                None => drop(write!(text, "{number}")),
            }
            rest
        }
        Syntax::PhysAddress48 => {
            let rest = take(index, 6, used);
            separated(used.get(before..), b":", text, |number, text| {
                drop(write!(text, "{number:02X}"));
            });
            rest
        }
        Syntax::InetAddressIpv4 => {
            let rest = take(index, 4, used);
            separated(used.get(before..), b".", text, |number, text| {
                drop(write!(text, "{number}"));
            });
            rest
        }
        Syntax::InetAddressIpv6 => {
            let rest = take(index, 16, used);
            for (at, number) in used.iter().skip(before).enumerate() {
                if at > 0 && at % 2 == 0 {
                    text.push(b':');
                }
                let _ = write!(text, "{number:02X}");
            }
            rest
        }
        Syntax::OctetString | Syntax::DisplayString => octets(index, parts, text, used),
        Syntax::InetAddress | Syntax::InetAddressMissingSize | Syntax::LldpPortId => {
            discriminated(index, parts, text, used)
        }
    }
}

fn separated(
    numbers: Option<&[u32]>,
    separator: &[u8],
    text: &mut Vec<u8>,
    write: impl Fn(u32, &mut Vec<u8>),
) {
    for (at, number) in numbers.unwrap_or_default().iter().enumerate() {
        if at > 0 {
            text.extend_from_slice(separator);
        }
        write(*number, text);
    }
}

/// An octet string of fixed length, with an implied length (all the rest), or with its length in front.
fn octets<'i>(
    index: &'i [u32],
    parts: &Parts<'_>,
    text: &mut Vec<u8>,
    used: &mut Vec<u32>,
) -> &'i [u32] {
    let mut rest = index;
    let mut length = match parts.implied {
        true => index.len(),
        false => parts.fixed_size,
    };
    if length == 0 {
        let before = used.len();
        rest = take(rest, 1, used);
        let announced = used.get(before).copied().unwrap_or_default();
        length = usize::try_from(announced).unwrap_or(usize::MAX);
    }
    let before = used.len();
    rest = take(rest, length, used);
    let content = used.get(before..).unwrap_or_default();
    // snmp_exporter truncates larger numbers to octets.
    let content = content.iter().map(|number| number.to_le_bytes()[0]);
    if parts.syntax == Syntax::DisplayString {
        text.extend(content);
        return rest;
    }
    for (at, octet) in content.enumerate() {
        if at == 0 {
            text.extend_from_slice(b"0x");
        }
        let _ = write!(text, "{octet:02X}");
    }
    rest
}

/// An address after its type and, unless the index omits it, its length.
fn discriminated<'i>(
    index: &'i [u32],
    parts: &Parts<'_>,
    text: &mut Vec<u8>,
    used: &mut Vec<u32>,
) -> &'i [u32] {
    let before = used.len();
    let has_length = parts.syntax != Syntax::InetAddressMissingSize;
    let rest = take(index, if has_length { 2 } else { 1 }, used);
    let discriminator = used.get(before).copied().unwrap_or_default();
    if let Some(syntax) = parts.syntax.of_discriminator(discriminator.into()) {
        return render(rest, &Parts::of(syntax), text, used);
    }
    let announced = used.get(before + 1).copied().unwrap_or_default();
    used.truncate(before);
    let whole = Parts {
        syntax: Syntax::OctetString,
        fixed_size: match has_length {
            true => usize::try_from(announced).unwrap_or(LONGEST).min(LONGEST) + 2,
            false => 0,
        },
        implied: !has_length,
        enum_values: None,
    };
    octets(index, &whole, text, used)
}
