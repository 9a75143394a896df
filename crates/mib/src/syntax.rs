//! The SYNTAX of an object.

use std::fmt;

use crate::catalog::{NamedNumberRecords, RangeRecords};
use crate::hint;

/// The type that a SYNTAX comes down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseType {
    /// INTEGER and Integer32.
    Integer32,
    /// Unsigned32, on the wire a Gauge32.
    Unsigned32,
    /// Gauge32.
    Gauge32,
    /// Counter32.
    Counter32,
    /// Counter64.
    Counter64,
    /// TimeTicks.
    TimeTicks,
    /// OCTET STRING.
    OctetString,
    /// BITS, on the wire an OCTET STRING.
    Bits,
    /// OBJECT IDENTIFIER.
    ObjectIdentifier,
    /// IpAddress.
    IpAddress,
    /// Opaque.
    Opaque,
}

impl fmt::Display for BaseType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer32 => "INTEGER",
            Self::Unsigned32 => "Unsigned32",
            Self::Gauge32 => "Gauge32",
            Self::Counter32 => "Counter32",
            Self::Counter64 => "Counter64",
            Self::TimeTicks => "TimeTicks",
            Self::OctetString => "OCTET STRING",
            Self::Bits => "BITS",
            Self::ObjectIdentifier => "OBJECT IDENTIFIER",
            Self::IpAddress => "IpAddress",
            Self::Opaque => "Opaque",
        })
    }
}

/// The SYNTAX of an object: its base type and what refines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax<'m> {
    pub(crate) base: BaseType,
    /// Empty if there is none.
    pub(crate) convention: &'m str,
    /// Empty if there is none.
    pub(crate) hint: &'m str,
    ranges: Ranges<'m>,
    names: NamedNumbers<'m>,
}

impl<'m> Syntax<'m> {
    /// A type without refinement.
    #[must_use]
    pub const fn new(base: BaseType) -> Self {
        Self {
            base,
            convention: "",
            hint: "",
            ranges: Ranges(RangesForm::Slice(&[])),
            names: NamedNumbers(NamesForm::Slice(&[])),
        }
    }

    /// With a textual convention, like `DisplayString`.
    #[must_use]
    pub const fn convention(mut self, name: &'m str) -> Self {
        self.convention = name;
        self
    }

    /// With a DISPLAY-HINT (RFC 2579 section 3.1).
    #[must_use]
    pub const fn hint(mut self, hint: &'m str) -> Self {
        self.hint = hint;
        self
    }

    /// With ranges, lowest and highest, of the number or of the count of octets.
    #[must_use]
    pub const fn range(mut self, range: &'m [(i64, i64)]) -> Self {
        self.ranges = Ranges(RangesForm::Slice(range));
        self
    }

