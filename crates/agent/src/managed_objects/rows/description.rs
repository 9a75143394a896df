use std::collections::BTreeSet;

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::instrumentation::SetError;

use super::IndexPart;

/// What a table is.
#[derive(Debug)]
pub(crate) struct TableDescription {
    /// Its name, for the log.
    pub(crate) name: &'static str,
    /// The row object, as usmUserEntry.
    pub(crate) entry: &'static [u32],
    pub(crate) index: &'static [IndexPart],
    /// In ascending order.
    pub(crate) columns: &'static [Column],
    /// How many rows managers can make, so that nobody can fill the memory with them.
    pub(crate) capacity: usize,
}

impl TableDescription {
    /// The position of a column.
    pub(crate) fn position(&self, number: u32) -> Option<usize> {
        self.columns
            .binary_search_by_key(&number, |column| column.number)
            .ok()
    }

    pub(crate) fn column(&self, number: u32) -> Option<&'static Column> {
        self.columns.get(self.position(number)?)
    }

    /// The numbers of the columns that can be read, in order.
    pub(super) fn readable(&self) -> Vec<u32> {
        let columns = self.columns.iter();
        columns
            .filter(|column| matches!(column.access, Access::ReadOnly | Access::ReadCreate))
            .map(|column| column.number)
            .collect()
    }
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) number: u32,
    pub(super) kind: Kind,
    pub(super) access: Access,
    pub(super) default: Option<Constant>,
    /// What is read instead of the value.
    pub(super) shown_as: Option<Constant>,
    pub(super) is_fixed_while_active: bool,
    pub(super) is_optional: bool,
    pub(super) is_secret: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Value(Syntax),
    StorageType,
    RowStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    ReadOnly,
    ReadCreate,
    /// A column of another table that augments this one: kept with the row, and reached through that table.
    Augmenting,
    /// Not a column of the MIB: kept with the row, and for the agent's eyes only.
    Hidden,
}

impl Column {
    const fn new(number: u32, kind: Kind, access: Access) -> Self {
        Self {
            number,
            kind,
            access,
            default: None,
            shown_as: None,
            is_fixed_while_active: false,
            is_optional: false,
            is_secret: false,
        }
    }

    /// A column that has to be set before the row can be active.
    pub(crate) const fn required(number: u32, syntax: Syntax) -> Self {
        Self::new(number, Kind::Value(syntax), Access::ReadCreate)
    }

    /// A column with a value that it has if no other is set (DEFVAL).
    pub(crate) const fn with_default(number: u32, syntax: Syntax, default: Constant) -> Self {
        Self {
            default: Some(default),
            ..Self::required(number, syntax)
        }
    }

    /// A column that need not have a value.
    pub(crate) const fn optional(number: u32, syntax: Syntax) -> Self {
        Self {
            is_optional: true,
            ..Self::required(number, syntax)
        }
    }

    /// A column that managers cannot set; [`RowRules::create`](super::RowRules::create) gives it its value.
    pub(crate) const fn read_only(number: u32, syntax: Syntax) -> Self {
        Self {
            is_optional: true,
            ..Self::new(number, Kind::Value(syntax), Access::ReadOnly)
        }
    }

    /// Something that is kept with the row and is not a column: its number is none of the MIB's.
    pub(crate) const fn hidden(number: u32, syntax: Syntax) -> Self {
        Self {
            is_optional: true,
            ..Self::new(number, Kind::Value(syntax), Access::Hidden)
        }
    }

    /// The same for octets that nobody may see: they are overwritten in memory when they are dropped, and the file of
    /// values is written anew when they change.
    pub(crate) const fn secret(number: u32) -> Self {
        Self {
            is_secret: true,
            ..Self::hidden(number, Syntax::Octets(0, 65_535))
        }
    }

    /// StorageType, nonVolatile if it is not set.
    pub(crate) const fn storage_type(number: u32) -> Self {
        Self::new(number, Kind::StorageType, Access::ReadCreate)
    }

    /// RowStatus.
    pub(crate) const fn row_status(number: u32) -> Self {
        Self::new(number, Kind::RowStatus, Access::ReadCreate)
    }

    /// The same column, in the table that augments this one. Its number is none of this table's.
    pub(crate) const fn augmenting(self) -> Self {
        Self {
            access: Access::Augmenting,
            ..self
        }
    }

