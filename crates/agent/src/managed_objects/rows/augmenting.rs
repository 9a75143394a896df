use std::sync::Arc;

use varbind_codec::smi::{Oid, ParseOidError, ValueRef};
use varbind_engine::instrumentation::{
    ManagedObject, PreparedSet, ReadError, Reply, RequestContext, Rows, SetError, Table,
    TableSource,
};

use super::{ConceptualTable, RowSet};

/// A table that AUGMENTS another: it has the same rows, which keep its columns beside their own.
pub(crate) struct AugmentingTable(Table<Source>);

struct Source {
    base: Arc<ConceptualTable>,
    /// The numbers of its columns, and those under which the rows keep them.
    columns: &'static [(u32, u32)],
}

struct AugmentingRows {
    rows: Arc<RowSet>,
    columns: &'static [(u32, u32)],
}

fn kept_as(columns: &[(u32, u32)], number: u32) -> Option<u32> {
    let column = columns.iter().find(|(own, _)| *own == number);
    column.map(|(_, kept)| *kept)
}

impl Rows for AugmentingRows {
    fn len(&self) -> usize {
        Rows::len(&*self.rows)
    }

    fn index(&self, row: usize) -> &[u32] {
        Rows::index(&*self.rows, row)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        Rows::value(&*self.rows, row, kept_as(self.columns, column)?)
    }
}

impl TableSource for Source {
    type Rows = AugmentingRows;

    fn with_rows<T>(
        &self,
        _request: &RequestContext,
        look: impl FnOnce(&AugmentingRows) -> T,
    ) -> T {
        look(&AugmentingRows {
            rows: Arc::clone(&self.base.rows()),
            columns: self.columns,
        })
    }
}

impl AugmentingTable {
    /// The table with the row object `entry`, which augments `base`. `columns` are its numbers, in ascending order, and
    /// those of the base table's columns that [`augmenting`](super::Column::augmenting) made.
    ///
    /// # Errors
    /// When `entry` is not a name.
    pub(crate) fn new(
        entry: &[u32],
        base: Arc<ConceptualTable>,
        columns: &'static [(u32, u32)],
    ) -> Result<Self, ParseOidError> {
        let numbers: Vec<u32> = columns.iter().map(|(own, _)| *own).collect();
        let source = Source { base, columns };
        Ok(Self(Table::new(Oid::new(entry)?, numbers, source)))
    }
}

impl ManagedObject for AugmentingTable {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.0.get(request, name, reply)
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.0.get_next(request, name, reply)
    }

    fn is_writable(&self, object: &[u32]) -> bool {
        let column = self.0.split(object);
        column.is_some_and(|(column, _)| kept_as(self.0.source().columns, column).is_some())
    }

    fn prepare_set(
        &self,
        request: &RequestContext,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let (column, index) = self.0.split(name).ok_or(SetError::NotWritable)?;
        let Source { base, columns } = self.0.source();
        let column = kept_as(columns, column).ok_or(SetError::NotWritable)?;
        base.prepare(request, column, index, value)
    }
}
