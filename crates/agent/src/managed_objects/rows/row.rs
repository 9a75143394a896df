use std::fmt;
use std::sync::Arc;

use varbind_codec::smi::{OidRef, Value, ValueRef};
use varbind_engine::instrumentation::Rows;
use zeroize::Zeroizing;

use super::description::{Access, Column, Constant, Kind, TableDescription};
use super::index::{IndexValue, split};

/// The states of a row that is there (RFC 2579, RowStatus).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowStatus {
    /// The row is in use.
    Active,
    /// The row is complete and not in use.
    NotInService,
    /// The row lacks something.
    NotReady,
}

impl RowStatus {
    pub(crate) const fn number(self) -> i32 {
        match self {
            Self::Active => 1,
            Self::NotInService => 2,
            Self::NotReady => 3,
        }
    }

    pub(super) const fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Active),
            2 => Some(Self::NotInService),
            3 => Some(Self::NotReady),
            _ => None,
        }
    }
}

/// Where a row is kept (RFC 2579, StorageType).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorageType {
    /// It is gone when the agent starts again.
    Volatile,
    /// It is on the disk.
    NonVolatile,
    /// The same, and it cannot be destroyed.
    Permanent,
    /// It can be neither changed nor destroyed.
    ReadOnly,
}

impl StorageType {
    pub(crate) const fn number(self) -> i32 {
        match self {
            Self::Volatile => 2,
            Self::NonVolatile => 3,
            Self::Permanent => 4,
            Self::ReadOnly => 5,
        }
    }

    pub(super) const fn from_number(number: i32) -> Option<Self> {
        match number {
            2 => Some(Self::Volatile),
            3 => Some(Self::NonVolatile),
            4 => Some(Self::Permanent),
            5 => Some(Self::ReadOnly),
            _ => None,
        }
    }
}

/// What stands in a column of a row.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A value that may be seen.
    Value(Value),
    /// Octets that nobody may see.
    Secret(Zeroizing<Vec<u8>>),
}

/// A row of a table.
#[derive(Clone)]
pub(crate) struct Row {
    description: &'static TableDescription,
    index: Vec<u32>,
    /// By the positions of the columns; those of RowStatus and StorageType are empty.
    cells: Vec<Option<Cell>>,
    pub(super) status: RowStatus,
    pub(super) storage_type: StorageType,
}

impl Row {
    /// A row with the default values.
    pub(super) fn new(description: &'static TableDescription, index: Vec<u32>) -> Self {
        let default = |column: &Column| column.default?.value().map(Cell::Value);
        Self {
            description,
            index,
            cells: description.columns.iter().map(default).collect(),
            status: RowStatus::NotReady,
            storage_type: StorageType::NonVolatile,
        }
    }

    /// A row of the configuration file: active and readOnly.
    pub(crate) fn configured(
        description: &'static TableDescription,
        index: Vec<u32>,
        values: impl IntoIterator<Item = (u32, Value)>,
    ) -> Self {
        let mut row = Self::new(description, index);
        for (column, value) in values {
            row.put(column, Some(Cell::Value(value)));
        }
        row.status = RowStatus::Active;
        row.storage_type = StorageType::ReadOnly;
        row
    }

    pub(crate) fn index(&self) -> &[u32] {
        &self.index
    }

    /// The objects of the index; `None` if it is not one of the table.
    pub(crate) fn index_values(&self) -> Option<Vec<IndexValue>> {
        split(self.description.index, &self.index)
    }

    pub(crate) const fn status(&self) -> RowStatus {
        self.status
    }

    pub(crate) fn is_active(&self) -> bool {
        self.status == RowStatus::Active
    }

    pub(crate) const fn storage_type(&self) -> StorageType {
        self.storage_type
    }

