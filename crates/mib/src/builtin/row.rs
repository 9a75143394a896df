//! How a row is written down.

pub(super) use crate::source::{Module, Row};

use crate::clauses::Access;
use crate::index::IndexPart;
use crate::source::Facts;
use crate::syntax::Syntax;

const fn row(name: &'static str, arcs: &'static [u32], facts: Facts) -> Row {
    Row { name, arcs, facts }
}

pub(super) const fn node(name: &'static str, arcs: &'static [u32]) -> Row {
    row(name, arcs, Facts::Node)
}

pub(super) const fn table(name: &'static str, arcs: &'static [u32]) -> Row {
    row(name, arcs, Facts::Table)
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
    row(name, arcs, Facts::Row { augments, index })
}

pub(super) const fn scalar(
    name: &'static str,
    arcs: &'static [u32],
    access: Access,
    syntax: &'static Syntax<'static>,
) -> Row {
    let units = "";
    row(
        name,
        arcs,
        Facts::Scalar {
            access,
            syntax,
            units,
        },
    )
}

pub(super) const fn column(
    name: &'static str,
    arcs: &'static [u32],
    access: Access,
    syntax: &'static Syntax<'static>,
) -> Row {
    let units = "";
    row(
        name,
        arcs,
        Facts::Column {
            access,
            syntax,
            units,
        },
    )
}

pub(super) const fn notification(
    name: &'static str,
    arcs: &'static [u32],
    objects: &'static [&'static str],
) -> Row {
    row(name, arcs, Facts::Notification { objects })
}

impl Row {
    pub(super) const fn units(self, text: &'static str) -> Self {
        let facts = match self.facts {
            Facts::Scalar { access, syntax, .. } => Facts::Scalar {
                access,
                syntax,
                units: text,
            },
            Facts::Column { access, syntax, .. } => Facts::Column {
                access,
                syntax,
                units: text,
            },
            other => other,
        };
        row(self.name, self.arcs, facts)
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
