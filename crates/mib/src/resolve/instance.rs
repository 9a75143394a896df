//! An index given by values.

use super::ResolveError;
use super::parts::{Part, Parts};
use crate::hint;
use crate::index::{
    INET_ADDRESS, INET_ADDRESS_TYPE, IndexError, IndexPart, IndexValue, encode_part,
    inet_address_octets,
};
use crate::mib::Mib;
use crate::object::Object;
use crate::syntax::BaseType;

/// Appends what stands for the columns of the index of a column, as far as it is given.
pub(super) fn append_index(
    mib: &Mib,
    object: Object<'_>,
    parts: &mut Parts<'_>,
    arcs: &mut Vec<u32>,
) -> Result<(), ResolveError> {
    let index = object
        .oid()
        .split_last()
        .and_then(|(_, row)| mib.object_at(row))
        .and_then(|row| row.index());
    let mut address_type = None;
    let columns = index.into_iter().flat_map(|index| index.parts().iter());
    for column in columns {
        let Some(first) = parts.next()? else {
            return Ok(());
        };
        let start = arcs.len();
        let mut reader = ColumnReader {
            object,
            column: &column,
            parts,
            arcs,
        };
        reader.read(first, address_type)?;
        address_type = match (column.syntax().textual_convention(), arcs.get(start..)) {
            (Some(INET_ADDRESS_TYPE), Some(&[number])) => Some(number),
            _ => None,
        };
    }
    Ok(())
}

struct ColumnReader<'a, 'm, 't> {
    object: Object<'m>,
    column: &'a IndexPart<'m>,
    parts: &'a mut Parts<'t>,
    arcs: &'a mut Vec<u32>,
}

impl ColumnReader<'_, '_, '_> {
    fn read(&mut self, first: Part<'_>, address_type: Option<u32>) -> Result<(), ResolveError> {
        let base = self.column.syntax().base();
        match (base, first) {
            (BaseType::OctetString | BaseType::Bits | BaseType::Opaque, first) => {
                self.read_string(first, address_type)
            }
            (_, Part::Quoted { octets, .. }) => {
                Err(self.error(&String::from_utf8_lossy(&octets), "no quoted string"))
            }
            (BaseType::IpAddress, Part::Plain(first)) => self.read_octets(first, 4),
            (BaseType::ObjectIdentifier, Part::Plain(first)) => {
                let number = self.number(first, "a number")?;
                self.arcs.push(number);
                let count = if self.column.has_length() {
                    usize::try_from(number).unwrap_or(usize::MAX)
                } else {
                    usize::MAX
                };
                self.read_rest(count, Self::sub_identifier)
            }
            (_, Part::Plain(part)) => self.read_number(part),
        }
    }

    fn read_number(&mut self, part: &str) -> Result<(), ResolveError> {
        let syntax = self.column.syntax();
        let named = syntax
            .number_of(part)
            .and_then(|number| u32::try_from(number).ok());
        let number = match named {
            Some(number) => number,
            None if syntax.named_numbers().is_empty() => self.number(part, "a number")?,
            None => self.number(part, "a number or a name of the enumeration")?,
        };
        self.encode(part, &IndexValue::Number(number))
    }

    /// Numbers, or a quoted string: by the display hint, as an address after its type, or octet by octet.
    fn read_string(
        &mut self,
        first: Part<'_>,
        address_type: Option<u32>,
    ) -> Result<(), ResolveError> {
        let octets = match first {
            Part::Plain(first) if self.column.has_length() => {
                let length = self.number(first, "the length of a string")?;
                self.arcs.push(length);
                return self.read_rest(usize::try_from(length).unwrap_or(usize::MAX), Self::octet);
            }
            Part::Plain(first) => {
                let length = match self.column.syntax().fixed_length() {
                    Some(length) if !self.column.is_implied() => usize::try_from(length).ok(),
                    _ => None,
                };
                return self.read_octets(first, length.unwrap_or(usize::MAX));
            }
            Part::Quoted { octets, .. } => octets,
        };
        let text = String::from_utf8_lossy(&octets).into_owned();
        let syntax = self.column.syntax();
        let address = address_type
            .filter(|_| syntax.textual_convention() == Some(INET_ADDRESS))
            .and_then(|address_type| inet_address_octets(address_type, &text));
        // Letters and digits alone are how strings are printed in names, whatever their hint.
        let is_separated = text.contains(|letter: char| !letter.is_ascii_alphanumeric());
        let hinted = || {
            let hint = syntax.display_hint().filter(|_| is_separated)?;
            hint::parse_octets(hint, &text)
        };
        let octets = address.or_else(hinted).unwrap_or(octets);
        self.encode(&text, &IndexValue::Octets(octets))
    }

    fn encode(&mut self, part: &str, value: &IndexValue) -> Result<(), ResolveError> {
        encode_part(self.column, value, self.arcs).map_err(|error| match error {
            IndexError::OutOfRange { ranges, .. } => {
                let what = match value {
                    IndexValue::Octets(_) => "octets",
                    _ => "a number",
                };
                let ranges: Vec<String> = ranges
                    .iter()
                    .map(|(lowest, highest)| match lowest == highest {
                        true => lowest.to_string(),
                        false => format!("{lowest} to {highest}"),
                    })
                    .collect();
                self.error(part, &format!("{what} ({})", ranges.join(" or ")))
            }
            other => self.error(part, &other.to_string()),
        })
    }

    /// Octets as numbers, the first of which is already read.
    fn read_octets(&mut self, first: &str, count: usize) -> Result<(), ResolveError> {
        let octet = self.octet(first)?;
        self.arcs.push(octet);
        self.read_rest(count.saturating_sub(1), Self::octet)
    }

    /// Up to `count` further numbers, as many as there are.
    fn read_rest(
        &mut self,
        count: usize,
        read: fn(&Self, &str) -> Result<u32, ResolveError>,
    ) -> Result<(), ResolveError> {
        for _ in 0..count {
            let number = match self.parts.next()? {
                None => return Ok(()),
                Some(Part::Plain(part)) => read(self, part)?,
                Some(Part::Quoted { octets, .. }) => {
                    return Err(self.error(&String::from_utf8_lossy(&octets), "a number"));
                }
            };
            self.arcs.push(number);
        }
        Ok(())
    }

    fn sub_identifier(&self, part: &str) -> Result<u32, ResolveError> {
        self.number(part, "a number")
    }

    fn octet(&self, part: &str) -> Result<u32, ResolveError> {
        let number = self.number(part, "an octet (0 to 255)")?;
        match number {
            0..=255 => Ok(number),
            _ => Err(self.error(part, "an octet (0 to 255)")),
        }
    }

    fn number(&self, part: &str, expected: &str) -> Result<u32, ResolveError> {
        let is_number = part.bytes().all(|octet| octet.is_ascii_digit());
        part.parse()
            .ok()
            .filter(|_| is_number)
            .ok_or_else(|| self.error(part, expected))
    }

    fn error(&self, part: &str, expected: &str) -> ResolveError {
        ResolveError::BadIndex {
            object: self.object.name().to_owned(),
            column: self.column.name().to_owned(),
            part: part.to_owned(),
            expected: expected.to_owned(),
        }
    }
}
