use std::fmt;

use crate::catalog::Entry;
use crate::clauses::{Access, Kind, Status};
use crate::index::Index;
use crate::source::Row;
use crate::syntax::Syntax;

/// An object of a module, borrowed from its [`Mib`](crate::Mib).
#[derive(Clone, Copy)]
pub struct Object<'m>(Origin<'m>);

#[derive(Clone, Copy)]
enum Origin<'m> {
    Builtin { module: &'m str, row: &'m Row },
    Catalog(Entry<'m>),
}

impl<'m> Object<'m> {
    pub(crate) const fn builtin(module: &'m str, row: &'m Row) -> Self {
        Self(Origin::Builtin { module, row })
    }

    pub(crate) const fn of_catalog(entry: Entry<'m>) -> Self {
        Self(Origin::Catalog(entry))
    }

    /// The descriptor, like `ifDescr`.
    #[must_use]
    pub fn name(&self) -> &'m str {
        match self.0 {
            Origin::Builtin { row, .. } => row.name,
            Origin::Catalog(entry) => entry.name(),
        }
    }

    /// The name of the module, like `IF-MIB`; empty for the roots `ccitt`, `iso` and `joint-iso-ccitt`.
    #[must_use]
    pub fn module(&self) -> &'m str {
        match self.0 {
            Origin::Builtin { module, .. } => module,
            Origin::Catalog(entry) => entry.module_name(),
        }
    }

    /// The OBJECT IDENTIFIER.
    #[must_use]
    pub fn oid(&self) -> &'m [u32] {
        match self.0 {
            Origin::Builtin { row, .. } => row.arcs,
            Origin::Catalog(entry) => entry.arcs(),
        }
    }

    /// What the object is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Origin::Builtin { row, .. } => row.facts.kind(),
            Origin::Catalog(entry) => entry.kind(),
        }
    }

    /// The type of the value, of a scalar or a column.
    #[must_use]
    pub fn syntax(&self) -> Option<Syntax<'m>> {
        match self.0 {
            Origin::Builtin { row, .. } => row.facts.syntax(),
            Origin::Catalog(entry) => entry.syntax(),
        }
    }

    /// The access, of a scalar or a column.
    #[must_use]
    pub fn access(&self) -> Option<Access> {
        match self.0 {
            Origin::Builtin { row, .. } => row.facts.access(),
            Origin::Catalog(entry) => entry.access(),
        }
    }

    /// The UNITS, like `octets`.
    #[must_use]
    pub fn units(&self) -> Option<&'m str> {
        let units = match self.0 {
            Origin::Builtin { row, .. } => row.facts.units(),
            Origin::Catalog(entry) => entry.units(),
        };
        Some(units).filter(|units| !units.is_empty())
    }

    /// The index, of a conceptual row. Of a row that AUGMENTS another it is the index of that one.
    #[must_use]
    pub fn index(&self) -> Option<Index<'m>> {
        match self.0 {
            Origin::Builtin { row, .. } => row.facts.index(),
            Origin::Catalog(entry) => entry.index(),
        }
    }

    /// The name of the row that this one AUGMENTS.
    #[must_use]
    pub fn augments(&self) -> Option<&'m str> {
        let augments = match self.0 {
            Origin::Builtin { row, .. } => row.facts.augments(),
            Origin::Catalog(entry) => entry.augments(),
        };
        Some(augments).filter(|augments| !augments.is_empty())
    }

    /// The names of the OBJECTS of a notification.
    #[must_use]
    pub fn notification_objects(&self) -> Vec<&'m str> {
        match self.0 {
            Origin::Builtin { row, .. } => row.facts.notification_objects().to_vec(),
            Origin::Catalog(entry) => entry.notification_objects(),
        }
    }

    /// The macro that defines it, like `OBJECT-TYPE`; unknown of what is built in.
    #[must_use]
    pub fn macro_name(&self) -> Option<&'static str> {
        self.entry().map(Entry::macro_name)
    }

    /// The STATUS; unknown of what is built in.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.entry()?.status()
    }

    /// The DESCRIPTION as it stands in the module; what is built in has none.
    #[must_use]
    pub fn description(&self) -> Option<&'m str> {
        self.entry().map(Entry::description).filter(is_there)
    }

    /// The REFERENCE.
    #[must_use]
    pub fn reference(&self) -> Option<&'m str> {
        self.entry().map(Entry::reference).filter(is_there)
    }

    /// The DEFVAL, as it stands in the module.
    #[must_use]
    pub fn default_value(&self) -> Option<&'m str> {
        self.entry().map(Entry::default_value).filter(is_there)
    }

    const fn entry(&self) -> Option<Entry<'m>> {
        match self.0 {
            Origin::Builtin { .. } => None,
            Origin::Catalog(entry) => Some(entry),
        }
    }
}

fn is_there(text: &&str) -> bool {
    !text.is_empty()
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.module(), self.name())
    }
}
