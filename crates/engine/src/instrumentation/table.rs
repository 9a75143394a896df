use std::sync::Arc;

use varbind_codec::smi::{Oid, Value};

use super::{ManagedObject, ReadError, Reply, RequestContext};

/// The rows of a conceptual table at one moment.
///
/// Invariant: the indexes are in ascending order, each once.
pub trait Rows: Send + Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of a row as sub-identifiers (RFC 2578 section 7.7).
    fn index(&self, row: usize) -> &[u32];

    /// The value of a column in a row; `None` where that row has none.
    fn value(&self, row: usize, column: u32) -> Option<Value<'_>>;

    /// The row with this index.
    fn find(&self, index: &[u32]) -> Option<usize> {
        let row = self.first_behind(index).checked_sub(1)?;
        (self.index(row) == index).then_some(row)
    }

    /// The first row whose index is greater than `index`; the number of rows if there is none.
    fn first_behind(&self, index: &[u32]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.index(middle) <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Where a table gets its rows.
pub trait TableSource: Send + Sync {
    /// Its rows.
    type Rows: Rows;

    /// The rows as they are now.
    fn rows(&self, request: &RequestContext) -> Arc<Self::Rows>;
}

/// A read-only conceptual table.
pub struct Table<S> {
    entry: Oid,
    columns: &'static [u32],
    source: S,
}

impl<S: TableSource> Table<S> {
    /// A table whose row object is `entry` (as ifEntry), with its readable columns in ascending order.
    pub const fn new(entry: Oid, columns: &'static [u32], source: S) -> Self {
        Self {
            entry,
            columns,
            source,
        }
    }

    /// Splits the name of an instance into column and index.
    fn split<'n>(&self, name: &'n [u32]) -> Option<(u32, &'n [u32])> {
        let (column, index) = name.strip_prefix(self.entry.arcs())?.split_first()?;
        Some((*column, index))
    }

    /// The first place to look at behind `name`: position of the column, and row.
    fn behind(&self, name: &[u32], rows: &S::Rows) -> (usize, usize) {
        let Some((column, index)) = self.split(name) else {
            let is_before = name <= self.entry.arcs();
            return (if is_before { 0 } else { self.columns.len() }, 0);
        };
        let at = self.columns.partition_point(|&other| other < column);
        if self.columns.get(at) == Some(&column) {
            (at, rows.first_behind(index))
        } else {
            (at, 0)
        }
    }
}

impl<S: TableSource> ManagedObject for Table<S> {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let (column, index) = self.split(name).ok_or(ReadError::NoSuchObject)?;
        if self.columns.binary_search(&column).is_err() {
            return Err(ReadError::NoSuchObject);
        }
        let rows = self.source.rows(request);
        let value = rows.find(index).and_then(|row| rows.value(row, column));
        reply.value(value.ok_or(ReadError::NoSuchInstance)?);
        Ok(())
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let rows = self.source.rows(request);
        let (at, mut row) = self.behind(name, &rows);
        for &column in self.columns.get(at..).unwrap_or(&[]) {
            while row < rows.len() {
                if let Some(value) = rows.value(row, column) {
                    let place = reply.name();
                    place.set(self.entry.arcs());
                    place.push(column);
                    place.extend(rows.index(row));
                    reply.value(value);
                    return Ok(());
                }
                row += 1;
            }
            row = 0;
        }
        Ok(())
    }
}