    /// The same column, which always reads as this.
    pub(crate) const fn shown_as(self, shown: Constant) -> Self {
        Self {
            shown_as: Some(shown),
            is_optional: true,
            ..self
        }
    }

    /// The same column, which cannot be changed while the row is active.
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "the first table with it is snmpTargetAddrTable")
    )]
    pub(crate) const fn fixed_while_active(self) -> Self {
        Self {
            is_fixed_while_active: true,
            ..self
        }
    }

    /// RFC 3416 4.2.5 (3) to (6): whether the column can ever have this value.
    pub(super) fn check(&self, value: ValueRef<'_>) -> Result<(), SetError> {
        match self.kind {
            Kind::Value(syntax) => syntax.check(value),
            // RowStatus and StorageType are numbers; which ones depends on the row.
            Kind::StorageType => Syntax::Integer(1, 5).check(value),
            Kind::RowStatus => Syntax::Integer(1, 6).check(value),
        }
    }
}

/// A value that is known when the program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Integer(i32),
    Octets(&'static [u8]),
    ObjectIdentifier(&'static [u32]),
}

impl Constant {
    /// The value; `None` if it is not a name.
    pub(crate) fn value(self) -> Option<Value> {
        Some(match self {
            Self::Integer(number) => Value::Integer(number),
            Self::Octets(octets) => Value::OctetString(octets.to_vec()),
            Self::ObjectIdentifier(arcs) => Value::from(&Oid::new(arcs).ok()?),
        })
    }
}

/// The values that a column can have. Sizes and ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// OCTET STRING of so many octets.
    Octets(usize, usize),
    /// SnmpAdminString (RFC 3411): UTF-8 of so many octets.
    AdminString(usize, usize),
    /// SnmpTagValue (RFC 3413): one tag, without delimiters, up to 255 octets.
    TagValue,
    /// SnmpTagList (RFC 3413): tags with one delimiter between each two, up to 255 octets.
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "the first table with it is snmpTargetAddrTable")
    )]
    TagList,
    /// INTEGER in this range.
    Integer(i32, i32),
    /// INTEGER with these values.
    Enumeration(&'static [i32]),
    /// OBJECT IDENTIFIER.
    ObjectIdentifier,
}

impl Syntax {
    /// Whether a value is of this syntax.
    ///
    /// # Errors
    /// `WrongType`, `WrongLength` or `WrongValue`.
    pub(super) fn check(self, value: ValueRef<'_>) -> Result<(), SetError> {
        let length = |octets: &[u8], min, max| {
            if (min..=max).contains(&octets.len()) {
                Ok(())
            } else {
                Err(SetError::WrongLength)
            }
        };
        let is_allowed = match (self, value) {
            (Self::Octets(min, max), ValueRef::OctetString(octets)) => {
                length(octets, min, max)?;
                true
            }
            (Self::AdminString(min, max), ValueRef::OctetString(octets)) => {
                length(octets, min, max)?;
                std::str::from_utf8(octets).is_ok()
            }
            (Self::TagValue, ValueRef::OctetString(octets)) => {
                length(octets, 0, 255)?;
                !octets.iter().any(is_tag_delimiter)
            }
            (Self::TagList, ValueRef::OctetString(octets)) => {
                length(octets, 0, 255)?;
                is_tag_list(octets)
            }
            (Self::Integer(min, max), ValueRef::Integer(number)) => (min..=max).contains(&number),
            (Self::Enumeration(numbers), ValueRef::Integer(number)) => numbers.contains(&number),
            (Self::ObjectIdentifier, ValueRef::ObjectIdentifier(_)) => true,
            _ => return Err(SetError::WrongType),
        };
        if is_allowed {
            Ok(())
        } else {
            Err(SetError::WrongValue)
        }
    }
}

/// RFC 3413, SnmpTagValue: space, tab, carriage return and line feed.
pub(crate) const fn is_tag_delimiter(octet: &u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\r' | b'\n')
}

/// RFC 3413, SnmpTagList: no tag is empty or occurs twice.
fn is_tag_list(octets: &[u8]) -> bool {
    let mut known = BTreeSet::new();
    octets.is_empty()
        || octets
            .split(is_tag_delimiter)
            .all(|tag| !tag.is_empty() && known.insert(tag))
}
