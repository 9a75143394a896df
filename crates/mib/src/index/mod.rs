//! The INDEX clause: instance identifiers to typed values and back (RFC 2578 section 7.7).

mod error;
mod show;

pub use error::IndexError;
pub(crate) use error::RangeList;
pub(crate) use show::{INET_ADDRESS, INET_ADDRESS_TYPE, inet_address_octets};

use crate::catalog::IndexRecords;
use crate::syntax::{BaseType, Syntax};

/// One column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexPart<'m> {
    name: &'m str,
    syntax: Syntax<'m>,
    implied: bool,
}

impl<'m> IndexPart<'m> {
    /// A column; `implied` only of the last one, if the INDEX clause says IMPLIED.
    #[must_use]
    pub const fn new(name: &'m str, syntax: Syntax<'m>, implied: bool) -> Self {
        Self {
            name,
            syntax,
            implied,
        }
    }

    /// The name of the column.
    #[must_use]
    pub const fn name(self) -> &'m str {
        self.name
    }

    /// The type of the column.
    #[must_use]
    pub const fn syntax(self) -> Syntax<'m> {
        self.syntax
    }

    /// Whether its length is implied by the end of the name.
    #[must_use]
    pub const fn is_implied(self) -> bool {
        self.implied
    }

    /// Whether the length comes before the value.
    pub(crate) fn has_length(&self) -> bool {
        match self.syntax.base() {
            BaseType::OctetString | BaseType::Bits | BaseType::Opaque => {
                !self.implied && self.syntax.fixed_length().is_none()
            }
            BaseType::ObjectIdentifier => !self.implied,
            _ => false,
        }
    }

    /// Takes the value of this column, without its length, off the front of `instance`.
    pub(crate) fn take<'n>(&self, instance: &'n [u32]) -> Option<(&'n [u32], &'n [u32])> {
        if self.has_length() {
            let (&length, rest) = instance.split_first()?;
            return rest.split_at_checked(usize::try_from(length).ok()?);
        }
        let length = match self.syntax.base() {
            BaseType::OctetString
            | BaseType::Bits
            | BaseType::Opaque
            | BaseType::ObjectIdentifier => match self.syntax.fixed_length() {
                Some(length) if !self.implied => usize::try_from(length).ok()?,
                _ => instance.len(),
            },
            BaseType::IpAddress => 4,
            // RFC 2578 section 7.7 allows no Counter64.
            BaseType::Counter64 => return None,
            _ => 1,
        };
        instance.split_at_checked(length)
    }

    fn error(&self, reason: impl FnOnce(String) -> IndexError) -> IndexError {
        reason(self.name.to_owned())
    }
}

/// The value of one column of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexValue {
    /// An integer type; a negative one cannot be in an index.
    Number(u32),
    /// OCTET STRING or BITS.
    Octets(Vec<u8>),
    /// OBJECT IDENTIFIER.
    ObjectIdentifier(Vec<u32>),
    /// IpAddress.
    IpAddress([u8; 4]),
}

/// The INDEX clause of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index<'m> {
    parts: IndexParts<'m>,
}

/// The columns of an index.
#[derive(Clone, Copy)]
pub struct IndexParts<'m>(PartsForm<'m>);

#[derive(Clone, Copy)]
enum PartsForm<'m> {
    Slice(&'m [IndexPart<'m>]),
    Records(IndexRecords<'m>),
}

impl<'m> IndexParts<'m> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            PartsForm::Slice(slice) => slice.len(),
            PartsForm::Records(records) => records.len(),
        }
    }

    /// Whether there is none, as where a module is wrong.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each column.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = IndexPart<'m>> + 'm {
        (0..self.len()).filter_map(move |at| match self.0 {
            PartsForm::Slice(slice) => slice.get(at).copied(),
            PartsForm::Records(records) => records.get(at),
        })
    }
}

impl PartialEq for IndexParts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for IndexParts<'_> {}

