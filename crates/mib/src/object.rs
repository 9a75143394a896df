use std::fmt;

use crate::catalog::Entry;
use crate::clauses::{Access, Kind, Status};
use crate::index::Index;
use crate::syntax::Syntax;

/// An object of a module, borrowed from its [`Mib`](crate::Mib).
#[derive(Clone, Copy)]
pub struct Object<'m>(Entry<'m>);

impl<'m> Object<'m> {
    pub(crate) const fn new(entry: Entry<'m>) -> Self {
        Self(entry)
    }

    /// The descriptor, like `ifDescr`.
    #[must_use]
    pub fn name(&self) -> &'m str {
        self.0.name()
    }

    /// The name of the module, like `IF-MIB`; empty for the roots `ccitt`, `iso` and `joint-iso-ccitt`.
    #[must_use]
    pub fn module(&self) -> &'m str {
        self.0.module_name()
    }

    /// The OBJECT IDENTIFIER.
    #[must_use]
    pub fn oid(&self) -> &'m [u32] {
        self.0.arcs()
    }

    /// What the object is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// The type of the value, of a scalar or a column.
    #[must_use]
    pub fn syntax(&self) -> Option<Syntax<'m>> {
        self.0.syntax()
    }

    /// The access, of a scalar or a column.
    #[must_use]
    pub fn access(&self) -> Option<Access> {
        self.0.access()
    }

    /// The UNITS, like `octets`.
    #[must_use]
    pub fn units(&self) -> Option<&'m str> {
        Some(self.0.units()).filter(is_there)
    }

    /// The index, of a conceptual row. Of a row that AUGMENTS another it is the index of that one.
    #[must_use]
    pub fn index(&self) -> Option<Index<'m>> {
        self.0.index()
    }

    /// The name of the row that this one AUGMENTS.
    #[must_use]
    pub fn augments(&self) -> Option<&'m str> {
        Some(self.0.augments()).filter(is_there)
    }

    /// The names of the OBJECTS of a notification.
    #[must_use]
    pub fn notification_objects(&self) -> Vec<&'m str> {
        self.0.notification_objects()
    }

    /// The macro that defines it, like `OBJECT-TYPE`; unknown of what is built in.
    #[must_use]
    pub fn macro_name(&self) -> Option<&'static str> {
        self.0.macro_name()
    }

    /// The STATUS; unknown of what is built in.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.0.status()
    }

    /// The DESCRIPTION as it stands in the module; what is built in has none.
    #[must_use]
    pub fn description(&self) -> Option<&'m str> {
        Some(self.0.description()).filter(is_there)
    }

    /// The REFERENCE.
    #[must_use]
    pub fn reference(&self) -> Option<&'m str> {
        Some(self.0.reference()).filter(is_there)
    }

    /// The DEFVAL, as it stands in the module.
    #[must_use]
    pub fn default_value(&self) -> Option<&'m str> {
        Some(self.0.default_value()).filter(is_there)
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