    pub(super) const fn description(&self) -> &'static TableDescription {
        self.description
    }

    /// What stands in a column, hidden ones included.
    pub(crate) fn cell(&self, column: u32) -> Option<&Cell> {
        let position = self.description.position(column)?;
        self.cells.get(position)?.as_ref()
    }

    /// Puts something into a column, or empties it.
    pub(crate) fn put(&mut self, column: u32, cell: Option<Cell>) {
        let position = self.description.position(column);
        if let Some(place) = position.and_then(|position| self.cells.get_mut(position)) {
            *place = cell;
        }
    }

    pub(crate) fn put_integer(&mut self, column: u32, number: i32) {
        self.put(column, Some(Cell::Value(Value::Integer(number))));
    }

    /// The number in a column; `None` if there is none.
    pub(crate) fn integer(&self, column: u32) -> Option<i32> {
        match self.cell(column)? {
            Cell::Value(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    /// The octets in a column; `None` if there are none.
    pub(crate) fn octets(&self, column: u32) -> Option<&[u8]> {
        match self.cell(column)? {
            Cell::Value(Value::OctetString(octets)) => Some(octets),
            _ => None,
        }
    }

    /// The text in a column; `None` if there is none, or it is not UTF-8.
    pub(crate) fn text(&self, column: u32) -> Option<&str> {
        std::str::from_utf8(self.octets(column)?).ok()
    }

    /// The name in a column; `None` if there is none.
    pub(crate) fn object_identifier(&self, column: u32) -> Option<OidRef<'_>> {
        match self.cell(column)? {
            Cell::Value(Value::ObjectIdentifier(oid)) => Some(oid.as_oid_ref()),
            _ => None,
        }
    }

    /// The secret octets in a column; `None` if there are none.
    pub(crate) fn secret(&self, column: u32) -> Option<&[u8]> {
        match self.cell(column)? {
            Cell::Secret(octets) => Some(octets),
            Cell::Value(_) => None,
        }
    }

    /// Whether it has a secret that `other` has not in the same column.
    pub(super) fn has_other_secrets(&self, other: Option<&Self>) -> bool {
        let mut cells = self.cells.iter().enumerate();
        cells.any(|(position, cell)| {
            let other = other.and_then(|other| other.cells.get(position)?.as_ref());
            matches!(cell, Some(Cell::Secret(_))) && cell.as_ref() != other
        })
    }

    /// Whether all columns that are needed have a value.
    pub(super) fn has_required(&self) -> bool {
        let mut columns = self.description.columns.iter().zip(&self.cells);
        columns.all(|(column, cell)| {
            cell.is_some() || column.is_optional || !matches!(column.kind, Kind::Value(_))
        })
    }

    /// What a manager reads.
    pub(crate) fn value(&self, number: u32) -> Option<ValueRef<'_>> {
        let position = self.description.position(number)?;
        let column = self.description.columns.get(position)?;
        match (column.kind, column.shown_as) {
            _ if column.access == Access::Hidden => None,
            (Kind::RowStatus, _) => Some(ValueRef::Integer(self.status.number())),
            (Kind::StorageType, _) => Some(ValueRef::Integer(self.storage_type.number())),
            (Kind::Value(_), Some(shown)) => Some(shown_value(shown)),
            (Kind::Value(_), None) => match self.cells.get(position)?.as_ref()? {
                Cell::Value(value) => Some(value.as_value_ref()),
                Cell::Secret(_) => None,
            },
        }
    }
}

/// Communities are among the values, so no value is shown.
impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("table", &self.description.name)
            .field("index", &self.index)
            .field("status", &self.status)
            .field("storage_type", &self.storage_type)
            .finish_non_exhaustive()
    }
}

/// A constant that can be shown without being kept; of names, only zeroDotZero can.
const fn shown_value(constant: Constant) -> ValueRef<'static> {
    match constant {
        Constant::Integer(number) => ValueRef::Integer(number),
        Constant::Octets(octets) => ValueRef::OctetString(octets),
        Constant::ObjectIdentifier(_) => ValueRef::ObjectIdentifier(OidRef::ZERO_DOT_ZERO),
    }
}

/// The rows of a table at one moment, in the order of their indexes.
#[derive(Debug, Default)]
pub(crate) struct RowSet(pub(super) Vec<Arc<Row>>);

impl RowSet {
    /// Rows of one table, in any order.
    pub(crate) fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut rows: Vec<_> = rows.into_iter().map(Arc::new).collect();
        rows.sort_by(|one, other| one.index.cmp(&other.index));
        Self(rows)
    }

    /// The row with this index.
    pub(crate) fn with_index(&self, index: &[u32]) -> Option<&Arc<Row>> {
        let at = self
            .0
            .binary_search_by(|row| row.index.as_slice().cmp(index));
        self.0.get(at.ok()?)
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.0.iter()
    }

    /// The rows that are in use.
    pub(crate) fn active(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.0.iter().filter(|row| row.is_active())
    }
}

impl Rows for RowSet {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |row| row.index())
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        self.0.get(row)?.value(column)
    }
}
