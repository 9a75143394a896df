use std::collections::BTreeMap;

use varbind::codec::smi::{Oid, VarBind};
use varbind_mib::{Object, Table};

/// The objects of a table, arranged in rows.
#[derive(Clone)]
pub(crate) struct Rows<'m> {
    table: Table<'m>,
    /// The columns that are shown, in their order, which may be of other tables with the same index; all of the table if there are none.
    wanted: Vec<(Oid, Object<'m>)>,
    columns: Vec<Column<'m>>,
    rows: BTreeMap<Vec<u32>, Cells>,
    index_is_valid: bool,
}

/// The cells of a row, in the order in which the columns were met.
type Cells = Vec<Option<VarBind>>;

/// A column that the agent has.
#[derive(Clone)]
pub(crate) struct Column<'m> {
    /// The last sub-identifier of its name; where columns are chosen, its place among them.
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
    pub(crate) const fn new(table: Table<'m>, wanted: Vec<(Oid, Object<'m>)>) -> Self {
        Self {
            table,
            wanted,
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
            let Some((arc, instance)) = self.split(object.name.arcs()) else {
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

    /// The column and the instance identifier of an object.
    fn split<'n>(&self, name: &'n [u32]) -> Option<(u32, &'n [u32])> {
        if self.wanted.is_empty() {
            return self.table.split(name);
        }
        let columns = self.wanted.iter().zip(0..);
        columns
            .filter_map(|((column, _), place)| Some((place, name.strip_prefix(column.arcs())?)))
            .next()
    }

    /// The columns that there may be, in order, but for those of the index.
    pub(crate) fn possible_columns(&self) -> Vec<(u32, Object<'m>)> {
        let index = self.table.index();
        let is_index = |object: &Object<'m>| {
            let mut parts = index.parts().iter();
            parts.any(|part| part.name() == object.name())
        };
        let columns: Vec<_> = match self.wanted.is_empty() {
            true => {
                let columns = self.table.columns().iter();
                columns
                    .filter_map(|column| Some((*column.oid().last()?, *column)))
                    .collect()
            }
            false => {
                let columns = self.wanted.iter().zip(0..);
                columns
                    .map(|((_, object), place)| (place, *object))
                    .collect()
            }
        };
        let columns = columns.into_iter();
        columns.filter(|(_, object)| !is_index(object)).collect()
    }

    /// The column of a number, if the agent has it.
    pub(crate) fn column(&self, arc: u32) -> Option<&Column<'m>> {
        self.columns.iter().find(|column| column.arc == arc)
    }

    /// Where the cells of a column are.
    fn place(&mut self, arc: u32) -> usize {
        // Objects come column by column: mostly it is the last one.
        if let Some(known) = self.columns.iter().rev().find(|known| known.arc == arc) {
            return known.at;
        }
        let at = self.columns.len();
        let object = match self.wanted.is_empty() {
            true => self.table.column(arc),
            false => self.wanted.get(arc as usize).map(|(_, object)| *object),
        };
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

    /// Whether the index columns of each row form its instance identifier.
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
