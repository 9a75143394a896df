use std::collections::BTreeMap;

use varbind::codec::smi::VarBind;
use varbind_mib::{Object, Table};

/// The objects of a table, arranged in rows.
pub(crate) struct Rows<'m> {
    table: Table<'m>,
    columns: Vec<Column<'m>>,
    rows: BTreeMap<Vec<u32>, Cells>,
    index_is_valid: bool,
}

/// The cells of a row, in the order in which the columns were met.
type Cells = Vec<Option<VarBind>>;

/// A column that the agent has.
pub(crate) struct Column<'m> {
    arc: u32,
    object: Option<Object<'m>>,
    /// Where its cells are.
    at: usize,
}

impl Column<'_> {
    /// The name, or the last sub-identifier if the column is not known.
    pub(crate) fn name(&self) -> String {
        self.object
            .map_or_else(|| self.arc.to_string(), |object| object.name().to_owned())
    }

    pub(crate) fn cell<'r>(&self, row: &Row<'r>) -> Option<&'r VarBind> {
        row.cells.get(self.at)?.as_ref()
    }
}

/// A row of a table.
pub(crate) struct Row<'r> {
    /// The instance identifier.
    pub(crate) instance: &'r [u32],
    cells: &'r Cells,
}

impl<'m> Rows<'m> {
    pub(crate) const fn new(table: Table<'m>) -> Self {
        Self {
            table,
            columns: Vec::new(),
            rows: BTreeMap::new(),
            index_is_valid: true,
        }
    }

    pub(crate) const fn table(&self) -> &Table<'m> {
        &self.table
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes objects in; those that are not of the table are left out.
    pub(crate) fn insert(&mut self, objects: &[VarBind]) {
        for object in objects {
            let Some((arc, instance)) = self.table.split(object.name.arcs()) else {
                continue;
            };
            let instance = instance.to_vec();
            let at = self.place(arc);
            if !self.rows.contains_key(&instance) {
                self.index_is_valid &= self.table.index().show(&instance).is_some();
            }
            let cells = self.rows.entry(instance).or_default();
            if cells.len() <= at {
                cells.resize(at + 1, None);
            }
            if let Some(cell) = cells.get_mut(at) {
                *cell = Some(object.clone());
            }
        }
    }

    /// Where the cells of a column are.
    fn place(&mut self, arc: u32) -> usize {
        // Objects come column by column: mostly it is the last one.
        if let Some(known) = self.columns.iter().rev().find(|known| known.arc == arc) {
            return known.at;
        }
        let at = self.columns.len();
        let object = self.table.column(arc);
        self.columns.push(Column { arc, object, at });
        at
    }

    /// The names of the columns of the index, if all rows fit it.
    pub(crate) fn index_names(&self) -> Vec<&'m str> {
        if !self.index_is_valid {
            return Vec::new();
        }
        self.table
            .index()
            .parts()
            .iter()
            .map(varbind_mib::IndexPart::name)
            .collect()
    }

    /// Whether each row tells its instance identifier by the columns of its index.
    pub(crate) const fn index_is_valid(&self) -> bool {
        self.index_is_valid
    }

    /// The columns that are not of the index, in order.
    pub(crate) fn columns(&self) -> Vec<&Column<'m>> {
        let index = self.index_names();
        let mut columns: Vec<_> = self
            .columns
            .iter()
            .filter(|column| !index.contains(&column.name().as_str()))
            .collect();
        columns.sort_by_key(|column| column.arc);
        columns
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(instance, cells)| Row {
            instance: instance.as_slice(),
            cells,
        })
    }
}