    /// With names of numbers, or of bits if the base type is BITS.
    #[must_use]
    pub const fn names(mut self, names: &'m [(&'m str, i32)]) -> Self {
        self.names = NamedNumbers(NamesForm::Slice(names));
        self
    }

    /// With ranges and names that are kept in a catalog.
    pub(crate) const fn from_records(
        base: BaseType,
        convention: &'m str,
        hint: &'m str,
        ranges: RangeRecords<'m>,
        names: NamedNumberRecords<'m>,
    ) -> Self {
        Self {
            base,
            convention,
            hint,
            ranges: Ranges(RangesForm::Records(ranges)),
            names: NamedNumbers(NamesForm::Records(names)),
        }
    }

    /// The type that the value has on the wire.
    #[must_use]
    pub const fn base(&self) -> BaseType {
        self.base
    }

    /// The name of the textual convention, if it has one.
    #[must_use]
    pub fn textual_convention(&self) -> Option<&'m str> {
        (!self.convention.is_empty()).then_some(self.convention)
    }

    /// The DISPLAY-HINT, if it has one.
    #[must_use]
    pub fn display_hint(&self) -> Option<&'m str> {
        (!self.hint.is_empty()).then_some(self.hint)
    }

    /// Octets as text by the DISPLAY-HINT (RFC 2579 section 3.1); `None` without one that fits.
    #[must_use]
    pub fn display_octets(&self, octets: &[u8]) -> Option<String> {
        let mut text = String::new();
        hint::format_octets(self.display_hint()?, octets, true, &mut text).ok()?;
        Some(text)
    }

    /// The octets of a text by the DISPLAY-HINT; `None` without one, or if the text does not fit it.
    #[must_use]
    pub fn octets_of(&self, text: &str) -> Option<Vec<u8>> {
        hint::parse_octets(self.display_hint()?, text)
    }

    /// The ranges, lowest and highest, of the number or of the count of octets; empty if not restricted.
    #[must_use]
    pub const fn ranges(&self) -> Ranges<'m> {
        self.ranges
    }

    /// The named numbers or bits; empty if there are none.
    #[must_use]
    pub const fn named_numbers(&self) -> NamedNumbers<'m> {
        self.names
    }

    /// The name of a number or a bit.
    #[must_use]
    pub fn name_of(&self, number: i64) -> Option<&'m str> {
        let number = i32::try_from(number).ok()?;
        match self.names.0 {
            NamesForm::Slice(names) => names
                .iter()
                .find(|(_, value)| *value == number)
                .map(|(name, _)| *name),
            NamesForm::Records(records) => records.name_of(number),
        }
    }

    /// The number or bit of a name.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<i32> {
        self.names
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Whether a number, or a count of octets, is in the ranges.
    #[must_use]
    pub fn allows(&self, number: i64) -> bool {
        self.ranges.is_empty()
            || self
                .ranges
                .iter()
                .any(|(lowest, highest)| (lowest..=highest).contains(&number))
    }

    /// The count of octets, if it is fixed.
    #[must_use]
    pub fn fixed_length(&self) -> Option<i64> {
        let mut ranges = self.ranges.iter();
        match (ranges.next(), ranges.next()) {
            (Some((lowest, highest)), None) if lowest == highest => Some(lowest),
            _ => None,
        }
    }
}

/// Ranges, lowest and highest, of numbers or of counts of octets.
#[derive(Clone, Copy)]
pub struct Ranges<'m>(RangesForm<'m>);

#[derive(Clone, Copy)]
enum RangesForm<'m> {
    Slice(&'m [(i64, i64)]),
    Records(RangeRecords<'m>),
}

impl<'m> Ranges<'m> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            RangesForm::Slice(slice) => slice.len(),
            RangesForm::Records(records) => records.len(),
        }
    }

    /// Whether there is none: nothing is restricted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those that are not kept in a catalog.
    pub(crate) const fn as_slice(&self) -> &'m [(i64, i64)] {
        match self.0 {
            RangesForm::Slice(slice) => slice,
            RangesForm::Records(_) => &[],
        }
    }

    /// Each range.
    pub fn iter(self) -> impl Iterator<Item = (i64, i64)> + 'm {
        (0..self.len()).filter_map(move |at| match self.0 {
            RangesForm::Slice(slice) => slice.get(at).copied(),
            RangesForm::Records(records) => records.get(at),
        })
    }

    /// All ranges.
    #[must_use]
    pub fn to_vec(self) -> Vec<(i64, i64)> {
        self.iter().collect()
    }
}

impl PartialEq for Ranges<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Ranges<'_> {}

impl fmt::Debug for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Names of the numbers of an enumeration, or of the bits of BITS.
#[derive(Clone, Copy)]
pub struct NamedNumbers<'m>(NamesForm<'m>);

#[derive(Clone, Copy)]
enum NamesForm<'m> {
    Slice(&'m [(&'m str, i32)]),
    Records(NamedNumberRecords<'m>),
}

impl<'m> NamedNumbers<'m> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            NamesForm::Slice(slice) => slice.len(),
            NamesForm::Records(records) => records.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those that are not kept in a catalog.
    pub(crate) const fn as_slice(&self) -> &'m [(&'m str, i32)] {
        match self.0 {
            NamesForm::Slice(slice) => slice,
            NamesForm::Records(_) => &[],
        }
    }

    /// Each name with its number.
    pub fn iter(self) -> impl Iterator<Item = (&'m str, i32)> + 'm {
        (0..self.len()).filter_map(move |at| match self.0 {
            NamesForm::Slice(slice) => slice.get(at).copied(),
            NamesForm::Records(records) => records.get(at),
        })
    }
}

impl PartialEq for NamedNumbers<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for NamedNumbers<'_> {}

impl fmt::Debug for NamedNumbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