impl std::fmt::Debug for IndexParts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'m> Index<'m> {
    /// An index of columns.
    #[must_use]
    pub const fn new(parts: &'m [IndexPart<'m>]) -> Self {
        Self {
            parts: IndexParts(PartsForm::Slice(parts)),
        }
    }

    /// An index that is kept in a catalog.
    pub(crate) const fn from_records(records: IndexRecords<'m>) -> Self {
        Self {
            parts: IndexParts(PartsForm::Records(records)),
        }
    }

    /// The columns.
    #[must_use]
    pub const fn parts(&self) -> IndexParts<'m> {
        self.parts
    }

    /// Reads an instance identifier, the sub-identifiers behind that of a column.
    ///
    /// # Errors
    /// When it is too short or too long, or a part of a string is not an octet.
    ///
    /// ```
    /// use varbind_mib::{IndexValue, Mib};
    /// let mib = Mib::builtin();
    /// let table = mib.table("ipNetToMediaTable")?;
    /// let values = table.index().decode(&[2, 10, 0, 0, 1])?;
    /// assert_eq!(values, [IndexValue::Number(2), IndexValue::IpAddress([10, 0, 0, 1])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(&self, instance: &[u32]) -> Result<Vec<IndexValue>, IndexError> {
        let mut rest = instance;
        let mut values = Vec::with_capacity(self.parts.len());
        for part in self.parts.iter() {
            let (content, after) = part
                .take(rest)
                .ok_or_else(|| part.error(|column| IndexError::TooShort { column }))?;
            values.push(decode_part(&part, content)?);
            rest = after;
        }
        match rest {
            [] => Ok(values),
            _ => Err(IndexError::TooLong { rest: rest.len() }),
        }
    }

    /// Writes the instance identifier of values, one for each column.
    ///
    /// # Errors
    /// When a value is missing, of another type than its column, or not in its range.
    pub fn encode(&self, values: &[IndexValue]) -> Result<Vec<u32>, IndexError> {
        if values.len() != self.parts.len() {
            return Err(IndexError::WrongCount {
                expected: self.parts.len(),
                given: values.len(),
            });
        }
        let mut instance = Vec::new();
        for (part, value) in self.parts.iter().zip(values) {
            encode_part(&part, value, &mut instance)?;
        }
        Ok(instance)
    }
}

fn octets(part: &IndexPart<'_>, content: &[u32]) -> Result<Vec<u8>, IndexError> {
    content
        .iter()
        .map(|&number| {
            u8::try_from(number)
                .map_err(|_| part.error(|column| IndexError::NotAnOctet { column, number }))
        })
        .collect()
}

fn decode_part(part: &IndexPart<'_>, content: &[u32]) -> Result<IndexValue, IndexError> {
    match (part.syntax.base(), content) {
        (BaseType::OctetString | BaseType::Bits | BaseType::Opaque, _) => {
            octets(part, content).map(IndexValue::Octets)
        }
        (BaseType::ObjectIdentifier, _) => Ok(IndexValue::ObjectIdentifier(content.to_vec())),
        (BaseType::IpAddress, _) => octets(part, content)?
            .try_into()
            .map(IndexValue::IpAddress)
            .map_err(|_| part.error(|column| IndexError::TooShort { column })),
        (_, &[number]) => Ok(IndexValue::Number(number)),
        _ => Err(part.error(|column| IndexError::TooShort { column })),
    }
}

/// Appends a value with its length, if that is needed.
pub(crate) fn encode_part(
    part: &IndexPart<'_>,
    value: &IndexValue,
    instance: &mut Vec<u32>,
) -> Result<(), IndexError> {
    let base = part.syntax.base();
    let in_range = |number: i64| {
        if part.syntax.allows(number) {
            Ok(())
        } else {
            Err(part.error(|column| IndexError::OutOfRange {
                column,
                number,
                ranges: part.syntax.ranges().to_vec(),
            }))
        }
    };
    let length = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    match (value, base) {
        (IndexValue::Octets(octets), BaseType::OctetString | BaseType::Bits | BaseType::Opaque) => {
            in_range(i64::from(length(octets.len())))?;
            if part.has_length() {
                instance.push(length(octets.len()));
            }
            instance.extend(octets.iter().map(|&octet| u32::from(octet)));
        }
        (IndexValue::ObjectIdentifier(arcs), BaseType::ObjectIdentifier) => {
            if part.has_length() {
                instance.push(length(arcs.len()));
            }
            instance.extend(arcs);
        }
        (IndexValue::IpAddress(address), BaseType::IpAddress) => {
            instance.extend(address.iter().map(|&octet| u32::from(octet)));
        }
        (
            &IndexValue::Number(number),
            BaseType::Integer32
            | BaseType::Unsigned32
            | BaseType::Gauge32
            | BaseType::Counter32
            | BaseType::TimeTicks,
        ) => {
            in_range(i64::from(number))?;
            instance.push(number);
        }
        _ => return Err(part.error(|column| IndexError::WrongType { column })),
    }
    Ok(())
}
