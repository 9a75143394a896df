//! How a module and its rows are written down.

use crate::clauses::{Access, Kind};
use crate::index::IndexPart;
use crate::syntax::Syntax;

/// The objects of one module.
pub(super) struct Module {
    pub(super) name: &'static str,
    /// LAST-UPDATED of the module that the facts are from, empty if it has none.
    pub(super) last_updated: &'static str,
    pub(super) rows: &'static [Row],
}

/// One object of a module.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) arcs: &'static [u32],
    pub(super) kind: Kind,
    pub(super) access: Option<Access>,
    pub(super) syntax: Option<&'static Syntax<'static>>,
    pub(super) units: &'static str,
    pub(super) augments: &'static str,
    pub(super) index: &'static [IndexPart<'static>],
    pub(super) notification_objects: &'static [&'static str],
}

pub(super) const fn node(name: &'static str, arcs: &'static [u32]) -> Row {
    Row {
        name,
        arcs,
        kind: Kind::Node,
        access: None,
        syntax: None,
        units: "",
        augments: "",
        index: &[],
        notification_objects: &[],
    }
}

pub(super) const fn table(name: &'static str, arcs: &'static [u32]) -> Row {
    Row {
        kind: Kind::Table,
        ..node(name, arcs)
    }
}

pub(super) const fn entry(
    name: &'static str,
    arcs: &'static [u32],
    index: &'static [IndexPart<'static>],
) -> Row {
    augmenting(name, arcs, "", index)
}

/// A row that AUGMENTS another, with the index of that one.
pub(super) const fn augmenting(
    name: &'static str,
    arcs: &'static [u32],
    augments: &'static str,
    index: &'static [IndexPart<'static>],
) -> Row {
    Row {
        kind: Kind::Row,
        augments,
        index,
        ..node(name, arcs)
    }
}

pub(super) const fn scalar(
    name: &'static str,
    arcs: &'static [u32],
    access: Access,
    syntax: &'static Syntax<'static>,
) -> Row {
    Row {
        kind: Kind::Scalar,
        access: Some(access),
        syntax: Some(syntax),
        ..node(name, arcs)
    }
}

pub(super) const fn column(
    name: &'static str,
    arcs: &'static [u32],
    access: Access,
    syntax: &'static Syntax<'static>,
) -> Row {
    Row {
        kind: Kind::Column,
        ..scalar(name, arcs, access, syntax)
    }
}

pub(super) const fn notification(
    name: &'static str,
    arcs: &'static [u32],
    objects: &'static [&'static str],
) -> Row {
    Row {
        kind: Kind::Notification,
        notification_objects: objects,
        ..node(name, arcs)
    }
}

impl Row {
    pub(super) const fn units(self, units: &'static str) -> Self {
        Self { units, ..self }
    }
}

/// A column of an index.
pub(super) const fn part(
    name: &'static str,
    syntax: &'static Syntax<'static>,
) -> IndexPart<'static> {
    IndexPart::new(name, *syntax, false)
}

/// The last column of an index, IMPLIED.
pub(super) const fn implied(
    name: &'static str,
    syntax: &'static Syntax<'static>,
) -> IndexPart<'static> {
    IndexPart::new(name, *syntax, true)
}
