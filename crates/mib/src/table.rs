use crate::clauses::Kind;
use crate::index::Index;
use crate::mib::Mib;
use crate::object::Object;

/// A conceptual table: its columns and its index.
#[derive(Clone, Debug)]
pub struct Table<'m> {
    table: Object<'m>,
    row: Object<'m>,
    index: Index<'m>,
    columns: Vec<Object<'m>>,
}

impl<'m> Table<'m> {
    pub(crate) fn new(mib: &'m Mib, table: Object<'m>) -> Option<Self> {
        let mut below = mib.subtree(table.oid());
        let row = below.find(|object| object.kind() == Kind::Row)?;
        Some(Self {
            table,
            row,
            index: row.index()?,
            columns: below
                .filter(|object| object.kind() == Kind::Column)
                .collect(),
        })
    }

    /// The table, like `ifTable`.
    #[must_use]
    pub const fn object(&self) -> Object<'m> {
        self.table
    }

    /// The row, like `ifEntry`.
    #[must_use]
    pub const fn row(&self) -> Object<'m> {
        self.row
    }

    /// The index; of a table that AUGMENTS another it is the index of that one.
    #[must_use]
    pub const fn index(&self) -> Index<'m> {
        self.index
    }

    /// The columns in order of their last sub-identifier, also those that are not accessible.
    #[must_use]
    pub fn columns(&self) -> &[Object<'m>] {
        &self.columns
    }

    /// The column with this last sub-identifier.
    #[must_use]
    pub fn column(&self, arc: u32) -> Option<Object<'m>> {
        self.columns
            .iter()
            .copied()
            .find(|column| column.oid().last() == Some(&arc))
    }

    /// Splits the name of an instance into its column and what identifies the row.
    #[must_use]
    pub fn split<'n>(&self, name: &'n [u32]) -> Option<(u32, &'n [u32])> {
        let (&column, instance) = name.strip_prefix(self.row.oid())?.split_first()?;
        Some((column, instance))
    }
}
