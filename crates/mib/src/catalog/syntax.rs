//! Syntaxes of a catalog.

use super::Catalog;
use super::format::{Section, syntax, wide};
use crate::syntax::{BaseType, Syntax};

impl Catalog {
    /// The syntax at a position.
    pub(super) fn syntax(&self, position: u32) -> Option<Syntax<'_>> {
        let record = self.record::<{ syntax::WORDS }>(Section::Syntaxes, position);
        let base = *BASE_TYPES.get(usize::try_from(record[syntax::BASE]).ok()?)?;
        Some(Syntax::from_records(
            base,
            self.name(record[syntax::CONVENTION]),
            self.name(record[syntax::HINT]),
            RangeRecords {
                words: self.list(
                    Section::Lists,
                    record[syntax::RANGES],
                    record[syntax::RANGES_LENGTH],
                ),
            },
            NamedNumberRecords {
                catalog: self,
                words: self.list(
                    Section::Lists,
                    record[syntax::NAMED_NUMBERS],
                    record[syntax::NAMED_NUMBERS_LENGTH],
                ),
            },
        ))
    }
}

/// The numbers of the types are their places, in the order in which the type declares them.
pub(crate) const BASE_TYPES: [BaseType; 11] = [
    BaseType::Integer32,
    BaseType::Unsigned32,
    BaseType::Gauge32,
    BaseType::Counter32,
    BaseType::Counter64,
    BaseType::TimeTicks,
    BaseType::OctetString,
    BaseType::Bits,
    BaseType::ObjectIdentifier,
    BaseType::IpAddress,
    BaseType::Opaque,
];

/// Ranges as they lie in a catalog.
#[derive(Clone, Copy)]
pub(crate) struct RangeRecords<'m> {
    words: &'m [u32],
}

impl RangeRecords<'_> {
    pub(crate) const fn len(&self) -> usize {
        self.words.len() / 4
    }

    pub(crate) fn get(&self, at: usize) -> Option<(i64, i64)> {
        let &[low, low_high, high, high_high] = self.words.get(at * 4..)?.first_chunk()?;
        Some((
            wide(low, low_high).cast_signed(),
            wide(high, high_high).cast_signed(),
        ))
    }
}

/// Named numbers as they lie in a catalog.
#[derive(Clone, Copy)]
pub(crate) struct NamedNumberRecords<'m> {
    catalog: &'m Catalog,
    words: &'m [u32],
}

impl<'m> NamedNumberRecords<'m> {
    pub(crate) const fn len(&self) -> usize {
        self.words.len() / 2
    }

    pub(crate) fn get(&self, at: usize) -> Option<(&'m str, i32)> {
        let &[name, number] = self.words.get(at * 2..)?.first_chunk()?;
        Some((self.catalog.name(name), number.cast_signed()))
    }

    /// Without a look at other names.
    pub(crate) fn name_of(&self, number: i32) -> Option<&'m str> {
        let mut pairs = self.words.chunks_exact(2);
        let pair = pairs.find(|pair| pair.last() == Some(&number.cast_unsigned()))?;
        Some(self.catalog.name(*pair.first()?))
    }
}
