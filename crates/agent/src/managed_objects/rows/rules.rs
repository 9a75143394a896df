use varbind_codec::smi::Value;
use varbind_engine::instrumentation::SetError;
use varbind_engine::security::{SecurityModel, SecurityName};

use super::index::IndexValue;
use super::row::{Cell, Row, RowSet};

/// A value that a manager wants in a column. It may be one that nobody else may see.
#[derive(Clone)]
pub(crate) struct Assignment {
    pub(crate) column: u32,
    /// Of the syntax of the column.
    pub(crate) value: Value,
    /// Who wants it: security model and name.
    pub(crate) requester: Option<(SecurityModel, SecurityName)>,
}

impl Assignment {
    /// Puts the value into its column.
    pub(crate) fn put_into(&self, row: &mut Row) {
        row.put(self.column, Some(Cell::Value(self.value.clone())));
    }

    pub(crate) const fn integer(&self) -> Option<i32> {
        match self.value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn octets(&self) -> Option<&[u8]> {
        match &self.value {
            Value::OctetString(octets) => Some(octets),
            _ => None,
        }
    }
}

/// What is peculiar to a table.
pub(crate) trait RowRules: Send + Sync {
    /// Whether a row with this index, which is of the right syntax, can ever be created.
    fn allows_index(&self, _index: &[IndexValue]) -> bool {
        true
    }

    /// Fills in what a new row has and default values cannot say.
    fn create(&self, _row: &mut Row) {}

    /// Takes a value over into a row. The assignments of a SetRequest to one row come in the order of the columns;
    /// `rows` is what there was before it.
    ///
    /// # Errors
    /// When the value is not possible in this row.
    fn assign(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        _rows: &RowSet,
    ) -> Result<(), SetError> {
        assignment.put_into(row);
        Ok(())
    }

    /// Whether the columns of a row that was changed go together, in whatever state it is.
    fn is_consistent(&self, _row: &Row) -> bool {
        true
    }

    /// Whether a row that has all required columns can be active.
    fn is_ready(&self, _row: &Row) -> bool {
        true
    }
}

/// A table with nothing peculiar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainRules;

impl RowRules for PlainRules {}
