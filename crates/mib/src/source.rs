//! A source of objects: rows in order of OBJECT IDENTIFIER, with an order by name and the parent of each.

use crate::clauses::{Access, Kind};
use crate::index::{Index, IndexPart};
use crate::syntax::Syntax;

/// One object of a module.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) arcs: &'static [u32],
    pub(crate) facts: Facts,
}

/// What is known of an object beside its name.
#[derive(Clone, Copy)]
pub(crate) enum Facts {
    Node,
    Table,
    Row {
        augments: &'static str,
        index: &'static [IndexPart<'static>],
    },
    Scalar {
        access: Access,
        syntax: &'static Syntax<'static>,
        units: &'static str,
    },
    Column {
        access: Access,
        syntax: &'static Syntax<'static>,
        units: &'static str,
    },
    Notification {
        objects: &'static [&'static str],
    },
}

impl Facts {
    pub(crate) const fn kind(&self) -> Kind {
        match *self {
            Facts::Node => Kind::Node,
            Facts::Scalar { .. } => Kind::Scalar,
            Facts::Table => Kind::Table,
            Facts::Row { .. } => Kind::Row,
            Facts::Column { .. } => Kind::Column,
            Facts::Notification { .. } => Kind::Notification,
        }
    }

    pub(crate) const fn syntax(&self) -> Option<Syntax<'static>> {
        match *self {
            Facts::Scalar { syntax, .. } | Facts::Column { syntax, .. } => Some(*syntax),
            _ => None,
        }
    }

    pub(crate) const fn access(&self) -> Option<Access> {
        match *self {
            Facts::Scalar { access, .. } | Facts::Column { access, .. } => Some(access),
            _ => None,
        }
    }

    /// Empty where there are none.
    pub(crate) const fn units(&self) -> &'static str {
        match *self {
            Facts::Scalar { units, .. } | Facts::Column { units, .. } => units,
            _ => "",
        }
    }

    pub(crate) fn index(&self) -> Option<Index<'static>> {
        match *self {
            Facts::Row { index, .. } => Some(Index::new(index)),
            _ => None,
        }
    }

    /// Empty where it augments no other.
    pub(crate) const fn augments(&self) -> &'static str {
        match *self {
            Facts::Row { augments, .. } => augments,
            _ => "",
        }
    }

    pub(crate) const fn notification_objects(&self) -> &'static [&'static str] {
        match *self {
            Facts::Notification { objects } => objects,
            _ => &[],
        }
    }
}

/// The objects of one module.
#[derive(Clone, Copy)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) rows: &'static [Row],
}

/// Where a row is.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) module: u16,
    pub(crate) row: u16,
}

/// No parent.
pub(crate) const ROOT: u16 = u16::MAX;

/// A set of modules with its orders.
///
/// Invariants: `by_oid` is sorted by sub-identifiers and `by_name` by name, both stable in the order of modules;
/// `parents[i]` is the place in `by_oid` of the nearest row above the row at `i`, or `ROOT`.
pub(crate) struct Source {
    pub(crate) modules: &'static [Module],
    pub(crate) by_oid: &'static [Position],
    pub(crate) by_name: &'static [Position],
    pub(crate) parents: &'static [u16],
}

impl Source {
    fn at(&self, position: Position) -> Option<(&'static str, &'static Row)> {
        let module = self.modules.get(usize::from(position.module))?;
        Some((module.name, module.rows.get(usize::from(position.row))?))
    }

    fn arcs(&self, position: Position) -> &'static [u32] {
        self.at(position).map_or(&[], |(_, row)| row.arcs)
    }

    pub(crate) fn name(&self, position: Position) -> &'static str {
        self.at(position).map_or("", |(_, row)| row.name)
    }

    /// The row with the longest OBJECT IDENTIFIER that `name` begins with.
    pub(crate) fn longest_prefix(&self, name: &[u32]) -> Option<(&'static str, &'static Row)> {
        let after = self
            .by_oid
            .partition_point(|&position| self.arcs(position) <= name);
        let mut place = after.checked_sub(1)?;
        loop {
            let found = self.at(*self.by_oid.get(place)?)?;
            if name.starts_with(found.1.arcs) {
                return Some(found);
            }
            match *self.parents.get(place)? {
                ROOT => return None,
                parent => place = usize::from(parent),
            }
        }
    }

    /// The rows at and below `root`, in order.
    pub(crate) fn subtree<'a>(
        &'a self,
        root: &'a [u32],
    ) -> impl Iterator<Item = (&'static str, &'static Row)> + 'a {
        let start = self
            .by_oid
            .partition_point(|&position| self.arcs(position) < root);
        self.by_oid
            .get(start..)
            .unwrap_or(&[])
            .iter()
            .filter_map(|&position| self.at(position))
            .take_while(move |(_, row)| row.arcs.starts_with(root))
    }

    /// The rows of a name, in the order of their modules.
    pub(crate) fn named<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'static str, &'static Row)> + 'a {
        let start = self
            .by_name
            .partition_point(|&position| self.name(position) < name);
        self.by_name
            .get(start..)
            .unwrap_or(&[])
            .iter()
            .filter_map(|&position| self.at(position))
            .take_while(move |(_, row)| row.name == name)
    }
}
